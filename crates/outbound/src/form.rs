//! Forms with a file (`multipart/form-data`, RFC 7578), as bodies of requests.

use bytes::Bytes;
use http::HeaderValue;

/// A file in a form.
#[derive(Debug, Clone, Copy)]
pub struct FormFile<'a> {
    /// Its name, which the recipient sees.
    pub name: &'a str,
    /// Its media type. One that cannot be written in a header is replaced by that of unknown content.
    pub media_type: &'a str,
    /// Its content.
    pub content: &'a [u8],
}

/// A form with fields and one file.
#[derive(Clone)]
pub struct Form {
    /// The value of `Content-Type`.
    pub content_type: HeaderValue,
    /// The body.
    pub body: Bytes,
}

impl Form {
    /// Writes a form. `field` is the name of the field with the file. Names of fields are written as they
    /// are, so they must not come from strangers.
    pub fn new(fields: &[(&str, &str)], field: &str, file: FormFile<'_>) -> Self {
        let boundary = boundary(fields, file.content);
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
            file.media_type
        } else {
            "application/octet-stream"
        };
        let head = format!(
            "--{boundary}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\n\
             Content-Type: {media_type}\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file.content);
        body.extend_from_slice(format!("\r\n--{boundary}--\r\n").as_bytes());
        let content_type = HeaderValue::try_from(format!("multipart/form-data; boundary={boundary}"))
            .expect("a boundary consists of letters, digits and hyphens");
        Self { content_type, body: body.into() }
    }
}

impl std::fmt::Debug for Form {
    /// Omits the contents, which may be confidential.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Form").field("body_bytes", &self.body.len()).finish_non_exhaustive()
    }
}

/// Returns a boundary that neither the content nor a field contains.
fn boundary(fields: &[(&str, &str)], content: &[u8]) -> String {
    let mut number = 0_u64;
    loop {
        let boundary = format!("frontdesk-form-{number:016x}");
        let occurs = |bytes: &[u8]| bytes.windows(boundary.len()).any(|window| window == boundary.as_bytes());
        if !occurs(content) && !fields.iter().any(|(_, value)| occurs(value.as_bytes())) {
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
        let file = FormFile {
            name: "a\"\r\nX: y.txt",
            media_type: "text/plain",
            content: b"--frontdesk-form-0000000000000000--\r\n",
        };
        let form = Form::new(&[("chat_id", "frontdesk-form-0000000000000001")], "document", file);
        assert_eq!(form.content_type, "multipart/form-data; boundary=frontdesk-form-0000000000000002");
        let body = String::from_utf8(form.body.to_vec()).unwrap();
        assert_eq!(
            body,
            "--frontdesk-form-0000000000000002\r\nContent-Disposition: form-data; name=\"chat_id\"\r\n\r\n\
             frontdesk-form-0000000000000001\r\n\
             --frontdesk-form-0000000000000002\r\nContent-Disposition: form-data; name=\"document\"; \
             filename=\"a%22%0D%0AX: y.txt\"\r\nContent-Type: text/plain\r\n\r\n\
             --frontdesk-form-0000000000000000--\r\n\r\n--frontdesk-form-0000000000000002--\r\n"
        );
    }
}
