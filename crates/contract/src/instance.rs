//! Random instances of a schema: valid ones, and ones that break a single keyword.
//!
//! The same document, schema and seed give the same instance. Instances are awkward on purpose: empty texts, lists and
//! objects, the ends of ranges, characters beyond the basic plane, absence next to `null`. Or they are for people to look at
//! ([`Instances::readable`]): what the document gives as examples, plain words, and everything there that may be there.
//!
//! A value is made for a *set* of schemas at once, which is what `allOf` means: `facets` gathers the set, choosing one
//! branch of each union, and `make` fills in what all of them allow. Only where the set is wide enough to contradict
//! itself does the [`Oracle`] decide; what it refuses is made anew, and after some attempts given up with the reason.

mod facets;
mod make;
mod mutate;
mod number;
mod pattern;
mod text;

use frontdesk_document::NodeRef;
use serde_json::Value;

use self::make::Maker;
pub use self::mutate::Mutant;
use crate::oracle::Oracle;

/// How often an instance is made and refused before it is given up.
const ATTEMPTS: u64 = 24;

/// A place for which no instance was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct GivenUp {
    /// The file and the pointer of the schema at which it failed.
    pub place: String,
    /// What could not be met.
    pub reason: String,
}

impl GivenUp {
    fn at(schema: NodeRef<'_>, reason: impl Into<String>) -> Self {
        Self { place: format!("{}{}", schema.file(), schema.pointer()), reason: reason.into() }
    }
}

/// What instances are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To find what a program gets wrong.
    Trying,
    /// To be looked at.
    Reading {
        /// Whether the document's `example` and `default` stand for a value wherever they fit.
        examples: bool,
    },
}

/// Makes instances of the schemas that an [`Oracle`] judges, for the direction that it judges.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'o> {
    oracle: &'o Oracle,
    purpose: Purpose,
}

impl<'o> Instances<'o> {
    /// Instances that this oracle takes for valid, awkward ones.
    pub fn new(oracle: &'o Oracle) -> Self {
        Self { oracle, purpose: Purpose::Trying }
    }

    /// Instances for people: the document's own examples and defaults where they fit, words and small numbers elsewhere,
    /// every member that is declared, lists with something in them, and `null` only where nothing else would end.
    pub fn readable(oracle: &'o Oracle) -> Self {
        Self { oracle, purpose: Purpose::Reading { examples: true } }
    }

    /// The same instances without what the document gives as examples and defaults; awkward ones stay as they are.
    pub fn without_examples(self) -> Self {
        match self.purpose {
            Purpose::Trying => self,
            Purpose::Reading { .. } => Self { purpose: Purpose::Reading { examples: false }, ..self },
        }
    }

    /// A valid instance.
    ///
    /// # Errors
    ///
    /// Where the schema contradicts itself, or asks for something that cannot be found by trying: a pattern with
    /// references to its own groups, a `not` that nearly everything fits.
    pub fn valid(&self, schema: NodeRef<'_>, seed: u64) -> Result<Value, GivenUp> {
        let mut first = None;
        for attempt in 0..ATTEMPTS {
            let mut maker = Maker::new(self.oracle, self.purpose, random(schema, seed, attempt));
            match maker.make(&[schema], 0) {
                Ok(value) if self.oracle.is_valid(schema, &value) => return Ok(value),
                Ok(value) => {
                    let fault = self.oracle.faults(schema, &value).into_iter().next();
                    let reason = fault.map_or_else(
                        || "the schema is not one that the oracle was made for".to_owned(),
                        |fault| format!("at `{}` {}", fault.pointer, shortened(&fault.message)),
                    );
                    first.get_or_insert_with(|| GivenUp::at(schema, reason));
                }
                Err(reason) => {
                    first.get_or_insert(reason);
                }
            }
        }
        Err(first.unwrap_or_else(|| GivenUp::at(schema, "nothing was tried")))
    }

    /// Instances that differ from a valid one in a single place, where each breaks a single keyword.
    ///
    /// Within a union a change is only kept if no other branch takes it. What is wrong only in that it fits several branches
    /// of a `oneOf` is left out, and so are members that a choice asks for together. Where there are more changes than `most`, the
    /// seed chooses.
    pub fn invalid(&self, schema: NodeRef<'_>, valid: &Value, seed: u64, most: usize) -> Vec<Mutant> {
        mutate::mutants(self.oracle, schema, valid, &mut random(schema, seed, ATTEMPTS), most)
    }
}

/// Randomness that depends on the seed, the place in the document, and the attempt.
fn random(schema: NodeRef<'_>, seed: u64, attempt: u64) -> fastrand::Rng {
    // FNV-1a: the standard hashers promise no stability between versions.
    let place = schema.file().bytes().chain(schema.pointer().into_bytes());
    let hash = place
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    fastrand::Rng::with_seed(hash ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ attempt.rotate_left(48))
}

fn shortened(message: &str) -> String {
    let mut short: String = message.chars().take(160).collect();
    if short.len() < message.len() {
        short.push('…');
    }
    short
}
