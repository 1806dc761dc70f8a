//! [`Lock`]: a mutex that outlives a panic.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex whose value stays usable after a thread has panicked while it held it. That is right for values
/// that are replaced as a whole, and for copies of what the database has: the worst that half a change can do
/// is that something is read again.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// Returns a lock of a value.
    pub(crate) fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the value. It must not be held while anything else is awaited.
    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_leaves_the_value_usable() {
        let lock = Lock::<u8>::default();
        let panicked = std::thread::scope(|scope| {
            let holder = scope.spawn(|| {
                *lock.lock() = 7;
                let _held = lock.lock();
                panic!("a thread that holds the value");
            });
            holder.join().is_err()
        });
        assert!(panicked);
        assert_eq!(*lock.lock(), 7);
    }
}
