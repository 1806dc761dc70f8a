//! Evidence: the words, numbers and statements of the cited passages, and the verdict on a sentence.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Language, Passage, Words, analyze, detect_language};

use super::polarity::{Polarity, Statement, agrees, is_reply};
use super::{Claim, Verdict};

/// Share of a sentence's content words that must occur in the cited passages.
const MIN_SUPPORT: f64 = 0.6;

/// Sentences with fewer content words state nothing ("Yes.", "Here is how:") and need no support.
const MIN_CLAIM_TERMS: usize = 2;

/// Sentences with at most this many words are fragments ("On Sundays.", "No problem!"). They repeat or
/// accompany what something else states; a longer sentence with a single content word states something about
/// it.
const FRAGMENT_WORDS: usize = 3;

/// What the cited passages say.
pub(super) struct Evidence {
    passages: Vec<Cited>,
    languages: BTreeSet<Language>,
    terms: BTreeSet<String>,
    numbers: BTreeSet<String>,
}

struct Cited {
    terms: BTreeSet<String>,
    statements: Vec<Statement>,
}

/// How much of a sentence's content words the passages have.
struct Support {
    share: f64,
    terms: BTreeSet<String>,
}

impl Evidence {
    pub(super) fn new(cited: &[&Passage]) -> Self {
        let mut evidence = Self {
            passages: Vec::new(),
            languages: BTreeSet::new(),
            terms: BTreeSet::new(),
            numbers: BTreeSet::new(),
        };
        for passage in cited {
            let text = [passage.title.as_str(), &passage.headings, &passage.text].join("\n");
            let language =
                passage.language.as_deref().and_then(Language::from_tag).unwrap_or(Language::English);
            let terms: BTreeSet<String> = analyze(&text, passage.language.as_deref()).into_iter().collect();
            evidence.languages.insert(language);
            evidence.terms.extend(terms.iter().cloned());
            evidence.numbers.extend(numbers(&text));
            evidence.passages.push(Cited { terms, statements: Statement::all(passage, language) });
        }
        evidence
    }

    pub(super) fn judge(&self, sentence: &str, addresses: &[&str]) -> Claim {
        // Allowed addresses are already checked, and their parts are not statements.
        let mut prose = sentence.to_owned();
        for address in addresses.iter().filter(|address| !address.is_empty()) {
            prose = prose.replace(address.trim_end_matches('/'), " ");
        }
        let marker = prose.trim_start().split(' ').next().unwrap_or_default();
        let enumerated = marker.len() <= 3 && marker.ends_with(['.', ')']);
        let body = if enumerated { prose.trim_start()[marker.len()..].to_owned() } else { prose };
        let numbers_match = numbers(&body).iter().all(|number| self.numbers.contains(number));
        Claim { text: sentence.to_owned(), verdict: self.verdict(&body, numbers_match), numbers_match }
    }

    fn verdict(&self, body: &str, numbers_match: bool) -> Verdict {
        let supports = self.languages.iter().map(|language| self.support(body, *language));
        let Some(support) = supports.max_by(|one, other| one.share.total_cmp(&other.share)) else {
            return if numbers_match { Verdict::Connective } else { Verdict::Unsupported };
        };
        let is_found = support.share >= MIN_SUPPORT && numbers_match;
        let is_fragment = Words::of(body).len() <= FRAGMENT_WORDS;
        let agreement = self.agreement(body, &support.terms);
        let asserts = self.asserts(body);
        match support.terms.len() {
            0 if numbers_match => Verdict::Connective,
            0 => Verdict::Unsupported,
            1 if asserts => match (is_found, is_fragment && numbers_match) {
                // "No refunds." beside the sentence that says so, or a courtesy ("No problem!").
                (true, true) if agreement == Some(true) => Verdict::Connective,
                (false, true) => Verdict::Connective,
                _ => Verdict::Unsupported,
            },
            1 => match (is_found, numbers(body).is_empty()) {
                // "Nine."
                (true, has_no_number) if is_fragment || !has_no_number => Verdict::Supported,
                (false, false) => Verdict::Unsupported,
                // A claim about something that is only mentioned, or a courtesy. Neither is an answer by
                // itself.
                _ => Verdict::Connective,
            },
            // What is negated must be negated by one statement. What is affirmed may be put together from
            // several.
            _ => {
                let is_agreed = agreement.unwrap_or(self.polarity(body) != Polarity::Negative);
                let is_said_at_once = !asserts || self.is_in_one_passage(&support.terms);
                if is_found && is_agreed && is_said_at_once {
                    Verdict::Supported
                } else {
                    Verdict::Unsupported
                }
            }
        }
    }

    /// Returns whether a sentence replies with yes or no, or negates something, which its content words do
    /// not show.
    fn asserts(&self, sentence: &str) -> bool {
        is_reply(sentence, self.language(sentence)) || self.polarity(sentence) == Polarity::Negative
    }

    fn polarity(&self, sentence: &str) -> Polarity {
        Polarity::of(sentence, self.language(sentence))
    }

    /// Returns the language of a sentence; that of the passages if it does not reveal its own.
    fn language(&self, sentence: &str) -> Language {
        let own = detect_language(sentence);
        own.or_else(|| self.languages.first().copied()).unwrap_or(Language::English)
    }

    fn agreement(&self, sentence: &str, terms: &BTreeSet<String>) -> Option<bool> {
        let polarity = self.polarity(sentence);
        let compared =
            self.passages.iter().filter_map(|passage| agrees(polarity, terms, &passage.statements));
        compared.reduce(|one, other| one || other)
    }

    fn is_in_one_passage(&self, terms: &BTreeSet<String>) -> bool {
        self.passages.iter().any(|passage| passage.terms.intersection(terms).count() >= MIN_CLAIM_TERMS)
    }

    fn support(&self, sentence: &str, language: Language) -> Support {
        let terms: BTreeSet<String> = analyze(sentence, Some(language.tag())).into_iter().collect();
        let found = terms.intersection(&self.terms).count();
        #[expect(clippy::cast_precision_loss, reason = "sentences have few words")]
        let share = if terms.is_empty() { 0.0 } else { found as f64 / terms.len() as f64 };
        Support { share, terms }
    }
}

/// Returns the numbers of a text without separators, so that `1,000`, `1.000` and `1000` are equal.
fn numbers(text: &str) -> BTreeSet<String> {
    let runs = text.split(|character: char| !character.is_ascii_digit() && !matches!(character, '.' | ','));
    runs.map(|run| run.chars().filter(char::is_ascii_digit).collect::<String>())
        .filter(|digits| !digits.is_empty())
        .collect()
}
