//! Files that are sent to messengers, and the forms (RFC 7578) that carry them.

use bytes::Bytes;
use http::HeaderValue;

/// A file to send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingFile {
    /// Its name, which the recipient sees.
    pub name: String,
    /// Its media type, recognised from its content.
    pub media_type: String,
    /// Its content.
    pub content: Bytes,
}

impl OutgoingFile {
    /// Returns whether its media type is one of these.
    pub(crate) fn is_one_of(&self, media_types: &[&str]) -> bool {
        media_types.contains(&self.media_type.as_str())
    }

    /// Returns its size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.content.len()
    }
}

/// A form with fields and one file.
pub(crate) struct Form {
    /// The value of `Content-Type`.
    pub(crate) content_type: HeaderValue,
    /// The body.
    pub(crate) body: Bytes,
}

impl Form {
    /// Writes a form. `field` is the name of the field with the file.
    pub(crate) fn new(fields: &[(&str, &str)], field: &str, file: &OutgoingFile) -> Self {
        let boundary = boundary(&file.content);
        let mut body = Vec::with_capacity(file.content.len() + 1024);
        for (name, value) in fields {
            let head = format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n");
            body.extend_from_slice(head.as_bytes());
            body.extend_from_slice(value.as_bytes());
            body.extend_from_slice(b"\r\n");
        }
        // As browsers escape names, see the HTML standard.
        let name = file.name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
        let media_type = if file.media_type.bytes().all(|byte| byte.is_ascii_graphic()) {
            file.media_type.as_str()
        } else {
            "application/octet-stream"
        };
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
             Content-Type: {media_type}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(&file.content);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let content_type = HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}"))
            .expect("a boundary consists of letters, digits and hyphens");
        Self { content_type, body: body.into() }
    }
}

/// Returns a boundary that the content does not contain.
fn boundary(content: &[u8]) -> String {
    let mut number = 0_u64;
    loop {
        let boundary = format!("frontdesk-form-{number:016x}");
        if !content.windows(boundary.len()).any(|window| window == boundary.as_bytes()) {
            return boundary;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_cannot_be_left_by_what_is_in_it() {
        let file = OutgoingFile {
            name: "a\"\r\nX: y.txt".to_owned(),
            media_type: "text/plain".to_owned(),
            content: Bytes::from_static(b"--frontdesk-form-0000000000000000--\r\n"),
        };
        let form = Form::new(&[("chat_id", "5")], "document", &file);
        assert_eq!(form.content_type, "multipart/form-data; boundary=frontdesk-form-0000000000000001");
        let body = String::from_utf8(form.body.to_vec()).unwrap();
        assert_eq!(
            body,
            "--frontdesk-form-0000000000000001\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n5\r\n\
             --frontdesk-form-0000000000000001\r\nContent-Disposition: form-data; name=\"document\"; \
             filename=\"a%22%0D%0AX: y.txt\"\r\nContent-Type: text/plain\r\n\r\n\
             --frontdesk-form-0000000000000000--\r\n\r\n--frontdesk-form-0000000000000001--\r\n"
        );
    }
}
