//! [`Recent`]: what was used last, by chatbot, in memory.

use std::collections::HashMap;

use uuid::Uuid;

/// Values of chatbots. While all of them together have more than `MAX_BYTES`, those that were used the longest time ago are dropped;
/// the last one used stays, whatever its size.
#[derive(Debug)]
pub(crate) struct Recent<T, const MAX_BYTES: usize> {
    by_chatbot: HashMap<Uuid, Entry<T>>,
    uses: u64,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    bytes: usize,
    /// Grows with each use.
    used: u64,
}

impl<T, const MAX_BYTES: usize> Default for Recent<T, MAX_BYTES> {
    fn default() -> Self {
        Self { by_chatbot: HashMap::new(), uses: 0 }
    }
}

impl<T, const MAX_BYTES: usize> Recent<T, MAX_BYTES> {
    /// Returns the value of a chatbot, which is used by that.
    pub(crate) fn get(&mut self, chatbot_id: Uuid) -> Option<&mut T> {
        self.uses += 1;
        let entry = self.by_chatbot.get_mut(&chatbot_id)?;
        entry.used = self.uses;
        Some(&mut entry.value)
    }

    /// Removes the value of a chatbot.
    pub(crate) fn take(&mut self, chatbot_id: Uuid) -> Option<T> {
        self.by_chatbot.remove(&chatbot_id).map(|entry| entry.value)
    }

    /// Keeps the value of a chatbot, which takes this number of bytes.
    pub(crate) fn put(&mut self, chatbot_id: Uuid, value: T, bytes: usize) {
        self.uses += 1;
        self.by_chatbot.insert(chatbot_id, Entry { value, bytes, used: self.uses });
        let mut bytes: usize = self.by_chatbot.values().map(|entry| entry.bytes).sum();
        while bytes > MAX_BYTES && self.by_chatbot.len() > 1 {
            let oldest = self.by_chatbot.iter().min_by_key(|(_, entry)| entry.used).map(|(id, _)| *id);
            let Some(dropped) = oldest.and_then(|id| self.by_chatbot.remove(&id)) else { return };
            bytes -= dropped.bytes;
        }
    }
}
