//! Detection of messages that call for a person.
//!
//! A clear request hands the conversation over at once. So does accepting the assistant's offer. Softer signs
//! (asking how to reach support, anger, a bare "agent", the same question three times) lead to that offer.
//! The phrases cover common wordings in eight languages; two refusals in a row catch some of the unusual
//! ones.

use std::collections::BTreeSet;
use std::ops::Range;

use frontdesk_knowledge::{Language, analyze, detect_language};

use crate::consent::{self, Consent};
use crate::conversation::{Author, Offer};
use crate::draft::Action;
use crate::task::Task;
use frontdesk_knowledge::Words;

mod requests;
mod soft_signs;

use requests::{ADJECTIVES, FOLLOWERS, INQUIRIES, INTRODUCERS, NEGATIONS, REQUESTS};
use soft_signs::OFFERS;

/// Share of common words from which two questions count as the same.
const SAME_QUESTION: f64 = 0.8;

/// Number of earlier messages of the visitor that are compared with the question.
const COMPARED_TURNS: usize = 6;

/// How clearly a message calls for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Signal {
    /// The visitor asks for a person, in this language if it is clear.
    Request(Option<Language>),
    /// The visitor declines the offer of a person.
    Decline(Option<Language>),
    /// A person would probably help the visitor more.
    Offer,
    /// Nothing calls for a person.
    None,
}

/// Reads the signal of a question, which has these words, in its conversation.
pub(crate) fn detect(task: &Task, words: &Words) -> Signal {
    let request = requests_person(words);
    if task.offer == Offer::Pending {
        match consent::read(&task.question, words) {
            Consent::Given(language) => return Signal::Request(language),
            // "No, I want a human" declines something else.
            Consent::Declined(language) if request.is_none() => return Signal::Decline(language),
            Consent::Declined(_) | Consent::Other => {}
        }
    }
    if let Some(language) = request {
        // "How can I talk to a person?" is answered first: the answer may be a phone number.
        return if words.has_any(&INQUIRIES) { Signal::Offer } else { Signal::Request(Some(language)) };
    }
    let is_soft = OFFERS.iter().any(|(_, patterns)| words.has_any(patterns));
    if is_soft || is_third_time(task) { Signal::Offer } else { Signal::None }
}

/// Returns whether the assistant's last answer was a refusal.
pub(crate) fn refused_before(task: &Task) -> bool {
    let last = task.history.iter().rev().find(|turn| turn.author == Author::Assistant);
    last.is_some_and(|turn| turn.action == Some(Action::Refuse))
}

/// Returns the language in which a message asks for a person, if it does.
fn requests_person(words: &Words) -> Option<Language> {
    REQUESTS.iter().find_map(|requests| {
        let language = requests.language;
        let clear = requests.clear.iter().flat_map(|pattern| words.matches(pattern));
        let wanted = requests
            .wanted
            .iter()
            .flat_map(|pattern| words.matches(pattern))
            .filter(|range| ends_noun_phrase(words, range.end, language));
        clear
            .chain(wanted)
            .any(|range| means_person(words, &range) && !is_negated(words, &range))
            .then_some(language)
    })
}

fn is_negated(words: &Words, range: &Range<usize>) -> bool {
    let before = words.before(range.start, 3).iter();
    // "I want to talk to a person instead" is still a request.
    let inside = words.slice(range.clone()).iter().filter(|word| *word != "instead");
    before.chain(inside).any(|word| NEGATIONS.contains(&word.as_str()))
}

/// Returns whether the word before an index is not merely the attribute of the word at it.
fn ends_noun_phrase(words: &Words, next: usize, language: Language) -> bool {
    words.get(next).is_none_or(|word| {
        FOLLOWERS.split(' ').any(|follower| follower == word)
            || analyze(word, Some(language.tag())).is_empty()
    })
}

/// Returns whether the last word of a match is a noun, if it could also be an adjective.
fn means_person(words: &Words, range: &Range<usize>) -> bool {
    let is_adjective = |word: &String| ADJECTIVES.contains(&word.as_str());
    match words.slice(range.clone()) {
        [.., before, last] if is_adjective(last) => {
            INTRODUCERS.split(' ').any(|introducer| introducer == before)
        }
        _ => true,
    }
}

/// Returns whether the visitor has asked the same question twice before.
fn is_third_time(task: &Task) -> bool {
    let asked = terms(&task.question);
    let earlier =
        task.history.iter().rev().filter(|turn| turn.author == Author::Visitor).take(COMPARED_TURNS);
    earlier.filter(|turn| overlap(&asked, &terms(&turn.text)) >= SAME_QUESTION).count() >= 2
}

fn terms(text: &str) -> BTreeSet<String> {
    analyze(text, detect_language(text).map(Language::tag)).into_iter().collect()
}

/// Returns the common words as a share of all words of both texts; 0 if one has none.
fn overlap(one: &BTreeSet<String>, other: &BTreeSet<String>) -> f64 {
    if one.is_empty() || other.is_empty() {
        return 0.0;
    }
    let common = one.intersection(other).count();
    #[expect(clippy::cast_precision_loss, reason = "messages have few words")]
    let share = common as f64 / one.union(other).count() as f64;
    share
}

#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    let requests = REQUESTS.iter().flat_map(|requests| requests.clear.iter().chain(requests.wanted).copied());
    requests.chain(OFFERS.iter().flat_map(|(_, patterns)| patterns.iter().copied())).chain(INQUIRIES)
}

#[cfg(test)]
mod tests;
