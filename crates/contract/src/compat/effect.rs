//! Effects of changes on the allowed values, and their consequences for senders and receivers.

use std::fmt;

use crate::compat::direction::Direction;

/// The effect of a change on a set of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Effect {
    /// The set is unchanged.
    Same,
    /// Values were removed, and none was added.
    Narrower,
    /// Values were added, and none was removed.
    Wider,
    /// Values were removed and others were added.
    Incomparable,
    /// The effect is not known.
    Unknown,
}

impl Effect {
    /// Returns the effect, given whether values were lost and gained.
    pub(crate) fn of(lost: bool, gained: bool) -> Self {
        match (lost, gained) {
            (false, false) => Self::Same,
            (true, false) => Self::Narrower,
            (false, true) => Self::Wider,
            (true, true) => Self::Incomparable,
        }
    }

    /// Combines the effects on parts of one set.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Incomparable, _) | (_, Self::Incomparable) => Self::Incomparable,
            (Self::Same, effect) | (effect, Self::Same) => effect,
            (left, right) if left == right => left,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            _ => Self::Incomparable,
        }
    }

    /// Returns the effect on the complement, as under `not`.
    pub(crate) fn flipped(self) -> Self {
        match self {
            Self::Narrower => Self::Wider,
            Self::Wider => Self::Narrower,
            other => other,
        }
    }

    /// Returns whether every value of the base is a value of the revision.
    pub(crate) fn keeps(self) -> bool {
        matches!(self, Self::Same | Self::Wider)
    }

    /// Returns whether every value of the revision is a value of the base.
    pub(crate) fn adds_nothing(self) -> bool {
        matches!(self, Self::Same | Self::Narrower)
    }

    /// Applies the compatibility rule: requests must not narrow, responses must not widen.
    pub(crate) fn level(self, direction: Direction) -> Level {
        match (self, direction) {
            (Self::Unknown, _) => Level::Undecided,
            (Self::Incomparable, _)
            | (Self::Narrower, Direction::Request)
            | (Self::Wider, Direction::Response) => Level::Breaking,
            _ => Level::Safe,
        }
    }
}

/// The severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// A guarantee of the base no longer holds.
    Breaking,
    /// It is unknown whether a guarantee is broken.
    Undecided,
    /// Every guarantee holds, but the change may surprise users.
    Notice,
    /// Every guarantee holds.
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

/// The kind of users that a change affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// A deployed client or server fails.
    Wire,
    /// Code that uses the generated crates no longer compiles.
    Source,
    /// Code in TypeScript that uses the JavaScript client no longer compiles.
    Types,
    /// Messages have the same form but another meaning.
    Behavior,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Wire => "WIRE",
            Self::Source => "SOURCE",
            Self::Types => "TYPES",
            Self::Behavior => "BEHAVIOUR",
        })
    }
}

/// The kind of the next version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bump {
    /// No new version: nothing changed.
    #[default]
    None,
    /// Only text for readers changed.
    Patch,
    /// Something was added.
    Minor,
    /// Something that users rely on was removed or changed.
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

/// The bumps that the published artifacts need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bumps {
    /// The bump of `info.version` in the document.
    pub spec: Bump,
    /// The bump of the generated server crate.
    pub server: Bump,
    /// The bump of the generated client crate.
    pub client: Bump,
    /// The bump of the JavaScript client; `None` if its types were not compared.
    pub javascript: Option<Bump>,
}

impl Bumps {
    /// Returns the greater bump of each artifact.
    pub fn max(self, other: Self) -> Self {
        Self {
            spec: self.spec.max(other.spec),
            server: self.server.max(other.server),
            client: self.client.max(other.client),
            javascript: self.javascript.max(other.javascript),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_is_the_same_for_both_directions_turned_around() {
        for effect in [Effect::Same, Effect::Narrower, Effect::Wider, Effect::Incomparable, Effect::Unknown] {
            assert_eq!(
                effect.level(Direction::Request),
                effect.flipped().level(Direction::Response),
                "{effect:?}"
            );
        }
        assert_eq!(Effect::Narrower.level(Direction::Request), Level::Breaking);
        assert_eq!(Effect::Narrower.level(Direction::Response), Level::Safe);
    }

    #[test]
    fn opposite_effects_cannot_be_compared() {
        assert_eq!(Effect::Narrower.and(Effect::Wider), Effect::Incomparable);
        assert_eq!(Effect::Unknown.and(Effect::Wider), Effect::Unknown);
        assert_eq!(Effect::Same.and(Effect::Wider), Effect::Wider);
    }
}
