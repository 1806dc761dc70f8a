//! Random instances of a schema: valid ones, and ones that violate a single keyword.
//!
//! The same document, schema and seed give the same instance. By default, instances contain edge cases: empty
//! strings, arrays and objects, limits of ranges, characters outside the basic plane, absent members and
//! `null`. [`Instances::readable`] makes instances for people instead, from the document's examples and plain
//! words, with all optional members.
//!
//! An instance is made for a *set* of schemas, as `allOf` requires. `facets` collects the set, with one
//! branch of each union, and `make` creates a value that all of them allow. If the schemas may contradict
//! each other, the [`Oracle`] decides. A rejected value is made again, up to a limit; then the reason is
//! returned.

mod error;
mod facets;
mod make;
mod mutate;
mod number;
mod pattern;
mod text;

use frontdesk_document::NodeRef;
use serde_json::Value;

pub use self::error::InstanceError;
use self::make::{Maker, Purpose};
pub use self::mutate::Mutant;
use crate::oracle::Oracle;

/// The number of attempts before an error is returned.
const ATTEMPTS: u64 = 24;

/// The number of attempts that may end because the instance becomes too large.
const MOST_EXHAUSTED: u64 = 2;

/// Makes instances of the schemas that an [`Oracle`] validates, in its direction.
#[derive(Clone, Copy, Debug)]
pub struct Instances<'o> {
    oracle: &'o Oracle,
    purpose: Purpose,
}

impl<'o> Instances<'o> {
    /// Makes valid instances with edge cases.
    pub fn new(oracle: &'o Oracle) -> Self {
        Self { oracle, purpose: Purpose::Trying }
    }

    /// Makes instances for people: examples and defaults of the document where they are valid, otherwise
    /// words and small numbers. All declared members are present, lists are not empty, and `null` occurs only
    /// if the value would otherwise be infinite.
    pub fn readable(oracle: &'o Oracle) -> Self {
        Self { oracle, purpose: Purpose::Reading { examples: true } }
    }

    /// Turns off the use of the document's examples and defaults in readable instances.
    pub fn without_examples(self) -> Self {
        match self.purpose {
            Purpose::Trying => self,
            Purpose::Reading { .. } => Self { purpose: Purpose::Reading { examples: false }, ..self },
        }
    }

    /// Returns a valid instance.
    ///
    /// # Errors
    ///
    /// Returns an error if the schema contradicts itself, or if no instance was found by trying, for example
    /// with a pattern with back references or a `not` that matches nearly everything.
    pub fn valid(&self, schema: NodeRef<'_>, seed: u64) -> Result<Value, InstanceError> {
        let (mut first, mut exhausted) = (None, 0);
        for attempt in 0..ATTEMPTS {
            if exhausted == MOST_EXHAUSTED {
                break;
            }
            let mut maker = Maker::new(self.oracle, self.purpose, random(schema, seed, attempt));
            match maker.make(&[schema], 0) {
                Ok(value) if self.oracle.is_valid(schema, &value) => return Ok(value),
                Ok(value) => {
                    let fault = self.oracle.faults(schema, &value).into_iter().next();
                    let reason = fault.map_or_else(
                        || "the oracle does not know the schema".to_owned(),
                        |fault| format!("at `{}` {}", fault.pointer, shortened(&fault.message)),
                    );
                    first.get_or_insert_with(|| InstanceError::at(schema, reason));
                }
                Err(reason) => {
                    exhausted += u64::from(maker.is_exhausted());
                    first.get_or_insert(reason);
                }
            }
        }
        Err(first.unwrap_or_else(|| InstanceError::at(schema, "nothing was tried")))
    }

    /// Returns an instance of all of these schemas, as `allOf` would require.
    ///
    /// # Errors
    ///
    /// Returns an error if the schemas contradict each other, or if no instance was found by trying.
    pub fn valid_together(&self, schemas: &[NodeRef<'_>], seed: u64) -> Result<Value, InstanceError> {
        let Some(first) = schemas.first() else { return Ok(Value::Null) };
        for attempt in 0..ATTEMPTS {
            let value =
                Maker::new(self.oracle, self.purpose, random(*first, seed, attempt)).make(schemas, 0)?;
            if schemas.iter().all(|schema| self.oracle.is_valid(*schema, &value)) {
                return Ok(value);
            }
        }
        Err(InstanceError::at(*first, "no value was found that satisfies all of the schemas"))
    }

    /// Returns instances that differ from a valid one in a single location and violate a single keyword
    /// there.
    ///
    /// Within a union, a change is kept only if no other branch accepts it. Left out are changes whose only
    /// fault is that several branches of a `oneOf` match, and members that a union requires together. If
    /// there are more than `most` changes, the seed selects some.
    pub fn invalid(&self, schema: NodeRef<'_>, valid: &Value, seed: u64, most: usize) -> Vec<Mutant> {
        mutate::mutants(self.oracle, schema, valid, &mut random(schema, seed, ATTEMPTS), most)
    }
}

/// Returns a random generator that depends on the seed, the location of the schema, and the attempt.
fn random(schema: NodeRef<'_>, seed: u64, attempt: u64) -> fastrand::Rng {
    // FNV-1a, because the standard hashers may change between versions.
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
