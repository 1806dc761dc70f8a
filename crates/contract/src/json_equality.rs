//! Equality of JSON values that a program decodes and encodes.

use serde_json::Value;

/// Returns the JSON pointer of the first difference in meaning, or `None` if the values are equivalent.
///
/// Numbers are compared by value, date-times by instant, and UUIDs without regard to case. The order of
/// members does not matter. An absent member differs from `null`.
pub fn difference(left: &Value, right: &Value) -> Option<String> {
    let mut pointer = String::new();
    differ(left, right, &mut pointer).then_some(pointer)
}

/// Returns whether the values differ; the pointer is then extended to the location of the difference.
fn differ(left: &Value, right: &Value, pointer: &mut String) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            // Two 64-bit integers may convert to the same double.
            let whole = |number: &serde_json::Number| number.is_i64() || number.is_u64();
            left != right && (whole(left) && whole(right) || left.as_f64() != right.as_f64())
        }
        (Value::String(left), Value::String(right)) => !is_same_text(left, right),
        (Value::Array(left), Value::Array(right)) => {
            let mut entries = left.iter().zip(right).enumerate();
            entries.any(|(index, (left, right))| within(&index.to_string(), left, right, pointer))
                || left.len() != right.len()
        }
        (Value::Object(left), Value::Object(right)) => {
            left.iter().any(|(name, left)| match right.get(name) {
                Some(right) => within(name, left, right, pointer),
                None => step(name, pointer),
            }) || right.keys().any(|name| !left.contains_key(name) && step(name, pointer))
        }
        (left, right) => left != right,
    }
}

fn within(name: &str, left: &Value, right: &Value, pointer: &mut String) -> bool {
    let end = pointer.len();
    step(name, pointer);
    let differ = differ(left, right, pointer);
    if !differ {
        pointer.truncate(end);
    }
    differ
}

/// Extends the pointer by a member or an entry. Always returns `true`, because a difference is there.
fn step(name: &str, pointer: &mut String) -> bool {
    pointer.push('/');
    pointer.push_str(&name.replace('~', "~0").replace('/', "~1"));
    true
}

fn is_same_text(left: &str, right: &str) -> bool {
    let instant = |text: &str| text.parse::<jiff::Timestamp>().ok();
    left == right
        || left.len() == 36
            && right.len() == 36
            && left.matches('-').count() == 4
            && left.eq_ignore_ascii_case(right)
        || instant(left).is_some_and(|left| Some(left) == instant(right))
}

#[cfg(test)]
mod tests {
    use super::difference;
    use serde_json::{Value, json};

    #[test]
    fn the_same_may_be_written_in_several_ways() {
        for (left, right) in [
            (json!(1), json!(1.0)),
            (json!({"a": 1, "b": [null]}), json!({"b": [null], "a": 1})),
            (json!("2026-01-31T10:00:00+01:00"), json!("2026-01-31T09:00:00Z")),
            (json!("0190B6A5-5f0e-7c62-9c7e-0f3a5b6d7e8f"), json!("0190b6a5-5F0E-7c62-9c7e-0f3a5b6d7e8f")),
        ] {
            assert_eq!(difference(&left, &right), None, "{left} {right}");
        }
    }

    #[test]
    fn a_difference_is_told_by_its_place() {
        for (left, right, place) in [
            (json!(i64::MAX), json!(i64::MAX - 1), ""),
            (json!(u64::MAX), json!(u64::MAX - 1), ""),
            (json!({"a": {"b": [1, 2]}}), json!({"a": {"b": [1, 3]}}), "/a/b/1"),
            (json!({"a": [1]}), json!({"a": [1, 2]}), "/a"),
            (json!({"a/b~": null}), json!({}), "/a~1b~0"),
            (json!({}), json!({"x": {"y": 1}}), "/x"),
            (json!({"a": [{}], "b": "Text"}), json!({"a": [{}], "b": "text"}), "/b"),
            (json!(1), json!("1"), ""),
            (Value::Null, json!(false), ""),
        ] {
            assert_eq!(difference(&left, &right).as_deref(), Some(place), "{left} {right}");
        }
    }
}
