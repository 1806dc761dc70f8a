//! A bound on the work of one validation.
//!
//! A validator tries every alternative of a union, and within each the alternatives of the next: a value with
//! a mistake twelve levels deep in a grammar of expressions would take minutes. Generated servers decide for
//! one alternative and go on there, so their work grows with the value only.
//!
//! The engine cannot be told to stop, so a keyword in each definition counts, and ends the validation by
//! unwinding.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use jsonschema::{Keyword, ValidationError};
use serde_json::Value;

/// The keyword that counts.
pub(super) const KEYWORD: &str = "!budget";

/// The number of definitions that are compared with any value.
const BASE: u64 = 100_000;

/// The number of definitions that are compared for each value inside.
const FOR_EACH: u64 = 1_000;

/// The number of definitions that are compared with the largest value: a few seconds.
const MOST: u64 = 10_000_000;

/// Why a value was not judged.
pub(super) const EXHAUSTED: &str =
    "cannot be judged, because too many alternatives within each other would have to be compared";

thread_local! {
    /// What is left of the budget of the validation on this thread.
    static LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// What ends a validation.
struct Exhausted;

/// Validates a value by `work`. Returns `None` if that took too much.
pub(super) fn within<T>(value: &Value, work: impl FnOnce() -> T) -> Option<T> {
    let budget = BASE.saturating_add(FOR_EACH.saturating_mul(size(value))).min(MOST);
    let before = LEFT.replace(budget);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    LEFT.set(before);
    match outcome {
        Ok(outcome) => Some(outcome),
        Err(reason) if reason.is::<Exhausted>() => None,
        Err(reason) => resume_unwind(reason),
    }
}

/// Returns the number of values in a value, with itself.
fn size(value: &Value) -> u64 {
    1 + match value {
        Value::Array(items) => items.iter().map(size).sum(),
        Value::Object(members) => members.values().map(size).sum::<u64>(),
        _ => 0,
    }
}

/// Counts one definition that is compared.
#[derive(Debug)]
pub(super) struct Count;

impl Count {
    fn spend() {
        let left = LEFT.get();
        if left == 0 {
            resume_unwind(Box::new(Exhausted));
        }
        LEFT.set(left - 1);
    }
}

impl<'i> Keyword<'i> for Count {
    fn validate(&self, _: &'i Value) -> Result<(), ValidationError<'i>> {
        Self::spend();
        Ok(())
    }

    fn is_valid(&self, _: &'i Value) -> bool {
        Self::spend();
        true
    }
}
