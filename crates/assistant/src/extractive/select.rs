//! Selection of quotes: the sentences that share the rarest words with the question.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_knowledge::{Passage, analyze};

use crate::task::Task;
use crate::topics::Topics;
use crate::units::{Unit, units};
use crate::words::Words;

/// Maximum number of passages to quote from.
const MAX_PASSAGES: usize = 2;

/// Share of the best passage's score that the second needs to be quoted.
const SECOND_PASSAGE_SCORE: f64 = 0.5;

/// Weight of a sentence of the second passage compared with the same sentence of the first.
const SECOND_PASSAGE_WEIGHT: f64 = 0.85;

/// Weight of a question word that occurs in the heading above a sentence instead of in it.
const HEADING_WEIGHT: f64 = 0.5;

/// Share of the rarest word's weight that each further sentence must add.
const MIN_GAIN: f64 = 0.2;

/// Bonus of the sentence after a quoted one, as a share of the rarest word's weight.
const CONTINUATION: f64 = 0.35;

/// Number of sentences that a list counts as.
const LIST_SENTENCES: usize = 2;

/// The text of an answer and its origin.
#[derive(Debug, Default)]
pub(super) struct Quotes<'a> {
    /// The quotes in reading order; empty if nothing can be quoted.
    pub(super) text: String,
    /// The quoted passages, best first.
    pub(super) passages: Vec<&'a Passage>,
    /// Whether a sentence was left out because the owner does not want it mentioned.
    pub(super) withheld: bool,
}

struct Candidate<'a> {
    passage: usize,
    order: usize,
    unit: Unit<'a>,
    /// Question words in the unit itself.
    direct: BTreeSet<String>,
    score: f64,
}

/// All units with their scores.
struct Ranked<'a> {
    candidates: Vec<Candidate<'a>>,
    /// Weights of the question's words: a word in few units is more specific.
    weights: BTreeMap<String, f64>,
    heaviest: f64,
}

/// Selects the quotes that answer the question.
pub(super) fn quotes<'a>(task: &'a Task, topics: &Topics) -> Quotes<'a> {
    let passages = eligible(&task.retrieval.passages);
    let mut withheld = false;
    let mut pieces: Vec<(usize, usize, Unit<'a>)> = Vec::new();
    for (index, passage) in passages.iter().enumerate() {
        for (order, unit) in units(&passage.text).into_iter().enumerate() {
            if topics.names(unit.text) {
                withheld = true;
            } else if !pieces.iter().any(|(_, _, other)| other.text == unit.text) {
                pieces.push((index, order, unit));
            }
        }
    }
    let question = question_terms(task, &passages);
    let ranked = rank(&pieces, &passages, &question, wants_number(&task.question));
    let chosen = choose(&ranked, task.settings.response_length.sentences());
    compose(&ranked, chosen, &passages, withheld)
}

/// Returns the best passage, and the second if it is nearly as good.
fn eligible(passages: &[Passage]) -> Vec<&Passage> {
    let best = passages.first().map_or(0.0, |passage| passage.score);
    passages
        .iter()
        .take(MAX_PASSAGES)
        .enumerate()
        .filter(|(index, passage)| *index == 0 || passage.score >= best * SECOND_PASSAGE_SCORE)
        .map(|(_, passage)| passage)
        .collect()
}

fn question_terms(task: &Task, passages: &[&Passage]) -> BTreeSet<String> {
    let mut terms: BTreeSet<String> = task.retrieval.support.question_terms.iter().cloned().collect();
    // Stems depend on the language, and the passages may be in another one than the question.
    for passage in passages {
        terms.extend(analyze(&task.question, passage.language.as_deref()));
    }
    terms
}

fn rank<'a>(
    pieces: &[(usize, usize, Unit<'a>)],
    passages: &[&Passage],
    question: &BTreeSet<String>,
    wants_number: bool,
) -> Ranked<'a> {
    let shared = |text: &str, passage: &Passage| -> BTreeSet<String> {
        let terms: BTreeSet<String> = analyze(text, passage.language.as_deref()).into_iter().collect();
        question.intersection(&terms).cloned().collect()
    };
    let direct: Vec<BTreeSet<String>> =
        pieces.iter().map(|(passage, _, unit)| shared(unit.text, passages[*passage])).collect();
    let weights: BTreeMap<String, f64> = question
        .iter()
        .map(|term| {
            let holders = direct.iter().filter(|terms| terms.contains(term)).count();
            (term.clone(), rarity(holders, pieces.len()))
        })
        .collect();
    let heaviest = weights.values().copied().fold(0.0, f64::max);
    let sum = |terms: &BTreeSet<String>| -> f64 { terms.iter().filter_map(|term| weights.get(term)).sum() };
    let candidates = pieces
        .iter()
        .zip(direct)
        .map(|((passage, order, unit), direct)| {
            let section = unit.section.map(|section| shared(section, passages[*passage])).unwrap_or_default();
            let above: BTreeSet<String> = section.difference(&direct).cloned().collect();
            let mut score = sum(&direct) + HEADING_WEIGHT * sum(&above);
            if score > 0.0 && wants_number && unit.text.contains(|character: char| character.is_ascii_digit())
            {
                score += 0.3 * heaviest;
            }
            if *passage > 0 {
                score *= SECOND_PASSAGE_WEIGHT;
            }
            Candidate { passage: *passage, order: *order, unit: *unit, direct, score }
        })
        .collect();
    Ranked { candidates, weights, heaviest }
}

fn rarity(holders: usize, pieces: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "passages have few units")]
    let (holders, pieces) = (holders as f64, pieces as f64);
    (1.0 + pieces / (1.0 + holders)).ln()
}

/// Chooses units for `limit` sentences: first the best one, then those that add question words not covered yet or
/// continue a chosen one.
fn choose(ranked: &Ranked<'_>, limit: usize) -> Vec<usize> {
    let candidates = &ranked.candidates;
    let mut chosen: Vec<usize> = Vec::new();
    let mut used = 0;
    let mut covered: BTreeSet<&String> = BTreeSet::new();
    while used < limit {
        let gains = candidates.iter().enumerate().filter(|(index, _)| !chosen.contains(index)).map(
            |(index, candidate)| {
                let fresh: f64 = candidate
                    .direct
                    .iter()
                    .filter(|term| !covered.contains(term))
                    .filter_map(|term| ranked.weights.get(term))
                    .sum();
                let continues = chosen.iter().any(|earlier| follows(&candidates[*earlier], candidate));
                let gain = if chosen.is_empty() {
                    candidate.score
                } else {
                    let continuation = if continues { CONTINUATION * ranked.heaviest } else { 0.0 };
                    fresh + 0.25 * candidate.score + continuation
                };
                (index, gain)
            },
        );
        // The first of equals wins: earlier passages are better, and earlier sentences usually more important.
        let best = gains.fold(None, |best: Option<(usize, f64)>, (index, gain)| match best {
            Some((_, most)) if gain <= most => best,
            _ => Some((index, gain)),
        });
        let Some((index, gain)) = best else { break };
        if !chosen.is_empty() && gain < MIN_GAIN * ranked.heaviest {
            break;
        }
        used += if candidates[index].unit.is_list { LIST_SENTENCES } else { 1 };
        covered.extend(&candidates[index].direct);
        chosen.push(index);
    }
    chosen
}

/// Returns whether `next` comes right after `earlier` under the same heading.
fn follows(earlier: &Candidate<'_>, next: &Candidate<'_>) -> bool {
    earlier.passage == next.passage
        && earlier.order + 1 == next.order
        && earlier.unit.section == next.unit.section
}

/// Puts the chosen units into reading order, passage by passage.
fn compose<'a>(
    ranked: &Ranked<'a>,
    chosen: Vec<usize>,
    passages: &[&'a Passage],
    withheld: bool,
) -> Quotes<'a> {
    let mut picked: Vec<&Candidate<'a>> = chosen.into_iter().map(|index| &ranked.candidates[index]).collect();
    let lead = picked.first().map_or(0, |candidate| candidate.passage);
    picked.sort_by_key(|candidate| (candidate.passage != lead, candidate.passage, candidate.order));
    let mut quotes = Quotes { withheld, ..Quotes::default() };
    let mut previous: Option<&Candidate<'a>> = None;
    for candidate in picked {
        let separator = match previous {
            None => "",
            Some(last) if last.passage != candidate.passage => "\n\n",
            Some(last)
                if last.unit.is_list || candidate.unit.is_list || last.unit.line != candidate.unit.line =>
            {
                "\n"
            }
            Some(_) => " ",
        };
        if previous.is_none_or(|last| last.passage != candidate.passage) {
            quotes.passages.push(passages[candidate.passage]);
        }
        quotes.text.push_str(separator);
        quotes.text.push_str(candidate.unit.text);
        previous = Some(candidate);
    }
    quotes
}

/// Returns whether the question asks for an amount, a price or a time.
fn wants_number(question: &str) -> bool {
    Words::of(question).has_any(&[
        "how much|many|long|often|old|far|big|fast",
        "when|price|prices|cost|costs|fee|fees",
        "what time",
        "wie viel|viele|lange|oft|teuer|gross|weit|schnell",
        "wieviel|wann|preis|preise|kostet|kosten",
        "combien|quand|prix|quelle heure",
        "cuanto|cuanta|cuantos|cuantas|cuando|precio|precios",
        "hoeveel|wanneer|prijs|kost|hoelang",
        "quanto|quanta|quanti|quante|quantos|quantas|quando|prezzo|preco",
    ])
}
