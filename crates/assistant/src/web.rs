//! Answers from the web, where the training content has none.
//!
//! The caller of the assistant searches the web and reads pages. This module decides whether an answer from
//! the web may replace a refusal, and adds a sentence that it is not from the business.

use frontdesk_knowledge::{Words, detect_language};
use url::Url;

use crate::assessment::Assessment;
use crate::draft::{Action, Draft};
use crate::phrases::Phrases;
use crate::task::Task;
use crate::topics::is_about_business;

/// The least number of consecutive digits that may be the number of a phone, a card or a customer.
const PRIVATE_DIGITS: usize = 7;

/// A question to search the web for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebQuestion {
    /// The question, without references to earlier turns.
    pub text: String,
    /// The name of the business, if the question is about it. Only pages with this name can then answer it,
    /// because other businesses describe themselves.
    pub about: Option<String>,
}

/// Returns the question to search the web for, in place of a refusal. Returns `None` unless the refusal is
/// only due to the training content: topics that the chatbot must not discuss stay refused. A question with
/// an e-mail address or a long number is not sent to a search engine either.
pub fn web_question(task: &Task, refusal: &Draft) -> Option<WebQuestion> {
    let is_due_to_content = refusal.action == Action::Refuse && refusal.is_unanswered && !task.is_email();
    let question = task.meaning();
    let assessment = Assessment::of(task);
    let is_refused = assessment.names_blocked_topic() || assessment.asks_for_advice().is_some();
    if !is_due_to_content || is_refused || has_private_data(question) {
        return None;
    }
    let language = detect_language(question).unwrap_or_else(|| assessment.language());
    let business = task.settings.business_name.trim();
    let is_about_business = is_about_business(&Words::of(question), language);
    if is_about_business && business.is_empty() {
        return None;
    }
    Some(WebQuestion { text: question.to_owned(), about: is_about_business.then(|| business.to_owned()) })
}

/// Returns an answer from the web with an introduction: it is not from the business, and these are the sites.
/// Returns `None` if the draft does not answer.
///
/// The question still counts as one that the training content does not answer.
pub(crate) fn presented(assessment: &Assessment<'_>, draft: Draft) -> Option<Draft> {
    if draft.action != Action::Answer {
        return None;
    }
    let task = assessment.task();
    let used = task.retrieval.all_passages().filter(|passage| draft.used_chunks.contains(&passage.chunk_id));
    let mut sites: Vec<String> = Vec::new();
    for passage in used {
        let host = Url::parse(&passage.url).ok()?.host_str()?.trim_start_matches("www.").to_owned();
        if !sites.contains(&host) {
            sites.push(host);
        }
    }
    if sites.is_empty() {
        return None;
    }
    let phrases = Phrases::of(assessment.language());
    let introduction = phrases.fill(phrases.from_web, &task.settings.business_name);
    let introduction = introduction.replace("{sites}", &sites.join(", "));
    Some(Draft {
        text: [introduction, draft.text].join("\n\n"),
        used_chunks: Vec::new(),
        is_unanswered: true,
        ..draft
    })
}

fn has_private_data(question: &str) -> bool {
    let is_separator = |character: char| " -./()".contains(character);
    let mut digits = 0;
    for character in question.chars() {
        match character {
            '@' => return true,
            _ if character.is_numeric() => digits += 1,
            _ if is_separator(character) => {}
            _ => digits = 0,
        }
        if digits >= PRIVATE_DIGITS {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use frontdesk_knowledge::Language;

    use super::*;
    use crate::canned::refuse;
    use crate::fixtures::task;

    fn unanswered(question: &str) -> Option<WebQuestion> {
        let mut task = task(question, &[]);
        task.settings.business_name = "Fern & Fable".to_owned();
        task.settings.blocked_topics = vec!["layoffs".to_owned()];
        web_question(&task, &refuse(&task, Language::English))
    }

    #[test]
    fn only_what_the_content_does_not_answer_is_searched() {
        let question = unanswered("What is the capital of Australia?").unwrap();
        assert_eq!(question.text, "What is the capital of Australia?");
        assert_eq!(question.about, None);
        assert_eq!(unanswered("Do you repair bicycles?").unwrap().about.as_deref(), Some("Fern & Fable"));
        assert_eq!(unanswered("Habt ihr einen Parkplatz?").unwrap().about.as_deref(), Some("Fern & Fable"));

        let answered = Draft::phrase(Action::Answer, "Yes.".to_owned());
        assert_eq!(web_question(&task("Why?", &[]), &answered), None);
        let blocked = Draft::phrase(Action::Refuse, "No.".to_owned());
        assert_eq!(web_question(&task("Why?", &[]), &blocked), None);
    }

    #[test]
    fn refused_topics_and_private_data_are_not_searched() {
        for question in [
            "How many layoffs were there in 2024?",
            "Which dose of ibuprofen should I take?",
            "Is jo@shop.example a real address?",
            "Who called me from +49 30 123 456 78?",
            "What is with order 20260114-88?",
        ] {
            assert_eq!(unanswered(question), None, "{question}");
        }
        assert!(unanswered("What happened in 1989 and 1990?").is_some());
        assert!(unanswered("How far is 384,400 km?").is_some());
    }
}
