//! Names with brackets: `filter[size][gt]=3`, `tags[]=a`, `rows[0][id]=1`.

use super::text::{Problem, Tree, percent_decode, percent_encode};
use std::borrow::Cow;

/// Splits a name into the part before the brackets and the names inside; `None` if the brackets are
/// malformed.
///
/// Encoded brackets count only if the name has no literal ones, so that a name may contain brackets itself.
pub(super) fn names(raw: &str) -> Result<Option<Vec<String>>, Problem> {
    let decode = |text: &str| percent_decode(text, true).map_err(Problem::rule);
    let (text, encoded) =
        if raw.contains('[') { (Cow::Borrowed(raw), true) } else { (Cow::Owned(decode(raw)?), false) };
    let part = |text: &str| if encoded { decode(text) } else { Ok(text.to_owned()) };
    let Some((first, mut rest)) = text.split_once('[') else { return Ok(Some(vec![part(&text)?])) };
    let mut names = vec![part(first)?];
    loop {
        let Some((name, behind)) = rest.split_once(']') else { return Ok(None) };
        names.push(part(name)?);
        if behind.is_empty() {
            return Ok(Some(names));
        }
        match behind.strip_prefix('[') {
            Some(next) => rest = next,
            None => return Ok(None),
        }
    }
}

/// Writes a value with brackets after the name, which is already encoded.
pub(super) fn write(name: &str, value: &Tree, reserved: bool, out: &mut Vec<(String, String)>) {
    match value {
        Tree::Null => out.push((name.to_owned(), String::new())),
        Tree::Text(text) => out.push((name.to_owned(), percent_encode(text, reserved))),
        Tree::List(entries) => {
            let flat = entries.iter().all(|entry| matches!(entry, Tree::Text(_) | Tree::Null));
            for (index, entry) in entries.iter().enumerate() {
                let name = if flat { format!("{name}[]") } else { format!("{name}[{index}]") };
                write(&name, entry, reserved, out);
            }
        }
        Tree::Object(members) => {
            for (member, value) in members {
                write(&format!("{name}[{}]", percent_encode(member, false)), value, reserved, out);
            }
        }
    }
}
