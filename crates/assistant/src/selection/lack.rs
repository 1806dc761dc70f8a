//! What a quote lacks that an answer must have: the thing that is named, or the number that is asked for.
//!
//! The trained decision weighs what a text has. It cannot learn that one missing word outweighs everything
//! else: "We repair shirts" has all of "Do you repair shoes?" except what matters. Whatever these rules find
//! lacking is a refusal.

use frontdesk_knowledge::{Attribute, Attributes, Words};

use super::asking::Asking;
use super::decision::is_foreign;
use super::facts::Facts;
use super::features::Question;
use super::form::Form;
use super::people::names_somebody;
use super::windows::{Shape, Source, Window};

/// Most words for what a question names. More of them describe a situation, in which no single one matters.
const MOST_WORDS: u32 = 3;

/// Least share of these words, by rarity, whose absence is a refusal.
const LEAST_SHARE: f64 = 0.4;

/// The same if the last word is among them, or one whose price is asked for and that the content does not
/// have.
const LEAST_SHARE_WITH_LAST: f64 = 0.35;

/// The same for a question of a number, if the last word is not among them.
const LEAST_SHARE_WITHOUT_LAST: f64 = 0.65;

/// The same if the text states what else is asked for.
const LEAST_SHARE_IF_STATED: f64 = 0.9;

/// Nearness in meaning from which a text may name the same in other words.
const NEAR: f64 = 0.48;

/// The same if the content does not have the word for it at all.
const NEAR_OF_UNKNOWN: f64 = 0.6;

/// The same if its price is asked for.
const NEAR_PRICE_OF_UNKNOWN: f64 = 0.75;

/// The same for a text in another language, if the passage stands out from the others.
const GAP_IN_ANOTHER_LANGUAGE: f64 = 0.08;

/// How a text says how often, in the form of [`Words::matches`].
const FREQUENCIES: &[&str] = &[
    "once|twice|every|each|daily|weekly|monthly|yearly|annually|hourly|regularly|never|always",
    "times a|per|each",
    "einmal|zweimal|dreimal|jede|jeden|jedes|alle|taglich|wochentlich|monatlich|jahrlich|regelmassig|nie|immer",
    "mal pro|am|im|in",
    "chaque|tous|toutes|fois|quotidiennement|regulierement|jamais",
    "cada|todos|todas|vez|veces|diariamente|semanalmente|mensualmente|nunca",
    "ogni|tutti|tutte|volta|volte|mai",
    "elke|iedere|elk|keer|dagelijks|wekelijks|maandelijks|jaarlijks|nooit",
    "vezes|semanalmente|mensalmente",
    "co|kazdy|kazda|kazde|raz|razy|codziennie|nigdy",
];

/// Fewest letters of a word that is found as a part of a longer one: "Kündigung" in "Kündigungsfrist".
const LEAST_PART: usize = 5;

/// What a window has of what an answer must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Naming {
    /// It is about something else, or does not state the number.
    Lacking,
    /// It may name the same in other words.
    Possible,
    /// It has the words.
    Literal,
}

/// Returns what a window has of what an answer to a question must have.
pub(super) fn naming(
    question: &Question,
    window: &Window,
    sources: &[Source<'_>],
    asking: &Asking<'_>,
) -> Naming {
    let source = &sources[window.source];
    let facts = Facts::of(window, sources);
    if lacks_number(question, facts.given, window.text(sources)) {
        return Naming::Lacking;
    }
    if question.form == Form::Person {
        let has_name =
            window.names_person || names_somebody(window.text(sources), source.passage.language.as_deref());
        return if has_name { Naming::Literal } else { Naming::Lacking };
    }
    if asking.retrieval.support.cosines.is_none() {
        return Naming::Possible;
    }
    if is_foreign(asking, source.passage) {
        return if is_one_of_many(question, &facts, sources) { Naming::Lacking } else { Naming::Possible };
    }
    let words = facts.all_words | parts(question, window, source, asking);
    if !lacks_object(question, words, facts.given) {
        Naming::Literal
    } else if facts.nearness_best.unwrap_or_default() >= least_nearness(question, words) {
        Naming::Possible
    } else {
        Naming::Lacking
    }
}

/// Share of the chunks from which a word says little about what a question is about: that of a shop on its
/// own pages.
const COMMON: f64 = 0.25;

/// Returns whether all that a text has of what a question names is the place: the address for "Is there
/// parking in Netherwick?". Whatever is said of one place is near in meaning to any question about it.
pub(super) fn names_only_place(question: &Question, window: &Window, sources: &[Source<'_>]) -> bool {
    let segments = sources.iter().flat_map(|source| &source.segments);
    let addresses = segments.filter(|segment| segment.given.contains(Attribute::Address));
    let places = addresses.fold(0, |words, segment| words | segment.words) & question.object;
    let is_common = |index: usize| question.commonness.get(index).is_some_and(|share| *share > COMMON);
    let common = (0..question.commonness.len()).filter(|index| is_common(*index));
    let common = common.fold(0, |words, index| words | 1 << index);
    let things = question.object & !places & !common;
    let facts = Facts::of(window, sources);
    let words = facts.all_words;
    // "Where" asks for an address, which says nothing about what is there.
    let stated = question.asked.intersection(facts.given);
    let states_more = stated.iter().any(|attribute| attribute != Attribute::Address);
    places & words != 0 && things != 0 && things & words == 0 && !states_more
}

/// Returns the nearness in meaning from which a text without the words for what a question names may name the
/// same in other words.
fn least_nearness(question: &Question, words: u64) -> f64 {
    let is_unknown = question.object & !words & !question.known != 0;
    match question.form {
        // The rows of a price list are near to each other.
        Form::Price if is_unknown => NEAR_PRICE_OF_UNKNOWN,
        Form::Offer if is_unknown && question.lack(words) >= LEAST_SHARE_IF_STATED => NEAR_OF_UNKNOWN,
        _ => NEAR,
    }
}

/// Returns whether a question asks for a number that the text does not state.
pub(super) fn lacks_number(question: &Question, given: Attributes, text: &str) -> bool {
    let has = |attribute| given.contains(attribute);
    match question.form {
        // A list of prices may leave out the currency.
        Form::Price => !has(Attribute::Price) && !text.contains(|letter: char| letter.is_ascii_digit()),
        Form::Quantity => {
            ![Attribute::Quantity, Attribute::Date, Attribute::Hours, Attribute::Price].into_iter().any(has)
                && given.days.is_empty()
                && !Words::of(text).has_any(FREQUENCIES)
        }
        Form::Offer | Form::Thing | Form::Person | Form::Other => false,
    }
}

/// Returns whether a text in the language of the question does not have the words for what the question
/// names.
fn lacks_object(question: &Question, words: u64, given: Attributes) -> bool {
    // The last word is mostly the thing itself.
    let is_last_missing = question.last_object() & !words != 0;
    let least = match question.form {
        // When something takes place, and how to pay, is decided by what the text states.
        Form::Offer if question.says_when() || states_payment(question, given) => LEAST_SHARE_IF_STATED,
        Form::Offer if is_last_missing => LEAST_SHARE_WITH_LAST,
        Form::Offer => LEAST_SHARE,
        Form::Thing if !question.asked.intersection(given).is_empty() => return false,
        Form::Price | Form::Quantity | Form::Thing if is_last_missing => LEAST_SHARE,
        Form::Price if question.object & !words & !question.known != 0 => LEAST_SHARE_WITH_LAST,
        Form::Price | Form::Quantity | Form::Thing => LEAST_SHARE_WITHOUT_LAST,
        Form::Person | Form::Other => return false,
    };
    question.object.count_ones() <= MOST_WORDS && question.lack(words) >= least
}

fn states_payment(question: &Question, given: Attributes) -> bool {
    question.asked.intersection(given).contains(Attribute::Payment)
}

/// Returns whether a text in another language is about as near to a yes-or-no question as others are. One
/// that answers it stands out.
fn is_one_of_many(question: &Question, facts: &Facts, sources: &[Source<'_>]) -> bool {
    // What announces a page is near to whatever the page answers.
    let passages = sources.iter().filter(|source| !source.is_announcement).map(|source| source.passage);
    let mut similarities: Vec<f64> = passages.filter_map(|passage| passage.relevance.similarity).collect();
    similarities.sort_by(|left, right| right.total_cmp(left));
    let [first, second, ..] = similarities.as_slice() else { return false };
    question.form == Form::Offer
        && question.asked.intersection(facts.given).is_empty()
        && !question.says_when()
        && first - second < GAP_IN_ANOTHER_LANGUAGE
        && facts.nearness_best.unwrap_or_default() < NEAR
}

/// Returns a bit for each word for what the question names that is a part of a word of a window, or has one
/// as a part.
pub(super) fn parts(question: &Question, window: &Window, source: &Source<'_>, asking: &Asking<'_>) -> u64 {
    let segments = &source.passage.outline().segments[window.segments.clone()];
    let is_found = |word: &str| {
        let mut terms = segments.iter().flat_map(|segment| segment.terms.iter());
        terms.any(|term| is_part(word, term) || is_part(term, word))
    };
    let words = asking.retrieval.support.words.iter().take(64).enumerate();
    words
        .filter(|(index, word)| {
            question.object & (1 << index) != 0 && word.terms.first().is_some_and(|word| is_found(word))
        })
        .fold(0, |found, (index, _)| found | 1 << index)
}

fn is_part(part: &str, whole: &str) -> bool {
    part.len() >= LEAST_PART && (whole.starts_with(part) || whole.ends_with(part))
}

/// Words that answer a question with yes or no.
const YES_OR_NO: &[&str] =
    &["yes", "no", "ja", "nein", "oui", "non", "si", "nee", "sim", "nao", "tak", "nie"];

/// Least share of the words of a question above a yes or a no that the visitor's question has.
const LEAST_SHARED: f64 = 0.5;

/// Returns whether a window begins with a yes or a no to another question than the visitor's, the one above
/// it.
pub(super) fn answers_another(window: &Window, sources: &[Source<'_>], asking: &Asking<'_>) -> bool {
    let source = &sources[window.source];
    let text = window.text(sources);
    let first = text.split_whitespace().next().unwrap_or_default();
    let is_yes_or_no = first.ends_with([',', '.', '!', ':', ';']) && {
        let words = Words::of(first);
        words.len() == 1 && words.iter().all(|word| YES_OR_NO.contains(&word))
    };
    // None of the words of another language are there.
    if !is_yes_or_no || is_foreign(asking, source.passage) {
        return false;
    }
    let outline = source.passage.outline();
    let is_said = |at: &usize| !matches!(source.segments[*at].shape, Shape::Heading | Shape::Question);
    let said = window.segments.clone().find(is_said).unwrap_or(window.segments.start);
    let above = (0..said).rev().find(|at| source.segments[*at].shape == Shape::Question);
    let (words, terms, nearness) = match above {
        Some(at) => {
            (source.segments[at].words, outline.segments[at].terms.len(), source.segments[at].nearness)
        }
        None if source.passage.title.ends_with('?') => {
            (source.heading_words, outline.headings.len(), source.segments[said].nearness)
        }
        None => return false,
    };
    #[expect(clippy::cast_precision_loss, reason = "a question has few words")]
    let share = f64::from(words.count_ones()) / terms.max(1) as f64;
    share < LEAST_SHARED && nearness.unwrap_or_default() < NEAR
}
