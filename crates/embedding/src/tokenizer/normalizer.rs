//! Replacement of characters before a text is split: compatibility forms (NFKC), control characters, kinds of
//! space.

use foldhash::{HashMap, HashMapExt};
use unicode_normalization::UnicodeNormalization;

use crate::error::ModelError;

/// The table `normalizer.tsv`.
#[derive(Debug)]
pub(super) struct Normalizer(HashMap<char, Box<[char]>>);

impl Normalizer {
    /// Reads the table: in each line a code point, a tab, and the code points that replace it (hexadecimal).
    pub(super) fn new(table: &str) -> Result<Self, ModelError> {
        let mut replacements = HashMap::new();
        for (index, line) in table.lines().enumerate() {
            let entry = line.split_once('\t').and_then(|(code, replacement)| {
                let replacement = replacement.split_whitespace().map(character).collect::<Option<_>>()?;
                Some((character(code)?, replacement))
            });
            let Some((code, replacement)) = entry else {
                return Err(ModelError::Table {
                    file: "normalizer.tsv",
                    line: index + 1,
                    problem: "expected a hexadecimal code point, a tab, and code points separated by spaces"
                        .to_owned(),
                });
            };
            replacements.insert(code, replacement);
        }
        Ok(Self(replacements))
    }

    /// Returns the characters after composition (NFC) and replacement.
    pub(super) fn normalized(&self, text: impl Iterator<Item = char>) -> impl Iterator<Item = char> {
        text.nfc().flat_map(|character| {
            let replacement = self.0.get(&character);
            let kept = replacement.is_none().then_some(character);
            kept.into_iter().chain(replacement.into_iter().flatten().copied())
        })
    }
}

fn character(hexadecimal: &str) -> Option<char> {
    u32::from_str_radix(hexadecimal, 16).ok().and_then(char::from_u32)
}
