//! The languages the phrase book is written in, and which one an answer uses.

use frontdesk_knowledge::detect_language;

use crate::task::Task;

/// A language with phrases and keyword lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Language {
    English,
    German,
    French,
    Spanish,
    Dutch,
    Italian,
    Portuguese,
}

impl Language {
    pub(crate) const ALL: [Self; 7] = [
        Self::English,
        Self::German,
        Self::French,
        Self::Spanish,
        Self::Dutch,
        Self::Italian,
        Self::Portuguese,
    ];

    /// The primary subtag of the language.
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::German => "de",
            Self::French => "fr",
            Self::Spanish => "es",
            Self::Dutch => "nl",
            Self::Italian => "it",
            Self::Portuguese => "pt",
        }
    }

    /// The language of a BCP 47 tag, by its primary subtag.
    pub(crate) fn of_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next().unwrap_or_default().trim();
        Self::ALL.into_iter().find(|language| language.tag().eq_ignore_ascii_case(primary))
    }

    /// The language a text is written in, where its function words settle it.
    pub(crate) fn of_text(text: &str) -> Option<Self> {
        detect_language(text).and_then(Self::of_tag)
    }

    /// The language for phrases of this answer: that of the visitor if the owner wants it, else the bot's, else
    /// that of the best passage, else English.
    pub(crate) fn for_answer(task: &Task) -> Self {
        Self::for_answer_to(task, Self::of_text(&task.question))
    }

    /// Like [`for_answer`](Self::for_answer) where the visitor's language is known by other means.
    pub(crate) fn for_answer_to(task: &Task, visitor: Option<Self>) -> Self {
        let settings = &task.settings;
        let visitor = visitor
            .or_else(|| {
                let earlier = task.history.iter().rev().filter(|turn| turn.author == crate::Author::Visitor);
                earlier.take(3).find_map(|turn| Self::of_text(&turn.text))
            })
            .filter(|_| settings.respond_in_user_language);
        let bot = settings.language.as_deref().and_then(Self::of_tag);
        let passage = || {
            task.retrieval.passages.first().and_then(|best| best.language.as_deref()).and_then(Self::of_tag)
        };
        visitor.or(bot).or_else(passage).unwrap_or(Self::English)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_by_their_primary_subtag() {
        assert_eq!(Language::of_tag("de-AT"), Some(Language::German));
        assert_eq!(Language::of_tag("PT_br"), Some(Language::Portuguese));
        assert_eq!(Language::of_tag("ja"), None);
        assert_eq!(Language::of_tag(""), None);
    }
}
