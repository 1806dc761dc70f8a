//! Affixes of names, such as the `$` of `$filter`: which are dropped, and which are needed to keep names
//! distinct.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};
use unicode_normalization::UnicodeNormalization;

/// The names in one scope, grouped by what remains of each without its affixes.
#[derive(Debug, Default)]
pub(in crate::lower) struct Affixes {
    by_rest: BTreeMap<String, BTreeSet<String>>,
    /// Whether two names have the same rest. Few scopes have such names, and their comparison takes time.
    is_ambiguous: bool,
}

impl Affixes {
    /// Of all names of a scope, in any order.
    pub(in crate::lower) fn among<'t>(names: impl IntoIterator<Item = &'t str>) -> Self {
        let mut by_rest: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for name in names {
            by_rest.entry(super::snake(name)).or_default().insert(in_words(name));
        }
        let is_ambiguous = by_rest.values().any(|names| names.len() > 1);
        Self { by_rest, is_ambiguous }
    }

    /// Returns the name, with its affixes spelled out as words if it would otherwise equal another name.
    pub(in crate::lower) fn distinct<'t>(&self, name: &'t str) -> Cow<'t, str> {
        if !self.is_ambiguous {
            return Cow::Borrowed(name);
        }
        match self.by_rest.get(&super::snake(name)) {
            Some(names) if names.len() > 1 => Cow::Owned(in_words(name)),
            _ => Cow::Borrowed(name),
        }
    }
}

/// Returns the text without meaningless affixes, if an identifier can begin with the rest.
pub(super) fn without(text: &str) -> &str {
    // What compares or counts says something.
    let is_mute = |end: char| end.is_ascii() && !end.is_ascii_alphanumeric() && !"<>=!+".contains(end);
    let rest = text.trim_start_matches(is_mute);
    let rest = if rest.starts_with(super::is_never_first) { text } else { rest };
    match rest.trim_end_matches(is_mute) {
        "" => text,
        rest => rest,
    }
}

/// Text in which every sign that has a word is that word.
pub(in crate::lower) fn in_words(text: &str) -> String {
    // Rust takes letters of one normal form for the same, and warns of those that only look otherwise, such
    // as `ﬁ`.
    let text = if text.is_ascii() { Cow::Borrowed(text) } else { Cow::Owned(text.nfkc().collect()) };
    let bare = !text.chars().any(char::is_alphanumeric);
    let mut words = String::with_capacity(text.len());
    for (index, character) in text.chars().enumerate() {
        let word = match character {
            _ if character.is_ascii_alphanumeric() => {
                words.push(character);
                continue;
            }
            '+' => "plus",
            '-' if bare || index == 0 && text[1..].starts_with(|next: char| next.is_ascii_digit()) => "minus",
            '*' => "star",
            '<' => "less",
            '>' => "greater",
            '=' => "equal",
            '!' if index == 0 => "not",
            '%' => "percent",
            '&' => "and",
            '@' => "at",
            '#' => "hash",
            '$' => "dollar",
            '/' if bare => "slash",
            '.' if bare => "dot",
            '_' if bare => "underscore",
            // Not every letter of Unicode can stand in an identifier.
            _ if character.is_alphabetic() && unicode_ident::is_xid_continue(character) => {
                words.push(character);
                continue;
            }
            _ => "",
        };
        words.push(' ');
        words.push_str(word);
        words.push(' ');
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{super::snake, Affixes, without};

    #[test]
    fn signs_at_the_ends_go_where_something_is_left() {
        for (text, rest) in [
            ("$filter", "filter"),
            ("tags 123#$%^", "tags 123"),
            ("$special[model.name]", "special[model.name"),
            ("123test@$%", "123test"),
            ("e\u{301}", "e\u{301}"),
            ("@odata.type", "odata.type"),
            ("_links", "links"),
            ("StartTime>", "StartTime>"),
            ("+1", "+1"),
            ("#1", "#1"),
            ("$", "$"),
            ("größe", "größe"),
        ] {
            assert_eq!(without(text), rest);
        }
    }

    #[test]
    fn names_that_differ_in_signs_stay_different() {
        let told = |names: &[&str]| -> Vec<String> {
            let affixes = Affixes::among(names.iter().copied());
            names.iter().map(|name| snake(&affixes.distinct(name))).collect()
        };
        assert_eq!(told(&["$filter", "$top", "skip"]), ["filter", "top", "skip"]);
        assert_eq!(told(&["$filter", "filter"]), ["dollar_filter", "filter"]);
        assert_eq!(told(&["@id", "#id", "$id?"]), ["at_id", "hash_id", "dollar_id"]);
        // The same name in two places is no other.
        assert_eq!(told(&["$top", "$top"]), ["top", "top"]);
    }
}
