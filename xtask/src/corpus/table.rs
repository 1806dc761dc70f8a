//! The report on a corpus: one row for each document, as a Markdown table that reads well as plain text too.

use super::check::Checked;
use super::documents::Document;
use super::generation::{Facts, Outcome};
use super::round_trip::{Journey, Travelled};
use super::stamp::Stamp;

/// Titles, and whether the column holds numbers.
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

/// Longest outcome that is shown in full, in characters.
const LONGEST: usize = 120;

/// A document, and what came of it.
#[derive(Clone, Debug)]
pub struct Row {
    /// First part of the names of the crates.
    pub name: String,
    /// Size of the root file.
    pub bytes: u64,
    /// What came of it.
    pub facts: Facts,
}

impl Row {
    /// The row of a document.
    pub fn new(document: &Document, facts: Facts) -> Self {
        Self { name: document.name.clone(), bytes: document.bytes, facts }
    }

    /// How it ended, in a few words.
    pub fn outcome(&self) -> String {
        let counts = |journey: &Journey| format!("{} valid, {} broken", journey.valid, journey.broken);
        let text = match (&self.facts.checked, &self.facts.travelled) {
            (_, Some(Travelled::Now(journey))) => format!("no difference: {}", counts(journey)),
            (_, Some(Travelled::Before(journey))) => format!("no difference, as before: {}", counts(journey)),
            (_, Some(Travelled::Differs { differences, log })) => {
                format!("{differences} differences: see {log}")
            }
            (_, Some(Travelled::Failed { log })) => format!("no round trip: see {log}"),
            (Some(Checked::Now(_)), None) => "compiles".to_owned(),
            (Some(Checked::Before(_)), None) => "compiles, as before".to_owned(),
            (Some(Checked::Failed { log }), None) => format!("does not compile without a warning: see {log}"),
            (None, None) => self.facts.outcome.summary(),
        };
        if text.chars().count() <= LONGEST {
            return text.replace('|', "\\|");
        }
        let start: String = text.chars().take(LONGEST - 1).collect();
        format!("{}…", start.replace('|', "\\|"))
    }

    /// What it cost, if it ended well.
    fn stamp(&self) -> Option<&Stamp> {
        match (&self.facts.checked, &self.facts.travelled) {
            (_, Some(Travelled::Now(journey) | Travelled::Before(journey))) => Some(&journey.stamp),
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

/// The table, and a line with the counts below it.
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
        "\n{} documents: {} generated, {} refused, {} broke the generator",
        rows.len(),
        count(|row| row.facts.outcome == Outcome::Generated),
        count(|row| matches!(row.facts.outcome, Outcome::Refused(_))),
        count(|row| matches!(row.facts.outcome, Outcome::Broken(_))),
    ));
    if rows.iter().any(|row| row.facts.checked.is_some()) {
        text.push_str(&format!(
            "; {} compile without a warning, {} do not",
            count(|row| matches!(row.facts.checked, Some(Checked::Now(_) | Checked::Before(_)))),
            count(|row| matches!(row.facts.checked, Some(Checked::Failed { .. }))),
        ));
    }
    if rows.iter().any(|row| row.facts.travelled.is_some()) {
        let journeys = rows.iter().filter_map(|row| match &row.facts.travelled {
            Some(Travelled::Now(journey) | Travelled::Before(journey)) => Some(journey),
            _ => None,
        });
        let (valid, broken) =
            journeys.fold((0, 0), |sum, journey| (sum.0 + journey.valid, sum.1 + journey.broken));
        text.push_str(&format!(
            "; {} without a difference in {valid} valid and {broken} broken instances, {} with, {} without a round trip",
            count(|row| matches!(row.facts.travelled, Some(Travelled::Now(_) | Travelled::Before(_)))),
            count(|row| matches!(row.facts.travelled, Some(Travelled::Differs { .. }))),
            count(|row| matches!(row.facts.travelled, Some(Travelled::Failed { .. }))),
        ));
    }
    text.push('\n');
    text
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
            travelled: None,
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
            row("farm", Outcome::Refused([("bad-name", 2), ("too-deep", 1)].into()), None),
            row("ship", Outcome::Broken("index | out of bounds".to_owned()), None),
        ];
        assert_snapshot!(render(&rows), @r"
        | document | bytes | operations | fully typed | longest file | generation ms | warnings | check s | peak MB | outcome                                         |
        |----------|------:|-----------:|------------:|-------------:|--------------:|---------:|--------:|--------:|-------------------------------------------------|
        | pets     | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | generated                                       |
        | shop     | 78901 |         12 |           - |          398 |           345 |        6 |    61.2 |    1235 | compiles                                        |
        | bank     | 78901 |         12 |           - |          398 |           345 |        6 |    61.2 |    1235 | compiles, as before                             |
        | zoo      | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | does not compile without a warning: see zoo.log |
        | farm     | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | refused: bad-name 2, too-deep 1                 |
        | ship     | 78901 |         12 |           - |          398 |           345 |        6 |       - |       - | broken: index \| out of bounds                  |

        6 documents: 4 generated, 1 refused, 1 broke the generator; 2 compile without a warning, 1 do not
        ");
    }

    #[test]
    fn a_long_outcome_is_cut() {
        let row = row("a", Outcome::Broken("é".repeat(500)), None);
        assert_eq!(row.outcome().chars().count(), LONGEST);
        assert!(row.outcome().ends_with("é…"));
    }
}
