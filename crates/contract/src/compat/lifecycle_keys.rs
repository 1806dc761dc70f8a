//! Readers of the keys that describe the lifecycle of an object: `x-stability-level`, `deprecated` and
//! `x-sunset`.

use std::fmt;

use frontdesk_document::NodeRef;
use jiff::civil::Date;

/// The stability of a part, from `x-stability-level`; `Stable` by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stability {
    /// A proposal.
    Draft,
    /// For experiments.
    Alpha,
    /// May change with a minor version.
    Beta,
    /// Changes only with a major version.
    Stable,
}

impl Stability {
    /// Returns the level with this name.
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "draft" => Self::Draft,
            "alpha" => Self::Alpha,
            "beta" => Self::Beta,
            "stable" => Self::Stable,
            _ => return None,
        })
    }

    /// Returns an object's own level, if it has one: `Err` with the value if it is not a known level.
    pub(crate) fn written(object: NodeRef<'_>) -> Option<Result<Self, NodeRef<'_>>> {
        let value = object.get("x-stability-level")?;
        Some(value.as_str().and_then(Self::named).ok_or(value))
    }
}

/// The stability levels of an object in the base and in the revision, if it declares them.
pub(super) type Levels = (Option<Stability>, Option<Stability>);

impl fmt::Display for Stability {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Draft => "draft",
            Self::Alpha => "alpha",
            Self::Beta => "beta",
            Self::Stable => "stable",
        })
    }
}

/// The `x-sunset` of an object.
pub(super) enum Sunset<'d> {
    Missing,
    Invalid(NodeRef<'d>),
    On(Date, NodeRef<'d>),
}

impl<'d> Sunset<'d> {
    pub(super) fn of(object: NodeRef<'d>) -> Self {
        let Some(value) = object.get("x-sunset") else { return Self::Missing };
        // A time of day may follow the date.
        let date = value.as_str().and_then(|text| text.get(..10)).and_then(|date| date.parse().ok());
        date.map_or(Self::Invalid(value), |date| Self::On(date, value))
    }
}

/// Returns whether the object is `deprecated`.
pub(super) fn is_deprecated(object: NodeRef<'_>) -> bool {
    object.get("deprecated").and_then(NodeRef::as_bool) == Some(true)
}

/// Returns the known level that an object declares, if any.
pub(super) fn stability(object: NodeRef<'_>) -> Option<Stability> {
    Stability::written(object).and_then(Result::ok)
}
