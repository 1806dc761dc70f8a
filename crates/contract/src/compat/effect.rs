//! What a change does to the values that may travel, and what that means for those who send and receive them.

use std::fmt;

use crate::compat::side::Side;

/// What a change does to a set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// The same values.
    Same,
    /// Some values are no longer in it, none is new.
    Narrower,
    /// Some values are new, none is lost.
    Wider,
    /// Some values are lost and others are new.
    Incomparable,
    /// It cannot be told.
    Unknown,
}

impl Effect {
    /// The effect of values lost, and of values gained.
    pub(crate) fn of(lost: bool, gained: bool) -> Self {
        match (lost, gained) {
            (false, false) => Self::Same,
            (true, false) => Self::Narrower,
            (false, true) => Self::Wider,
            (true, true) => Self::Incomparable,
        }
    }

    /// Both effects on parts of one set.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Incomparable, _) | (_, Self::Incomparable) => Self::Incomparable,
            (Self::Same, effect) | (effect, Self::Same) => effect,
            (left, right) if left == right => left,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            _ => Self::Incomparable,
        }
    }

    /// The effect on the complement, which `not` describes.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Narrower => Self::Wider,
            Self::Wider => Self::Narrower,
            other => other,
        }
    }

    /// Whether every value of the base is a value of the revision.
    pub(crate) fn keeps(self) -> bool {
        matches!(self, Self::Same | Self::Wider)
    }

    /// Whether every value of the revision is a value of the base.
    pub(crate) fn adds_nothing(self) -> bool {
        matches!(self, Self::Same | Self::Narrower)
    }

    /// The law: what requests may contain must not narrow, what responses may contain must not widen.
    pub(crate) fn judged(self, side: Side) -> Level {
        match (self, side) {
            (Self::Unknown, _) => Level::Undecided,
            (Self::Incomparable, _) | (Self::Narrower, Side::Request) | (Self::Wider, Side::Response) => {
                Level::Breaking
            }
            _ => Level::Safe,
        }
    }
}

/// How grave a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Something that was promised no longer holds.
    Breaking,
    /// Whether a promise is broken could not be told.
    Undecided,
    /// Every promise holds, and someone may still be surprised.
    Notice,
    /// Every promise holds.
    Safe,
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Breaking => "breaking",
            Self::Undecided => "undecided",
            Self::Notice => "notice",
            Self::Safe => "safe",
        })
    }
}

/// Who notices a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// A deployed client, or one that calls a deployed server, fails.
    Wire,
    /// Code that uses the generated crates stops compiling.
    Source,
    /// The shapes are the same and mean something else.
    Behaviour,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Wire => "WIRE",
            Self::Source => "SOURCE",
            Self::Behaviour => "BEHAVIOUR",
        })
    }
}

/// What a version number has to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bump {
    /// Nothing changed.
    #[default]
    None,
    /// Only what people read.
    Patch,
    /// Something was added.
    Minor,
    /// Something that was relied on is gone.
    Major,
}

impl fmt::Display for Bump {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::None => "none",
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Major => "major",
        })
    }
}

/// The bump that each of the published things needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bumps {
    /// `info.version` of the document.
    pub spec: Bump,
    /// The generated server crate.
    pub server: Bump,
    /// The generated client crate.
    pub client: Bump,
}

impl Bumps {
    /// The greater of each.
    pub fn max(self, other: Self) -> Self {
        Self {
            spec: self.spec.max(other.spec),
            server: self.server.max(other.server),
            client: self.client.max(other.client),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_is_the_same_for_both_directions_turned_around() {
        for effect in [Effect::Same, Effect::Narrower, Effect::Wider, Effect::Incomparable, Effect::Unknown] {
            assert_eq!(effect.judged(Side::Request), effect.flipped().judged(Side::Response), "{effect:?}");
        }
        assert_eq!(Effect::Narrower.judged(Side::Request), Level::Breaking);
        assert_eq!(Effect::Narrower.judged(Side::Response), Level::Safe);
    }

    #[test]
    fn opposite_effects_cannot_be_compared() {
        assert_eq!(Effect::Narrower.and(Effect::Wider), Effect::Incomparable);
        assert_eq!(Effect::Unknown.and(Effect::Wider), Effect::Unknown);
        assert_eq!(Effect::Same.and(Effect::Wider), Effect::Wider);
    }
}
