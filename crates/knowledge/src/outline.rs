//! [`Outline`]: the content of a passage by segment, independent of any question.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::analyze::analyze;
use crate::antecedent::depends_on_previous;
use crate::attributes::{Attributes, given};
use crate::segments::segments;
use crate::terms::Terms;

/// A passage, cut into segments and analyzed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    /// The segments of the text, in reading order.
    pub segments: Vec<OutlinedSegment>,
    /// The terms of the title and of the headings above the passage.
    pub headings: Terms,
}

/// A segment of a passage, from [`segments`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutlinedSegment {
    /// Its bytes in the text.
    pub range: Range<usize>,
    /// What it states, such as opening hours.
    pub given: Attributes,
    /// Its terms.
    pub terms: Terms,
    /// Whether its subject is in the segment before.
    pub is_dependent: bool,
}

impl Outline {
    fn of(title: &str, headings: &str, text: &str, language: Option<&str>) -> Self {
        let terms = |text: &str| analyze(text, language).into_iter();
        let outlined = |range: Range<usize>| {
            let segment = &text[range.clone()];
            OutlinedSegment {
                given: given(segment),
                terms: terms(segment).collect(),
                is_dependent: depends_on_previous(segment, language),
                range,
            }
        };
        Self {
            segments: segments(text).into_iter().map(outlined).collect(),
            headings: terms(title).chain(terms(headings)).collect(),
        }
    }
}

/// The outline of one passage: made when it is needed for the first time, and shared by all copies of the
/// passage. A writer needs it for each question that the passage may answer, and it takes longer to make than
/// the answer takes otherwise.
///
/// It belongs to the texts of its passage and says nothing of its own, so two of them are always equal.
#[derive(Clone, Default)]
pub struct OutlineCell(Arc<OnceLock<Outline>>);

impl OutlineCell {
    /// Returns the outline of the passage with these texts.
    pub(crate) fn get_or_make(
        &self,
        title: &str,
        headings: &str,
        text: &str,
        language: Option<&str>,
    ) -> &Outline {
        self.0.get_or_init(|| Outline::of(title, headings, text, language))
    }
}

impl PartialEq for OutlineCell {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for OutlineCell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OutlineCell").field("is_made", &self.0.get().is_some()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_outlined_once_for_all_copies() {
        let cell = OutlineCell::default();
        let copy = cell.clone();
        let text = "Opening hours\nWe bake bread. Sunday: closed";
        let made = copy.get_or_make("Bakery", "Visit > Hours", text, Some("en"));
        assert!(std::ptr::eq(made, cell.get_or_make("Bakery", "Visit > Hours", text, Some("en"))));
        let said: Vec<&str> = made.segments.iter().map(|segment| &text[segment.range.clone()]).collect();
        assert_eq!(said, ["Opening hours", "We bake bread.", "Sunday: closed"]);
        assert_eq!(made.segments[1].terms.iter().collect::<Vec<_>>(), ["bake", "bread"]);
        assert_eq!(made.segments[2].given, given("Sunday: closed"));
        assert_eq!(made.headings.iter().collect::<Vec<_>>(), ["bakeri", "visit", "hour"]);
    }
}
