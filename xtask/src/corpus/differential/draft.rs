//! [`Draft`]: the parts of a request before it is written.

use super::encoding::{Form, percent};
use super::exchange::Request;

/// The parts of a request before it is written.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) method: String,
    pub(super) template: String,
    /// Whether the last letter before a variable or the end of the path is written as `%XX`.
    pub(super) escapes_letter: bool,
    pub(super) path: Vec<(String, String)>,
    pub(super) query: Vec<(String, String)>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) cookies: Vec<(String, String)>,
    pub(super) body: Option<Vec<u8>>,
}

impl Draft {
    /// Returns a request to a path template without anything else.
    pub(super) fn new(method: &str, template: &str) -> Self {
        Self {
            method: method.to_owned(),
            template: template.to_owned(),
            escapes_letter: false,
            path: Vec::new(),
            query: Vec::new(),
            headers: Vec::new(),
            cookies: Vec::new(),
            body: None,
        }
    }

    /// Returns the request.
    pub(super) fn write(&self) -> Request {
        let mut target = String::new();
        let mut rest = self.template.as_str();
        let mut letter_escaped = !self.escapes_letter;
        let mut literal = |text: &str| {
            let written = percent(text, b"-._~!$&'()*+,;=:@/");
            match text.chars().next_back().filter(|last| last.is_ascii_alphabetic() && !letter_escaped) {
                Some(last) => {
                    letter_escaped = true;
                    format!("{}%{:02X}", &written[..written.len() - 1], u32::from(last))
                }
                None => written,
            }
        };
        while let Some((before, after)) = rest.split_once('{') {
            let Some((name, after)) = after.split_once('}') else { break };
            target.push_str(&literal(before));
            let value = self.path.iter().find(|(own, _)| own == name);
            target.push_str(value.map_or("x", |(_, value)| value.as_str()));
            rest = after;
        }
        target.push_str(&literal(rest));
        if !self.query.is_empty() {
            let pairs: Vec<String> =
                self.query.iter().map(|(name, value)| format!("{name}={value}")).collect();
            target.push_str(&format!("?{}", pairs.join("&")));
        }
        let mut headers = self.headers.clone();
        if !self.cookies.is_empty() {
            let pairs: Vec<String> =
                self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            headers.push(("Cookie".to_owned(), pairs.join("; ")));
        }
        Request { method: self.method.clone(), target, headers, body: self.body.clone() }
    }

    /// Sets the pairs of a parameter.
    pub(super) fn set(&mut self, form: &Form<'_>, pairs: Vec<(String, String)>) {
        match form.place {
            "path" => self.path.extend(pairs.into_iter().map(|(_, text)| (form.name.to_owned(), text))),
            "query" => self.query.extend(pairs),
            "header" => self.headers.extend(pairs),
            _ => self.cookies.extend(pairs),
        }
    }

    /// Returns the same with a body, whose media type is not named if it is empty.
    pub(super) fn with_body(&self, media_type: &str, body: Vec<u8>) -> Self {
        let mut draft = self.clone();
        draft.headers.retain(|(name, _)| name != "Content-Type");
        if !media_type.is_empty() {
            draft.headers.push(("Content-Type".to_owned(), media_type.to_owned()));
        }
        draft.body = Some(body);
        draft
    }
}
