//! Encoding of parameters.

use super::{Param, Place, Style};
use crate::codec::{
    brackets,
    text::{Tree, percent_encode, tree},
};
use serde::Serialize;

/// Encodes a value as percent-encoded pairs of name and value. In a header, nothing is percent-encoded.
///
/// In a query or a cookie, each pair is `name=value`; an empty list or object has no pairs. A path or header
/// parameter has exactly one pair, whose value is the whole text with the prefix of the style (`.`,
/// `;name=`).
///
/// # Errors
///
/// The end of a sentence that begins with the parameter, if the style cannot represent the value, such as an
/// object in a list, or if a reader could not distinguish it from another value.
pub fn encode<T: Serialize + ?Sized>(param: &Param, value: &T) -> Result<Vec<(String, String)>, String> {
    if param.style == Style::Json {
        let json = serde_json::to_string(value).map_err(|error| format!("must be JSON: {error}"))?;
        let text = if param.place == Place::Header {
            ascii_json(&json)
        } else {
            percent_encode(&json, param.reserved)
        };
        return Ok(vec![(name(param), text)]);
    }
    encode_tree(param, &tree(value)?)
}

/// Like [`encode`], for a value that is already a tree; not for JSON.
pub(in crate::codec) fn encode_tree(param: &Param, tree: &Tree) -> Result<Vec<(String, String)>, String> {
    match param.place {
        Place::Path | Place::Header => Ok(vec![(name(param), whole(param, tree)?)]),
        Place::Query | Place::Cookie => pairs(param, tree),
    }
}

fn name(param: &Param) -> String {
    if param.place == Place::Header { param.name.to_owned() } else { percent_encode(param.name, false) }
}

/// Writes JSON without characters that a header cannot contain.
fn ascii_json(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() {
            text.push(character);
        } else {
            // Outside ASCII, JSON text has characters only inside strings, where they may be escaped.
            for unit in character.encode_utf16(&mut [0; 2]) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    text
}

fn pairs(param: &Param, tree: &Tree) -> Result<Vec<(String, String)>, String> {
    if param.style == Style::DeepObject {
        let mut out = Vec::new();
        let own = name(param);
        brackets::write(&own, tree, param.reserved, &mut out);
        // Brackets are not allowed in a query (RFC 3986, section 3.4). Around a member whose name has
        // brackets itself they stay, to tell the two apart.
        for (name, _) in &mut out {
            let has_brackets = |members: &&str| members.contains("%5B") || members.contains("%5D");
            if let Some(members) = name.strip_prefix(&own).filter(|members| !has_brackets(members)) {
                *name = format!("{own}{}", members.replace('[', "%5B").replace(']', "%5D"));
            }
        }
        return Ok(out);
    }
    let own = |text: &str| (name(param), percent_encode(text, param.reserved));
    match tree {
        Tree::Null => Ok(vec![own("")]),
        Tree::Text(text) => Ok(vec![own(text)]),
        Tree::List(entries) if entries.is_empty() => Ok(Vec::new()),
        Tree::Object(members) if members.is_empty() => Ok(Vec::new()),
        Tree::List(entries) if param.explode => entries.iter().map(|entry| Ok(own(leaf(entry)?))).collect(),
        Tree::Object(members) if param.explode => {
            let mut out = Vec::new();
            for (name, value) in members {
                if param.is_of_another(name) {
                    return Err(format!("must not have the member `{name}`, which is another parameter"));
                }
                let entries = match value {
                    Tree::List(entries) => entries.as_slice(),
                    single => std::slice::from_ref(single),
                };
                for entry in entries {
                    let value = percent_encode(leaf(entry)?, param.reserved);
                    out.push((percent_encode(name, false), value));
                }
            }
            Ok(out)
        }
        Tree::List(_) | Tree::Object(_) => {
            let texts = flat(tree)?;
            let (delimiter, taken) = match param.style {
                Style::SpaceDelimited => ("%20", Some(' ')),
                // A query has no literal `|` (RFC 3986, section 3.4).
                Style::PipeDelimited => ("%7C", Some('|')),
                _ => (",", None),
            };
            if let Some(taken) = taken.filter(|taken| texts.iter().any(|text| text.contains(*taken))) {
                return Err(format!(
                    "must not have `{taken}` in an entry, as its style takes it for a delimiter"
                ));
            }
            Ok(vec![(name(param), join(param, &texts, delimiter)?)])
        }
    }
}

/// Returns the whole text of a path segment or a header.
fn whole(param: &Param, tree: &Tree) -> Result<String, String> {
    let escape = |text: &str| escape(param, text);
    let empty = match tree {
        Tree::List(entries) => entries.is_empty(),
        Tree::Object(members) => members.is_empty(),
        Tree::Null | Tree::Text(_) => false,
    };
    if empty {
        return Ok(String::new());
    }
    let scalar = match tree {
        Tree::Null => Some(""),
        Tree::Text(text) => Some(text.as_str()),
        Tree::List(_) | Tree::Object(_) => None,
    };
    match (param.style, scalar) {
        (Style::Label, Some(text)) => Ok(format!(".{}", percent_encode(text, false))),
        (Style::Label, None) if param.explode => {
            Ok(exploded(param, tree)?.iter().map(|part| format!(".{part}")).collect())
        }
        (Style::Label, None) => Ok(format!(".{}", join(param, &flat(tree)?, ",")?)),
        (Style::Matrix, Some(text)) => Ok(matrix(&name(param), &escape(text))),
        (Style::Matrix, None) if param.explode => match tree {
            Tree::Object(members) => {
                members.iter().map(|(name, value)| Ok(matrix(&escape(name), &escape(leaf(value)?)))).collect()
            }
            _ => flat(tree)?.iter().map(|text| Ok(matrix(&name(param), &escape(text)))).collect(),
        },
        (Style::Matrix, None) => Ok(matrix(&name(param), &join(param, &flat(tree)?, ",")?)),
        (_, Some(text)) => Ok(escape(text)),
        (_, None) => {
            let text = match tree {
                Tree::Object(_) if param.explode => exploded(param, tree)?.join(","),
                _ => join(param, &flat(tree)?, ",")?,
            };
            if text.is_empty() {
                return Err(
                    "must not be a list of one empty text, which would be read as no entry".to_owned()
                );
            }
            Ok(text)
        }
    }
}

fn matrix(name: &str, value: &str) -> String {
    if value.is_empty() { format!(";{name}") } else { format!(";{name}={value}") }
}

/// Returns the entries, or the members as `name=value`.
fn exploded(param: &Param, tree: &Tree) -> Result<Vec<String>, String> {
    match tree {
        Tree::Object(members) => members
            .iter()
            .map(|(name, value)| {
                Ok(format!("{}={}", part(param, name, true)?, part(param, leaf(value)?, false)?))
            })
            .collect(),
        _ => flat(tree)?.into_iter().map(|text| part(param, text, false)).collect(),
    }
}

fn join(param: &Param, texts: &[&str], delimiter: &str) -> Result<String, String> {
    let parts: Result<Vec<_>, _> = texts.iter().map(|text| part(param, text, false)).collect();
    Ok(parts?.join(delimiter))
}

/// Encodes one of several texts.
fn part(param: &Param, text: &str, is_name: bool) -> Result<String, String> {
    if param.place == Place::Header {
        let delimits = text.contains(',') || is_name && text.contains('=');
        if delimits || text.trim() != text {
            return Err(format!(
                "must not have commas or outer spaces in an entry, as a header cannot hold them: {text:?}"
            ));
        }
        return Ok(text.to_owned());
    }
    let reserved = param.reserved && param.place == Place::Query && !is_name;
    let text = percent_encode(text, reserved).replace(',', "%2C");
    // Readers may split a label at its dots.
    Ok(if param.style == Style::Label { text.replace('.', "%2E") } else { text })
}

fn escape(param: &Param, text: &str) -> String {
    if param.place == Place::Header { text.to_owned() } else { percent_encode(text, false) }
}

/// Returns the entries, or names and values alternately.
fn flat(tree: &Tree) -> Result<Vec<&str>, String> {
    match tree {
        Tree::List(entries) => entries.iter().map(leaf).collect(),
        Tree::Object(members) => {
            let mut texts = Vec::with_capacity(members.len() * 2);
            for (name, value) in members {
                texts.push(name.as_str());
                texts.push(leaf(value)?);
            }
            Ok(texts)
        }
        scalar => Ok(vec![leaf(scalar)?]),
    }
}

fn leaf(tree: &Tree) -> Result<&str, String> {
    match tree {
        Tree::Null => Ok(""),
        Tree::Text(text) => Ok(text),
        Tree::List(_) | Tree::Object(_) => {
            Err("must not hold a list or an object inside another, as its style cannot write it".to_owned())
        }
    }
}
