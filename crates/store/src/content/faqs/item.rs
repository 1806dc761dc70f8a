//! An item of an FAQ, as it is stored.

use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::sql::record::Column;

named_values! {
    /// Whether answers use an item.
    pub enum FaqItemStatus as "FAQ item status" {
        /// They do not.
        Draft = "draft",
        /// They do.
        Published = "published",
    }
}

named_values! {
    /// How an item came to be.
    pub enum FaqItemSource as "FAQ item source" {
        /// Written by hand.
        Manual = "manual",
        /// Read from a file.
        Import = "import",
        /// Made of a question that the chatbot could not answer.
        Suggested = "suggested",
    }
}

/// Other wordings of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AlternativeQuestions(pub Vec<String>);

impl Column for AlternativeQuestions {
    fn read(row: &sqlx::any::AnyRow, name: &str) -> sqlx::Result<Self> {
        let value = Value::read(row, name)?;
        let texts = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        Ok(Self(texts.map(str::to_owned).collect()))
    }
}

record! {
    /// A question with its answer.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct FaqItem, columns faq_item_columns {
        /// Identifier.
        pub faq_item_id: Uuid,
        /// The FAQ.
        pub faq_id: Uuid,
        /// The account of the FAQ.
        pub account_id: Uuid,
        /// Place in the FAQ: ascending from 1, with gaps where items were deleted.
        pub position: u64,
        /// The question.
        pub question: String,
        /// Other wordings of it.
        pub alternative_questions: AlternativeQuestions,
        /// The answer.
        pub answer: String,
        /// The address to cite; an item without one is cited by its question.
        pub url: Option<String>,
        /// Whether answers use it.
        pub status: FaqItemStatus,
        /// How it came to be.
        pub source: FaqItemSource,
        /// The number of answers that used it.
        pub hit_count: u64,
        /// When it was created.
        pub created_at: Timestamp,
        /// When its texts or its status were last changed.
        pub updated_at: Timestamp,
    }
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use faq_item_columns;
