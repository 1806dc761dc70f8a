//! A question with what was found for it: a whole message, or one of the questions in it.

use frontdesk_knowledge::{Part, Retrieval};

use crate::escalation::refused_before;
use crate::task::Task;

/// What the writer answers from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asking<'a> {
    /// What the question means.
    pub(super) question: &'a str,
    /// The visitor's message before it, if the question may refer to it.
    pub(super) previous: Option<&'a str>,
    /// Whether the answer to the message before it was a refusal.
    pub(super) is_after_refusal: bool,
    pub(super) retrieval: &'a Retrieval,
}

impl<'a> Asking<'a> {
    /// Returns the question of a task.
    pub(super) fn of(task: &'a Task) -> Self {
        Self {
            question: task.meaning(),
            previous: task.previous_question().filter(|_| task.stand_alone.is_none()),
            is_after_refusal: refused_before(task),
            retrieval: &task.retrieval,
        }
    }

    /// Returns one of several questions of a message.
    pub(super) fn part(part: &'a Part) -> Self {
        Self { question: &part.question, previous: None, is_after_refusal: false, retrieval: &part.retrieval }
    }
}
