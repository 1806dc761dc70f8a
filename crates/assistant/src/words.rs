//! Recognising phrases in a message: plain words, and a small pattern language over them.
//!
//! Keyword lists are coarse by nature. What makes them usable is that they match words rather than
//! substrings, tolerate a few words in between, and see through accents, case and invisible characters.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Most words that a `_` of a pattern may stand for.
const GAP: usize = 3;

/// Removes characters that show nothing but can hide text or break words: zero-width and bidirectional
/// controls, soft hyphens, tags. Line breaks and tabs stay.
pub(crate) fn strip_invisible(text: &str) -> String {
    text.chars().filter(|character| !is_invisible(*character)).collect()
}

fn is_invisible(character: char) -> bool {
    matches!(character,
        '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{7f}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}

/// Lower case, compatibility forms, no accents, `ß` as `ss`, nothing invisible.
pub(crate) fn normalize(text: &str) -> String {
    strip_invisible(text)
        .nfkd()
        .filter(|character| !is_combining_mark(*character))
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .replace('ß', "ss")
}

/// The normalised words of a text.
#[derive(Debug, Clone)]
pub(crate) struct Words(Vec<String>);

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let mut words: Vec<String> = Vec::new();
        let normal = normalize(text).replace(['\u{2019}', '\u{2018}', '`', '\u{b4}'], "'");
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

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The words with single spaces between them.
    pub(crate) fn joined(&self) -> String {
        self.0.join(" ")
    }

    /// Where a pattern first matches, as the index of its first word.
    ///
    /// A pattern is a list of elements separated by spaces: a word, alternatives `a|b`, a prefix `a*`, `_` for
    /// up to three words of any kind, `^` at the beginning and `$` at the end for the ends of the message.
    pub(crate) fn find(&self, pattern: &str) -> Option<usize> {
        let mut elements: Vec<&str> = pattern.split(' ').collect();
        let anchored = elements.first() == Some(&"^");
        if anchored {
            elements.remove(0);
        }
        let starts = if anchored { 0..1 } else { 0..self.0.len() };
        starts.into_iter().find(|start| self.matches_at(*start, &elements))
    }

    pub(crate) fn has(&self, pattern: &str) -> bool {
        self.find(pattern).is_some()
    }

    pub(crate) fn has_any(&self, patterns: &[&str]) -> bool {
        patterns.iter().any(|pattern| self.has(pattern))
    }

    /// The words right before an index, at most `count`.
    pub(crate) fn before(&self, index: usize, count: usize) -> &[String] {
        &self.0[index.saturating_sub(count)..index]
    }

    fn matches_at(&self, at: usize, elements: &[&str]) -> bool {
        let Some((element, rest)) = elements.split_first() else { return true };
        match *element {
            "$" => at == self.0.len(),
            "_" => (at..=at + GAP).any(|next| next <= self.0.len() && self.matches_at(next, rest)),
            alternatives => self.0.get(at).is_some_and(|word| {
                alternatives.split('|').any(|alternative| match alternative.strip_suffix('*') {
                    Some(prefix) => word.starts_with(prefix),
                    None => word == alternative,
                }) && self.matches_at(at + 1, rest)
            }),
        }
    }
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
            ("", "word", false),
        ] {
            assert_eq!(Words::of(text).has(pattern), matches, "{pattern} in {text}");
        }
    }
}
