//! In which directions values travel: with requests, with answers, with both or with none.

use crate::places::Side;

/// A set of directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Directions(u8);

impl Directions {
    /// No operation reaches it.
    pub(super) const NONE: Self = Self(0);
    /// From a client to a server.
    pub(super) const REQUEST: Self = Self(1);
    /// From a server to a client.
    pub(super) const RESPONSE: Self = Self(2);

    /// Both sets together.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// This set but for the other.
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether all of the other set are in this one.
    pub(super) const fn holds(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// What answers what travels so.
    pub(super) const fn reversed(self) -> Self {
        Self((self.0 & 1) << 1 | self.0 >> 1)
    }

    /// The sides on which its values are judged; what no operation reaches is judged as a whole.
    pub(super) fn sides(self) -> &'static [Side] {
        match self.0 {
            1 => &[Side::Request],
            2 => &[Side::Response],
            3 => &[Side::Request, Side::Response],
            _ => &[Side::Neither],
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
