//! Correction of typing errors: words that the content does not have are replaced by similar words that it
//! has.

use std::collections::{BTreeMap, BTreeSet};

use super::concepts::{Concept, Form, idf};
use super::index::{Index, IndexError, IndexStats};
use crate::analyze::{Morphology, WordAnalyzer, is_stop_word};
use crate::attributes::says_when;

/// Fewest letters of a word that is corrected; shorter words have too many neighbors.
const MIN_CHARS: usize = 4;

/// Fewest letters of a word that is corrected in a question in another language than the content's. Shorter
/// ones resemble a word of the content by chance: the German "seid" is not a misspelled "seed".
const MIN_FOREIGN_CHARS: usize = 7;

/// Most letters of a word that is corrected; the number of neighbors grows with the length.
const MAX_CHARS: usize = 16;

/// Most words of one question that are corrected.
const MAX_CORRECTED: usize = 4;

/// Most corrections kept of one word.
const MAX_READINGS: usize = 3;

/// Weight of a corrected word.
const GUESS_WEIGHT: f64 = 0.8;

/// Adds corrections to the concepts that the content does not have in any form.
///
/// All neighbors of a word at an edit distance of one (Damerau: a letter too much, too few, wrong, or two
/// swapped) are looked up at once, for which the index only needs to know its terms.
pub(super) async fn correct(
    index: &impl Index,
    concepts: &mut Vec<Concept>,
    languages: &[Morphology],
    stats: &IndexStats,
    knows: &(dyn Fn(&str) -> bool + Sync),
) -> Result<(), IndexError> {
    let Some(language) = languages.first().copied() else { return Ok(()) };
    let analyzer = WordAnalyzer::new(language);
    let least = if languages.len() > 1 { MIN_FOREIGN_CHARS } else { MIN_CHARS };
    let mut corrected = 0;
    let mut place = 0;
    while place < concepts.len() && corrected < MAX_CORRECTED {
        if !is_correctable(&concepts[place], least) || is_word(&concepts[place].typed, knows) {
            place += 1;
            continue;
        }
        corrected += 1;
        let neighbours = neighbours(&concepts[place].typed);
        let stems: Vec<Option<String>> = neighbours.iter().map(|word| analyzer.term(word)).collect();
        let readings = readings(index, &concepts[place], &neighbours, &stems, stats).await?;
        if readings.is_empty() && neighbours.iter().any(|word| is_stop_word(language, word)) {
            // A misspelled function word carries no topic.
            concepts.remove(place);
            continue;
        }
        concepts[place].meant = meant(&concepts[place].typed, &neighbours, &stems, readings.first());
        concepts[place].forms.extend(readings);
        place += 1;
    }
    Ok(())
}

/// Returns whether a word is spelled right: the vocabulary of the model has it, or its singular.
fn is_word(typed: &str, knows: &(dyn Fn(&str) -> bool + Sync)) -> bool {
    let singulars = ["s", "es", "n", "en"].iter().filter_map(|ending| typed.strip_suffix(ending));
    std::iter::once(typed).chain(singulars.filter(|word| word.chars().count() >= MIN_CHARS)).any(knows)
}

/// Returns the likeliest spelling among the neighbors with the stem of the best reading.
fn meant(
    typed: &str,
    neighbours: &BTreeSet<String>,
    stems: &[Option<String>],
    reading: Option<&Form>,
) -> Option<String> {
    let stem = &reading?.term;
    let same = neighbours.iter().zip(stems).filter(|(_, found)| found.as_ref() == Some(stem));
    same.map(|(word, _)| word).min_by_key(|word| slip_rank(typed, word)).cloned()
}

async fn readings(
    index: &impl Index,
    concept: &Concept,
    neighbours: &BTreeSet<String>,
    stems: &[Option<String>],
    stats: &IndexStats,
) -> Result<Vec<Form>, IndexError> {
    let distinct: BTreeSet<&String> = stems.iter().flatten().collect();
    let terms = index.known(distinct.into_iter().cloned().collect()).await?;
    if terms.is_empty() {
        return Ok(Vec::new());
    }
    // Several spellings may share a stem, which gets the rank of its likeliest typing error.
    let mut ranks: BTreeMap<&str, u8> = BTreeMap::new();
    for (word, stem) in neighbours.iter().zip(stems) {
        let Some(stem) = stem.as_deref().filter(|stem| terms.iter().any(|term| term == stem)) else {
            continue;
        };
        let rank = slip_rank(&concept.typed, word);
        ranks.entry(stem).and_modify(|known| *known = rank.min(*known)).or_insert(rank);
    }
    let frequencies = index.document_frequencies(&terms).await?;
    let mut known: Vec<(String, u64)> =
        terms.into_iter().zip(frequencies).filter(|(_, frequency)| *frequency > 0).collect();
    known.sort_by_key(|(term, frequency)| (ranks.get(term.as_str()).copied(), std::cmp::Reverse(*frequency)));
    Ok(known
        .into_iter()
        .take(MAX_READINGS)
        .map(|(term, frequency)| Form {
            term,
            weight: GUESS_WEIGHT,
            is_reading: true,
            idf: idf(frequency, stats.chunks),
            document_frequency: frequency,
        })
        .collect())
}

/// Returns whether a word of at least so many letters may be a typing error.
fn is_correctable(concept: &Concept, least: usize) -> bool {
    let chars = concept.typed.chars().count();
    (least..=MAX_CHARS).contains(&chars)
        // A feast that the content does not mention is not another word: "easter" is not a slip for "taster".
        && !says_when(&concept.typed)
        && concept.typed.chars().all(|character| character.is_ascii_lowercase())
        && concept.forms.iter().all(|form| form.document_frequency == 0)
}

/// Returns the rank of a typing error, the likeliest first: swapped and doubled letters are likelier than
/// wrong ones, and the first letter is seldom wrong.
fn slip_rank(typed: &str, meant: &str) -> u8 {
    let mut left: Vec<u8> = typed.bytes().collect();
    let mut right: Vec<u8> = meant.bytes().collect();
    let same_start = left.first() == right.first();
    left.sort_unstable();
    right.sort_unstable();
    match (same_start, left == right, left.len() == right.len()) {
        (true, true, _) => 0,
        (true, false, false) => 1,
        (true, false, true) => 2,
        (false, _, _) => 3,
    }
}

fn neighbours(term: &str) -> BTreeSet<String> {
    let mut neighbours = BTreeSet::new();
    for split in 0..=term.len() {
        let (head, tail) = term.split_at(split);
        if let Some(rest) = tail.get(1..) {
            neighbours.insert(format!("{head}{rest}"));
            for letter in 'a'..='z' {
                neighbours.insert(format!("{head}{letter}{rest}"));
            }
        }
        if let (Some(first), Some(second), Some(rest)) = (tail.get(..1), tail.get(1..2), tail.get(2..)) {
            neighbours.insert(format!("{head}{second}{first}{rest}"));
        }
        for letter in 'a'..='z' {
            neighbours.insert(format!("{head}{letter}{tail}"));
        }
    }
    neighbours.remove(term);
    neighbours
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_slip_away() {
        let neighbours = neighbours("crad");
        for meant in ["card", "rad", "crab", "crads", "crzad", "brad"] {
            assert!(neighbours.contains(meant), "{meant}");
        }
        assert!(!neighbours.contains("crad"));
        assert!(!neighbours.contains("cards"));
        assert!(super::neighbours("abcdefghijklmnop").len() < 1_000);
    }

    #[test]
    fn likelier_slips_come_first() {
        let mut meant = ["crab", "card", "brad", "crads"];
        meant.sort_by_key(|meant| slip_rank("crad", meant));
        assert_eq!(meant, ["card", "crads", "crab", "brad"]);
    }
}
