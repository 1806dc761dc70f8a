//! Rewriting of a question that refers to earlier turns into one that stands alone.
//!
//! Passages are searched for with it, so it must not search for something that nobody has asked. Its content
//! words occur in the conversation; only words that phrase a question are free. It is a question, so it
//! answers nothing.

use std::collections::BTreeSet;

use frontdesk_knowledge::{Language, Words, sentences, strip_invisible, topic_terms};

use super::observer::ModelOutcome;
use super::rewrite_prompt::RewritePrompt;
use super::schema::Format;
use super::{ModelWriter, reply};
use crate::language::visitor_language;
use crate::task::Task;
use crate::writer::WriterError;

/// Maximum size of a question in characters. A longer message is never rewritten either: it says what it is
/// about.
const MAX_QUESTION_CHARS: usize = 300;

/// Marks that end a question in the scripts of the world.
const QUESTION_MARKS: [char; 4] = ['?', '？', '؟', '\u{37e}'];

impl ModelWriter {
    /// Rewrites the question of a task so that it can be understood without the turns before it. `fallback`
    /// is the language of a visitor who has not revealed one. `Ok(None)` if the message is too long to be a
    /// question that refers to them.
    pub(crate) async fn stand_alone(
        &self,
        task: &Task,
        fallback: Option<&str>,
    ) -> Result<Option<String>, WriterError> {
        if task.question.chars().count() > MAX_QUESTION_CHARS {
            return Ok(None);
        }
        let visitor = visitor_language(task).map(Language::tag);
        let language = visitor.or(fallback).unwrap_or(Language::English.tag());
        let limit = self.endpoint.config().rewrite_timeout();
        let result = self.guarded(limit, self.rewrite(task, language)).await;
        self.endpoint.observer().rewrite(ModelOutcome::of_result(&result));
        result.map(Some)
    }

    async fn rewrite(&self, task: &Task, language: &str) -> Result<String, WriterError> {
        let limit = self.endpoint.config().max_prompt_chars;
        let prompt = RewritePrompt::new(task, language, &(self.nonce)(), limit)
            .ok_or(WriterError::PromptTooLong { limit })?;
        let content = self.endpoint.complete(prompt.messages(), Format::Question, None).await?;
        if prompt.leaks_into(&content) {
            return Err(WriterError::Malformed { reason: "it contains its instructions" });
        }
        checked(&content, task, language).map_err(|reason| WriterError::Malformed { reason })
    }
}

/// Returns the question in a completion, or why it cannot be used. `language` is the visitor's, as a BCP 47
/// tag.
fn checked(content: &str, task: &Task, language: &str) -> Result<String, &'static str> {
    let text = strip_invisible(&reply::rewritten(content)?);
    let text = text.trim();
    if text.is_empty() {
        return Err("the question is empty");
    }
    if text.contains(['\n', '\r', '\u{2028}', '\u{2029}']) {
        return Err("the question has several lines");
    }
    if text.chars().count() > MAX_QUESTION_CHARS {
        return Err("the question is too long");
    }
    if !text.ends_with(QUESTION_MARKS) || sentences(text).len() > 1 {
        return Err("the text is not one question");
    }
    if Words::of(text).joined() == Words::of(&task.question).joined() {
        return Err("the question is unchanged");
    }
    let said = task.history.iter().map(|turn| turn.text.as_str()).chain([task.question.as_str()]);
    let said: BTreeSet<String> = said.flat_map(|text| topic_terms(text, Some(language))).collect();
    if topic_terms(text, Some(language)).iter().any(|term| !said.contains(term)) {
        return Err("the question has words that nobody has said");
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Turn;
    use crate::draft::Action;
    use crate::fixtures::task;

    fn check(
        question: &str,
        language: &str,
        turns: [&str; 2],
        rewritten: &str,
    ) -> Result<String, &'static str> {
        let mut task = task(question, &[]);
        task.history = vec![Turn::visitor(turns[0]), Turn::assistant(turns[1], Action::Answer, false)];
        checked(&serde_json::json!({ "question": rewritten }).to_string(), &task, language)
    }

    #[test]
    fn words_of_the_conversation_and_function_words_are_accepted() {
        for (question, language, turns, rewritten) in [
            (
                "And on Sundays?",
                "en",
                ["When are you open?", "From 9 to 17."],
                "When are you open on Sundays?",
            ),
            ("how much is that one?", "en", ["Do you have a Pro plan?", "Yes."], "How much is the Pro plan?"),
            (
                "Und am Sonntag?",
                "de",
                ["Wann habt ihr geöffnet?", "Ab 9."],
                "Wann habt ihr am Sonntag geöffnet?",
            ),
            ("Et le dimanche ?", "fr", ["Quand ouvrez-vous ?", "À 9 h."], "Quand ouvrez-vous le dimanche ?"),
        ] {
            assert_eq!(check(question, language, turns, rewritten).as_deref(), Ok(rewritten));
        }
    }

    #[test]
    fn everything_else_is_refused() {
        let check = |rewritten: &str| {
            check("And on Sundays?", "en", ["When are you open?", "From 9 to 17."], rewritten).unwrap_err()
        };
        for (rewritten, reason) in [
            ("", "empty"),
            (" \u{200b}", "empty"),
            ("When are you open\non Sundays?", "several lines"),
            ("You are open on Sundays.", "not one question"),
            ("You are open. When on Sundays?", "not one question"),
            ("and on sundays ?", "unchanged"),
            ("When is the admin password open on Sundays?", "nobody has said"),
            ("Are you open on Sundays at 8?", "nobody has said"),
            ("Wann habt ihr sonntags offen?", "nobody has said"),
        ] {
            assert!(check(rewritten).contains(reason), "{rewritten}: {}", check(rewritten));
        }
        assert!(check(&format!("When are you {} on Sundays?", "open ".repeat(200))).contains("too long"));
        let task = task("And on Sundays?", &[]);
        for content in ["", "When are you open on Sundays?", "{\"question\": 7}", "{\"question\": \"When are"]
        {
            assert!(checked(content, &task, "en").is_err(), "{content}");
        }
    }
}
