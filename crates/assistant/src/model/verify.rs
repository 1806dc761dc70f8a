//! Verification of a model's answer, sentence by sentence, against the passages that it cites.
//!
//! A sentence is kept if enough of its content words and all of its numbers occur in the cited passages
//! ([`evidence`]), and if it negates only what they negate ([`polarity`]). That catches invented facts and
//! figures, and a fact turned into its opposite with the same words. If the answer is in another language
//! than the passages, a second request to the model checks its sentences; numbers are still compared here.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Language, Passage, sentences, strip_invisible};

use super::links;
use crate::topics::Topics;
use evidence::Evidence;

mod evidence;
mod negations;
mod polarity;
#[cfg(test)]
mod tests;

/// Maximum size of a clarifying question, in characters.
const MAX_QUESTION_CHARS: usize = 300;

/// The sentences of an answer, each with its verdict.
#[derive(Debug)]
pub(super) struct Claims {
    lines: Vec<Vec<Claim>>,
    /// Languages of the cited passages, as far as they are known.
    languages: BTreeSet<Language>,
    blocked: bool,
}

#[derive(Debug)]
struct Claim {
    text: String,
    verdict: Verdict,
    /// Whether every number of the sentence occurs in the cited passages.
    numbers_match: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The passages state it.
    Supported,
    /// It states nothing that needs support.
    Connective,
    /// The passages do not state it.
    Unsupported,
}

impl Claims {
    /// Splits an answer into sentences and compares each with the cited passages.
    pub(super) fn new(answer: &str, cited: &[&Passage], topics: &Topics) -> Self {
        Self::of_clean(&clean(answer, cited), cited, topics)
    }

    /// As [`new`](Self::new), for a text that [`clean`] returned or the beginning of one.
    pub(super) fn of_clean(clean: &str, cited: &[&Passage], topics: &Topics) -> Self {
        let addresses = addresses(cited);
        let evidence = Evidence::new(cited);
        let lines = clean
            .lines()
            .map(|line| {
                let worded = sentences(line).into_iter().filter(|text| text.contains(char::is_alphanumeric));
                worded.map(|sentence| evidence.judge(sentence, &addresses)).collect()
            })
            .collect();
        let languages =
            cited.iter().filter_map(|passage| Language::from_tag(passage.language.as_deref()?)).collect();
        Self { lines, languages, blocked: topics.names(clean) }
    }

    /// Returns whether the answer mentions a topic that the owner has blocked.
    pub(super) fn name_blocked_topic(&self) -> bool {
        self.blocked
    }

    /// Returns whether an answer in `language` is in another language than all cited passages.
    pub(super) fn are_foreign(&self, language: Language) -> bool {
        !self.languages.is_empty() && !self.languages.contains(&language)
    }

    /// Returns the sentences that only a reader of both languages can judge.
    pub(super) fn undecided(&self) -> Vec<&str> {
        self.lines
            .iter()
            .flatten()
            .filter(|claim| claim.is_undecided())
            .map(|claim| claim.text.as_str())
            .collect()
    }

    /// Marks undecided sentences as supported, given as their numbers counted from 1.
    pub(super) fn decide(&mut self, supported: &[usize]) {
        let undecided = self.lines.iter_mut().flatten().filter(|claim| claim.is_undecided());
        for (index, claim) in undecided.enumerate() {
            if supported.contains(&(index + 1)) {
                claim.verdict = Verdict::Supported;
            }
        }
    }

    /// Returns the answer without its unsupported sentences; `None` if no supported sentence is left.
    pub(super) fn supported_text(&self) -> Option<String> {
        let stated = self.lines.iter().flatten().any(|claim| claim.verdict == Verdict::Supported);
        if !stated {
            return None;
        }
        let mut kept: Vec<String> = Vec::new();
        let mut questions = 0;
        for line in &self.lines {
            let mut words = Vec::new();
            for claim in line {
                let question = claim.text.ends_with(['?', '？']);
                questions += usize::from(question);
                if claim.verdict != Verdict::Unsupported
                    || (question && questions == 1 && claim.numbers_match)
                {
                    words.push(claim.text.as_str());
                }
            }
            let blank = line.is_empty();
            // Removes lines that lost all sentences; keeps blank lines, but not two in a row or at the start.
            if !words.is_empty() || (blank && kept.last().is_some_and(|last| !last.is_empty())) {
                kept.push(words.join(" "));
            }
        }
        let text = kept.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// Returns an answer without invisible characters, markup, and links to addresses that are not cited.
pub(super) fn clean(answer: &str, cited: &[&Passage]) -> String {
    links::clean(&strip_invisible(answer), &addresses(cited))
}

fn addresses<'a>(cited: &[&'a Passage]) -> Vec<&'a str> {
    cited.iter().map(|passage| passage.url.as_str()).collect()
}

impl Claim {
    fn is_undecided(&self) -> bool {
        self.verdict == Verdict::Unsupported && self.numbers_match
    }
}

/// Returns the first question of a text without links, if it is short.
pub(super) fn question(text: &str) -> Option<String> {
    let clean = links::clean(&strip_invisible(text), &[]);
    let question = sentences(&clean).into_iter().find(|sentence| sentence.ends_with(['?', '？']))?;
    (question.chars().count() <= MAX_QUESTION_CHARS).then(|| question.to_owned())
}
