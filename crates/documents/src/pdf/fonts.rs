//! Corrections of fonts for `pdf-extract`, which reads the pages: it does not know all names of glyphs, and
//! gives up a whole page if a font on it contradicts itself.

use lopdf::{Dictionary, Document, Object, ObjectId, Stream};

/// Encodings that the reader knows.
const ENCODINGS: [&[u8]; 3] = [b"MacRomanEncoding", b"MacExpertEncoding", b"WinAnsiEncoding"];
/// Most widths that are written out for one font.
const MAX_WIDTHS: i64 = 70_000;

/// Corrects the fonts of a document.
pub(super) fn correct(document: &mut Document) {
    let fonts: Vec<ObjectId> = document
        .objects
        .iter()
        .filter(|(_, object)| object.as_dict().is_ok_and(|dictionary| dictionary.has_type(b"Font")))
        .map(|(id, _)| *id)
        .collect();
    for id in fonts {
        let Some(mut font) = document.objects.get(&id).and_then(|font| font.as_dict().ok()).cloned() else {
            continue;
        };
        correct_widths(document, &mut font);
        correct_ranges(document, &font);
        correct_encoding(document, &mut font);
        document.objects.insert(id, Object::Dictionary(font));
    }
}

/// Makes the last character fit the number of widths.
fn correct_widths(document: &Document, font: &mut Dictionary) {
    let first = font.get(b"FirstChar").and_then(|first| resolved(document, first).as_i64());
    let count = font.get(b"Widths").and_then(|widths| resolved(document, widths).as_array()).map(Vec::len);
    if let (Ok(first), Ok(count)) = (first, count)
        && let Ok(count) = i64::try_from(count)
    {
        font.set("LastChar", first.saturating_add(count).saturating_sub(1));
    }
}

/// Writes the widths of ranges of a composite font, `first last width`, as lists, which the reader knows.
fn correct_ranges(document: &mut Document, font: &Dictionary) {
    let descendants = font.get(b"DescendantFonts").map(|list| resolved(document, list).clone());
    let Ok(Object::Array(descendants)) = descendants else { return };
    for descendant in descendants.iter().filter_map(|object| object.as_reference().ok()) {
        let Some(widths) = document
            .objects
            .get(&descendant)
            .and_then(|object| object.as_dict().ok()?.get(b"W").ok())
            .and_then(|widths| resolved(document, widths).as_array().ok())
        else {
            continue;
        };
        let Some(lists) = as_lists(document, widths) else { continue };
        if let Some(Object::Dictionary(dictionary)) = document.objects.get_mut(&descendant) {
            dictionary.set("W", Object::Array(lists));
        }
    }
}

fn as_lists(document: &Document, widths: &[Object]) -> Option<Vec<Object>> {
    let mut lists = Vec::new();
    let mut left = MAX_WIDTHS;
    let mut index = 0;
    while let (Some(first), Some(second)) = (widths.get(index), widths.get(index + 1)) {
        let first = resolved(document, first).as_i64().ok()?;
        match resolved(document, second) {
            Object::Array(list) => {
                lists.extend([Object::Integer(first), Object::Array(list.clone())]);
                index += 2;
            }
            second => {
                let count = second.as_i64().ok()?.checked_sub(first)?.checked_add(1)?;
                let width = resolved(document, widths.get(index + 2)?).clone();
                left = left.checked_sub(count.max(0)).filter(|left| *left >= 0)?;
                let list = vec![width; usize::try_from(count).unwrap_or_default()];
                lists.extend([Object::Integer(first), Object::Array(list)]);
                index += 3;
            }
        }
    }
    Some(lists)
}

/// Corrects the encoding of a simple font.
fn correct_encoding(document: &mut Document, font: &mut Dictionary) {
    if font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|subtype| subtype == b"Type0") {
        return;
    }
    let is_unusable_map =
        font.get(b"ToUnicode").is_ok_and(|map| !matches!(resolved(document, map), Object::Stream(_)));
    if is_unusable_map {
        font.remove(b"ToUnicode");
    }
    let Ok(encoding) = font.get(b"Encoding").map(|encoding| resolved(document, encoding).clone()) else {
        return;
    };
    let Object::Dictionary(mut encoding) = encoding else {
        let is_known = encoding.as_name().is_ok_and(|name| ENCODINGS.contains(&name));
        if !is_known {
            font.remove(b"Encoding");
        }
        return;
    };
    if !encoding.get(b"BaseEncoding").and_then(Object::as_name).is_ok_and(|name| ENCODINGS.contains(&name)) {
        encoding.remove(b"BaseEncoding");
    }
    let differences =
        encoding.get(b"Differences").and_then(|list| resolved(document, list).as_array()).cloned();
    if let Ok(differences) = differences {
        let Differences { list, characters } = Differences::of(document, &differences);
        encoding.set("Differences", Object::Array(list));
        if !characters.is_empty() && !font.has(b"ToUnicode") {
            let map = Stream::new(Dictionary::new(), map_of(&characters).into_bytes());
            font.set("ToUnicode", Object::Reference(document.add_object(map)));
        }
    }
    font.set("Encoding", Object::Dictionary(encoding));
}

/// The names of the characters that an encoding changes.
struct Differences {
    /// The list in names that the reader knows.
    list: Vec<Object>,
    /// The text of the codes whose names say which characters they are.
    characters: Vec<(u8, String)>,
}

impl Differences {
    fn of(document: &Document, differences: &[Object]) -> Self {
        let (mut list, mut characters) = (Vec::new(), Vec::new());
        let mut code = Some(0_u8);
        for object in differences {
            match resolved(document, object) {
                Object::Integer(number) => {
                    code = u8::try_from(*number).ok();
                    list.extend(code.map(|code| Object::Integer(code.into())));
                }
                Object::Name(name) => {
                    let Some(at) = code else { continue };
                    let name = String::from_utf8_lossy(name);
                    let base = base_name(&name);
                    if let Some(text) = spelled(base) {
                        characters.push((at, text));
                    }
                    list.push(Object::Name(base.as_bytes().to_vec()));
                    code = at.checked_add(1);
                }
                _ => {}
            }
        }
        Self { list, characters }
    }
}

/// Returns the name of a glyph without the name of its variant: `one.oldstyle` is a one.
fn base_name(name: &str) -> &str {
    match name.split_once('.') {
        Some((base, _)) if !base.is_empty() => base,
        _ => name,
    }
}

/// Returns the text that the name of a glyph spells: `uni20AC`, `u1F600`, `f_i`.
fn spelled(name: &str) -> Option<String> {
    if name.contains('_') {
        let text: Option<String> = name.split('_').map(component).collect();
        return text.filter(|text| !text.is_empty());
    }
    if name.chars().count() > 1 { component(name) } else { None }
}

fn component(name: &str) -> Option<String> {
    let character = |hexadecimal: &str| {
        let is_number = hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_number.then(|| u32::from_str_radix(hexadecimal, 16).ok().and_then(char::from_u32)).flatten()
    };
    if let Some(digits) = name.strip_prefix("uni").filter(|digits| digits.len() >= 4 && digits.is_ascii()) {
        // Several characters have four digits each.
        let parts = digits.as_bytes().chunks(4).map(|part| std::str::from_utf8(part).unwrap_or_default());
        return parts.map(|part| if part.len() == 4 { character(part) } else { None }).collect();
    }
    if let Some(digits) = name.strip_prefix('u').filter(|digits| (4..=6).contains(&digits.len())) {
        return character(digits).map(String::from);
    }
    let mut characters = name.chars();
    match (characters.next(), characters.next()) {
        (Some(only), None) => Some(only.to_string()),
        _ => match name {
            "fi" | "fl" | "ff" | "ffi" | "ffl" => Some(name.to_owned()),
            "longs" => Some("s".to_owned()),
            _ => None,
        },
    }
}

/// Returns a character map for these codes.
fn map_of(characters: &[(u8, String)]) -> String {
    let mut map = "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n\
                   1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"
        .to_owned();
    for part in characters.chunks(100) {
        map.push_str(&format!("{} beginbfchar\n", part.len()));
        for (code, text) in part {
            let units: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
            map.push_str(&format!("<{code:02X}> <{units}>\n"));
        }
        map.push_str("endbfchar\n");
    }
    map.push_str("endcmap\nend\nend\n");
    map
}

fn resolved<'a>(document: &'a Document, object: &'a Object) -> &'a Object {
    document.dereference(object).map_or(object, |(_, object)| object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_glyphs_are_spelled_out() {
        for (name, expected) in [
            ("uniFB01", Some("\u{fb01}")),
            ("uni00660069", Some("fi")),
            ("u20AC", Some("€")),
            ("u1F600", Some("😀")),
            ("f_i", Some("fi")),
            ("f_f_l", Some("ffl")),
            ("f_uni0069", Some("fi")),
            ("Adieresis", None),
            ("union", None),
            ("a", None),
            ("_", None),
            ("uniD800", None),
        ] {
            assert_eq!(spelled(name).as_deref(), expected, "{name}");
        }
        assert_eq!(
            (base_name("f_i.liga"), base_name(".notdef"), base_name("a.sc.x")),
            ("f_i", ".notdef", "a")
        );
    }
}
