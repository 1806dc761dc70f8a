//! Navigation in a bundled document: pointers through references, and resolved schemas.

use std::collections::BTreeMap;

use serde_json::Value as Json;

/// Follows a pointer through references, and returns the final pointer with its value.
pub(crate) fn locate<'d>(document: &'d Json, pointer: &str) -> Option<(String, &'d Json)> {
    let mut place = (String::new(), document);
    for token in pointer.split('/').skip(1) {
        let (real, node) = follow(document, place)?;
        let step = format!("/{token}");
        place = (real + &step, node.pointer(&step)?);
    }
    follow(document, place)
}

/// Follows references at one location.
fn follow<'d>(document: &'d Json, mut place: (String, &'d Json)) -> Option<(String, &'d Json)> {
    // A bound is enough to detect cycles, because real chains of references are shorter.
    for _ in 0..32 {
        let Some(Json::String(reference)) = place.1.get("$ref") else { return Some(place) };
        let pointer = reference.strip_prefix('#')?;
        place = (pointer.to_owned(), document.pointer(pointer)?);
    }
    None
}

/// Escapes a name as a token of a pointer.
pub(crate) fn token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// Returns the names in an object in order; none if it is not an object.
pub(crate) fn names(object: Option<&Json>) -> Vec<&str> {
    object
        .and_then(Json::as_object)
        .into_iter()
        .flat_map(|object| object.keys())
        .map(String::as_str)
        .collect()
}

/// Returns the strings in an array; none if it is not an array.
pub(crate) fn strings(list: Option<&Json>) -> Vec<&str> {
    list.and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
}

/// A schema with references and an `allOf` of one entry resolved.
pub(crate) struct Schema<'d> {
    /// Its location after following references.
    pub(crate) pointer: String,
    /// The location that an `allOf` of one entry, or an `anyOf` of it and `null`, refers to; otherwise the
    /// same.
    pub(crate) target: String,
    pub(crate) keywords: BTreeMap<&'d str, &'d Json>,
}

/// Whether an `anyOf` is a schema or `null`, which is how the document writes a reference that may be `null`.
fn is_or_null(branches: &[Json]) -> bool {
    matches!(branches, [_, null] if null["nullable"] == true && null["enum"] == Json::from(vec![Json::Null]))
}

impl<'d> Schema<'d> {
    /// Resolves the schema at a pointer.
    pub(crate) fn at(document: &'d Json, pointer: &str) -> Option<Self> {
        let (pointer, own) = locate(document, pointer)?;
        let own = own.as_object()?;
        let mut keywords = BTreeMap::new();
        let mut target = pointer.clone();
        let only = own.get("allOf").and_then(Json::as_array).is_some_and(|all| all.len() == 1);
        let or_null = own.get("anyOf").and_then(Json::as_array).is_some_and(|any| is_or_null(any));
        let inner = if only { Some("allOf") } else { or_null.then_some("anyOf") };
        if let Some(inner) = inner {
            let inner = Self::at(document, &format!("{pointer}/{inner}/0"))?;
            keywords = inner.keywords;
            target = inner.target;
        }
        if or_null {
            keywords.insert("nullable", &Json::Bool(true));
        }
        keywords.extend(own.iter().map(|(keyword, value)| (keyword.as_str(), value)));
        if target != pointer {
            keywords.remove(if only { "allOf" } else { "anyOf" });
        }
        Some(Self { pointer, target, keywords })
    }

    /// Returns the string value of a keyword; empty without one.
    pub(crate) fn text(&self, keyword: &str) -> &'d str {
        self.keywords.get(keyword).and_then(|value| value.as_str()).unwrap_or_default()
    }

    /// Returns whether a keyword is `true`.
    pub(crate) fn flag(&self, keyword: &str) -> bool {
        self.keywords.get(keyword).is_some_and(|value| **value == true)
    }

    /// Returns the strings of a keyword.
    pub(crate) fn strings(&self, keyword: &str) -> Vec<&'d str> {
        strings(self.keywords.get(keyword).copied())
    }

    /// Returns the provenance of the schema: its own, or else that of its container.
    pub(crate) fn provenance<'p>(&self, inherited: &'p str) -> &'p str
    where
        'd: 'p,
    {
        self.keywords.get("x-provenance").and_then(|value| value.as_str()).unwrap_or(inherited)
    }
}
