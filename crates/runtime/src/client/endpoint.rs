//! [`endpoint!`](crate::endpoint!): operations whose responses are read by their status alone.

/// Defines the type of an operation and implements [`Endpoint`](crate::client::Endpoint) for it.
///
/// After the constant of the operation, its success and its errors, each line has the statuses of a success
/// and what its body is: `json`, `text` or `nothing`. Any other status is an error. Facts that
/// differ from the defaults follow as constants.
///
/// ```
/// use frontdesk_runtime::{Method, Operation, Stability, client::Endpoint};
///
/// static GET_NAME: Operation = Operation {
///     id: "getName",
///     method: Method::GET,
///     path: "/name",
///     tag: "names",
///     security: &[],
///     stability: Stability::Stable,
///     deprecated: false,
///     statuses: &[200],
///     extensions: &[],
///     example: None,
/// };
///
/// frontdesk_runtime::errors! {
///     /// There are none.
///     #[derive(Debug)]
///     pub enum GetNameError {}
/// }
///
/// frontdesk_runtime::endpoint! {
///     /// Read the name.
///     pub GetName = GET_NAME => String, GetNameError {
///         200 => json,
///     }
/// }
///
/// assert_eq!(GetName::OPERATION.id, "getName");
/// ```
#[macro_export]
macro_rules! endpoint {
    (
        $(#[$meta:meta])*
        pub $name:ident = $operation:path => $success:ty, $failure:ty {
            $($first:literal $(| $further:literal)* => $body:ident,)*
        }
        $(const $fact:ident: $kind:ty = $value:expr;)*
    ) => {
        $(#[$meta])*
        #[derive(Debug)]
        pub enum $name {}

        impl $crate::client::Endpoint for $name {
            type Success = $success;
            type Failure = $failure;

            const OPERATION: &'static $crate::Operation = &$operation;
            $(const $fact: $kind = $value;)*

            fn read(response: &mut $crate::client::Received) -> $crate::client::Outcome<Self> {
                match response.status.as_u16() {
                    $($first $(| $further)* => $crate::endpoint!(@read response $body),)*
                    _ => response.failure(),
                }
            }
        }
    };
    (@read $response:ident json) => { $response.json().map($crate::client::Reading::Success) };
    (@read $response:ident text) => { $response.text().map($crate::client::Reading::Success) };
    (@read $response:ident nothing) => { Ok($crate::client::Reading::Success(())) };
}
