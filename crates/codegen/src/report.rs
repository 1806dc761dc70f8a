//! What became of a document's operations: how many are fully typed, and what the others lack.

use crate::ir::{Api, Untyped};
use std::{collections::BTreeSet, fmt};

/// How much of a document the generated types say.
///
/// An operation is fully typed if nothing that it sends or answers with is raw JSON, text or bytes where the
/// document says more. Its text form is a summary in one line, followed by one paragraph for each place that
/// is not typed; then the defects of the document that degrade operations or leave them out, if there are
/// any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Number of operations.
    pub operations: usize,
    /// How many of them are fully typed.
    pub typed: usize,
    /// The places that the document types and the output does not, in the order in which they were found.
    pub untyped: Vec<Untyped>,
    /// Defects of the document, with the operations that they degrade.
    pub defects: Vec<Untyped>,
    /// Paths whose operations are left out, with their names as far as they are known.
    pub left_out: Vec<Untyped>,
}

impl Report {
    /// The report on a lowered document.
    pub fn of(api: &Api) -> Self {
        let operations = api.operations().count();
        let affected: BTreeSet<&str> =
            api.untyped.iter().flat_map(|place| &place.operations).map(String::as_str).collect();
        let typed = api.operations().filter(|operation| !affected.contains(operation.id.as_str())).count();
        Self {
            operations,
            typed,
            untyped: api.untyped.clone(),
            defects: api.defects.clone(),
            left_out: api.left_out.clone(),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = if self.operations == 1 { "operation" } else { "operations" };
        writeln!(formatter, "{} of {} {noun} fully typed", self.typed, self.operations)?;
        for place in &self.untyped {
            paragraph(formatter, place, "no operation uses it")?;
        }
        if !self.defects.is_empty() {
            let degraded: BTreeSet<&String> =
                self.defects.iter().flat_map(|place| &place.operations).collect();
            let (count, verb) = (degraded.len(), if degraded.len() == 1 { "is" } else { "are" });
            writeln!(
                formatter,
                "\n{count} of {} {noun} {verb} degraded by defects of the document",
                self.operations
            )?;
            for place in &self.defects {
                paragraph(formatter, place, "no operation uses it")?;
            }
        }
        if !self.left_out.is_empty() {
            writeln!(formatter, "\nleft out with all their operations:")?;
            for place in &self.left_out {
                paragraph(formatter, place, "its operations are not known")?;
            }
        }
        Ok(())
    }
}

/// A place, what is the matter with it, and its operations.
fn paragraph(formatter: &mut fmt::Formatter<'_>, place: &Untyped, none: &str) -> fmt::Result {
    let Untyped { place, reason, location, operations } = place;
    writeln!(formatter, "\n{location}: {place}\n  {reason}")?;
    match operations.as_slice() {
        [] => writeln!(formatter, "  {none}"),
        operations => writeln!(formatter, "  in {}", operations.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::Report;
    use crate::ir::Untyped;

    #[test]
    fn the_text_begins_with_the_count() {
        let untyped = Untyped {
            place: "a body of `application/xml`".to_owned(),
            reason: "there is no decoder for this media type".to_owned(),
            location: "openapi.yaml:12:3".to_owned(),
            operations: vec!["getPet".to_owned(), "listPets".to_owned()],
        };
        let left_out = Untyped { operations: Vec::new(), ..untyped.clone() };
        let report = Report {
            operations: 3,
            typed: 1,
            untyped: vec![untyped],
            defects: Vec::new(),
            left_out: Vec::new(),
        };
        assert_eq!(
            report.to_string(),
            "1 of 3 operations fully typed\n\nopenapi.yaml:12:3: a body of `application/xml`\n  there is no decoder for this media type\n  in getPet, listPets\n"
        );
        let report = Report {
            untyped: Vec::new(),
            defects: report.untyped.clone(),
            left_out: vec![left_out],
            ..report
        };
        assert_eq!(
            report.to_string(),
            "1 of 3 operations fully typed\n\n2 of 3 operations are degraded by defects of the document\n\nopenapi.yaml:12:3: a body of `application/xml`\n  there is no decoder for this media type\n  in getPet, listPets\n\nleft out with all their operations:\n\nopenapi.yaml:12:3: a body of `application/xml`\n  there is no decoder for this media type\n  its operations are not known\n"
        );
    }
}
