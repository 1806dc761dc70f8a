//! The report on a corpus: a Markdown table with one row for each document.

use super::check::Checked;
use super::differential::DifferentialOutcome;
use super::differential::case::Skipped;
use super::differential::judgement::Meant;
use super::documents::Document;
use super::generation::{Facts, Outcome};
use super::round_trip::{RoundTripOutcome, RoundTripResult};
use super::stamp::Stamp;

/// Titles, and whether the column has numbers.
const COLUMNS: [(&str, bool); 10] = [
    ("document", false),
    ("bytes", true),
    ("operations", true),
    ("fully typed", true),
    ("longest file", true),
    ("generation ms", true),
    ("warnings", true),
    ("check s", true),
    ("peak MB", true),
    ("outcome", false),
];

/// The longest outcome that is shown in full, in characters.
const MAX_LENGTH: usize = 120;

/// A row of the table: a document and its outcome.
#[derive(Clone, Debug)]
pub struct Row {
    /// The prefix of the names of the crates.
    pub name: String,
    /// The size of the root file.
    pub bytes: u64,
    /// The outcome of the run.
    pub facts: Facts,
}

impl Row {
    /// Returns the row of a document.
    pub fn new(document: &Document, facts: Facts) -> Self {
        Self { name: document.name.clone(), bytes: document.bytes, facts }
    }

    /// Returns the outcome in a few words.
    pub fn outcome(&self) -> String {
        let counts = |result: &RoundTripResult| format!("{} valid, {} invalid", result.valid, result.broken);
        let differential = self.facts.differential.as_ref().map(|outcome| match outcome {
            DifferentialOutcome::Agrees { requests, responses, meant, skipped } => {
                let exceptions: usize = meant.values().sum();
                format!(
                    "no disagreement: {requests} requests ({exceptions} exceptions), {responses} responses, {} operations without requests",
                    skipped.len()
                )
            }
            DifferentialOutcome::Differs { differences, log } => {
                format!("{differences} disagreements: see {log}")
            }
            DifferentialOutcome::Failed { log } => format!("differential test failed: see {log}"),
        });
        let text = match (&self.facts.checked, &self.facts.round_trip) {
            _ if differential.is_some() => differential.unwrap_or_default(),
            (_, Some(RoundTripOutcome::Now(result))) => format!("no difference: {}", counts(result)),
            (_, Some(RoundTripOutcome::Before(result))) => {
                format!("no difference, unchanged: {}", counts(result))
            }
            (_, Some(RoundTripOutcome::Differs { differences, log })) => {
                format!("{differences} differences: see {log}")
            }
            (_, Some(RoundTripOutcome::Failed { log })) => format!("round trip failed: see {log}"),
            (Some(Checked::Now(_)), None) => "compiles".to_owned(),
            (Some(Checked::Before(_)), None) => "compiles, unchanged".to_owned(),
            (Some(Checked::Failed { log }), None) => format!("warnings or errors: see {log}"),
            (None, None) => self.facts.outcome.summary(),
        };
        if text.chars().count() <= MAX_LENGTH {
            return text.replace('|', "\\|");
        }
        let start: String = text.chars().take(MAX_LENGTH - 1).collect();
        format!("{}…", start.replace('|', "\\|"))
    }

    /// Returns the cost and dependencies of a successful check.
    fn stamp(&self) -> Option<&Stamp> {
        match (&self.facts.checked, &self.facts.round_trip) {
            (_, Some(RoundTripOutcome::Now(result) | RoundTripOutcome::Before(result))) => {
                Some(&result.stamp)
            }
            (Some(Checked::Now(stamp) | Checked::Before(stamp)), None) => Some(stamp),
            _ => None,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "sizes of memory are shown in whole megabytes")]
    fn cells(&self) -> [String; COLUMNS.len()] {
        let known = |count: Option<usize>| count.map_or_else(|| "-".to_owned(), |count| count.to_string());
        let (seconds, megabytes) = match self.stamp() {
            Some(Stamp { cost, .. }) => {
                (format!("{:.1}", cost.time.as_secs_f64()), format!("{:.0}", cost.peak as f64 / 1e6))
            }
            None => ("-".to_owned(), "-".to_owned()),
        };
        [
            self.name.clone(),
            self.bytes.to_string(),
            known(self.facts.operations),
            known(self.facts.typed),
            known(self.facts.longest),
            self.facts.milliseconds.to_string(),
            self.facts.warnings.to_string(),
            seconds,
            megabytes,
            self.outcome(),
        ]
    }
}

/// Renders the table, followed by a line with counts.
pub fn render(rows: &[Row]) -> String {
    let cells: Vec<[String; COLUMNS.len()]> = rows.iter().map(Row::cells).collect();
    let widths: Vec<usize> = (0..COLUMNS.len())
        .map(|column| {
            let longest = cells.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
            longest.max(COLUMNS[column].0.len())
        })
        .collect();
    let line = |row: &[String]| {
        let padded = row.iter().zip(&widths).zip(COLUMNS).map(|((cell, width), (_, number))| {
            let width = *width;
            if number { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
    };
    let mut text = line(&COLUMNS.map(|(title, _)| title.to_owned()));
    let rule = widths.iter().zip(COLUMNS).map(|(width, (_, number))| {
        if number { format!("{}:", "-".repeat(width + 1)) } else { "-".repeat(width + 2) }
    });
    text.push_str(&format!("|{}|\n", rule.collect::<Vec<_>>().join("|")));
    for row in &cells {
        text.push_str(&line(row));
    }
    let count = |wanted: fn(&Row) -> bool| rows.iter().filter(|row| wanted(row)).count();
    text.push_str(&format!(
        "\n{} documents: {} generated, {} rejected, {} made the generator fail",
        rows.len(),
        count(|row| row.facts.outcome == Outcome::Generated),
        count(|row| matches!(row.facts.outcome, Outcome::Rejected(_))),
        count(|row| matches!(row.facts.outcome, Outcome::GeneratorFailed(_))),
    ));
    if rows.iter().any(|row| row.facts.checked.is_some()) {
        text.push_str(&format!(
            "; {} compile without warnings, {} do not",
            count(|row| matches!(row.facts.checked, Some(Checked::Now(_) | Checked::Before(_)))),
            count(|row| matches!(row.facts.checked, Some(Checked::Failed { .. }))),
        ));
    }
    if rows.iter().any(|row| row.facts.round_trip.is_some()) {
        let journeys = rows.iter().filter_map(|row| match &row.facts.round_trip {
            Some(RoundTripOutcome::Now(result) | RoundTripOutcome::Before(result)) => Some(result),
            _ => None,
        });
        let (valid, broken) =
            journeys.fold((0, 0), |sum, result| (sum.0 + result.valid, sum.1 + result.broken));
        text.push_str(&format!(
            "; {} without differences in {valid} valid and {broken} invalid instances, {} with differences, {} with a failed round trip",
            count(|row| matches!(row.facts.round_trip, Some(RoundTripOutcome::Now(_) | RoundTripOutcome::Before(_)))),
            count(|row| matches!(row.facts.round_trip, Some(RoundTripOutcome::Differs { .. }))),
            count(|row| matches!(row.facts.round_trip, Some(RoundTripOutcome::Failed { .. }))),
        ));
    }
    text.push('\n');
    text.push_str(&differential_notes(rows));
    text
}

/// Returns the disagreements that are meant, with their reasons, and the operations without requests.
fn differential_notes(rows: &[Row]) -> String {
    let mut all = Meant::new();
    let mut lines = String::new();
    for row in rows {
        let Some(DifferentialOutcome::Agrees { meant, skipped, .. }) = &row.facts.differential else {
            continue;
        };
        for (kind, count) in meant {
            *all.entry(*kind).or_default() += count;
        }
        for Skipped { operation, reason } in skipped {
            lines.push_str(&format!("no request to {operation} of {}: {reason}\n", row.name));
        }
    }
    for ((name, reason), count) in all {
        lines.push_str(&format!("{count} times, as meant: {name}: {reason}\n"));
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use insta::assert_snapshot;

    use super::*;
    use crate::corpus::stamp::Cost;

    fn row(name: &str, outcome: Outcome, checked: Option<Checked>) -> Row {
        let facts = Facts {
            operations: Some(12),
            typed: None,
            longest: Some(398),
            milliseconds: 345,
            warnings: 6,
            outcome,
            checked,
            round_trip: None,
            differential: None,
        };
        Row { name: name.to_owned(), bytes: 78_901, facts }
    }

    #[test]
    fn the_table_shows_every_kind_of_outcome() {
        let cost = Cost { time: Duration::from_millis(61_249), peak: 1_234_567_890 };
        let stamp = Stamp { key: "ab".to_owned(), cost };
        let rows = [
            row("pets", Outcome::Generated, None),
            row("shop", Outcome::Generated, Some(Checked::Now(stamp.clone()))),
            row("bank", Outcome::Generated, Some(Checked::Before(stamp))),
            row("zoo", Outcome::Generated, Some(Checked::Failed { log: "zoo.log".to_owned() })),
            row("farm", Outcome::Rejected([("bad-name", 2), ("too-deep", 1)].into()), None),
            row("ship", Outcome::GeneratorFailed("index | out of bounds".to_owned()), None),
        ];
        assert_snapshot!(render(&rows), @r"
        | document | bytes | operations | fully typed | longest file | generation ms | warnings | check s | peak MB | outcome                                  |
        |----------|------:|-----------:|------------:|-------------:|--------------:|---------:|--------:|--------:|------------------------------------------|
        | pets     | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | generated                                |
        | shop     | 78901 |         12 |           - |          398 |           345 |        6 |    61.2 |    1235 | compiles                                 |
        | bank     | 78901 |         12 |           - |          398 |           345 |        6 |    61.2 |    1235 | compiles, unchanged                      |
        | zoo      | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | warnings or errors: see zoo.log          |
        | farm     | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | rejected: bad-name 2, too-deep 1         |
        | ship     | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | generator failed: index \| out of bounds |

        6 documents: 4 generated, 1 rejected, 1 made the generator fail; 2 compile without warnings, 1 do not
        ");
    }

    #[test]
    fn a_long_outcome_is_cut() {
        let row = row("a", Outcome::GeneratorFailed("é".repeat(500)), None);
        assert_eq!(row.outcome().chars().count(), MAX_LENGTH);
        assert!(row.outcome().ends_with("é…"));
    }
}
