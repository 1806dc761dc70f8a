//! A question to a search.

/// A question to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// The visitor's question.
    pub question: String,
    /// The visitor's previous question in the same conversation.
    pub previous: Option<String>,
    /// BCP 47 language of the training content, if it has mainly one.
    pub language: Option<String>,
    /// Only content with one of these tags; empty for all content.
    pub tags: Vec<String>,
}
