//! Reduction of a value to what matters: the smallest and plainest value for which something still holds.

use serde_json::{Map, Value, json};

/// The number of values that are tried.
const MOST: usize = 400;

/// Plain texts of the known formats, for texts that have to be of one.
const FORMATTED: [&str; 9] = [
    "2026-01-31",
    "2026-01-31T10:00:00Z",
    "10:00:00Z",
    "00000000-0000-0000-0000-000000000000",
    "https://a.example",
    "a@a.example",
    "a.example",
    "192.0.2.1",
    "P1D",
];

/// Returns a value with as few and as plain parts as possible for which the predicate holds, as it does for
/// the given one.
pub(super) fn minimal(value: Value, holds: impl Fn(&Value) -> bool) -> Value {
    let mut search = Search { whole: value, holds, left: MOST };
    // What becomes possible only after another part is gone is found in a second round.
    for _ in 0..2 {
        search.reduce("");
    }
    search.whole
}

struct Search<H> {
    whole: Value,
    holds: H,
    left: usize,
}

impl<H: Fn(&Value) -> bool> Search<H> {
    /// Replaces the value at a pointer if the predicate still holds.
    fn replace(&mut self, pointer: &str, part: Value) -> bool {
        if self.left == 0 || self.whole.pointer(pointer).is_none_or(|own| *own == part) {
            return false;
        }
        self.left -= 1;
        let mut whole = self.whole.clone();
        if let Some(place) = whole.pointer_mut(pointer) {
            *place = part;
        }
        let holds = (self.holds)(&whole);
        if holds {
            self.whole = whole;
        }
        holds
    }

    fn reduce(&mut self, pointer: &str) {
        match self.whole.pointer(pointer).cloned() {
            Some(Value::Object(members)) => self.object(pointer, &members),
            Some(Value::Array(items)) => self.array(pointer, items.len()),
            Some(Value::String(text)) => self.text(pointer, &text),
            Some(Value::Number(number)) if !matches!(number.as_i64(), Some(0 | 1)) => {
                let _ = self.replace(pointer, json!(0)) || self.replace(pointer, json!(1));
            }
            Some(Value::Bool(true)) => drop(self.replace(pointer, json!(false))),
            _ => {}
        }
    }

    fn object(&mut self, pointer: &str, members: &Map<String, Value>) {
        for name in members.keys() {
            let Some(Value::Object(mut fewer)) = self.whole.pointer(pointer).cloned() else { return };
            fewer.remove(name);
            self.replace(pointer, Value::Object(fewer));
        }
        let Some(Value::Object(left)) = self.whole.pointer(pointer).cloned() else { return };
        for name in left.keys() {
            let plain = !name.is_empty()
                && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-.".contains(letter));
            let mut name = name.clone();
            if !plain && !left.contains_key("extra") {
                let other = left.iter().map(|(key, value)| {
                    (if *key == name { "extra".to_owned() } else { key.clone() }, value.clone())
                });
                let other = other.collect();
                if self.replace(pointer, Value::Object(other)) {
                    "extra".clone_into(&mut name);
                }
            }
            self.reduce(&format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1")));
        }
    }

    fn array(&mut self, pointer: &str, length: usize) {
        self.replace(pointer, json!([]));
        for index in (0..length).rev() {
            let Some(Value::Array(mut fewer)) = self.whole.pointer(pointer).cloned() else { return };
            if index >= fewer.len() {
                continue;
            }
            fewer.remove(index);
            self.replace(pointer, Value::Array(fewer));
        }
        let left = self.whole.pointer(pointer).and_then(Value::as_array).map_or(0, Vec::len);
        for index in 0..left {
            self.reduce(&format!("{pointer}/{index}"));
        }
        // Items that have to be there are plain if they are all the same.
        if let Some(Value::Array(items)) = self.whole.pointer(pointer).cloned()
            && let Some(first) = items.first().cloned()
        {
            self.replace(pointer, Value::Array(vec![first; items.len()]));
        }
    }

    fn text(&mut self, pointer: &str, text: &str) {
        let letters = |count: usize| Value::String("a".repeat(count));
        let length = text.chars().count();
        if self.replace(pointer, json!("")) {
            return;
        }
        if !self.replace(pointer, letters(length)) && text != "a".repeat(length) {
            let _ = FORMATTED.iter().any(|plain| self.replace(pointer, json!(plain)));
            return;
        }
        // Between a length that is too short and one that is enough.
        let (mut short, mut enough) = (0, length);
        while enough - short > 1 {
            let middle = usize::midpoint(short, enough);
            if self.replace(pointer, letters(middle)) {
                enough = middle;
            } else {
                short = middle;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_matters_is_left() {
        let value = json!({
            "welcome": "größe\u{202e}😀",
            "quick_buttons": [{ "text": "hi", "kind": 3 }, { "text": "x😀x\u{7}".repeat(9), "kind": 7 }],
            "with space": null,
        });
        let long = |value: &Value| {
            let mut buttons = value["quick_buttons"].as_array().into_iter().flatten();
            buttons.any(|button| button["text"].as_str().is_some_and(|text| text.chars().count() > 20))
        };
        assert_eq!(minimal(value, long), json!({ "quick_buttons": [{ "text": "a".repeat(21) }] }));
    }

    #[test]
    fn names_and_numbers_are_plain() {
        let value = json!({ "größe": 977 });
        assert_eq!(
            minimal(value, |value| value.as_object().is_some_and(|all| !all.is_empty())),
            json!({ "extra": 0 })
        );
        assert_eq!(
            minimal(json!("1999-12-31"), |value| value
                .as_str()
                .is_some_and(|text| text.len() == 10 && text.contains('-'))),
            json!("2026-01-31")
        );
    }
}
