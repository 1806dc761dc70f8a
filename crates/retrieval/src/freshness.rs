//! Freshness: when what is kept of a chatbot may be used for a question.
//!
//! A chunk never changes, and a later one has a higher number. So the number of chunks and the number of the
//! last one say whether the content is still the same; those of the vectors say it of the vectors. Both are
//! asked of the database once for each question, when its [`Snapshot`](crate::Snapshot) is taken. What is
//! kept is then used as follows:
//!
//! | kept | is used | otherwise |
//! |---|---|---|
//! | passages | always: whether one may be found is decided by the index of the snapshot, or by the database | they are read |
//! | the index of a chatbot with at most [`LARGE`] chunks | if it has this number of chunks, and this last one | the database is asked, and after [`LAG`] the index is read again. There was none: it is read when the chatbot is asked again within [`SOON`] |
//! | the sizes of an index that is not up to date | for [`LAG`], from [`APPROXIMATE`] chunks on | the database counts |
//! | the sizes of a larger chatbot | for [`LAG`] | they are counted again |
//! | its vocabulary, which only corrects typing errors | for [`LAG`], and while the sizes stay the same | the words of later chunks are added |
//! | its frequent words | for [`COUNTS`], while the number of chunks changes by at most one in [`TOLERATED`] | they are counted again |
//! | vectors | if their number and the number of the last one are those of the database. More than [`LARGE`] are counted once in [`LAG`]; in between, only the last one is asked for | those that were added are read, or all of them if one was removed |

use std::time::{Duration, Instant};

/// Most chunks of a chatbot whose index is held in memory. That of a larger one would take the place of those
/// of many others, and to count its chunks or vectors for each question takes too long.
pub(crate) const LARGE: u64 = 5_000;

/// For so long, what is kept may be that before a change, where keeping up with each one costs too much: a
/// chatbot whose content is just being read changes with each page.
pub(crate) const LAG: Duration = Duration::from_secs(10);

/// A chatbot that is asked again within this time gets an index in memory: making it takes longer than a
/// question to the database.
pub(crate) const SOON: Duration = Duration::from_mins(2);

/// The number of chunks from which sizes may be those before a change. One more or less changes little then.
pub(crate) const APPROXIMATE: u64 = 100;

/// For so long, counts of frequent words are kept.
pub(crate) const COUNTS: Duration = Duration::from_mins(10);

/// One in so many chunks of a chatbot may be added or removed until its frequent words are counted again.
pub(crate) const TOLERATED: u64 = 100;

/// Returns whether something that was read or counted at `since` may still lag behind the database.
pub(crate) fn may_lag(since: Instant) -> bool {
    since.elapsed() < LAG
}
