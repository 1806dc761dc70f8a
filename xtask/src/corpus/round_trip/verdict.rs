//! Comparison of a driver's results with the schemas: each kind of difference, with its shortest instance.

use std::collections::BTreeMap;
use std::fmt;

use frontdesk_contract::{Direction, json_equality};
use serde_json::Value;

use super::cases::{Case, Cases, Expected};
use super::subjects::Subject;

/// The longest value that is shown in full, in characters.
const MAX_LENGTH: usize = 2_000;

/// All differences of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The differences, in the order of the types.
    pub differences: Vec<Difference>,
    /// The reasons why types have no instances.
    pub given_up: Vec<String>,
}

/// A kind of difference of one type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The file and pointer of the schema.
    pub schema: String,
    /// The type.
    pub name: String,
    /// The direction.
    pub direction: Direction,
    /// The location in the shortest instance.
    pub pointer: String,
    /// A description of the difference.
    pub what: String,
    /// The shortest instance.
    pub instance: String,
    /// The number of instances with this difference.
    pub count: usize,
}

impl Verdict {
    /// Compares the results. The first case without a result is the one that stopped the driver; later ones
    /// were not processed.
    pub fn of(subjects: &[Subject<'_>], cases: &Cases, results: &[String]) -> Self {
        let mut found: BTreeMap<(usize, &'static str), Difference> = BTreeMap::new();
        let mut results = results.iter();
        for case in &cases.all {
            let result = results.next();
            if let Some((kind, pointer, what)) = fault(case, result.map(String::as_str)) {
                let subject = &subjects[case.subject];
                let difference = found.entry((case.subject, kind)).or_insert_with(|| Difference {
                    schema: format!("{}{}", subject.schema.file(), subject.schema.pointer()),
                    name: subject.name.clone(),
                    direction: case.direction,
                    pointer: pointer.clone(),
                    what: what.clone(),
                    instance: case.text.clone(),
                    count: 0,
                });
                difference.count += 1;
                if case.text.len() < difference.instance.len() {
                    let shorter = Difference {
                        direction: case.direction,
                        pointer,
                        what,
                        instance: case.text.clone(),
                        ..difference.clone()
                    };
                    *difference = shorter;
                }
            }
            if result.is_none() {
                break;
            }
        }
        Self {
            differences: found.into_values().collect(),
            given_up: cases.given_up.iter().cloned().collect(),
        }
    }
}

/// Returns what is wrong with a result: its kind, its location and a description.
fn fault(case: &Case, result: Option<&str>) -> Option<(&'static str, String, String)> {
    let whole = |kind, what: String| Some((kind, String::new(), what));
    let Some(result) = result else { return whole("stop", "makes the driver stop".to_owned()) };
    let (accepted, text) = (result.starts_with('+'), result.get(1..).unwrap_or_default());
    match &case.expected {
        Expected::Same if !accepted => whole("read", format!("cannot be decoded: {text}")),
        Expected::Same => {
            let (Ok(value), Ok(back)) =
                (serde_json::from_str::<Value>(&case.text), serde_json::from_str(text))
            else {
                return whole("json", format!("is encoded to invalid JSON: {text}"));
            };
            let pointer = json_equality::difference(&value, &back)?;
            let shown = |value: Option<&Value>| {
                value.map_or_else(|| "nothing".to_owned(), |value| format!("`{value}`"))
            };
            let what =
                format!("{} is encoded as {}", shown(value.pointer(&pointer)), shown(back.pointer(&pointer)));
            Some(("same", pointer, what))
        }
        Expected::Accepted => {
            (!accepted).then(|| ("accepted", String::new(), format!("is rejected by the check: {text}")))
        }
        Expected::Rejected { keyword, pointer } => accepted
            .then(|| (*keyword, pointer.clone(), format!("violates `{keyword}` but passes the check"))),
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, name, pointer, what, instance, count, .. } = self;
        let direction = match self.direction {
            Direction::Request => "in a request",
            Direction::Response => "in a response",
            Direction::Neither => "on its own",
        };
        let noun = if *count == 1 { "instance" } else { "instances" };
        writeln!(formatter, "{schema} as `{name}` {direction}, at `{pointer}` ({count} {noun})")?;
        writeln!(formatter, "  {}", cut(what))?;
        writeln!(formatter, "  {}", cut(instance))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.differences {
            write!(formatter, "{difference}")?;
        }
        for reason in &self.given_up {
            writeln!(formatter, "no instance: {}", cut(reason))?;
        }
        Ok(())
    }
}

fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_LENGTH {
        return text.to_owned();
    }
    let start: String = text.chars().take(MAX_LENGTH).collect();
    format!("{start}…")
}
