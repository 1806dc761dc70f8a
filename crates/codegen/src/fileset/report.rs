//! How a plan is reported: a verb and a path per line as cargo does it, bounded diffs, a line of counts, the
//! command to run.

use std::fmt;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use similar::{ChangeTag, TextDiff};

use super::{Plan, State, Summary};

const GOOD: Style = AnsiColor::Green.on_default().bold();
const WRONG: Style = AnsiColor::Red.on_default().bold();
const HEADER: Style = Style::new().bold();
const PLACE: Style = AnsiColor::Cyan.on_default();
const DELETED: Style = AnsiColor::Red.on_default();
const INSERTED: Style = AnsiColor::Green.on_default();

/// Columns in which verbs are right-aligned, as cargo does it.
const VERB: usize = 12;
/// Lines of context around a change.
const CONTEXT: usize = 3;
/// After this a diff may be longer than it has to be.
const DIFF_TIME: Duration = Duration::from_secs(2);

/// What a report shows, and how much of it.
#[derive(Copy, Clone, Debug)]
pub struct Report<'a> {
    /// The output folder as the reader would name it.
    pub folder: &'a str,
    /// The command that makes the files fresh.
    pub command: &'a str,
    /// Lines of diff shown of one file.
    pub lines_of_file: usize,
    /// Lines of diff shown in all.
    pub lines_in_all: usize,
    /// Files named in the summary of a run that wrote.
    pub files_named: usize,
    /// Whether to use colors (ANSI escape sequences).
    pub color: bool,
}

impl<'a> Report<'a> {
    /// A report of usual length without colors.
    pub fn new(folder: &'a str, command: &'a str) -> Self {
        Self { folder, command, lines_of_file: 60, lines_in_all: 400, files_named: 40, color: false }
    }

    fn path(&self, path: &str) -> String {
        match self.folder.trim_end_matches('/') {
            "" | "." => path.to_owned(),
            folder => format!("{folder}/{path}"),
        }
    }

    fn styled(&self, style: Style, text: &str) -> String {
        if self.color { format!("{style}{text}{style:#}") } else { text.to_owned() }
    }

    fn verb(&self, style: Style, verb: &str) -> String {
        self.styled(style, &format!("{verb:>VERB$}"))
    }
}

impl Plan {
    /// Tells what differs from the disk, and the command to run if anything does.
    pub fn report(&self, to: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
        let mut counts = [0_usize; 4];
        let mut left = report.lines_in_all;
        for entry in self.entries() {
            let path = report.path(&entry.path);
            match &entry.state {
                State::Fresh => counts[0] += 1,
                State::Stale { text, on_disk } => {
                    counts[1] += 1;
                    writeln!(to, "{} {path}", report.verb(WRONG, "Stale"))?;
                    let lines = diff_lines(report, &path, on_disk, text);
                    let shown = lines.len().min(report.lines_of_file).min(left);
                    left -= shown;
                    for line in &lines[..shown] {
                        writeln!(to, "{line}")?;
                    }
                    if shown < lines.len() {
                        let more = lines.len() - shown;
                        writeln!(to, "… {more} more {}", if more == 1 { "line" } else { "lines" })?;
                    }
                }
                State::Missing { text } => {
                    counts[2] += 1;
                    let lines = counted(text.lines().count(), "line");
                    writeln!(to, "{} {path} ({lines})", report.verb(WRONG, "Missing"))?;
                }
                State::Orphan => {
                    counts[3] += 1;
                    writeln!(to, "{} {path}", report.verb(WRONG, "Orphan"))?;
                }
            }
        }
        let [fresh, stale, missing, orphan] = counts;
        let files = report.path("").trim_end_matches('/').to_owned();
        let files = if files.is_empty() { "." } else { &files };
        if stale + missing + orphan == 0 {
            return writeln!(to, "{} {files} ({})", report.verb(GOOD, "Fresh"), counted(fresh, "file"));
        }
        let verb = report.verb(WRONG, "Failure");
        writeln!(to, "{verb} {files}: {stale} stale, {missing} missing, {orphan} orphaned, {fresh} fresh")?;
        writeln!(to, "\nhint: run `{}` to update", report.command)
    }
}

impl Summary {
    /// Tells what was written and removed.
    pub fn report(&self, to: &mut dyn fmt::Write, report: &Report<'_>) -> fmt::Result {
        let written = self.written().iter().map(|path| ("Wrote", path));
        let removed = self.removed().iter().map(|path| ("Removed", path));
        let changed = self.written().len() + self.removed().len();
        for (verb, path) in written.chain(removed).take(report.files_named) {
            writeln!(to, "{} {}", report.verb(GOOD, verb), report.path(path))?;
        }
        if changed > report.files_named {
            writeln!(to, "… {} more", counted(changed - report.files_named, "file"))?;
        }
        let files = report.path("").trim_end_matches('/').to_owned();
        let files = if files.is_empty() { "." } else { &files };
        if changed == 0 {
            return writeln!(
                to,
                "{} {files} ({})",
                report.verb(GOOD, "Fresh"),
                counted(self.fresh(), "file")
            );
        }
        writeln!(
            to,
            "{} {files}: {} written, {} removed, {} fresh",
            report.verb(GOOD, "Finished"),
            self.written().len(),
            self.removed().len(),
            self.fresh()
        )
    }
}

fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A unified diff from what is on disk to what should be, line by line.
fn diff_lines(report: &Report<'_>, path: &str, on_disk: &str, text: &str) -> Vec<String> {
    let mut lines = vec![
        report.styled(HEADER, &format!("--- {path} (on disk)")),
        report.styled(HEADER, &format!("+++ {path} (generated)")),
    ];
    let diff = TextDiff::configure().timeout(DIFF_TIME).diff_lines(on_disk, text);
    let mut unified = diff.unified_diff();
    for hunk in unified.context_radius(CONTEXT).iter_hunks() {
        lines.push(report.styled(PLACE, hunk.header().to_string().trim_end()));
        for change in hunk.iter_changes() {
            let value = change.value();
            let line = value.trim_end_matches('\n');
            // A carriage return would move the cursor instead of showing what differs.
            let line = line.replace('\r', "␍");
            lines.push(match change.tag() {
                ChangeTag::Delete => report.styled(DELETED, &format!("-{line}")),
                ChangeTag::Insert => report.styled(INSERTED, &format!("+{line}")),
                ChangeTag::Equal => format!(" {line}"),
            });
            if !value.ends_with('\n') {
                lines.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    lines
}
