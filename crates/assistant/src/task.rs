//! Tasks: what a writer is given.

use frontdesk_knowledge::{Passage, Query, Retrieval, Words};

use crate::conversation::{Author, Offer, Turn};
use crate::settings::Settings;
use crate::small_talk;

/// A question to answer, with everything that a writer may use.
#[derive(Debug, Clone)]
pub struct Task {
    /// The visitor's message; for an e-mail the newest message of the thread.
    pub question: String,
    /// The question as one that can be understood without the earlier turns, if it is one
    /// ([`find_passages`]) or [`Assistant::resolve`] has found one. Passages are searched for with it.
    ///
    /// [`find_passages`]: crate::find_passages
    /// [`Assistant::resolve`]: crate::Assistant::resolve
    pub stand_alone: Option<String>,
    /// Earlier turns of the conversation, oldest first, without the question itself. It starts after the last
    /// time a person handed the conversation back, so that an old request for a person has no effect.
    pub history: Vec<Turn>,
    /// Whether the conversation already contains the offer of a person.
    pub offer: Offer,
    /// Passages found for the question.
    pub retrieval: Retrieval,
    /// Settings of the chatbot.
    pub settings: Settings,
    /// Channel of the answer.
    pub kind: Kind,
}

impl Task {
    /// Returns what the question means: the question itself, unless it is only understood after the earlier
    /// turns.
    pub(crate) fn meaning(&self) -> &str {
        self.stand_alone.as_deref().unwrap_or(&self.question)
    }

    /// Makes `query` search for what the question means, which does not depend on the previous question any
    /// more.
    pub(crate) fn set_stand_alone(&mut self, question: String, query: &mut Query) {
        query.question.clone_from(&question);
        query.previous = None;
        self.stand_alone = Some(question);
    }

    /// Returns the visitor's last message before the question that is more than a greeting, thanks or a
    /// farewell.
    pub fn previous_question(&self) -> Option<&str> {
        let messages = self.history.iter().rev().filter(|turn| turn.author == Author::Visitor);
        let is_courtesy = |text: &&str| small_talk::recognize(&Words::of(text)).is_some();
        messages.map(|turn| turn.text.as_str()).find(|text| !is_courtesy(text))
    }

    /// Returns the FAQ item whose question the visitor asked, if its answer is not empty.
    pub(crate) fn exact_answer(&self) -> Option<&Passage> {
        let mut passages = self.retrieval.passages.iter();
        passages.find(|passage| passage.exact_answer && !passage.text.trim().is_empty())
    }

    /// Returns whether the answer is a draft for an e-mail thread.
    pub(crate) fn is_email(&self) -> bool {
        matches!(self.kind, Kind::EmailReply { .. })
    }
}

/// Channel of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A turn of a chat.
    Chat,
    /// A draft that a person may send as the next message of an e-mail thread.
    EmailReply {
        /// Subject of the thread.
        subject: String,
        /// Messages of the thread, oldest first, including the newest.
        thread: Vec<Mail>,
    },
}

/// A message of an e-mail thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mail {
    /// Sender as the caller gave it: an address or a name.
    pub from: String,
    /// Text of the message.
    pub body: String,
}

#[cfg(test)]
mod tests {
    use crate::conversation::Turn;
    use crate::draft::Action;
    use crate::fixtures::task;

    #[test]
    fn the_previous_question_is_the_visitors_last() {
        let mut task = task("Hi", &[]);
        assert_eq!(task.previous_question(), None);
        task.history = vec![
            Turn::visitor("first"),
            Turn::visitor("second"),
            Turn::assistant("answer", Action::Answer, false),
        ];
        assert_eq!(task.previous_question(), Some("second"));
        task.history.extend([Turn::visitor("thanks!"), Turn::visitor("hi")]);
        assert_eq!(task.previous_question(), Some("second"));
    }
}
