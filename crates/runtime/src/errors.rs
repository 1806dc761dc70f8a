//! [`errors!`](crate::errors!): the errors that operations declare, as one enumeration for each set of them.

/// Defines the errors of operations that declare the same responses: an enumeration by status, with its
/// conversions, and what a client reads and a server writes.
///
/// Each error has a status, or a range of them, and a variant. The variant holds the body with its headers,
/// and before it the status if that is not the only one. Single statuses come before ranges, and a range
/// after those within it. After that follow, where they apply:
///
/// - `as` and the form of the body: `json("media/type")`, `form(members)`, `multipart("media/type")`,
///   `text("media/type")`, `bytes("media/type")`, `events`, `text_events`, or `empty`; by default JSON.
///   `one_of(Enum { "media/type" => Variant as form })` reads the variant that the media type names, and
///   `any_of("media/type" as form)` the same type in several forms, of which a server writes the first.
/// - `from` and the type of a response, which `?` converts to the error in a handler.
/// - `refuses` and the type that an authenticator makes for this error, if a router refuses requests with it;
///   `refused empty` if it has no body.
///
/// Last, `otherwise (Body) refuses (Type)` says how a router refuses requests with all other statuses.
///
/// Reading needs the feature `client` of this crate, and writing the feature `server`. Conversions, and
/// writing too, need the feature `server` of the crate that contains the macro: a client is not compiled
/// anew, or broken, if the document declares a response under a second status.
///
/// ```
/// use frontdesk_runtime::{StatusCode, Value, WithHeaders, errors};
///
/// errors! {
///     /// The errors of an operation.
///     #[derive(Debug)]
///     pub enum GetPetError {
///         /// 404: There is no such pet.
///         404 => NotFound(WithHeaders<Value>),
///         /// Any other status.
///         100..=999 => Other(StatusCode, WithHeaders<String>) as text("text/plain"),
///     }
/// }
///
/// let error = GetPetError::Other(StatusCode::CONFLICT, "asleep".to_owned().into());
/// assert!(matches!(error, GetPetError::Other(_, text) if text.as_str() == "asleep"));
/// ```
#[macro_export]
macro_rules! errors {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(
                $(#[$doc:meta])*
                $first:literal $(..= $last:literal)? => $variant:ident $held:tt
                $(as $form:ident $(($($argument:tt)*))?)?
                $(from $response:ident)?
                $(refused $empty:ident)?
                $(refuses $refused:ty)?
            ),* $(,)?
        }
        $(otherwise ($other:ty) $(as $other_form:ident $(($($other_argument:tt)*))?)? refuses ($other_refused:ty))?
    ) => {
        $(#[$meta])*
        pub enum $name {
            $($(#[$doc])* $variant $held,)*
        }

        $($(
            #[cfg(feature = "server")]
            impl From<$response> for $name {
                fn from(response: $response) -> Self {
                    Self::$variant(response.into())
                }
            }

            #[cfg(feature = "server")]
            impl From<$response> for $crate::Failure<$name> {
                fn from(response: $response) -> Self {
                    Self::Declared($name::$variant(response.into()))
                }
            }
        )?)*

        #[cfg(feature = "server")]
        impl From<$name> for $crate::Failure<$name> {
            fn from(error: $name) -> Self {
                Self::Declared(error)
            }
        }

        $crate::for_clients! {
            impl $crate::client::DeclaredErrors for $name {
                fn read(
                    response: &mut $crate::client::Received,
                ) -> Result<Option<Self>, $crate::client::ReadError> {
                    match response.status.as_u16() {
                        $($first $(..= $last)? => Ok(Some($crate::errors!(
                            @make $name $variant $held response.status,
                            $crate::client::with_headers(
                                $crate::errors!(@read response $($form $($($argument)*)?)?),
                                response,
                            )
                        ))),)*
                        _ => Ok(None),
                    }
                }
            }
        }

        // The types that only refusals name are used whether or not there is a server.
        #[cfg(feature = "server")]
        const _: Option<($($($refused,)?)* $($other, $other_refused,)?)> = None;

        #[cfg(feature = "server")]
        $crate::for_servers! {
            impl $crate::server::ErrorResponse for $name {
                fn into_response(self) -> $crate::server::Response {
                    match self {
                        $($crate::errors!(@match $name $variant $held status, error) => {
                            $crate::errors!(
                                @write $crate::errors!(@status $first $held status), error,
                                $($form $($($argument)*)?)?
                            )
                        })*
                    }
                }
            }

            impl<Guard> $crate::server::Refusals<Guard> for $name
            where
                $($(Guard: $crate::server::Refuse<$refused>,)?)*
                $(Guard: $crate::server::Refuse<$other_refused>,)?
            {
                fn refuse(
                    guard: &Guard,
                    refusal: &$crate::server::Refusal,
                ) -> Option<$crate::server::Response> {
                    let status = refusal.status();
                    // Not every set has errors for refusals.
                    let _ = (guard, status);
                    $($crate::errors!(
                        @refuse $name $variant $held status, guard, refusal, ($first $(..= $last)?)
                        [$($empty)?] $($refused)?
                    );)*
                    $(if matches!(status.as_u16(), 400..=599) {
                        let error: $crate::WithHeaders<$other> =
                            $crate::server::Refuse::<$other_refused>::refuse(guard, refusal).into();
                        return Some($crate::errors!(
                            @write status, error, $($other_form $($($other_argument)*)?)?
                        ));
                    })?
                    None
                }
            }
        }
    };

    (@make $name:ident $variant:ident (StatusCode, $held:ty) $status:expr, $error:expr) => {
        $name::$variant($status, $error)
    };
    (@make $name:ident $variant:ident ($held:ty) $status:expr, $error:expr) => {
        $name::$variant($error)
    };
    (@match $name:ident $variant:ident (StatusCode, $held:ty) $status:ident, $error:ident) => {
        $name::$variant($status, $error)
    };
    (@match $name:ident $variant:ident ($held:ty) $status:ident, $error:ident) => {
        $name::$variant($error)
    };
    (@status $first:literal (StatusCode, $held:ty) $status:ident) => { $status };
    (@status $first:literal ($held:ty) $status:ident) => {
        const { $crate::macros::status($first) }
    };

    (@read $response:ident) => { $response.json()? };
    (@read $response:ident json $($media_type:literal)?) => { $response.json()? };
    (@read $response:ident empty) => { () };
    (@read $response:ident text $media_type:literal) => { $response.text()? };
    (@read $response:ident bytes $media_type:literal) => { $response.bytes() };
    (@read $response:ident multipart $media_type:literal) => { $response.multipart()? };
    (@read $response:ident form $members:expr) => { $response.form($members)? };
    (@read $response:ident events) => { $response.events() };
    (@read $response:ident text_events) => { $response.text_events() };
    (@read $response:ident one_of $body:ident {
        $($media_type:literal => $variant:ident as $form:ident $(($($argument:tt)*))?),+ $(,)?
    }) => {{
        let chosen = $response.alternative(&[$($media_type),+])?;
        let mut at = 0..;
        'body: {
            $(if at.next() == Some(chosen) {
                break 'body $body::$variant($crate::errors!(@read $response $form $($($argument)*)?));
            })+
            return Err($crate::client::ReadError::new("no form of the body has this media type"));
        }
    }};
    (@read $response:ident any_of $($media_type:literal as $form:ident $(($($argument:tt)*))?),+ $(,)?) => {{
        let chosen = $response.alternative(&[$($media_type),+])?;
        let mut at = 0..;
        'body: {
            $(if at.next() == Some(chosen) {
                break 'body $crate::errors!(@read $response $form $($($argument)*)?);
            })+
            return Err($crate::client::ReadError::new("no form of the body has this media type"));
        }
    }};

    (@write $status:expr, $error:ident,) => { $crate::server::reply::answer($status, $error) };
    (@write $status:expr, $error:ident, $($form:tt)+) => {
        $crate::server::reply::with_headers(
            $crate::errors!(@body $status, $error.body, $($form)+),
            *$error.headers,
        )
    };
    (@body $status:expr, $body:expr, json) => { $crate::server::reply::json($status, &$body) };
    (@body $status:expr, $body:expr, json $media_type:literal) => {
        $crate::server::reply::json_as($status, $media_type, &$body)
    };
    (@body $status:expr, $body:expr, empty) => { $crate::server::reply::empty($status) };
    (@body $status:expr, $body:expr, text $media_type:literal) => {
        $crate::server::reply::text($status, $media_type, $body)
    };
    (@body $status:expr, $body:expr, bytes $media_type:literal) => {
        $crate::server::reply::bytes($status, $media_type, $body)
    };
    (@body $status:expr, $body:expr, multipart $media_type:literal) => {
        $crate::server::reply::multipart($status, $media_type, $body)
    };
    (@body $status:expr, $body:expr, form $members:expr) => {
        $crate::server::reply::form($status, &$body, $members)
    };
    (@body $status:expr, $body:expr, events) => { $crate::server::reply::events($status, $body) };
    (@body $status:expr, $body:expr, text_events) => { $crate::server::reply::text_events($status, $body) };
    (@body $status:expr, $body:expr, one_of $held:ident {
        $($media_type:literal => $variant:ident as $form:ident $(($($argument:tt)*))?),+ $(,)?
    }) => {
        match $body {
            $($held::$variant(body) => $crate::errors!(@body $status, body, $form $($($argument)*)?),)+
        }
    };
    (@body $status:expr, $body:expr, any_of $media_type:literal as $form:ident $(($($argument:tt)*))? $(, $($rest:tt)*)?) => {
        $crate::errors!(@body $status, $body, $form $($($argument)*)?)
    };

    (@refuse $name:ident $variant:ident $held:tt $status:ident, $guard:ident, $refusal:ident, $range:tt []) => {};
    (@refuse $name:ident $variant:ident $held:tt $status:ident, $guard:ident, $refusal:ident, ($($range:tt)+)
        [empty]
    ) => {
        if matches!($status.as_u16(), $($range)+) {
            return Some($crate::server::reply::empty($status));
        }
    };
    (@refuse $name:ident $variant:ident $held:tt $status:ident, $guard:ident, $refusal:ident, ($($range:tt)+)
        [] $refused:ty
    ) => {
        if matches!($status.as_u16(), $($range)+) {
            let body = $crate::server::Refuse::<$refused>::refuse($guard, $refusal);
            let error = $crate::errors!(@make $name $variant $held $status, body.into());
            return Some($crate::server::ErrorResponse::into_response(error));
        }
    };
}

/// The status that a document declares; those that it can declare are all valid.
///
/// # Panics
///
/// It is none of HTTP. Macros call this while they are compiled.
pub const fn status(code: u16) -> http::StatusCode {
    match http::StatusCode::from_u16(code) {
        Ok(status) => status,
        Err(_) => panic!("a document declares no such status"),
    }
}

/// Compiles items if clients are enabled.
#[cfg(feature = "client")]
#[doc(hidden)]
#[macro_export]
macro_rules! for_clients {
    ($($items:tt)*) => { $($items)* };
}

/// Leaves items out, because clients are not enabled.
#[cfg(not(feature = "client"))]
#[doc(hidden)]
#[macro_export]
macro_rules! for_clients {
    ($($items:tt)*) => {};
}

/// Compiles items if servers are enabled.
#[cfg(feature = "server")]
#[doc(hidden)]
#[macro_export]
macro_rules! for_servers {
    ($($items:tt)*) => { $($items)* };
}

/// Leaves items out, because servers are not enabled.
#[cfg(not(feature = "server"))]
#[doc(hidden)]
#[macro_export]
macro_rules! for_servers {
    ($($items:tt)*) => {};
}

#[cfg(test)]
#[cfg(all(feature = "client", feature = "server"))]
mod tests;
