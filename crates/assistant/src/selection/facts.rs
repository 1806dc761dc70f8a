//! What a window has of the question, and what it states.

use frontdesk_knowledge::Attributes;

use super::windows::{Shape, Source, Window};

/// What the segments of a window have together.
pub(super) struct Facts {
    pub(super) words: u64,
    /// The words of the nearest heading or question above the window, inside the passage.
    pub(super) section_words: u64,
    /// The words of the window, of that heading, and of the title and headings above the passage.
    pub(super) all_words: u64,
    pub(super) given: Attributes,
    pub(super) nearness_mean: Option<f64>,
    pub(super) nearness_best: Option<f64>,
}

impl Facts {
    pub(super) fn of(window: &Window, sources: &[Source<'_>]) -> Self {
        let source = &sources[window.source];
        let run = &source.segments[window.segments.clone()];
        let above = source.segments[..window.segments.start].iter().rev();
        let section =
            above.take(12).find(|segment| matches!(segment.shape, Shape::Heading | Shape::Question));
        let nearness: Vec<f64> = run.iter().filter_map(|segment| segment.nearness).collect();
        #[expect(clippy::cast_precision_loss, reason = "a window has a few segments")]
        let count = nearness.len() as f64;
        let words = run.iter().fold(0, |words, segment| words | segment.words);
        let section_words = section.map_or(0, |segment| segment.words);
        Self {
            words,
            section_words,
            all_words: words | section_words | source.heading_words,
            given: run.iter().fold(Attributes::default(), |all, segment| all.union(segment.given)),
            nearness_mean: (count > 0.0).then(|| nearness.iter().sum::<f64>() / count),
            nearness_best: nearness.into_iter().reduce(f64::max),
        }
    }
}
