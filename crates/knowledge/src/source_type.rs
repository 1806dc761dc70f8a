//! The kinds of content that passages are taken from.

use std::fmt;
use std::str::FromStr;

/// The kind of content that a passage was taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SourceType {
    /// A page of a website.
    Webpage,
    /// An uploaded file.
    File,
    /// A text written for the chatbot.
    TextSnippet,
    /// A question with its answer.
    Faq,
    /// A page of another website, found by a search of the web. It is not training content.
    WebSearch,
}

impl SourceType {
    /// Every kind, in the order of declaration.
    pub const ALL: [Self; 5] = [Self::Webpage, Self::File, Self::TextSnippet, Self::Faq, Self::WebSearch];

    /// Returns the stable name, for example `text_snippet`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Webpage => "webpage",
            Self::File => "file",
            Self::TextSnippet => "text_snippet",
            Self::Faq => "faq",
            Self::WebSearch => "web_search",
        }
    }
}

impl fmt::Display for SourceType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// A name that belongs to no [`SourceType`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownSourceType {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownSourceType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = SourceType::ALL.map(SourceType::as_str).join(", ");
        write!(formatter, "`{}` is not a source type; use one of: {names}", self.name)
    }
}

impl std::error::Error for UnknownSourceType {}

impl FromStr for SourceType {
    type Err = UnknownSourceType;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|source_type| source_type.as_str() == name)
            .ok_or_else(|| UnknownSourceType { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for source_type in SourceType::ALL {
            assert_eq!(source_type.to_string().parse(), Ok(source_type));
        }
    }

    #[test]
    fn an_unknown_name_is_reported_with_the_known_ones() {
        let error = "Webpage".parse::<SourceType>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "`Webpage` is not a source type; use one of: webpage, file, text_snippet, faq, web_search"
        );
    }
}
