//! Owns [`Portable`]: what a stream must be to go between threads, where there are any.

use futures_util::Stream;
use std::pin::Pin;

/// `Send`, except on `wasm32`, which has one thread and whose streams stay on it.
#[cfg(not(target_arch = "wasm32"))]
pub trait Portable: Send {}

#[cfg(not(target_arch = "wasm32"))]
impl<T: Send> Portable for T {}

/// `Send`, except on `wasm32`, which has one thread and whose streams stay on it.
#[cfg(target_arch = "wasm32")]
pub trait Portable {}

#[cfg(target_arch = "wasm32")]
impl<T> Portable for T {}

/// A stream of any kind.
#[cfg(not(target_arch = "wasm32"))]
pub(super) type Boxed<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// A stream of any kind.
#[cfg(target_arch = "wasm32")]
pub(super) type Boxed<T> = Pin<Box<dyn Stream<Item = T>>>;
