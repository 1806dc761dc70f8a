//! The signs of a section.

/// A sign of the format before it is known what the section shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Sign {
    /// Text that is shown as it is.
    Literal(String),
    /// A character with a meaning.
    Code(char),
    /// Hours, minutes or seconds that are counted beyond a day: `[h]`.
    Elapsed(char, usize),
}
