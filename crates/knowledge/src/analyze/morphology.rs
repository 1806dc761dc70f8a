//! Morphology: which stemmer and which word lists apply to a text.

use snowball_stemmers_rs::{Algorithm, Stemmer};

use super::language::{Language, primary_subtag};

/// How the words of a language are analyzed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Morphology {
    /// A stemmer and word lists.
    Full(Language),
    /// A stemmer only.
    Stemmed(Algorithm),
    /// Neither: words are only lower-cased.
    Plain,
}

impl Morphology {
    /// Returns the morphology for a BCP 47 tag.
    pub(crate) fn of(tag: &str) -> Self {
        if let Some(language) = Language::from_tag(tag) {
            return Self::Full(language);
        }
        let algorithm = match primary_subtag(tag).to_ascii_lowercase().as_str() {
            "ar" => Algorithm::Arabic,
            "da" => Algorithm::Danish,
            "fi" => Algorithm::Finnish,
            "el" => Algorithm::Greek,
            "hu" => Algorithm::Hungarian,
            "no" | "nb" | "nn" => Algorithm::Norwegian,
            "ro" => Algorithm::Romanian,
            "ru" => Algorithm::Russian,
            "sv" => Algorithm::Swedish,
            "ta" => Algorithm::Tamil,
            "tr" => Algorithm::Turkish,
            _ => return Self::Plain,
        };
        Self::Stemmed(algorithm)
    }

    /// Returns the language whose word lists apply.
    pub(crate) fn language(self) -> Option<Language> {
        match self {
            Self::Full(language) => Some(language),
            Self::Stemmed(_) | Self::Plain => None,
        }
    }

    pub(super) fn stemmer(self) -> Option<Stemmer> {
        let algorithm = match self {
            Self::Full(Language::English) => Algorithm::English,
            Self::Full(Language::German) => Algorithm::German,
            Self::Full(Language::French) => Algorithm::French,
            Self::Full(Language::Spanish) => Algorithm::Spanish,
            Self::Full(Language::Dutch) => Algorithm::Dutch,
            Self::Full(Language::Italian) => Algorithm::Italian,
            Self::Full(Language::Portuguese) => Algorithm::Portuguese,
            Self::Full(Language::Polish) => Algorithm::Polish,
            Self::Stemmed(algorithm) => algorithm,
            Self::Plain => return None,
        };
        Some(Stemmer::create(algorithm))
    }
}

impl From<Language> for Morphology {
    fn from(language: Language) -> Self {
        Self::Full(language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_by_their_primary_subtag() {
        for (tag, expected) in [
            ("en-US", Morphology::Full(Language::English)),
            ("DE_at", Morphology::Full(Language::German)),
            ("nb-NO", Morphology::Stemmed(Algorithm::Norwegian)),
            ("xx", Morphology::Plain),
            ("", Morphology::Plain),
        ] {
            assert_eq!(Morphology::of(tag), expected, "{tag}");
        }
    }
}
