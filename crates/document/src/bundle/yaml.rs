//! Writes a bundle as YAML.

use std::borrow::Cow;
use std::fmt::Write as _;

use saphyr::{Mapping, Scalar, ScalarStyle, Yaml, YamlEmitter};

use crate::scalar::{self, Meaning};

use super::content::{Content, Item};

/// Returns the value as a YAML document with a final line break.
pub(super) fn write(item: &Item) -> String {
    let mut text = String::new();
    let mut emitter = YamlEmitter::new(&mut text);
    emitter.multiline(true);
    // Writing to a string does not fail, and the emitter has no other errors.
    emitter.dump(&convert(item, 0)).expect("a string takes any text");
    let mut trimmed = String::with_capacity(text.len());
    for line in text.strip_prefix("---\n").unwrap_or(&text).lines() {
        // A line of spaces is an empty line of a block, as texts with lines of spaces are quoted.
        trimmed.push_str(if line.bytes().all(|byte| byte == b' ') { "" } else { line });
        trimmed.push('\n');
    }
    trimmed
}

/// Longest key, in bytes between its quotes, that is written as most keys are: YAML lets them have 1024
/// characters.
const LONGEST_KEY: usize = 1000;

/// Returns the value at this depth of arrays and objects.
fn convert(item: &Item, depth: usize) -> Yaml<'_> {
    match &item.content {
        Content::Null => plain("null"),
        Content::Bool(true) => plain("true"),
        Content::Bool(false) => plain("false"),
        Content::Number(text) => plain(text),
        Content::String(text) => string(text, false),
        Content::Array(items) => Yaml::Sequence(items.iter().map(|item| convert(item, depth + 1)).collect()),
        Content::Object(members) => {
            let mut mapping = Mapping::new();
            for (key, member) in members {
                mapping.insert(self::key(key, depth), convert(member, depth + 1));
            }
            Yaml::Mapping(mapping)
        }
    }
}

/// Returns a plain scalar with this exact text.
fn plain(text: &str) -> Yaml<'_> {
    Yaml::Representation(Cow::Borrowed(text), ScalarStyle::Plain, None)
}

/// Returns a key; a long one behind `?`, with its value on a line of its own, for which the emitter has no
/// other style.
fn key(text: &str, depth: usize) -> Yaml<'_> {
    let escaped = if text.len() * 6 > LONGEST_KEY { escape(text) } else { String::new() };
    if escaped.len() <= LONGEST_KEY {
        return string(text, true);
    }
    let indent = " ".repeat(2 * depth);
    Yaml::Representation(Cow::Owned(format!("? \"{escaped}\"\n{indent}")), ScalarStyle::Plain, None)
}

/// Returns a string in a style that every reader understands as the same string; the emitter adds quotes
/// where it knows that they are needed.
fn string(text: &str, key: bool) -> Yaml<'_> {
    let lines = text.contains('\n');
    let quoted =
        needs_escapes(text) || (lines && (key || has_unsteady_lines(text))) || (!lines && is_ambiguous(text));
    if quoted {
        return Yaml::Representation(Cow::Owned(escape(text)), ScalarStyle::DoubleQuoted, None);
    }
    Yaml::Value(Scalar::String(Cow::Borrowed(text)))
}

/// Returns whether a text has characters that must or should be escaped in YAML.
fn needs_escapes(text: &str) -> bool {
    // Tabs within a block of several lines are left alone, as in code.
    let block = text.contains('\n');
    text.chars().any(|character| is_escaped(character) && !(block && matches!(character, '\n' | '\t')))
}

/// Characters that are written as escapes: control characters, byte order marks, and breaks of YAML 1.1.
fn is_escaped(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Returns whether a block of these lines would be at the mercy of editors and readers: one that begins with
/// space, or has a line of nothing but space.
fn has_unsteady_lines(text: &str) -> bool {
    text.starts_with([' ', '\t', '\n'])
        || text
            .split('\n')
            .any(|line| !line.is_empty() && line.bytes().all(|byte| matches!(byte, b' ' | b'\t')))
}

/// Returns whether a text on one line means something else to some reader: a value of the core schema, or one
/// that YAML 1.1 reads as a boolean, a date, a merge key, or a number with `_` or in base 60.
fn is_ambiguous(text: &str) -> bool {
    if scalar::resolve(text) != Meaning::String {
        return true;
    }
    let lower = text.to_ascii_lowercase();
    if matches!(
        lower.as_str(),
        "y" | "n" | "yes" | "no" | "on" | "off" | "=" | "<<" | "null" | "true" | "false"
    ) {
        return true;
    }
    let first = text.trim_start_matches(['+', '-']).chars().next();
    first.is_some_and(|first| first.is_ascii_digit() || first == '.')
        && text.chars().all(|character| character.is_ascii_hexdigit() || "+-.:_xoTtZz ".contains(character))
}

/// Returns a text escaped for a double-quoted scalar, without the quotes.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            other if is_escaped(other) => {
                // Every such character is in the basic plane, so four digits are enough.
                let _ = write!(escaped, "\\u{:04X}", u32::from(other));
            }
            other => escaped.push(other),
        }
    }
    escaped
}
