//! Checking a model's answer sentence by sentence against the passages it cites.
//!
//! A sentence stays if enough of its content words stand in the cited passages and all of its numbers do. That
//! catches invented facts and figures; it cannot see a fact turned into its opposite with the same words. A
//! sentence in another language than the passages is judged by a second call instead, its numbers still here.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Passage, analyze};

use super::links;
use crate::language::Language;
use crate::sentences::sentences;
use crate::topics::Topics;

/// Share of a sentence's content words that must stand in the cited passages.
const MIN_SUPPORT: f64 = 0.6;

/// Sentences with fewer content words state nothing ("Yes.", "Here is how:") and need no support of their own.
const MIN_CLAIM_TERMS: usize = 2;

/// Longest question a clarification may be, in characters.
const MAX_QUESTION_CHARS: usize = 300;

/// An answer taken apart into sentences with what is known about each.
#[derive(Debug)]
pub(super) struct Claims {
    lines: Vec<Vec<Claim>>,
    /// Languages of the cited passages, where known.
    languages: BTreeSet<Language>,
    blocked: bool,
}

#[derive(Debug)]
struct Claim {
    text: String,
    verdict: Verdict,
    /// Every number of the sentence stands in the cited passages.
    numbers_match: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    /// The passages say it.
    Supported,
    /// It says nothing that needs support.
    Connective,
    /// The passages do not say it.
    Unsupported,
}

impl Claims {
    /// Takes an answer apart and compares each sentence with the cited passages.
    pub(super) fn new(answer: &str, cited: &[&Passage], topics: &Topics) -> Self {
        let addresses: Vec<&str> = cited.iter().map(|passage| passage.url.as_str()).collect();
        let clean = links::clean(&crate::words::strip_invisible(answer), &addresses);
        let evidence = Evidence::new(cited);
        let lines = clean
            .lines()
            .map(|line| {
                let spoken = sentences(line).into_iter().filter(|text| text.contains(char::is_alphanumeric));
                spoken.map(|sentence| evidence.judge(sentence, &addresses)).collect()
            })
            .collect();
        let languages =
            cited.iter().filter_map(|passage| Language::of_tag(passage.language.as_deref()?)).collect();
        Self { lines, languages, blocked: topics.names(&clean) }
    }

    /// Whether the answer speaks about something the owner does not want mentioned.
    pub(super) fn name_blocked_topic(&self) -> bool {
        self.blocked
    }

    /// Whether an answer in `language` is in another language than all cited passages.
    pub(super) fn are_foreign(&self, language: Language) -> bool {
        !self.languages.is_empty() && !self.languages.contains(&language)
    }

    /// The sentences that only a reader of both languages can judge.
    pub(super) fn unsettled(&self) -> Vec<&str> {
        self.lines
            .iter()
            .flatten()
            .filter(|claim| claim.is_unsettled())
            .map(|claim| claim.text.as_str())
            .collect()
    }

    /// Takes over the verdict on the unsettled sentences, given as their numbers counted from 1.
    pub(super) fn settle(&mut self, supported: &[usize]) {
        let unsettled = self.lines.iter_mut().flatten().filter(|claim| claim.is_unsettled());
        for (index, claim) in unsettled.enumerate() {
            if supported.contains(&(index + 1)) {
                claim.verdict = Verdict::Supported;
            }
        }
    }

    /// The answer without what is not supported; `None` if nothing that states something is left.
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
            // Lines that lost everything disappear; blank lines stay, but never two in a row or at the start.
            if !words.is_empty() || (blank && kept.last().is_some_and(|last| !last.is_empty())) {
                kept.push(words.join(" "));
            }
        }
        let text = kept.join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

impl Claim {
    fn is_unsettled(&self) -> bool {
        self.verdict == Verdict::Unsupported && self.numbers_match
    }
}

/// What the cited passages say, as words and numbers.
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
                passage.language.as_deref().and_then(Language::of_tag).unwrap_or(Language::English);
            evidence.languages.insert(language.tag());
            evidence.terms.extend(analyze(&text, passage.language.as_deref()));
            evidence.numbers.extend(numbers(&text));
        }
        evidence
    }

    fn judge(&self, sentence: &str, addresses: &[&str]) -> Claim {
        // Allowed addresses are already checked; their parts are not statements.
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

    /// Share of the sentence's content words found, and how many it has.
    fn support(&self, sentence: &str, language: &str) -> (f64, usize) {
        let terms: BTreeSet<String> = analyze(sentence, Some(language)).into_iter().collect();
        let found = terms.iter().filter(|term| self.terms.contains(*term)).count();
        #[expect(clippy::cast_precision_loss, reason = "counts of words in a sentence are small")]
        let share = if terms.is_empty() { 0.0 } else { found as f64 / terms.len() as f64 };
        (share, terms.len())
    }
}

/// The numbers of a text without separators, so that `1,000` and `1.000` and `1000` are the same.
fn numbers(text: &str) -> BTreeSet<String> {
    let runs = text.split(|character: char| !character.is_ascii_digit() && !matches!(character, '.' | ','));
    runs.map(|run| run.chars().filter(char::is_ascii_digit).collect::<String>())
        .filter(|digits| !digits.is_empty())
        .collect()
}

/// A question that may be asked back: one short question without links.
pub(super) fn question(text: &str) -> Option<String> {
    let clean = links::clean(&crate::words::strip_invisible(text), &[]);
    let question = sentences(&clean).into_iter().find(|sentence| sentence.ends_with(['?', '？']))?;
    (question.chars().count() <= MAX_QUESTION_CHARS).then(|| question.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixtures::passage;
    use crate::task::Settings;

    fn supported(answer: &str, cited: &[&Passage]) -> Option<String> {
        Claims::new(answer, cited, &Topics::of(&Settings::default())).supported_text()
    }

    #[test]
    fn unsupported_sentences_go_and_the_rest_stays() {
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
    fn another_language_is_judged_by_a_reader_except_for_numbers() {
        let prices = passage("Prices", "The Pro plan costs $7 per month.");
        let answer = "Der Tarif Pro kostet 7 $ im Monat. Er kostet 9 $ im Jahr. Raketen sind enthalten.";
        let mut claims = Claims::new(answer, &[&prices], &Topics::of(&Settings::default()));
        assert!(claims.are_foreign(Language::German) && !claims.are_foreign(Language::English));
        assert_eq!(claims.unsettled().len(), 2);
        claims.settle(&[1]);
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
