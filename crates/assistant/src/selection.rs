//! What can be quoted: the texts that answer a question best, and whether they answer it at all.
//!
//! Passages are cut into windows: a sentence, a row or a short list. A linear model scores them, the best
//! ones are quoted, and a second model decides whether they can be expected to be the answer. Both are
//! trained; `weights.json` has their weights.
//!
//! Reading order: `asking` (input), `windows` and `facts` (what can be quoted, and what it states),
//! `features`, `form`, `subject` and `timing` (how it compares with the question), `decision`, `lack`,
//! `select`, `weights`, then `explanation` and `training`, which show it to owners and to the training.

mod asking;
mod decision;
mod explanation;
mod facts;
mod features;
mod form;
mod lack;
mod people;
mod select;
mod subject;
mod timing;
pub mod training;
mod weights;
mod windows;

pub use explanation::{Explanation, Reason, explain};
pub(crate) use form::is_whole;
pub(crate) use select::{Quotes, quotes};
pub use weights::{Linear, Refusal, Selection, SelectionWeights};
