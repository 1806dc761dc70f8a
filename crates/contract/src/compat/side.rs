//! Owns [`Side`]: who sends what a finding is about.

use crate::places;

/// The direction in which what is compared travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// From a client to a server.
    Request,
    /// From a server to a client.
    Response,
}

impl Side {
    /// The keyword that keeps a member from travelling in this direction.
    pub(crate) const fn absent(self) -> &'static str {
        match self {
            Self::Request => "readOnly",
            Self::Response => "writeOnly",
        }
    }
}

impl From<Side> for places::Side {
    fn from(side: Side) -> Self {
        match side {
            Side::Request => Self::Request,
            Side::Response => Self::Response,
        }
    }
}
