//! The reason why text cannot be read, with its location.

use serde::de::{self, Unexpected};
use std::fmt;

/// Why text cannot be read as a value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::codec) struct Problem {
    /// The location, from the innermost name outwards.
    at: Vec<Step>,
    /// The violated rule, as the end of a sentence.
    rule: String,
    /// Whether the text is missing altogether.
    absent: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Member(String),
    Entry(usize),
}

impl Problem {
    pub(in crate::codec) fn rule(rule: impl Into<String>) -> Self {
        Self { at: Vec::new(), rule: rule.into(), absent: false }
    }

    pub(super) fn absent() -> Self {
        Self { absent: true, ..Self::rule("is required") }
    }

    pub(in crate::codec) fn is_absent(&self) -> bool {
        self.absent && self.at.is_empty()
    }

    /// Returns the outermost name of the location.
    pub(in crate::codec) fn member(&self) -> Option<&str> {
        self.at.last().map(|step| match step {
            Step::Member(name) => name.as_str(),
            Step::Entry(_) => "",
        })
    }

    /// Returns the location, with dots between its names, and the rule.
    pub(in crate::codec) fn into_parts(self) -> (String, String) {
        let steps = self.at.into_iter().rev().map(|step| match step {
            Step::Member(name) => name,
            Step::Entry(index) => index.to_string(),
        });
        (steps.collect::<Vec<_>>().join("."), self.rule)
    }

    pub(super) fn within(mut self, step: Step) -> Self {
        self.at.push(step);
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.at.iter().rev().enumerate() {
            let first = if index == 0 { "" } else { "of " };
            match step {
                Step::Member(name) => write!(formatter, "{first}member `{name}` ")?,
                Step::Entry(index) => write!(formatter, "{first}entry {index} ")?,
            }
        }
        formatter.write_str(&self.rule)
    }
}

impl std::error::Error for Problem {}

impl de::Error for Problem {
    fn custom<T: fmt::Display>(message: T) -> Self {
        let message = message.to_string();
        // `object!` names the member in its message, because other formats have no other place for it.
        if let Some((name, rule)) =
            message.strip_prefix("the member `").and_then(|rest| rest.rsplit_once("` "))
        {
            return Self::rule(rule).within(Step::Member(name.to_owned()));
        }
        Self::rule(if message.starts_with("must ") || message.starts_with("is ") {
            message
        } else {
            format!("must be valid: {message}")
        })
    }

    fn invalid_type(_found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::rule(format!("must be {expected}"))
    }

    fn invalid_value(_found: Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::rule(format!("must be {expected}"))
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        Self::rule(format!("must be one of {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, _expected: &'static [&'static str]) -> Self {
        Self::rule("is not known").within(Step::Member(field.to_owned()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::rule("is required").within(Step::Member(field.to_owned()))
    }
}
