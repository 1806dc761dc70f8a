//! Repair of PDF documents whose cross-reference table is missing or wrong, as viewers do it: the objects are
//! found by scanning the file, and a new table is appended.

use std::collections::BTreeMap;

use memchr::memmem;

/// Most objects that are noted.
const MAX_OBJECTS: usize = 500_000;
/// Bytes of an object in which the mark of the catalog is searched.
const MAX_CATALOG_BYTES: usize = 4_000;
/// Longest part of a document identifier, in bytes.
const MAX_ID_BYTES: usize = 300;

/// Returns the document with a new cross-reference table; `None` if it has no objects or no root.
pub(super) fn with_new_table(bytes: &[u8]) -> Option<Vec<u8>> {
    let objects = objects(bytes);
    let last = *objects.keys().next_back()?;
    // Later versions of the trailer are further down.
    let root = last_reference(bytes, b"/Root").or_else(|| catalog(bytes, &objects))?;
    let mut trailer = format!("<< /Size {} /Root {root}", u64::from(last) + 1);
    for key in ["/Info", "/Encrypt"] {
        if let Some(reference) = last_reference(bytes, key.as_bytes()) {
            trailer.push_str(&format!(" {key} {reference}"));
        }
    }
    let mut repaired = bytes.to_vec();
    repaired.extend_from_slice(b"\n");
    let start = repaired.len();
    repaired.extend_from_slice(b"xref\n0 1\n0000000000 65535 f \n");
    for (number, object) in &objects {
        let entry = format!("{number} 1\n{:010} {:05} n \n", object.offset, object.generation);
        repaired.extend_from_slice(entry.as_bytes());
    }
    repaired.extend_from_slice(b"trailer\n");
    repaired.extend_from_slice(trailer.as_bytes());
    if let Some(id) = identifier(bytes) {
        repaired.extend_from_slice(b" /ID ");
        repaired.extend_from_slice(id);
    }
    repaired.extend_from_slice(format!(" >>\nstartxref\n{start}\n%%EOF\n").as_bytes());
    Some(repaired)
}

/// Where an object begins.
struct Found {
    offset: usize,
    generation: u16,
}

/// Returns the objects by number; of several versions the last one.
fn objects(bytes: &[u8]) -> BTreeMap<u32, Found> {
    let mut objects = BTreeMap::new();
    for at in memmem::find_iter(bytes, b"obj") {
        let ends_word = bytes.get(at + 3).is_none_or(|next| !next.is_ascii_alphanumeric());
        if let Some((offset, number, generation)) = head(bytes, at).filter(|_| ends_word)
            && (objects.len() < MAX_OBJECTS || objects.contains_key(&number))
        {
            objects.insert(number, Found { offset, generation });
        }
    }
    objects
}

/// Reads the numbers before the word `obj`, from right to left: offset, number and generation.
fn head(bytes: &[u8], at: usize) -> Option<(usize, u32, u16)> {
    let (generation_start, generation) = number_before(bytes, at)?;
    let (offset, number) = number_before(bytes, generation_start)?;
    Some((offset, number, u16::try_from(generation).ok()?))
}

/// Reads a number before `end` with white space behind it, and returns where it begins.
fn number_before(bytes: &[u8], end: usize) -> Option<(usize, u32)> {
    let before = &bytes[..end];
    let digits_end = before.iter().rposition(|byte| !byte.is_ascii_whitespace())? + 1;
    // Longer runs are not numbers of objects.
    let run = before[..digits_end].iter().rev().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    let start = digits_end - run;
    if digits_end == end || run == 0 || run > 10 {
        return None;
    }
    let text = std::str::from_utf8(&before[start..digits_end]).ok()?;
    Some((start, text.parse().ok()?))
}

/// Returns the last reference that a key has, such as `1 0 R`.
fn last_reference(bytes: &[u8], key: &[u8]) -> Option<String> {
    let mut end = bytes.len();
    while let Some(at) = memmem::rfind(&bytes[..end], key) {
        let rest = &bytes[at + key.len()..];
        let text = String::from_utf8_lossy(&rest[..rest.len().min(40)]).into_owned();
        let mut words = text.split_ascii_whitespace();
        let is_word_end = rest.first().is_some_and(u8::is_ascii_whitespace);
        if let (true, Some(Ok(number)), Some(Ok(generation)), Some(mark)) = (
            is_word_end,
            words.next().map(str::parse::<u32>),
            words.next().map(str::parse::<u16>),
            words.next(),
        ) && mark.starts_with('R')
        {
            return Some(format!("{number} {generation} R"));
        }
        end = at;
    }
    None
}

/// Returns a reference to the catalog, which every document has.
fn catalog(bytes: &[u8], objects: &BTreeMap<u32, Found>) -> Option<String> {
    let (number, found) = objects.iter().rev().find(|(_, found)| {
        let rest = &bytes[found.offset..];
        let start = &rest[..rest.len().min(MAX_CATALOG_BYTES)];
        let object = &start[..memmem::find(start, b"endobj").unwrap_or(start.len())];
        memmem::find(object, b"/Catalog").is_some()
    })?;
    Some(format!("{number} {} R", found.generation))
}

/// Returns the identifier of the document, which the key of an encrypted one depends on.
fn identifier(bytes: &[u8]) -> Option<&[u8]> {
    let at = memmem::rfind(bytes, b"/ID")?;
    let rest = &bytes[at + 3..];
    let start = rest.iter().position(|byte| !byte.is_ascii_whitespace())?;
    let list = rest.get(start..)?;
    let list = &list[..list.len().min(MAX_ID_BYTES)];
    (list.first() == Some(&b'[')).then_some(())?;
    Some(&list[..=memchr::memchr(b']', list)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_found_and_the_last_version_counts() {
        let bytes = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n12 3 obj<<>>endobj\n1 0 obj\n<</Type/Catalog/A 1>>\nendobj\nobject 5 objx";
        let found = objects(bytes);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [1, 12]);
        assert_eq!((found[&1].offset > 50, found[&12].generation), (true, 3));
        assert_eq!(catalog(bytes, &found).as_deref(), Some("1 0 R"));
        assert_eq!(
            last_reference(b"/Root 1 0 R /Root 7 0 R>> /RootX 9 0 R", b"/Root").as_deref(),
            Some("7 0 R")
        );
        assert!(with_new_table(b"nothing here").is_none());
    }
}
