//! What a generated client is made of: sending requests, retries, reading answers.

mod answer;
mod builder;
mod call;
mod error;
mod retry;
mod transport;

pub use self::{
    answer::{Answer, Raw, Reading},
    builder::{BuildError, Builder},
    call::Call,
    error::{Declared, Error},
    retry::RetryPolicy,
    transport::Transport,
};

use crate::Operation;

/// An operation as a client calls it; implemented by generated code.
pub trait Endpoint: Sized + Send + Sync + 'static {
    /// What a successful answer holds.
    type Success: Send;
    /// The errors that the operation declares.
    type Failure: Send;

    /// What the document says of the operation.
    const OPERATION: &'static Operation;

    /// Reads an answer by its status.
    fn read(answer: &Raw) -> Outcome<Self>;
}

/// An answer read by its status, or why its body does not fit.
pub type Outcome<E> = Result<Reading<<E as Endpoint>::Success, <E as Endpoint>::Failure>, serde_json::Error>;

/// A boxed future: `Send` wherever threads exist.
#[cfg(not(target_arch = "wasm32"))]
pub type BoxFuture<T> = futures_util::future::BoxFuture<'static, T>;

/// A boxed future: browsers have one thread and futures that stay on it.
#[cfg(target_arch = "wasm32")]
pub type BoxFuture<T> = futures_util::future::LocalBoxFuture<'static, T>;
