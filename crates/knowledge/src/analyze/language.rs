//! The languages with full support.

use std::fmt;
use std::str::FromStr;

/// A language with stop words, a stemmer, phrases for answers, and detection.
///
/// Training content and questions may be in any language; content in another one is indexed with a stemmer if
/// there is one, else by whole words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// English, `en`.
    English,
    /// German, `de`.
    German,
    /// French, `fr`.
    French,
    /// Spanish, `es`.
    Spanish,
    /// Dutch, `nl`.
    Dutch,
    /// Italian, `it`.
    Italian,
    /// Portuguese, `pt`.
    Portuguese,
    /// Polish, `pl`.
    Polish,
}

impl Language {
    /// Every language, in the order of declaration, in which ties are resolved.
    pub const ALL: [Self; 8] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Dutch,
        Self::Italian,
        Self::Portuguese,
        Self::Polish,
    ];

    /// Returns the primary subtag of the language, for example `de`.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Dutch => "nl",
            Self::Italian => "it",
            Self::Portuguese => "pt",
            Self::Polish => "pl",
        }
    }

    /// Returns the language of a BCP 47 tag such as `de-AT`, or `None` if it is not fully supported. Only the
    /// primary subtag counts, in either case.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = primary_subtag(tag);
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.tag())
    }
}

/// A tag of a language without full support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnsupportedLanguage {
    /// The tag.
    pub tag: String,
}

impl fmt::Display for UnsupportedLanguage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tags = Language::ALL.map(Language::tag).join(", ");
        write!(formatter, "`{}` is not a supported language; use one of: {tags}", self.tag)
    }
}

impl std::error::Error for UnsupportedLanguage {}

impl FromStr for Language {
    type Err = UnsupportedLanguage;

    fn from_str(tag: &str) -> Result<Self, Self::Err> {
        Self::from_tag(tag).ok_or_else(|| UnsupportedLanguage { tag: tag.to_owned() })
    }
}

/// Returns the part of a BCP 47 tag that names the language: `de` of `de-AT` and of `de_AT`.
pub(super) fn primary_subtag(tag: &str) -> &str {
    tag.split(['-', '_']).next().unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_by_their_primary_subtag() {
        for (tag, expected) in [
            ("en-US", Some(Language::English)),
            ("DE_at", Some(Language::German)),
            ("PT_br", Some(Language::Portuguese)),
            ("nb-NO", None),
            ("ja", None),
            ("", None),
        ] {
            assert_eq!(Language::from_tag(tag), expected, "{tag}");
        }
    }

    #[test]
    fn tags_parse_back() {
        for language in Language::ALL {
            assert_eq!(language.to_string().parse(), Ok(language));
        }
        let error = "xx".parse::<Language>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`xx` is not a supported language; use one of: en, de, fr, es, nl, it, pt, pl"
        );
    }
}
