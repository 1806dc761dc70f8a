//! Segments: the smallest parts of a chunk that can be quoted.

use std::ops::Range;

use crate::sentences::sentences;

/// Returns the sentences of a text as byte ranges, in reading order. A line break always ends a segment, so
/// list items and table rows are segments of their own.
pub fn segments(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if fenced || is_fence {
            // A line of a program is never split.
            push(text, line.trim(), &mut found);
            fenced ^= is_fence;
            continue;
        }
        for sentence in sentences(line) {
            push(text, sentence, &mut found);
        }
    }
    found
}

fn push(text: &str, part: &str, found: &mut Vec<Range<usize>>) {
    if !part.is_empty() {
        let start = part.as_ptr() as usize - text.as_ptr() as usize;
        found.push(start..start + part.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_items_and_program_lines_are_segments() {
        let text = "We open at nine. We close at five.\n- Tea: £2\n```\nrun. it. now\n```\n\n";
        let found: Vec<&str> = segments(text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            found,
            ["We open at nine.", "We close at five.", "- Tea: £2", "```", "run. it. now", "```"]
        );
        assert!(segments("").is_empty());
    }
}
