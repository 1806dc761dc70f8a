//! [`MaybeSend`]: the bound of streams, which is `Send` on targets with threads.

use futures_util::Stream;
use std::pin::Pin;

/// `Send`, except on `wasm32`, which has one thread.
#[cfg(not(target_arch = "wasm32"))]
pub trait MaybeSend: Send {}

#[cfg(not(target_arch = "wasm32"))]
impl<T: Send> MaybeSend for T {}

/// `Send`, except on `wasm32`, which has one thread.
#[cfg(target_arch = "wasm32")]
pub trait MaybeSend {}

#[cfg(target_arch = "wasm32")]
impl<T> MaybeSend for T {}

/// A boxed stream.
#[cfg(not(target_arch = "wasm32"))]
pub(super) type Boxed<T> = Pin<Box<dyn Stream<Item = T> + Send>>;

/// A boxed stream.
#[cfg(target_arch = "wasm32")]
pub(super) type Boxed<T> = Pin<Box<dyn Stream<Item = T>>>;
