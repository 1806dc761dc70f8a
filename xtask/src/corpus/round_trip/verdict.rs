//! What a driver told against what the schemas say: differences, each kind of them by its shortest instance.

use std::collections::BTreeMap;
use std::fmt;

use frontdesk_contract::{Side, meaning};
use serde_json::Value;

use super::cases::{Case, Cases, Expected};
use super::subjects::Subject;

/// Longest values that are shown in full, in characters.
const LONGEST: usize = 2_000;

/// Every difference of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// In the order of the types.
    pub differences: Vec<Difference>,
    /// Why there are types without instances.
    pub given_up: Vec<String>,
}

/// Differences of one kind and type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The schema's file and place.
    pub schema: String,
    /// The type.
    pub name: String,
    /// The direction.
    pub side: Side,
    /// Where in the shortest instance.
    pub pointer: String,
    /// What is wrong with it.
    pub what: String,
    /// The shortest instance.
    pub instance: String,
    /// How many instances show it.
    pub count: usize,
}

impl Verdict {
    /// Compares. A case without an answer is the one at which the driver has stopped; what comes after it was not asked.
    pub fn of(subjects: &[Subject<'_>], cases: &Cases, answers: &[String]) -> Self {
        let mut found: BTreeMap<(usize, &'static str), Difference> = BTreeMap::new();
        let mut answers = answers.iter();
        for case in &cases.all {
            let answer = answers.next();
            if let Some((kind, pointer, what)) = fault(case, answer.map(String::as_str)) {
                let subject = &subjects[case.subject];
                let difference = found.entry((case.subject, kind)).or_insert_with(|| Difference {
                    schema: format!("{}{}", subject.schema.file(), subject.schema.pointer()),
                    name: subject.name.clone(),
                    side: case.side,
                    pointer: pointer.clone(),
                    what: what.clone(),
                    instance: case.text.clone(),
                    count: 0,
                });
                difference.count += 1;
                if case.text.len() < difference.instance.len() {
                    let shorter = Difference {
                        side: case.side,
                        pointer,
                        what,
                        instance: case.text.clone(),
                        ..difference.clone()
                    };
                    *difference = shorter;
                }
            }
            if answer.is_none() {
                break;
            }
        }
        Self {
            differences: found.into_values().collect(),
            given_up: cases.given_up.iter().cloned().collect(),
        }
    }
}

/// What is wrong with an answer: the kind, where, and in words.
fn fault(case: &Case, answer: Option<&str>) -> Option<(&'static str, String, String)> {
    let whole = |kind, what: String| Some((kind, String::new(), what));
    let Some(answer) = answer else { return whole("stop", "makes the driver stop".to_owned()) };
    let (taken, text) = (answer.starts_with('+'), answer.get(1..).unwrap_or_default());
    match &case.expected {
        Expected::Same if !taken => whole("read", format!("is not read: {text}")),
        Expected::Same => {
            let (Ok(value), Ok(back)) =
                (serde_json::from_str::<Value>(&case.text), serde_json::from_str(text))
            else {
                return whole("json", format!("comes back as what is no JSON: {text}"));
            };
            let pointer = meaning::difference(&value, &back)?;
            let shown = |value: Option<&Value>| {
                value.map_or_else(|| "nothing".to_owned(), |value| format!("`{value}`"))
            };
            let what =
                format!("{} comes back as {}", shown(value.pointer(&pointer)), shown(back.pointer(&pointer)));
            Some(("same", pointer, what))
        }
        Expected::Taken => {
            (!taken).then(|| ("taken", String::new(), format!("is refused by the check: {text}")))
        }
        Expected::Refused { keyword, pointer } => {
            taken.then(|| (*keyword, pointer.clone(), format!("breaks `{keyword}` and passes the check")))
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { schema, name, pointer, what, instance, count, .. } = self;
        let side = match self.side {
            Side::Request => "in a request",
            Side::Response => "in an answer",
            Side::Neither => "by itself",
        };
        let noun = if *count == 1 { "instance" } else { "instances" };
        writeln!(formatter, "{schema} as `{name}` {side}, at `{pointer}` ({count} {noun})")?;
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
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start}…")
}
