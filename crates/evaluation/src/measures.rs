//! Measures over judged answers, with their uncertainty.

use std::collections::BTreeMap;

use frontdesk_knowledge::Retrieval;

use crate::judge::{Answer, Failure, failure, is_expected, judge};
use crate::questions::Question;

/// A share with its confidence interval.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Share {
    /// How many had the property.
    pub hits: u32,
    /// How many there were.
    pub count: u32,
}

/// The 97.5 % quantile of the normal distribution, for intervals of 95 %.
const QUANTILE: f64 = 1.96;

impl Share {
    /// Counts one more.
    pub fn add(&mut self, hit: bool) {
        self.hits += u32::from(hit);
        self.count += 1;
    }

    /// Returns the share, or `None` of nothing.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| f64::from(self.hits) / f64::from(self.count))
    }

    /// Returns the 95 % confidence interval (Wilson 1927).
    pub fn interval(self) -> Option<(f64, f64)> {
        let (share, count) = (self.value()?, f64::from(self.count));
        let square = QUANTILE * QUANTILE;
        let center = share + square / (2.0 * count);
        let spread = QUANTILE * (share * (1.0 - share) / count + square / (4.0 * count * count)).sqrt();
        let scale = 1.0 + square / count;
        Some((((center - spread) / scale).max(0.0), ((center + spread) / scale).min(1.0)))
    }
}

/// Measures of search and answers, over any number of questions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measures {
    /// Answerable questions with a right page among the first 1, 3 and 5 pages found.
    pub recall: [Share; 3],
    /// Sum of the reciprocal ranks of the first right page.
    pub reciprocal_ranks: f64,
    /// Answerable questions whose answer has the fact.
    pub accuracy: Share,
    /// Answerable questions with a right page among the sources.
    pub source_hit: Share,
    /// Answerable questions that were refused.
    pub wrongly_refused: Share,
    /// Unanswerable questions that were refused.
    pub rightly_refused: Share,
    /// Answers to answerable questions that state another value of what is asked for than the page does, or
    /// that have a text that they must not have.
    pub wrong_value: Share,
    /// Answers to answerable questions that do not state what is asked for.
    pub missed: Share,
    /// Answers all of whose lines are parts of a passage.
    pub faithful: Share,
    /// Answers with a text that they must not have.
    pub forbidden: u32,
}

impl Measures {
    /// Adds a question with what was found and the answer.
    pub fn add(&mut self, question: &Question, found: &Retrieval, answer: &Answer) {
        let passages = &found.passages;
        let verdict = judge(question, answer);
        self.forbidden += u32::from(verdict.has_forbidden);
        if !answer.refused {
            self.faithful.add(is_faithful(&answer.text, found));
        }
        if question.answerable && !answer.refused {
            let failure = failure(question, answer);
            self.wrong_value.add(failure == Some(Failure::WrongValue));
            self.missed.add(failure == Some(Failure::Missed));
        }
        if !question.answerable {
            self.rightly_refused.add(answer.refused);
            return;
        }
        let rank = rank(question, passages.iter().map(|passage| passage.url.as_str()));
        for (recall, most) in self.recall.iter_mut().zip([1, 3, 5]) {
            recall.add(rank.is_some_and(|rank| rank <= most));
        }
        self.reciprocal_ranks += rank.map_or(0.0, |rank| 1.0 / f64::from(rank));
        self.accuracy.add(verdict.has_fact);
        self.source_hit.add(verdict.has_source);
        self.wrongly_refused.add(answer.refused);
    }

    /// Returns the mean reciprocal rank.
    pub fn mean_reciprocal_rank(&self) -> Option<f64> {
        let count = self.recall[0].count;
        (count > 0).then(|| self.reciprocal_ranks / f64::from(count))
    }
}

/// Returns the rank of the first expected page among the pages found, from 1, each page counted once.
pub fn rank<'a>(question: &Question, urls: impl Iterator<Item = &'a str>) -> Option<u32> {
    let mut pages: Vec<&str> = Vec::new();
    for url in urls {
        if !pages.contains(&url) {
            pages.push(url);
        }
    }
    let index = pages.iter().position(|url| is_expected(question, url))?;
    u32::try_from(index + 1).ok()
}

/// Returns whether each line of an answer is a part of a passage.
fn is_faithful(answer: &str, found: &Retrieval) -> bool {
    answer
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .all(|line| found.all_passages().any(|passage| passage.text.contains(line)))
}

/// Measures by a name, such as a site or a kind of question.
pub type Table = BTreeMap<String, Measures>;

/// Returns a table as Markdown, each share with its 95 % interval.
pub fn markdown(table: &Table) -> String {
    let mut text = "| questions | recall@1 | recall@3 | recall@5 | MRR | accuracy | right source | wrongly refused | rightly refused | wrong value | missed | faithful |\n\
                    |---|---|---|---|---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for (name, measures) in table {
        let mrr = measures.mean_reciprocal_rank().map_or_else(|| "–".to_owned(), |rank| format!("{rank:.2}"));
        let [one, three, five] = measures.recall.map(share);
        let rest = [
            measures.accuracy,
            measures.source_hit,
            measures.wrongly_refused,
            measures.rightly_refused,
            measures.wrong_value,
            measures.missed,
            measures.faithful,
        ];
        let rest = rest.map(share).join(" | ");
        text.push_str(&format!("| {name} | {one} | {three} | {five} | {mrr} | {rest} |\n"));
    }
    text
}

fn share(share: Share) -> String {
    match (share.value(), share.interval()) {
        (Some(value), Some((low, high))) => format!("{value:.2} ({low:.2}–{high:.2})"),
        _ => "–".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_wilson() {
        let (low, high) = Share { hits: 8, count: 10 }.interval().unwrap();
        assert!((low - 0.490).abs() < 0.001 && (high - 0.943).abs() < 0.001, "{low} {high}");
        assert_eq!(Share::default().interval(), None);
        let (low, high) = Share { hits: 0, count: 5 }.interval().unwrap();
        assert!(low.abs() < 1e-9 && high > 0.4);
    }

    #[test]
    fn pages_are_ranked_once_each() {
        let question: Question = serde_json::from_value(serde_json::json!({
            "id": "a", "question": "?", "answerable": true, "expected_pages": ["/b.html"],
        }))
        .unwrap();
        let urls = ["http://h/a.html", "http://h/a.html", "http://h/b.html"];
        assert_eq!(rank(&question, urls.into_iter()), Some(2));
        assert_eq!(rank(&question, urls[..2].iter().copied()), None);
    }
}
