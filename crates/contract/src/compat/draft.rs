//! [`Draft`]: a finding before its id, its witness and its version bumps are known.

use super::change::Change;
use super::effect::Level;
use super::finding::Use;
use super::schema::PairId;
use super::walk::OperationId;
use crate::compat::direction::Direction;

/// The location of a schema change: the body or parameter, and the pair of schemas inside it.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    pub(super) root: PairId,
    pub(super) pair: PairId,
    /// The steps from the root to the pair.
    pub(super) steps: Vec<String>,
    /// The location of the root.
    pub(super) place: String,
    pub(super) flipped: bool,
}

/// A finding whose id, witness and version bumps are not known yet.
#[derive(Debug)]
pub(super) struct Draft<'d> {
    pub(super) change: Change<'d>,
    pub(super) direction: Direction,
    pub(super) level: Level,
    pub(super) origin: Option<Origin>,
    pub(super) uses: Vec<Use>,
    pub(super) order: OperationId,
    /// The reason why all uses so far are allowed.
    pub(super) excuse: Option<String>,
}
