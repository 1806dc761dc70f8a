//! A chunk as it is written: the passage, and the source that it belongs to.

use uuid::Uuid;

named_values! {
    /// What a chunk was made from.
    pub enum SourceType as "source type" {
        /// A page of a site.
        Webpage = "webpage",
        /// An uploaded file.
        File = "file",
        /// A text written for the chatbot.
        TextSnippet = "text_snippet",
        /// A question with its answer.
        Faq = "faq",
    }
}

/// A passage to be stored. The analyzed words, with white space between them, are kept in their order, so
/// that a ranking can use nearness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChunk {
    /// What it was made from.
    pub source_type: SourceType,
    /// Title of the page.
    pub title: String,
    /// The headings above the passage.
    pub headings: String,
    /// The passage as it is shown and cited.
    pub text: String,
    /// Where it is cited from.
    pub url: String,
    /// Language code.
    pub language: Option<String>,
    /// Analyzed words of the title.
    pub terms_title: String,
    /// Analyzed words of the headings.
    pub terms_headings: String,
    /// Analyzed words of the passage.
    pub terms_body: String,
}

/// The source that chunks belong to, and with which they are deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ChunkOwner {
    Webpage(Uuid),
    TextSnippet(Uuid),
    /// Has chunks in several chatbots.
    FaqItem(Uuid),
    File(Uuid),
}

impl ChunkOwner {
    /// Returns the id of the source, whatever it is.
    pub(crate) fn id(self) -> String {
        let (Self::Webpage(id) | Self::TextSnippet(id) | Self::FaqItem(id) | Self::File(id)) = self;
        id.to_string()
    }

    pub(crate) fn webpage_id(self) -> Option<String> {
        if let Self::Webpage(id) = self { Some(id.to_string()) } else { None }
    }

    pub(crate) fn text_snippet_id(self) -> Option<String> {
        if let Self::TextSnippet(id) = self { Some(id.to_string()) } else { None }
    }

    pub(crate) fn faq_item_id(self) -> Option<String> {
        if let Self::FaqItem(id) = self { Some(id.to_string()) } else { None }
    }

    pub(crate) fn file_id(self) -> Option<String> {
        if let Self::File(id) = self { Some(id.to_string()) } else { None }
    }
}
