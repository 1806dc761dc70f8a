//! Shows diagnostics to people: the place, the excerpt with a caret, other places, notes and the hint.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::renderer::{AnsiColor, Effects, Style};
use annotate_snippets::{
    Annotation, AnnotationKind, Element, Level, Origin, Renderer, Snippet, normalize_untrusted_str,
};

use crate::diagnostic::{Diagnostic, Diagnostics, Label, Severity, order};
use crate::source::{FileId, SourceFile, Sources};

/// Lines up to this many bytes are shown; of longer ones, as in JSON without line breaks, only a few words,
/// because the library walks all it is given for every problem.
const SHOWN_LINE: usize = 2 << 10;

/// Bytes quoted before and after a place in a longer line.
const QUOTED: usize = 40;

/// Lines between places that are shown in one excerpt.
const NEAR_LINES: u32 = 200;

const HINT: Style = AnsiColor::BrightCyan.on_default().effects(Effects::BOLD);

impl Diagnostic {
    /// Returns the problem as text, ending with a line break. `color` adds ANSI escapes.
    pub fn render(&self, sources: &Sources, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let mut group =
            level.primary_title(self.message.as_str()).id(self.code).elements(excerpts(self, sources));
        for note in &self.notes {
            // Messages may be styled, so control characters of the document must not reach them.
            group = group.element(Level::NOTE.message(normalize_untrusted_str(note)));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let mut text = renderer.render(&[group]);
        text.push('\n');
        if let Some(hint) = &self.hint {
            let hint = normalize_untrusted_str(hint);
            let (start, end) = if color {
                (HINT.render().to_string(), HINT.render_reset().to_string())
            } else {
                Default::default()
            };
            // Writing to a string does not fail.
            let _ = write!(text, "\n{start}hint{end}: {hint}\n");
        }
        text
    }
}

impl Diagnostics {
    /// Returns all problems as text in the order of their places, with an empty line after each. `sources`
    /// are the texts they point into: those of the document, or [the ones carried along](Self::sources) if
    /// there is none.
    pub fn render(&self, sources: &Sources, color: bool) -> String {
        let mut ordered: Vec<&Diagnostic> = self.iter().collect();
        ordered.sort_by(|left, right| order(left).cmp(&order(right)));
        ordered.dedup();
        let mut text = String::new();
        for diagnostic in ordered {
            text.push_str(&diagnostic.render(sources, color));
            text.push('\n');
        }
        text
    }
}

/// Returns the excerpts of a problem: its own file first, then others in the order in which they are
/// mentioned.
fn excerpts<'s>(diagnostic: &'s Diagnostic, sources: &'s Sources) -> Vec<Element<'s>> {
    let labels = std::iter::once((AnnotationKind::Primary, &diagnostic.primary))
        .chain(diagnostic.related.iter().map(|label| (AnnotationKind::Context, label)));
    let mut by_file: Vec<(FileId, Vec<(AnnotationKind, &Label)>)> = Vec::new();
    for (kind, label) in labels {
        match by_file.iter_mut().find(|(file, _)| *file == label.span.file) {
            Some((_, labels)) => labels.push((kind, label)),
            None => by_file.push((label.span.file, vec![(kind, label)])),
        }
    }
    let mut elements = Vec::new();
    for (file, labels) in by_file {
        let Some(source) = sources.get(file) else { continue };
        if source.text().is_empty() {
            elements.push(Origin::path(source.path()).into());
            continue;
        }
        excerpt(source, &labels, &mut elements);
    }
    elements
}

fn excerpt<'s>(
    source: &'s SourceFile,
    labels: &[(AnnotationKind, &'s Label)],
    elements: &mut Vec<Element<'s>>,
) {
    if labels.iter().any(|(_, label)| source.line_range(label.span.start.line).len() > SHOWN_LINE) {
        for (_, label) in labels {
            let start = label.span.start;
            let place =
                Origin::path(source.path()).line(start.line as usize).char_column(start.column as usize);
            elements.push(place.into());
            let line = source.line_range(start.line);
            let quoted = &source.text()[around(source.text(), &line, &label.span.range())];
            let colon = if label.text.is_empty() { "" } else { ": " };
            let text = format!("{}{colon}`…{}…`", label.text, normalize_untrusted_str(quoted));
            elements.push(Level::NOTE.with_name("text").message(text).into());
        }
        return;
    }
    // Labels far from the first have an excerpt of their own, because the library walks all lines in between.
    let anchor = labels.first().map_or(1, |(_, label)| label.span.start.line);
    let (near, far): (Vec<_>, Vec<_>) =
        labels.iter().partition(|(_, label)| label.span.start.line.abs_diff(anchor) <= NEAR_LINES);
    for group in std::iter::once(near).chain(far.into_iter().map(|label| vec![label])) {
        let lines = || group.iter().map(|(_, label)| label.span.start.line);
        let (first, last) = (lines().min().unwrap_or(1), lines().max().unwrap_or(1));
        let shown = source.line_range(first).start..source.line_range(last).end;
        let mut snippet =
            Snippet::source(&source.text()[shown.clone()]).path(source.path()).line_start(first as usize);
        for (kind, label) in group {
            let line = source.line_range(label.span.start.line);
            snippet = snippet.annotation(annotation(kind, label, &line, &shown));
        }
        elements.push(snippet.into());
    }
}

/// Returns the label within the shown text. One that spans several lines marks the first.
fn annotation<'s>(
    kind: AnnotationKind,
    label: &'s Label,
    line: &Range<usize>,
    shown: &Range<usize>,
) -> Annotation<'s> {
    let range = label.span.range();
    let start = range.start.clamp(shown.start, shown.end);
    let end = range.end.min(line.end).clamp(start, shown.end);
    let annotation = kind.span(start - shown.start..end - shown.start);
    if label.text.is_empty() { annotation } else { annotation.label(label.text.as_str()) }
}

/// Returns the part of a long line around the start of a place, on character boundaries.
fn around(text: &str, line: &Range<usize>, place: &Range<usize>) -> Range<usize> {
    let mut start = place.start.saturating_sub(QUOTED).clamp(line.start, line.end);
    let mut end = (place.start + QUOTED).clamp(start, line.end);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}
