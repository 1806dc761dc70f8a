//! Groups: the queries of one kind of entity, behind a handle of their own.

/// Declares the handle of a group and the method of [`Store`](crate::Store) that returns it: `store.tags()`
/// returns a `Tags`, whose methods are the queries of the group.
macro_rules! group {
    ($(#[$meta:meta])* pub $Handle:ident, $accessor:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Handle<'s> {
            pub(crate) store: &'s $crate::sql::database::Store,
        }

        impl $crate::sql::database::Store {
            $(#[$meta])*
            pub const fn $accessor(&self) -> $Handle<'_> {
                $Handle { store: self }
            }
        }
    };
}
