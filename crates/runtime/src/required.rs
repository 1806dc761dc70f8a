//! [`required!`](crate::required!): objects made of their required members, each by its name.

/// Defines a struct of the required members of an object, and `new`, which makes the object of it.
///
/// A member that the document requires later stops the build until it is filled in. One that may be absent
/// does not, because it is not in the struct, and neither does another order in the document. Members behind
/// `then` are absent at first.
///
/// ```
/// #[derive(Debug, PartialEq)]
/// struct Span {
///     from: u32,
///     to: u32,
///     label: Option<String>,
/// }
///
/// frontdesk_runtime::required! {
///     SpanRequired for Span {
///         from: u32,
///         to: u32,
///     } then { label }
/// }
///
/// let span = Span::new(SpanRequired { from: 1, to: 4 });
/// assert_eq!(span, Span { from: 1, to: 4, label: None });
/// ```
#[macro_export]
macro_rules! required {
    ($required:ident for $name:ident { $($field:ident: $ty:ty,)+ } $(then { $($absent:ident),+ $(,)? })?) => {
        #[doc = concat!("The required members of [`", stringify!($name), "`], which [`", stringify!($name), "::new`] takes.")]
        #[derive(Debug)]
        pub struct $required {
            $(
                #[doc = concat!("See [`", stringify!($name), "::", stringify!($field), "`].")]
                pub $field: $ty,
            )+
        }

        impl $name {
            /// Makes a value of its required members; nothing else is set yet.
            #[allow(deprecated)]
            pub fn new(required: $required) -> Self {
                Self {
                    $($field: required.$field,)+
                    $($($absent: Default::default(),)+)?
                }
            }
        }

        impl From<$required> for $name {
            fn from(required: $required) -> Self {
                Self::new(required)
            }
        }
    };
}
