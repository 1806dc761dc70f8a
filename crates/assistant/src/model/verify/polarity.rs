//! Polarity: whether a text affirms or negates something, and where a passage says so.
//!
//! A negation turns a statement into its opposite with the same content words, so words alone cannot verify
//! it. The polarity of a sentence is compared with that of the clause of a passage that has its words.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Language, Passage, Words, analyze, sentences};

use super::negations::{CONTRACTIONS, negations};

/// Whether a text negates something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Polarity {
    Affirmative,
    Negative,
    /// It excludes something without a negation, and agrees with both.
    Exclusive,
}

impl Polarity {
    pub(super) fn of(text: &str, language: Language) -> Self {
        let negations = negations(language);
        let words = Words::of(text);
        let words: Vec<&str> = words.iter().collect();
        let negates = |word: &&str| {
            negations.words.contains(word) || (language == Language::English && CONTRACTIONS.contains(word))
        };
        let limits = |index: usize| words.get(index + 1).is_some_and(|next| negations.limits.contains(next));
        let found: Vec<usize> = (0..words.len()).filter(|index| negates(&words[*index])).collect();
        if found.iter().any(|index| !limits(*index)) {
            Self::Negative
        } else if !found.is_empty() || words.iter().any(|word| negations.exclusions.contains(word)) {
            Self::Exclusive
        } else {
            Self::Affirmative
        }
    }

    fn agrees(self, other: Self) -> bool {
        self == other || self == Self::Exclusive || other == Self::Exclusive
    }
}

/// Returns whether a text begins with the reply to a yes-or-no question.
pub(super) fn is_reply(text: &str, language: Language) -> bool {
    Words::of(text).get(0).is_some_and(|first| negations(language).replies.contains(&first))
}

/// A sentence of a passage with the clauses that it consists of.
#[derive(Debug)]
pub(super) struct Statement {
    whole: Clause,
    clauses: Vec<Clause>,
}

#[derive(Debug)]
struct Clause {
    terms: BTreeSet<String>,
    polarity: Polarity,
}

impl Clause {
    fn new(text: &str, language: Language) -> Self {
        Self {
            terms: analyze(text, Some(language.tag())).into_iter().collect(),
            polarity: Polarity::of(text, language),
        }
    }

    fn shared(&self, terms: &BTreeSet<String>) -> usize {
        self.terms.intersection(terms).count()
    }
}

impl Statement {
    /// Returns the statements of a passage. A question and the sentence after it are one statement, because
    /// the "no" of an FAQ answer negates what the question says.
    pub(super) fn all(passage: &Passage, language: Language) -> Vec<Self> {
        let parts = [passage.title.as_str(), &passage.headings, &passage.text];
        let mut texts: Vec<String> = Vec::new();
        for sentence in parts.into_iter().flat_map(str::lines).flat_map(sentences) {
            match texts.last_mut().filter(|last| last.ends_with(['?', '？'])) {
                Some(question) => *question = format!("{question} {sentence}"),
                None => texts.push(sentence.to_owned()),
            }
        }
        texts.iter().map(|text| Self::new(text, language)).collect()
    }

    fn new(text: &str, language: Language) -> Self {
        let contrasts = negations(language).contrasts;
        let mut clauses = vec![String::new()];
        for word in text.split_whitespace() {
            let is_contrast = contrasts.contains(&Words::of(word).joined().as_str());
            if is_contrast && clauses.last().is_some_and(|clause| !clause.is_empty()) {
                clauses.push(String::new());
            }
            if let Some(clause) = clauses.last_mut() {
                clause.push_str(word);
                clause.push(' ');
            }
            if word.ends_with([',', ';', ':', '–', '—', '|']) {
                clauses.push(String::new());
            }
        }
        let clauses: Vec<Clause> = clauses.iter().map(|clause| Clause::new(clause, language)).collect();
        let terms = clauses.iter().flat_map(|clause| clause.terms.iter().cloned()).collect();
        Self { whole: Clause { terms, polarity: Polarity::of(text, language) }, clauses }
    }
}

/// Returns whether the statements that have most of a sentence's terms have its polarity. `None` if no
/// statement has two of them, so that the polarity cannot be compared.
pub(super) fn agrees(polarity: Polarity, terms: &BTreeSet<String>, statements: &[Statement]) -> Option<bool> {
    let most = statements.iter().map(|statement| statement.whole.shared(terms)).max().unwrap_or(0);
    if most < terms.len().min(2) || most == 0 {
        return None;
    }
    let mut wholes = statements.iter().filter(|statement| statement.whole.shared(terms) == most);
    Some(wholes.any(|statement| {
        let mut clauses = statement.clauses.iter().filter(|clause| clause.shared(terms) == most).peekable();
        // The words are spread over the sentence, so its clauses are no statements of their own.
        if clauses.peek().is_none() {
            return polarity.agrees(statement.whole.polarity);
        }
        clauses.any(|clause| polarity.agrees(clause.polarity))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn negations_are_recognized_in_every_language() {
        for (language, affirmative, negative) in [
            (Language::English, "We deliver on Sundays.", "We don’t deliver on Sundays."),
            (Language::German, "Wir liefern sonntags.", "Wir liefern sonntags nicht."),
            (Language::French, "Nous livrons.", "Nous ne livrons pas."),
            (Language::Spanish, "Entregamos los domingos.", "No entregamos los domingos."),
            (Language::Dutch, "Wij bezorgen.", "Wij bezorgen niet."),
            (Language::Italian, "Consegniamo la domenica.", "Non consegniamo la domenica."),
            (Language::Portuguese, "Entregamos no domingo.", "Não entregamos no domingo."),
            (Language::Polish, "Dostarczamy w niedziele.", "Nie dostarczamy w niedziele."),
        ] {
            assert_eq!(Polarity::of(affirmative, language), Polarity::Affirmative, "{affirmative}");
            assert_eq!(Polarity::of(negative, language), Polarity::Negative, "{negative}");
        }
        assert_eq!(Polarity::of("Not only dogs.", Language::English), Polarity::Exclusive);
        assert_eq!(Polarity::of("Ohne Nüsse.", Language::German), Polarity::Exclusive);
    }
}
