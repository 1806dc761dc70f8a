//! Choices of variants that only the rules of a document decide, such as one of two ranges of numbers.
//!
//! A variant is recognized by the form of a value. If the value then violates rules of that variant, but none
//! of another one that can hold it, the check of the raw value remembers the other one, and the value is read
//! once more with it. Values whose first variant is right cost nothing.

use serde_json::Value;
use std::any::type_name;
use std::cell::{Cell, RefCell};

/// The variant of each value of a union for which it is not the recognized one.
#[derive(Debug, Default)]
pub(crate) struct Choices(Vec<Choice>);

#[derive(Debug)]
struct Choice {
    union: &'static str,
    value: Value,
    form: usize,
}

thread_local! {
    /// Whether a union was read since [`reads_union`] was last called.
    static READ: Cell<bool> = const { Cell::new(false) };
    /// The choices made so far; `None` unless something asks for them.
    static CHOICES: RefCell<Option<Choices>> = const { RefCell::new(None) };
}

impl Choices {
    /// Whether every value is of the variant that its form says.
    pub(crate) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs `check`, and returns the choices that it makes with its result.
    pub(crate) fn made<R>(check: impl FnOnce() -> R) -> (R, Self) {
        Self::default().during(check)
    }

    /// Runs `read`, during which values are read as chosen.
    pub(crate) fn applied<R>(self, read: impl FnOnce() -> R) -> R {
        self.during(read).0
    }

    fn during<R>(self, run: impl FnOnce() -> R) -> (R, Self) {
        /// Restores the choices from before, even after a panic.
        struct Restore(Option<Choices>);

        impl Drop for Restore {
            fn drop(&mut self) {
                CHOICES.set(self.0.take());
            }
        }

        let _restore = Restore(CHOICES.replace(Some(self)));
        let result = run();
        (result, CHOICES.take().unwrap_or_default())
    }
}

/// Runs `read`, and returns whether it read a union.
pub(crate) fn reads_union<R>(read: impl FnOnce() -> R) -> (R, bool) {
    READ.set(false);
    let result = read();
    (result, READ.get())
}

/// Notes that a union is read.
pub(super) fn note_union() {
    READ.set(true);
}

/// Remembers the variant of a value of a union.
pub(super) fn choose<T>(value: &Value, form: usize) {
    CHOICES.with_borrow_mut(|choices| {
        let Some(Choices(choices)) = choices else { return };
        let union = type_name::<T>();
        if !choices.iter().any(|choice| choice.union == union && choice.value == *value) {
            choices.push(Choice { union, value: value.clone(), form });
        }
    });
}

/// Returns the variant that was chosen for a value of a union.
pub(super) fn chosen<T>(value: &Value) -> Option<usize> {
    CHOICES.with_borrow(|choices| {
        let Choices(choices) = choices.as_ref()?;
        let choice =
            choices.iter().find(|choice| choice.union == type_name::<T>() && choice.value == *value)?;
        Some(choice.form)
    })
}
