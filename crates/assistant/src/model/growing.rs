//! A JSON object that arrives in parts: its complete members, and the beginning of one text member.
//!
//! It only finds where members begin and end; whether the whole is valid JSON is decided when it is complete.
//! Content that does not begin with an object, apart from the fence of a code block, has no members: an
//! object in a model's reasoning is not its answer.

/// The object so far.
#[derive(Debug)]
pub(super) struct Growing {
    content: String,
    /// Name of the member whose beginning is read before it is complete.
    text_member: &'static str,
    /// Bytes of the content that have been scanned.
    scanned: usize,
    place: Place,
    /// Open brackets.
    depth: usize,
    string: Option<Text>,
    /// Complete members with their JSON.
    members: Vec<(String, String)>,
    text: Beginning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// Before the object.
    Before,
    /// Before the name of a member.
    Name,
    /// Within or around the value of this member, which begins at this byte.
    Value(String, usize),
    /// The object is complete, or the text is not an object.
    End,
}

/// A string that is not finished.
#[derive(Debug)]
struct Text {
    start: usize,
    /// Characters of an escape sequence that are missing.
    escape: usize,
    /// Start of the newest escape sequence.
    escape_start: usize,
    /// Start of the escape sequence before it if both are one character, otherwise of the newest one.
    character_start: usize,
}

/// The beginning of the text member.
#[derive(Debug, Default)]
struct Beginning {
    text: String,
    /// Bytes of the content up to which it is decoded.
    decoded: usize,
    is_complete: bool,
}

impl Growing {
    /// Reads an object whose member `text_member` is wanted as it grows.
    pub(super) fn new(text_member: &'static str) -> Self {
        Self {
            content: String::new(),
            text_member,
            scanned: 0,
            place: Place::Before,
            depth: 0,
            string: None,
            members: Vec::new(),
            text: Beginning::default(),
        }
    }

    /// Adds a part of the content.
    pub(super) fn push(&mut self, part: &str) {
        self.content.push_str(part);
        while self.scanned < self.content.len() && self.place != Place::End {
            let byte = self.content.as_bytes()[self.scanned];
            match self.string {
                Some(_) => self.within_string(byte),
                None => self.outside_of_strings(byte),
            }
            self.scanned += 1;
        }
        if self.is_text_open() {
            self.decode(self.content.len());
        }
    }

    /// Returns the whole content so far.
    pub(super) fn content(&self) -> &str {
        &self.content
    }

    /// Returns the JSON of a member that is complete. A name that occurs twice has no member.
    pub(super) fn member(&self, name: &str) -> Option<&str> {
        let mut found = self.members.iter().filter(|(known, _)| known == name);
        let first = found.next().filter(|_| found.next().is_none())?;
        Some(first.1.trim())
    }

    /// Returns the beginning of the text member, and whether it is the whole.
    pub(super) fn text(&self) -> (&str, bool) {
        (&self.text.text, self.text.is_complete)
    }

    fn within_string(&mut self, byte: u8) {
        let at = self.scanned;
        let Some(string) = self.string.as_mut() else { return };
        match (string.escape, byte) {
            (0, b'\\') => {
                if !is_half(&self.content[string.escape_start..at]) {
                    string.character_start = at;
                }
                (string.escape, string.escape_start) = (1, at);
            }
            (0, b'"') => self.end_string(),
            (0, _) => {}
            (1, b'u') if at == string.escape_start + 1 => string.escape = 4,
            (left, _) => string.escape = left - 1,
        }
    }

    fn end_string(&mut self) {
        let at = self.scanned;
        if self.is_text_open() {
            self.decode(at);
            self.text.is_complete = true;
        }
        let start = self.string.take().map_or(at, |string| string.start);
        if self.depth == 1 && self.place == Place::Name {
            match serde_json::from_str(&self.content[start..=at]) {
                Ok(name) => self.place = Place::Value(name, 0),
                Err(_) => self.place = Place::End,
            }
        }
    }

    fn outside_of_strings(&mut self, byte: u8) {
        let at = self.scanned;
        match byte {
            b'{' if self.place == Place::Before => {
                let before = self.content[..at].trim();
                let is_clean = before.is_empty() || before == "```" || before == "```json";
                (self.place, self.depth) = (if is_clean { Place::Name } else { Place::End }, 1);
            }
            _ if self.place == Place::Before => {}
            b'"' => {
                self.string = Some(Text { start: at, escape: 0, escape_start: at, character_start: at });
                if self.is_text_open() {
                    self.text.decoded = at + 1;
                }
            }
            b'{' | b'[' => self.depth += 1,
            b':' if self.depth == 1 => {
                if let Place::Value(_, start) = &mut self.place
                    && *start == 0
                {
                    *start = at + 1;
                }
            }
            b'}' | b']' | b',' => {
                if self.depth == 1 {
                    self.end_member();
                    self.place = if byte == b',' { Place::Name } else { Place::End };
                }
                self.depth -= usize::from(byte != b',');
            }
            _ => {}
        }
    }

    fn end_member(&mut self) {
        if let Place::Value(name, start) = &self.place
            && *start > 0
        {
            self.members.push((name.clone(), self.content[*start..self.scanned].to_owned()));
        }
    }

    /// Returns whether the string that is being read is the value of the text member.
    fn is_text_open(&self) -> bool {
        let is_value =
            matches!(&self.place, Place::Value(name, start) if name == self.text_member && *start > 0);
        is_value && self.depth == 1 && self.string.is_some() && !self.text.is_complete
    }

    /// Decodes the text member up to a byte, without an escape sequence that is not finished.
    fn decode(&mut self, mut end: usize) {
        let Some(string) = &self.string else { return };
        if string.escape > 0 || self.content.get(string.escape_start..end).is_some_and(is_half) {
            end = string.character_start;
        }
        if end <= self.text.decoded {
            return;
        }
        match serde_json::from_str::<String>(&format!("\"{}\"", &self.content[self.text.decoded..end])) {
            Ok(text) => {
                self.text.text.push_str(&text);
                self.text.decoded = end;
            }
            Err(_) => self.place = Place::End,
        }
    }
}

/// Returns whether a JSON text is the first half of an escaped character beyond U+FFFF, which says nothing
/// without the second.
fn is_half(escape: &str) -> bool {
    let code = escape.strip_prefix("\\u").filter(|code| code.len() == 4);
    let code = code.and_then(|code| u16::from_str_radix(code, 16).ok());
    code.is_some_and(|code| (0xd800..0xdc00).contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds a content in parts of so many characters. Returns the object and each beginning of the text.
    fn grown(content: &str, step: usize) -> (Growing, Vec<String>) {
        let mut growing = Growing::new("answer");
        let mut beginnings = Vec::new();
        let characters: Vec<char> = content.chars().collect();
        for part in characters.chunks(step) {
            growing.push(&part.iter().collect::<String>());
            beginnings.push(growing.text().0.to_owned());
        }
        (growing, beginnings)
    }

    #[test]
    fn members_and_text_are_found_wherever_the_content_is_cut() {
        let answer = "Tea: \"£2\"\n\u{1f600} a\\b {x} [y], ü";
        for escaped in [false, true] {
            let json = serde_json::to_string(answer).unwrap();
            let json = if escaped {
                json.replace('£', "\\u00a3").replace('\u{1f600}', "\\ud83d\\ude00")
            } else {
                json
            };
            let content = format!(
                "```json\n{{ \"action\" : \"answer\", \"citations\":[\"S1\", {{\"answer\":\"no\"}}],\n \
                 \"answer\": {json}, \"reason\":\"\\\"}}\"}}\n```"
            );
            for step in 1..content.chars().count() {
                let (growing, beginnings) = grown(&content, step);
                assert_eq!(growing.text(), (answer, true), "{step}");
                assert!(beginnings.iter().all(|beginning| answer.starts_with(beginning)), "{beginnings:?}");
                assert_eq!(growing.member("action"), Some("\"answer\""));
                assert_eq!(growing.member("citations"), Some("[\"S1\", {\"answer\":\"no\"}]"));
                assert_eq!(growing.member("reason"), Some("\"\\\"}\""));
                assert_eq!(growing.content(), content);
            }
        }
    }

    #[test]
    fn text_grows_before_it_is_complete() {
        let (growing, beginnings) = grown("{\"answer\":\"At ni", 1);
        assert_eq!(growing.text(), ("At ni", false));
        assert_eq!(beginnings.last().map(String::as_str), Some("At ni"));
        assert_eq!(beginnings[10..14], ["", "A", "At", "At "]);
    }

    #[test]
    fn other_content_has_no_members() {
        for content in [
            "At nine.",
            "<think>{\"answer\":\"x\"}</think>{\"answer\":\"y\"}",
            "[{\"answer\":\"x\"}]",
            "{\"inner\":{\"answer\":\"x\"}}",
            "{\"answer\":[\"x\"]}",
            "{\"answer\":{\"a\":\"x\"}}",
            "{\"answer\":\"\\ud800 x\"}",
            "}{\"answer\":\"x\"",
            "{]}\"answer\":\"x\"",
            "",
        ] {
            for step in [1, 3, 100] {
                assert_eq!(grown(content, step).0.text().0, "", "{content}");
            }
        }
        assert_eq!(grown("{\"a\":1,\"a\":2}", 4).0.member("a"), None);
    }
}
