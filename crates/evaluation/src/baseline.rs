//! The baseline: plain BM25 over whole pages, without stemming, stop words or synonyms.

use std::collections::BTreeMap;

use frontdesk_knowledge::Page;

/// Term frequency saturation and length normalization, the defaults of common implementations.
const K1: f64 = 1.5;
const B: f64 = 0.75;

/// An index of pages.
#[derive(Debug)]
pub struct Baseline {
    pages: Vec<(String, BTreeMap<String, u32>, u32)>,
    frequencies: BTreeMap<String, u32>,
    average: f64,
}

impl Baseline {
    /// Indexes pages by title and text.
    pub fn new(pages: &[Page]) -> Self {
        let mut indexed = Vec::new();
        let mut frequencies: BTreeMap<String, u32> = BTreeMap::new();
        let mut total = 0;
        for page in pages {
            let mut counts: BTreeMap<String, u32> = BTreeMap::new();
            let mut length = 0;
            for word in words(&format!("{} {}", page.title, page.text())) {
                *counts.entry(word).or_default() += 1;
                length += 1;
            }
            for word in counts.keys() {
                *frequencies.entry(word.clone()).or_default() += 1;
            }
            total += length;
            indexed.push((page.url.to_string(), counts, length));
        }
        let count = u32::try_from(indexed.len().max(1)).unwrap_or(u32::MAX);
        Self { pages: indexed, frequencies, average: f64::from(total) / f64::from(count) }
    }

    /// Returns the addresses of the pages that have a word of the question, best first.
    pub fn search(&self, question: &str) -> Vec<&str> {
        let count = f64::from(u32::try_from(self.pages.len()).unwrap_or(u32::MAX));
        let words = words(question);
        let mut scored: Vec<(f64, &str)> = self
            .pages
            .iter()
            .map(|(url, counts, length)| {
                let score = words.iter().filter_map(|word| {
                    let frequency = f64::from(*counts.get(word)?);
                    let pages = f64::from(self.frequencies.get(word).copied().unwrap_or_default());
                    let rarity = (1.0 + (count - pages + 0.5) / (pages + 0.5)).ln();
                    let norm = K1 * (1.0 - B + B * f64::from(*length) / self.average);
                    Some(rarity * frequency * (K1 + 1.0) / (frequency + norm))
                });
                (score.sum(), url.as_str())
            })
            .filter(|(score, _)| *score > 0.0)
            .collect();
        scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
        scored.into_iter().map(|(_, url)| url).collect()
    }
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}
