//! What one account can learn of another, or change of it: nothing.

mod agencies;
mod foreign_ids;
mod rights;
