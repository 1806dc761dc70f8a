//! Texts of documents in reports: without characters that control a terminal or hide text, and values in
//! short.

use serde_json::Value;

use crate::compat::witness::elided;

/// The number of characters above which a text in a value is shortened.
const LONG: usize = 40;

/// The number of equal characters above which a run of them is shortened.
const RUN: usize = 12;

/// The number of items above which a list is shortened.
const MANY: usize = 4;

/// Returns a text with control characters, and those that change the direction of writing or are invisible,
/// as escapes.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if is_hidden(character) => out.push_str(&format!("\\u{{{:x}}}", character as u32)),
            _ => out.push(character),
        }
    }
    out
}

fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

/// Renders a value as one short line.
pub(super) fn shown(value: &Value) -> String {
    visible(&elided(&short(value), 240, 40))
}

fn short(value: &Value) -> String {
    match value {
        Value::String(text) => Value::String(shortened(text)).to_string(),
        Value::Array(items) => {
            let mut parts: Vec<String> = items.iter().take(MANY).map(short).collect();
            if items.len() > MANY {
                parts.push("…".to_owned());
            }
            format!("[{}]", parts.join(","))
        }
        Value::Object(members) => {
            let parts: Vec<String> = members
                .iter()
                .map(|(name, value)| format!("{}:{}", Value::String(name.clone()), short(value)))
                .collect();
            format!("{{{}}}", parts.join(","))
        }
        other => other.to_string(),
    }
}

fn shortened(text: &str) -> String {
    let length = text.chars().count();
    let first = text.chars().next();
    if length > RUN && text.chars().all(|character| Some(character) == first) {
        return text.chars().take(4).chain(['…']).collect();
    }
    if length > LONG { text.chars().take(LONG - 1).chain(['…']).collect() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_controls_the_terminal_or_hides() {
        assert_eq!(
            visible("a\u{1b}[31m\u{202e}b\u{7f}\n\u{200b}"),
            "a\\u{1b}[31m\\u{202e}b\\u{7f}\\n\\u{200b}"
        );
        assert_eq!(visible("größer, 漢字 😀"), "größer, 漢字 😀");
    }

    #[test]
    fn values_are_short() {
        let long = json!({ "quick_buttons": [{ "text": "a".repeat(21) }] });
        assert_eq!(shown(&long), r#"{"quick_buttons":[{"text":"aaaa…"}]}"#);
        assert_eq!(shown(&json!([1, 2, 3, 4, 5])), "[1,2,3,4,…]");
        assert_eq!(shown(&json!("a\u{202e}b\"")), r#""a\u{202e}b\"""#);
    }
}
