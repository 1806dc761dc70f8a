//! [`Direction`]: the direction of the message that a finding concerns.

use crate::sent_schemas;

/// The direction in which a compared value is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From a client to a server.
    Request,
    /// From a server to a client.
    Response,
}

impl Direction {
    /// Returns the keyword that excludes a member from this direction.
    pub(crate) const fn absent(self) -> &'static str {
        match self {
            Self::Request => "readOnly",
            Self::Response => "writeOnly",
        }
    }
}

impl From<Direction> for sent_schemas::Direction {
    fn from(direction: Direction) -> Self {
        match direction {
            Direction::Request => Self::Request,
            Direction::Response => Self::Response,
        }
    }
}
