//! [`Recent`]: values of the chatbots that were used last, within a number of bytes.

use std::collections::{BTreeMap, HashMap};

use uuid::Uuid;

/// Values of chatbots. While all of them together have more bytes than allowed, those that were used the
/// longest time ago are dropped; the last one used stays, whatever its size.
#[derive(Debug)]
pub(crate) struct Recent<T> {
    max_bytes: usize,
    by_chatbot: HashMap<Uuid, Entry<T>>,
    /// The chatbots by their last use, the earliest first.
    by_use: BTreeMap<u64, Uuid>,
    bytes: usize,
    uses: u64,
}

#[derive(Debug)]
struct Entry<T> {
    value: T,
    bytes: usize,
    /// Grows with each use.
    used: u64,
}

impl<T> Recent<T> {
    /// Returns no values, of which there will be at most so many bytes.
    pub(crate) fn new(max_bytes: usize) -> Self {
        Self { max_bytes, by_chatbot: HashMap::new(), by_use: BTreeMap::new(), bytes: 0, uses: 0 }
    }

    /// Returns a chatbot's value and marks it as used.
    pub(crate) fn get(&mut self, chatbot_id: Uuid) -> Option<&T> {
        self.uses += 1;
        let entry = self.by_chatbot.get_mut(&chatbot_id)?;
        self.by_use.remove(&entry.used);
        entry.used = self.uses;
        self.by_use.insert(entry.used, chatbot_id);
        Some(&entry.value)
    }

    /// Keeps the value of a chatbot, which takes this number of bytes, in place of the one before.
    pub(crate) fn put(&mut self, chatbot_id: Uuid, value: T, bytes: usize) {
        self.remove(chatbot_id);
        self.uses += 1;
        self.by_chatbot.insert(chatbot_id, Entry { value, bytes, used: self.uses });
        self.by_use.insert(self.uses, chatbot_id);
        self.bytes += bytes;
        while self.bytes > self.max_bytes && self.by_chatbot.len() > 1 {
            let Some((_, oldest)) = self.by_use.first_key_value() else { return };
            self.remove(*oldest);
        }
    }

    fn remove(&mut self, chatbot_id: Uuid) {
        if let Some(removed) = self.by_chatbot.remove(&chatbot_id) {
            self.by_use.remove(&removed.used);
            self.bytes -= removed.bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(recent: &mut Recent<&str>) -> [bool; 3] {
        [1, 2, 3].map(|id| recent.by_chatbot.contains_key(&Uuid::from_u128(id)))
    }

    #[test]
    fn the_least_recently_used_value_is_dropped() {
        let mut recent = Recent::new(100);
        let [first, second, third] = [1, 2, 3].map(Uuid::from_u128);
        recent.put(first, "first", 50);
        recent.put(second, "second", 50);
        assert_eq!(recent.get(first), Some(&"first"));
        recent.put(third, "third", 1);
        assert_eq!(kept(&mut recent), [true, false, true]);
        assert_eq!((recent.bytes, recent.by_use.len()), (51, 2));
    }

    #[test]
    fn a_value_that_grows_makes_others_go() {
        let mut recent = Recent::new(100);
        let [first, second, third] = [1, 2, 3].map(Uuid::from_u128);
        for id in [first, second, third] {
            recent.put(id, "small", 30);
        }
        recent.put(first, "large", 45);
        assert_eq!(kept(&mut recent), [true, false, true]);
        assert_eq!(recent.get(first), Some(&"large"));
        assert_eq!(recent.bytes, 75);
    }

    #[test]
    fn the_last_value_used_stays_whatever_its_size() {
        let mut recent = Recent::new(100);
        let [first, second] = [1, 2].map(Uuid::from_u128);
        recent.put(first, "small", 1);
        recent.put(second, "huge", 1_000);
        assert_eq!(kept(&mut recent), [false, true, false]);
        assert_eq!(recent.get(second), Some(&"huge"));
    }
}
