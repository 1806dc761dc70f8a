//! Encoding of parameters and bodies as OpenAPI describes it, independent of the code under test.

use frontdesk_document::NodeRef;
use serde_json::{Map, Value};

/// How a parameter is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'d> {
    /// `path`, `query`, `header` or `cookie`.
    pub place: &'d str,
    /// The name.
    pub name: &'d str,
    style: &'d str,
    explode: bool,
    json: bool,
}

impl<'d> Form<'d> {
    /// Reads a Parameter Object. Returns `None` if it has no place or name.
    pub(super) fn of(node: NodeRef<'d>) -> Option<Self> {
        let text = |key| node.get(key).and_then(NodeRef::as_str);
        let (place, name) = (text("in")?, text("name")?);
        let usual = if matches!(place, "path" | "header") { "simple" } else { "form" };
        let style = text("style").unwrap_or(usual);
        let explode = node.get("explode").and_then(NodeRef::as_bool).unwrap_or(style == "form");
        Some(Self { place, name, style, explode, json: node.get("content").is_some() })
    }

    /// Reads an Encoding Object of a member of a form.
    fn of_member(name: &'d str, node: Option<NodeRef<'d>>) -> Self {
        let text = |key| node.and_then(|node| node.get(key)).and_then(NodeRef::as_str);
        let explode = node.and_then(|node| node.get("explode")).and_then(NodeRef::as_bool);
        let is_json = text("contentType").is_some_and(|media_type| media_type.ends_with("json"));
        let json = is_json && text("style").is_none() && explode.is_none();
        let style = text("style").unwrap_or("form");
        Self { place: "query", name, style, explode: explode.unwrap_or(style == "form"), json }
    }

    /// Returns the text of a path or header parameter, or the pairs of a query or cookie parameter.
    ///
    /// Returns `None` if OpenAPI defines no text for the value: `null`, nested values, empty lists and
    /// objects, and whatever a header cannot carry.
    pub(super) fn encode(&self, value: &Value) -> Option<Vec<(String, String)>> {
        let name = self.escape(self.name);
        if self.json {
            let text = value.to_string();
            let text = if self.place == "header" { ascii_json(&text) } else { self.escape(&text) };
            return Some(vec![(name, text)]);
        }
        match value {
            Value::Array(items) => self.list(name, items),
            Value::Object(members) => self.object(name, members),
            scalar => {
                let text = self.escape(&text(scalar)?);
                let text = match self.style {
                    "label" => format!(".{text}"),
                    "matrix" => format!(";{name}={text}"),
                    _ => text,
                };
                self.usable(vec![(name, text)])
            }
        }
    }

    fn list(&self, name: String, items: &[Value]) -> Option<Vec<(String, String)>> {
        let items: Vec<String> =
            items.iter().map(|item| Some(self.escape(&text(item)?))).collect::<Option<_>>()?;
        // One empty text cannot be distinguished from no entries.
        if items.is_empty() || items.iter().any(String::is_empty) || self.is_split(&items) {
            return None;
        }
        let pairs = match (self.style, self.explode) {
            ("label", true) => vec![(name, format!(".{}", items.join(".")))],
            ("label", false) => vec![(name, format!(".{}", items.join(",")))],
            ("matrix", true) => {
                let text = items.iter().map(|item| format!(";{name}={item}")).collect();
                vec![(name, text)]
            }
            ("matrix", false) => vec![(name.clone(), format!(";{name}={}", items.join(",")))],
            ("form" | "spaceDelimited" | "pipeDelimited", true) if self.place == "query" => {
                items.into_iter().map(|item| (name.clone(), item)).collect()
            }
            ("spaceDelimited", false) => vec![(name, items.join("%20"))],
            ("pipeDelimited", false) => vec![(name, items.join("%7C"))],
            ("simple", _) | ("form", false) => vec![(name, items.join(","))],
            _ => return None,
        };
        self.usable(pairs)
    }

    fn object(&self, name: String, members: &Map<String, Value>) -> Option<Vec<(String, String)>> {
        let members: Vec<(String, String)> = members
            .iter()
            .map(|(key, value)| Some((self.escape(key), self.escape(&text(value)?))))
            .collect::<Option<_>>()?;
        let flat: Vec<String> =
            members.iter().flat_map(|(key, value)| [key.clone(), value.clone()]).collect();
        if members.is_empty() || flat.iter().any(String::is_empty) || self.is_split(&flat) {
            return None;
        }
        let joined = |separator: &str| {
            members.iter().map(|(key, value)| format!("{key}={value}")).collect::<Vec<_>>().join(separator)
        };
        let pairs = match (self.style, self.explode) {
            ("deepObject", _) => {
                members.iter().map(|(key, value)| (format!("{name}%5B{key}%5D"), value.clone())).collect()
            }
            ("form", true) if self.place == "query" => members,
            ("simple", true) => vec![(name, joined(","))],
            ("simple" | "form", false) => vec![(name, flat.join(","))],
            ("label", true) => vec![(name, format!(".{}", joined(".")))],
            ("label", false) => vec![(name, format!(".{}", flat.join(",")))],
            ("matrix", true) => vec![(name, format!(";{}", joined(";")))],
            ("matrix", false) => vec![(name.clone(), format!(";{name}={}", flat.join(",")))],
            _ => return None,
        };
        self.usable(pairs)
    }

    /// Returns whether a separator within a value would split it: headers have no escapes, and `.` needs
    /// none.
    fn is_split(&self, texts: &[String]) -> bool {
        let separators: &[char] = match (self.place, self.style, self.explode) {
            ("header", _, _) => &[',', '='],
            (_, "label", true) => &['.', '='],
            _ => return false,
        };
        texts.iter().any(|text| text.contains(separators))
    }

    fn usable(&self, pairs: Vec<(String, String)>) -> Option<Vec<(String, String)>> {
        let fits = |text: &str| match self.place {
            "path" => !matches!(text, "" | "." | ".."),
            "header" => {
                text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
                    && text.trim() == text
                    && !text.is_empty()
            }
            _ => true,
        };
        pairs.iter().all(|(_, text)| fits(text)).then_some(pairs)
    }

    fn escape(&self, text: &str) -> String {
        if self.place == "header" { text.to_owned() } else { percent(text, b"-._~") }
    }
}

/// Returns JSON in ASCII, as a header can carry it.
fn ascii_json(text: &str) -> String {
    let mut units = [0; 2];
    text.chars()
        .flat_map(|character| match character {
            ' '..='~' => vec![character.to_string()],
            _ => character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        })
        .collect()
}

/// Returns the text of a scalar; `None` for any other value, and for `null`.
pub(super) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Escapes everything but letters, digits and these bytes.
pub(super) fn percent(text: &str, kept: &[u8]) -> String {
    text.bytes()
        .map(|byte| {
            if byte.is_ascii_alphanumeric() || kept.contains(&byte) {
                char::from(byte).to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Returns the text of a URL-encoded form, with lists as repeated pairs where `encoding`, the map of a Media
/// Type Object, says nothing else. Members that the form cannot express are returned by name instead.
pub(super) fn form(value: &Value, encoding: Option<NodeRef<'_>>) -> Result<Vec<u8>, Vec<String>> {
    let Value::Object(members) = value else { return Err(Vec::new()) };
    let (mut pairs, mut failed) = (Vec::new(), Vec::new());
    for (name, value) in members {
        let own = encoding.and_then(|encoding| encoding.get(name));
        match Form::of_member(name, own).encode(value) {
            Some(written) => pairs.extend(written.into_iter().map(|(name, text)| format!("{name}={text}"))),
            None => failed.push(name.clone()),
        }
    }
    if failed.is_empty() { Ok(pairs.join("&").into_bytes()) } else { Err(failed) }
}

/// The boundary of multipart bodies.
pub(super) const BOUNDARY: &str = "differential-boundary";

/// Returns a multipart body: texts for scalars, JSON for objects, a part for each entry of a list. `stated`
/// returns the media type that `encoding` states for a member.
pub(super) fn multipart<'d>(
    value: &Value,
    is_file: impl Fn(&str) -> bool,
    stated: impl Fn(&str) -> Option<&'d str>,
) -> Option<Vec<u8>> {
    let mut body = String::new();
    for (name, value) in value.as_object()? {
        let values = match value {
            Value::Array(items) if items.is_empty() => return None,
            Value::Array(items) => items.as_slice(),
            value => std::slice::from_ref(value),
        };
        if name.contains(['"', '\\']) || name.chars().any(char::is_control) {
            return None;
        }
        // The first media type of the list that is not a range.
        let mut stated = stated(name).unwrap_or_default().split(',').map(str::trim);
        let stated = stated.find(|stated| !stated.is_empty() && !stated.contains('*'));
        let is_json = stated.is_some_and(|stated| stated.ends_with("json"));
        for value in values {
            let (usual, text) = match value {
                Value::Object(_) => (Some("application/json"), value.to_string()),
                value if is_json => (None, value.to_string()),
                value => (None, text(value)?),
            };
            let (file, usual) = if is_file(name) {
                ("; filename=\"a.bin\"", Some("application/octet-stream"))
            } else {
                ("", usual)
            };
            let kind = stated.or(usual);
            let kind = kind.map_or_else(String::new, |kind| format!("\r\nContent-Type: {kind}"));
            body.push_str(&format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}{kind}\r\n\r\n{text}\r\n"
            ));
        }
    }
    body.push_str(&format!("--{BOUNDARY}--\r\n"));
    Some(body.into_bytes())
}
