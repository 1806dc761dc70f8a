//! Words of a message, and a small pattern language to find phrases in them.
//!
//! Patterns match whole words instead of substrings, tolerate a few words in between, and ignore accents,
//! case and invisible characters.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Maximum number of words that a `_` of a pattern matches.
const GAP: usize = 3;

/// Removes invisible characters that can hide text or split words: zero-width and bidirectional controls,
/// soft hyphens, tags. Keeps line breaks and tabs.
pub fn strip_invisible(text: &str) -> String {
    text.chars().filter(|character| !is_invisible(*character)).collect()
}

fn is_invisible(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Converts text to lower case and compatibility forms, without accents and invisible characters, and with
/// `ss` for `ß`.
pub fn fold_text(text: &str) -> String {
    let mut visible = strip_invisible(text);
    if visible.is_ascii() {
        visible.make_ascii_lowercase();
        return visible;
    }
    visible
        .nfkd()
        .filter(|character| !is_combining_mark(*character))
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .replace('ß', "ss")
        .replace('ł', "l")
}

/// The normalized words of a text, in order.
#[derive(Debug, Clone)]
pub struct Words(Vec<String>);

impl Words {
    /// Returns the words of a text, in the form of [`fold_text`].
    pub fn of(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let normal = fold_text(text).replace(['\u{2019}', '\u{2018}', '`', '\u{b4}'], "'");
        for run in normal.split(|character: char| !character.is_alphanumeric() && character != '\'') {
            for (index, part) in run.split('\'').enumerate() {
                // English contractions are one word ("don't"), other apostrophes join two ("d'un").
                let contraction = matches!(part, "t" | "s" | "m" | "re" | "ve" | "ll" | "d");
                match words.last_mut() {
                    Some(last) if index > 0 && contraction && !run.starts_with('\'') => last.push_str(part),
                    _ if part.is_empty() => {}
                    _ => words.push(part.to_owned()),
                }
            }
        }
        Self(words)
    }

    /// Returns the first `count` words.
    pub(crate) fn first(mut self, count: usize) -> Self {
        self.0.truncate(count);
        self
    }

    /// Returns the words in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the number of words.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns whether there are no words.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the words separated by single spaces.
    pub fn joined(&self) -> String {
        self.0.join(" ")
    }

    /// Returns the word at an index.
    pub fn get(&self, index: usize) -> Option<&str> {
        self.0.get(index).map(String::as_str)
    }

    /// Returns the words before an index, at most `count`.
    pub fn before(&self, index: usize, count: usize) -> &[String] {
        &self.0[index.saturating_sub(count)..index]
    }

    /// Returns the words of a range.
    pub fn slice(&self, range: Range<usize>) -> &[String] {
        &self.0[range]
    }

    /// Finds the matches of a pattern, at most one for each word that a match begins with.
    ///
    /// A pattern is a list of elements separated by spaces: a word, alternatives `a|b`, a prefix `a*`, an
    /// optional word `a?`, `_` for up to three words of any kind, and `^` at the beginning and `$` at the end
    /// for the boundaries of the message. Alternatives combine with both suffixes: in `a*|b?` the word is
    /// optional and may begin with `a`.
    pub fn matches<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        let (starts, elements) = match first_element(pattern) {
            ("^", rest) => (0..1, rest),
            _ => (0..self.0.len(), Some(pattern)),
        };
        starts.filter_map(move |start| Some(start..self.match_end(start, elements)?))
    }

    /// Returns whether a pattern matches anywhere, see [`matches`](Self::matches).
    pub fn has(&self, pattern: &str) -> bool {
        self.matches(pattern).next().is_some()
    }

    /// Returns whether one of the patterns matches anywhere.
    pub fn has_any(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| self.has(pattern))
    }

    /// Returns the number of words that a pattern matches at an index, if it matches.
    pub fn match_length(&self, at: usize, pattern: &str) -> Option<usize> {
        self.match_end(at, Some(pattern)).map(|end| end - at)
    }

    /// Returns where the shortest match of the elements ends; `None` is the end of a pattern.
    ///
    /// Hundreds of patterns are tried for a message, and nearly all fail at their first element, so the rest
    /// is not parsed.
    fn match_end(&self, at: usize, elements: Option<&str>) -> Option<usize> {
        let Some(elements) = elements else { return Some(at) };
        let (element, rest) = first_element(elements);
        match element {
            "$" => (at == self.0.len()).then_some(at),
            "_" => (at..=self.0.len().min(at + GAP)).find_map(|next| self.match_end(next, rest)),
            word => {
                let (alternatives, is_optional) =
                    word.strip_suffix('?').map_or((word, false), |word| (word, true));
                let is_found = self.0.get(at).is_some_and(|found| is_one_of(found, alternatives));
                let taken = if is_found { self.match_end(at + 1, rest) } else { None };
                taken.or_else(|| if is_optional { self.match_end(at, rest) } else { None })
            }
        }
    }
}

/// Returns the first element of a pattern, and the rest.
///
/// Patterns are short, so looking at each byte is faster than a search that prepares itself for a long text.
fn first_element(pattern: &str) -> (&str, Option<&str>) {
    match pattern.bytes().position(|byte| byte == b' ') {
        Some(space) => (&pattern[..space], Some(&pattern[space + 1..])),
        None => (pattern, None),
    }
}

/// Returns whether a word is one of the alternatives of an element, or begins with one that is a prefix.
fn is_one_of(word: &str, alternatives: &str) -> bool {
    let word = word.as_bytes();
    alternatives.as_bytes().split(|byte| *byte == b'|').any(|alternative| {
        match alternative.strip_suffix(b"*") {
            Some(prefix) => word.starts_with(prefix),
            None => word == alternative,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_normalised() {
        for (text, expected) in [
            ("I don’t KNOW", "i dont know"),
            ("Parler à quelqu'un d'autre", "parler a quelqu un d autre"),
            ("Straße, ÄÖÜ!", "strasse aou"),
            ("hu\u{200b}man\u{202e}", "human"),
            ("ｈｕｍａｎ", "human"),
            ("we're 'quoted' it's", "were quoted its"),
            ("🙂 ...", ""),
        ] {
            assert_eq!(Words::of(text).joined(), expected, "{text}");
        }
    }

    #[test]
    fn ascii_is_folded_as_in_other_text() {
        let ascii: String = ('\0'..='\u{7f}').collect();
        assert_eq!(fold_text(&format!("{ascii}é")), format!("{}e", fold_text(&ascii)));
    }

    #[test]
    fn patterns_match_words_gaps_prefixes_and_ends() {
        for (text, pattern, matches) in [
            ("can I talk to a real human", "talk to _ human", true),
            ("talk to the one and only human", "talk to _ human", false),
            ("a humanist", "human", false),
            ("a humanist", "human*", true),
            ("agent", "^ agent|support $", true),
            ("agent 007", "^ agent|support $", false),
            ("my agent", "^ agent|support", false),
            ("", "^ _ $", true),
            ("one two three four", "^ _ $", false),
            ("agent please", "^ agent please? $", true),
            ("agent", "^ agent please? $", true),
            ("agent commission", "^ agent please? $", false),
            ("an agent please", "^ a|an? agent $", false),
            ("an agent", "^ a|an? agent $", true),
            ("", "word", false),
        ] {
            assert_eq!(Words::of(text).has(pattern), matches, "{pattern} in {text}");
        }
    }

    #[test]
    fn every_match_is_found_with_its_end() {
        let words = Words::of("talk to me or talk to my boss");
        assert_eq!(words.matches("talk to _ boss|me").collect::<Vec<_>>(), [0..3, 4..8]);
        assert_eq!(words.match_length(4, "talk to"), Some(2));
        assert_eq!(words.match_length(5, "talk to"), None);
    }
}
