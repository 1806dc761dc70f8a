//! [`Memory`]: what is kept of the chatbots that were asked last, and how many bytes of it.

use std::sync::Arc;

use uuid::Uuid;

use crate::{lock::Lock, passages::Passages, recent::Recent, vectors::Vectors, words::Words};

/// Most bytes of all chatbots together. The chatbots that were asked the longest time ago are dropped whole:
/// a question needs all of it.
const MAX_BYTES: usize = 72 << 20;

/// Bytes of a chatbot beside what is kept of it.
const CHATBOT: usize = 384;

/// What is kept of one chatbot.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) words: Words,
    pub(crate) vectors: Option<Vectors>,
    pub(crate) passages: Passages,
}

impl Parts {
    fn bytes(&self) -> usize {
        CHATBOT + self.words.bytes() + self.passages.bytes() + self.vectors.as_ref().map_or(0, Vectors::bytes)
    }
}

/// What is kept of chatbots. Clones share it.
#[derive(Clone, Debug)]
pub(crate) struct Memory(Arc<Lock<Recent<Arc<Lock<Parts>>>>>);

impl Memory {
    /// Returns a memory without any chatbot.
    pub(crate) fn new() -> Self {
        Self::of_bytes(MAX_BYTES)
    }

    /// Returns a memory without any chatbot, which keeps at most so many bytes.
    pub(crate) fn of_bytes(max_bytes: usize) -> Self {
        Self(Arc::new(Lock::new(Recent::new(max_bytes))))
    }

    /// Returns what is kept of a chatbot, which is nothing at first.
    pub(crate) fn of(&self, chatbot_id: Uuid) -> Kept {
        let parts = self.0.lock().get(chatbot_id).cloned().unwrap_or_default();
        Kept { memory: self.clone(), chatbot_id, parts }
    }
}

/// What is kept of one chatbot, while a question uses it.
#[derive(Debug)]
pub(crate) struct Kept {
    memory: Memory,
    chatbot_id: Uuid,
    parts: Arc<Lock<Parts>>,
}

impl Kept {
    /// Returns something of what is kept.
    pub(crate) fn read<R>(&self, read: impl FnOnce(&Parts) -> R) -> R {
        read(&self.parts.lock())
    }

    /// Changes what is kept.
    pub(crate) fn update<R>(&self, change: impl FnOnce(&mut Parts) -> R) -> R {
        let mut parts = self.parts.lock();
        let result = change(&mut parts);
        // Always in this order, so that two questions never wait for each other.
        self.memory.0.lock().put(self.chatbot_id, Arc::clone(&self.parts), parts.bytes());
        result
    }
}

#[cfg(test)]
impl Kept {
    /// Makes everything that is kept older.
    pub(crate) fn age(&self, by: std::time::Duration) {
        self.update(|parts| {
            parts.words.age(by);
            if let Some(vectors) = &mut parts.vectors {
                vectors.age(by);
            }
        });
    }
}

#[cfg(test)]
impl Memory {
    /// Returns whether anything is kept of a chatbot.
    pub(crate) fn has(&self, chatbot_id: Uuid) -> bool {
        self.0.lock().get(chatbot_id).is_some()
    }
}

#[cfg(test)]
mod tests {
    use frontdesk_knowledge::{Candidate, FieldTerms, OutlineCell, SourceType};

    use super::*;

    fn keep(memory: &Memory, chatbot_id: Uuid, bytes: usize) {
        let passage = Candidate {
            chunk_id: Uuid::from_u128(bytes as u128),
            title: String::new(),
            headings: String::new(),
            text: "a".repeat(bytes),
            url: String::new(),
            source_type: SourceType::Webpage,
            language: None,
            terms: FieldTerms::default(),
            outline: OutlineCell::default(),
        };
        memory.of(chatbot_id).update(|parts| parts.passages.keep(&[Arc::new(passage)]));
    }

    #[test]
    fn the_chatbot_that_was_asked_the_longest_time_ago_is_dropped_whole() {
        let memory = Memory::of_bytes(10_000);
        let [first, second, third] = [1, 2, 3].map(Uuid::from_u128);
        keep(&memory, first, 3_000);
        keep(&memory, second, 3_000);
        // A question to the first one uses it, although nothing is added.
        memory.of(first);
        keep(&memory, third, 3_000);
        assert_eq!([first, second, third].map(|id| memory.has(id)), [true, false, true]);
        assert_eq!(memory.of(second).read(Parts::bytes), CHATBOT);
    }

    #[test]
    fn what_a_question_adds_counts_for_its_chatbot() {
        let memory = Memory::of_bytes(10_000);
        let [first, second] = [1, 2].map(Uuid::from_u128);
        keep(&memory, first, 2_000);
        keep(&memory, second, 2_000);
        keep(&memory, second, 6_000);
        assert_eq!([first, second].map(|id| memory.has(id)), [false, true]);
        assert!(memory.of(second).read(Parts::bytes) > 8_000);
    }

    #[test]
    fn a_question_goes_on_with_what_was_dropped_meanwhile() {
        let memory = Memory::of_bytes(10_000);
        let [first, second] = [1, 2].map(Uuid::from_u128);
        keep(&memory, first, 6_000);
        let question = memory.of(first);
        keep(&memory, second, 6_000);
        assert!(!memory.has(first));
        assert!(question.read(Parts::bytes) > 6_000);
        // What it adds brings the chatbot back.
        question.update(|parts| parts.words = Words::default());
        assert_eq!([first, second].map(|id| memory.has(id)), [true, false]);
    }
}
