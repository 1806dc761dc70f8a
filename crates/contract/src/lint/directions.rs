//! The directions in which values of a schema are sent: in requests, in responses, in both or in none.

use crate::sent_schemas::Direction;

/// A set of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Directions(u8);

impl Directions {
    /// No operation uses it.
    pub(super) const NONE: Self = Self(0);
    /// From a client to a server.
    pub(super) const REQUEST: Self = Self(1);
    /// From a server to a client.
    pub(super) const RESPONSE: Self = Self(2);

    /// Returns the union of both sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Returns this set without the other.
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Returns whether this set contains the other.
    pub(super) const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the directions of the responses to messages in these directions.
    pub(super) const fn reversed(self) -> Self {
        Self((self.0 & 1) << 1 | self.0 >> 1)
    }

    /// Returns the directions in which values are validated. Schemas that no operation uses are validated as
    /// a whole.
    pub(super) fn list(self) -> &'static [Direction] {
        match self.0 {
            1 => &[Direction::Request],
            2 => &[Direction::Response],
            3 => &[Direction::Request, Direction::Response],
            _ => &[Direction::Neither],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_goes_the_other_way() {
        assert_eq!(Directions::REQUEST.reversed(), Directions::RESPONSE);
        assert_eq!(Directions::RESPONSE.reversed(), Directions::REQUEST);
        let both = Directions::REQUEST.and(Directions::RESPONSE);
        assert_eq!((both.reversed(), both.without(Directions::REQUEST)), (both, Directions::RESPONSE));
        assert!(both.holds(Directions::NONE) && !Directions::NONE.holds(Directions::REQUEST));
    }
}
