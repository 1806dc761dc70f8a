//! Search by meaning: cosines between the vectors of a question and of chunks.

use std::collections::HashMap;

use frontdesk_embedding::Vector;
use uuid::Uuid;

use super::concepts::Concepts;
use super::index::{Index, IndexError};
use super::query::{Query, QueryEmbedder};
use crate::analyze::Language;
use crate::passage::{Cosines, Passage};

/// Weight of the question alone, beside the question after the one before it, if it refers to that.
const ALONE: f64 = 0.5;

/// Distance from the average cosine that counts as excellent. Cosines of one model lie in a narrow band,
/// whose place depends on the model, the language and the question; the distance from its middle depends on
/// them much less.
const EXCELLENT: f64 = 0.12;

/// The nearness of the chunks of an index to a question.
pub(super) struct Meaning {
    pub(super) similarities: Similarities,
    pub(super) cosines: Cosines,
    readings: Vec<Reading>,
}

/// The nearness of chunks, see [`Relevance::similarity`](crate::Relevance::similarity), in the order of their
/// ids. There are as many as the index has chunks, and few of them are looked up.
#[derive(Debug, Default)]
pub(super) struct Similarities(Vec<(Uuid, f64)>);

impl Similarities {
    /// Adds the nearness of chunks to one more reading of the question.
    fn add(&mut self, others: impl Iterator<Item = (Uuid, f64)>) {
        self.0.extend(others);
        // Candidates that an index returns in this order cost little to sort.
        self.0.sort_by_key(|(chunk_id, _)| *chunk_id);
        self.0.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 += later.1;
            }
            is_same
        });
    }

    /// Returns that of a chunk, if it has a vector.
    pub(super) fn of(&self, chunk_id: Uuid) -> Option<f64> {
        let place = self.0.binary_search_by_key(&chunk_id, |(id, _)| *id).ok()?;
        Some(self.0[place].1)
    }
}

/// A way to read the question: alone, or after the previous one.
struct Reading {
    vector: Vector,
    weight: f64,
    /// Mean of the cosines with all chunks.
    mean: f64,
}

impl Reading {
    fn nearness(&self, cosine: f32) -> f64 {
        (f64::from(cosine) - self.mean) / EXCELLENT
    }
}

/// Compares a question with all chunks; `None` if there is no vector of the question, or none of any chunk.
pub(super) async fn of(
    index: &impl Index,
    embedder: &dyn QueryEmbedder,
    query: &Query,
    concepts: &Concepts,
) -> Result<Option<Meaning>, IndexError> {
    let corrected = concepts.corrected(&query.question);
    let mut texts = vec![(corrected.clone(), 1.0)];
    if let Some(previous) = query.previous.as_ref().filter(|_| concepts.is_follow_up) {
        texts = vec![(corrected.clone(), ALONE), (format!("{previous} {corrected}"), 1.0 - ALONE)];
    }
    let language = compared_in(concepts.language, query.language.as_deref());
    let mut similarities = Similarities::default();
    let mut readings = Vec::new();
    let mut combined = Cosines { count: 0, mean: 0.0, deviation: 0.0, best: 0.0 };
    for (text, weight) in texts {
        let Some(vector) = embedder.embed(&text, language).await? else { return Ok(None) };
        let mut cosines = index.similarities(&vector, &query.tags).await?;
        for (_, cosine) in &mut cosines {
            *cosine = embedder.comparable(*cosine);
        }
        if cosines.is_empty() {
            return Ok(None);
        }
        let of_reading = statistics(&cosines);
        combined.count = of_reading.count;
        combined.mean += weight * of_reading.mean;
        combined.deviation += weight * of_reading.deviation;
        combined.best += weight * of_reading.best;
        let reading = Reading { vector, weight, mean: of_reading.mean };
        similarities.add(cosines.into_iter().map(|(id, cosine)| (id, weight * reading.nearness(cosine))));
        readings.push(reading);
    }
    Ok(Some(Meaning { similarities, cosines: combined, readings }))
}

/// Returns the language in which a question is compared with the content. A network that knows only English
/// makes nothing of a question in another language, whatever the language of the content is.
fn compared_in(question: Option<Language>, content: Option<&str>) -> Option<&str> {
    let own = question.filter(|language| *language != Language::English);
    own.map(Language::tag).or(content)
}

#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
fn statistics(cosines: &[(Uuid, f32)]) -> Cosines {
    let count = cosines.len() as f64;
    let values = || cosines.iter().map(|(_, cosine)| f64::from(*cosine));
    let mean = values().sum::<f64>() / count;
    let variance = values().map(|cosine| (cosine - mean).powi(2)).sum::<f64>() / count;
    Cosines {
        count: cosines.len(),
        mean,
        deviation: variance.sqrt(),
        best: values().fold(f64::NEG_INFINITY, f64::max),
    }
}

impl Meaning {
    /// Returns the ids of the nearest chunks, nearest first.
    pub(super) fn nearest(&self, count: usize) -> impl Iterator<Item = Uuid> {
        let mut all = self.similarities.0.clone();
        let order =
            |left: &(Uuid, f64), right: &(Uuid, f64)| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0));
        if all.len() > count {
            all.select_nth_unstable_by(count, order);
            all.truncate(count);
        }
        all.sort_by(order);
        all.into_iter().map(|(id, _)| id)
    }

    /// Adds the nearness of their segments to passages.
    pub(super) async fn add_segments(
        &self,
        index: &impl Index,
        embedder: &dyn QueryEmbedder,
        passages: &mut [Passage],
    ) -> Result<(), IndexError> {
        let ids: Vec<Uuid> = passages.iter().map(|passage| passage.chunk_id).collect();
        let stored: HashMap<Uuid, _> = index.segments(&ids).await?.into_iter().collect();
        for passage in passages {
            for segment in stored.get(&passage.chunk_id).into_iter().flatten() {
                let near = |reading: &Reading| {
                    let cosine = embedder.comparable(segment.vector.dot(&reading.vector));
                    reading.weight * reading.nearness(cosine)
                };
                let nearness = self.readings.iter().map(near).sum();
                passage.relevance.segments.push((segment.range.clone(), nearness));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_compared_in_a_language_that_both_sides_know() {
        let (german, english) = (Some(Language::German), Some(Language::English));
        for (question, content, expected) in [
            (german, Some("en"), Some("de")),
            (german, Some("de"), Some("de")),
            (german, None, Some("de")),
            (english, Some("en-GB"), Some("en-GB")),
            (english, Some("de"), Some("de")),
            (None, Some("en"), Some("en")),
            (None, None, None),
        ] {
            assert_eq!(compared_in(question, content), expected, "{question:?} about content in {content:?}");
        }
    }

    #[test]
    fn similarities_of_two_readings_are_added() {
        let [first, second, third, unknown] = [1, 2, 3, 4].map(Uuid::from_u128);
        let mut similarities = Similarities::default();
        similarities.add([(third, 0.25), (first, 0.5)].into_iter());
        similarities.add([(first, 0.25), (second, 1.0)].into_iter());
        let found = [first, second, third, unknown].map(|chunk_id| similarities.of(chunk_id));
        assert_eq!(found, [Some(0.75), Some(1.0), Some(0.25), None]);
    }
}
