//! Verification of a model's answer, sentence by sentence, against the passages that it cites.
//!
//! A sentence is kept if enough of its content words and all of its numbers occur in the cited passages. That catches
//! invented facts and figures, but not a fact turned into its opposite with the same words. If the answer is in another
//! language than the passages, a second request to the model checks its sentences; numbers are still compared here.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Language, Passage, analyze};

use super::links;
use crate::topics::Topics;
use frontdesk_knowledge::sentences;

/// Share of a sentence's content words that must occur in the cited passages.
const MIN_SUPPORT: f64 = 0.6;

/// Sentences with fewer content words state nothing ("Yes.", "Here is how:") and need no support.
const MIN_CLAIM_TERMS: usize = 2;

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
        let addresses: Vec<&str> = cited.iter().map(|passage| passage.url.as_str()).collect();
        let clean = links::clean(&frontdesk_knowledge::strip_invisible(answer), &addresses);
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
        Self { lines, languages, blocked: topics.names(&clean) }
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

impl Claim {
    fn is_undecided(&self) -> bool {
        self.verdict == Verdict::Unsupported && self.numbers_match
    }
}

/// Words and numbers of the cited passages.
struct Evidence {
    languages: BTreeSet<&'static str>,
    terms: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

impl Evidence {
    fn new(cited: &[&Passage]) -> Self {
        let mut evidence =
            Self { languages: BTreeSet::new(), terms: BTreeSet::new(), numbers: BTreeSet::new() };
        for passage in cited {
            let text = [passage.title.as_str(), &passage.headings, &passage.text].join("\n");
            let language =
                passage.language.as_deref().and_then(Language::from_tag).unwrap_or(Language::English);
            evidence.languages.insert(language.tag());
            evidence.terms.extend(analyze(&text, passage.language.as_deref()));
            evidence.numbers.extend(numbers(&text));
        }
        evidence
    }

    fn judge(&self, sentence: &str, addresses: &[&str]) -> Claim {
        // Allowed addresses are already checked, and their parts are not statements.
        let mut prose = sentence.to_owned();
        for address in addresses.iter().filter(|address| !address.is_empty()) {
            prose = prose.replace(address.trim_end_matches('/'), " ");
        }
        let marker = prose.trim_start().split(' ').next().unwrap_or_default();
        let enumerated = marker.len() <= 3 && marker.ends_with(['.', ')']);
        let body = if enumerated { prose.trim_start()[marker.len()..].to_owned() } else { prose };
        let numbers_match = numbers(&body).iter().all(|number| self.numbers.contains(number));
        let supports = self.languages.iter().map(|language| self.support(&body, language));
        let support = supports.max_by(|one, other| one.0.total_cmp(&other.0));
        let verdict = match support {
            Some((share, count)) if count >= MIN_CLAIM_TERMS => {
                if share >= MIN_SUPPORT && numbers_match {
                    Verdict::Supported
                } else {
                    Verdict::Unsupported
                }
            }
            // One content word, supported, is a statement ("Nine."); unsupported it may be a claim or a courtesy.
            Some((share, 1)) => {
                let number = !numbers(&body).is_empty();
                match (share >= MIN_SUPPORT && numbers_match, number) {
                    (true, _) => Verdict::Supported,
                    (false, true) => Verdict::Unsupported,
                    (false, false) => Verdict::Connective,
                }
            }
            _ if numbers_match => Verdict::Connective,
            _ => Verdict::Unsupported,
        };
        Claim { text: sentence.to_owned(), verdict, numbers_match }
    }

    /// Returns the share of the sentence's content words that the passages have, and the number of its content words.
    fn support(&self, sentence: &str, language: &str) -> (f64, usize) {
        let terms: BTreeSet<String> = analyze(sentence, Some(language)).into_iter().collect();
        let found = terms.iter().filter(|term| self.terms.contains(*term)).count();
        #[expect(clippy::cast_precision_loss, reason = "sentences have few words")]
        let share = if terms.is_empty() { 0.0 } else { found as f64 / terms.len() as f64 };
        (share, terms.len())
    }
}

/// Returns the numbers of a text without separators, so that `1,000`, `1.000` and `1000` are equal.
fn numbers(text: &str) -> BTreeSet<String> {
    let runs = text.split(|character: char| !character.is_ascii_digit() && !matches!(character, '.' | ','));
    runs.map(|run| run.chars().filter(char::is_ascii_digit).collect::<String>())
        .filter(|digits| !digits.is_empty())
        .collect()
}

/// Returns the first question of a text without links, if it is short.
pub(super) fn question(text: &str) -> Option<String> {
    let clean = links::clean(&frontdesk_knowledge::strip_invisible(text), &[]);
    let question = sentences(&clean).into_iter().find(|sentence| sentence.ends_with(['?', '？']))?;
    (question.chars().count() <= MAX_QUESTION_CHARS).then(|| question.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::passage;
    use crate::settings::Settings;

    fn supported(answer: &str, cited: &[&Passage]) -> Option<String> {
        Claims::new(answer, cited, &Topics::of(&Settings::default())).supported_text()
    }

    #[test]
    fn unsupported_sentences_are_removed() {
        let prices =
            passage("Prices", "The Pro plan costs $7 per month. You can cancel the plan at any time.");
        for (answer, expected) in [
            ("The Pro plan costs $7 per month.", Some("The Pro plan costs $7 per month.")),
            ("Sure! The Pro plan costs $7 a month.", Some("Sure! The Pro plan costs $7 a month.")),
            ("The Pro plan costs $9 per month.", None),
            (
                "The Pro plan costs $7 per month. Shipping to Mars takes three weeks.",
                Some("The Pro plan costs $7 per month."),
            ),
            ("Our founder Jane loves dogs.", None),
            ("Yes.", None),
            ("Yes. 42.", None),
            (
                "- Plans can be cancelled any time\n- Rockets included for pilots",
                Some("- Plans can be cancelled any time"),
            ),
            (
                "1. The Pro plan costs $7 per month.\n\n2. You can cancel the plan.",
                Some("1. The Pro plan costs $7 per month.\n\n2. You can cancel the plan."),
            ),
            (
                "The plan costs $7 per month. Anything else about rockets?",
                Some("The plan costs $7 per month. Anything else about rockets?"),
            ),
            ("", None),
        ] {
            assert_eq!(supported(answer, &[&prices]).as_deref(), expected, "{answer}");
        }
        assert_eq!(supported("The Pro plan costs $7 per month.", &[]), None);
    }

    #[test]
    fn numbers_are_compared_without_separators() {
        let limits = passage("Limits", "Up to 1,000 messages per month.");
        assert!(supported("You get 1000 messages per month.", &[&limits]).is_some());
        assert!(supported("You get 10000 messages per month.", &[&limits]).is_none());
    }

    #[test]
    fn sentences_in_another_language_are_undecided_unless_a_number_is_wrong() {
        let prices = passage("Prices", "The Pro plan costs $7 per month.");
        let answer = "Der Tarif Pro kostet 7 $ im Monat. Er kostet 9 $ im Jahr. Raketen sind enthalten.";
        let mut claims = Claims::new(answer, &[&prices], &Topics::of(&Settings::default()));
        assert!(claims.are_foreign(Language::German) && !claims.are_foreign(Language::English));
        assert_eq!(claims.undecided().len(), 2);
        claims.decide(&[1]);
        assert_eq!(claims.supported_text().as_deref(), Some("Der Tarif Pro kostet 7 $ im Monat."));
    }

    #[test]
    fn a_clarification_is_one_question() {
        assert_eq!(
            question("I see. Which plan do you mean? https://evil.example"),
            Some("Which plan do you mean?".into())
        );
        assert_eq!(question("Tell me more."), None);
        assert_eq!(question(&format!("{}?", "x".repeat(400))), None);
    }
}
