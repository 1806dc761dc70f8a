//! Syntax errors of patterns.

use std::fmt;

/// A syntax error of a pattern, with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The number of characters before the error.
    pub at: usize,
    /// The reason.
    pub reason: Reason,
}

/// The kinds of syntax errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The last character is a backslash.
    Backslash,
    /// An escape sequence without a meaning.
    Escape,
    /// An invalid name of a Unicode property.
    Property,
    /// A reference to a group that does not exist.
    Group,
    /// A group of an unknown kind, or with an invalid name.
    Kind,
    /// An unmatched parenthesis.
    Parenthesis,
    /// An unterminated class.
    Class,
    /// A range whose end precedes its beginning, or that contains a predefined class.
    Range,
    /// A quantifier without anything to repeat.
    Quantifier,
    /// An unmatched brace or bracket.
    Bracket,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reason = match self.reason {
            Reason::Backslash => "a backslash that escapes nothing",
            Reason::Escape => "an escape that has no meaning",
            Reason::Property => "a Unicode property that is not of the form `\\p{Letter}`",
            Reason::Group => "a reference to a group that does not exist",
            Reason::Kind => "an unsupported kind of group",
            Reason::Parenthesis => "an unmatched parenthesis",
            Reason::Class => "a class that is not closed",
            Reason::Range => "a range whose end precedes its beginning",
            Reason::Quantifier => "a quantifier that has nothing to repeat",
            Reason::Bracket => "a bracket or brace that should be escaped",
        };
        write!(formatter, "{reason}, after {} characters", self.at)
    }
}

impl std::error::Error for SyntaxError {}
