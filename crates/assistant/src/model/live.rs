//! Release of an answer while the model writes it, sentence by sentence.
//!
//! A sentence is released once it is verified as the whole answer is, against the passages that the model
//! cites. That is possible if the completion has its action and its citations before its text, as the
//! requested schema has. Otherwise, and if the passages are in another language, nothing is released before
//! the completion is verified as a whole.
//!
//! What is released is never taken back: the answer begins with it, whatever follows.

use frontdesk_knowledge::{Passage, sentences};
use tokio::sync::mpsc::UnboundedSender;
use uuid::Uuid;

use super::growing::Growing;
use super::links;
use super::prompt::Prompt;
use super::reply;
use super::verify::{self, Claims};
use crate::assessment::Assessment;
use crate::draft::{Action, Cited, Draft, MODEL};

/// Size of a text in bytes up to which its sentences are released as they are written. Finding their ends
/// costs time with each word, so the rest of a longer one waits for its end.
const MAX_LIVE_BYTES: usize = 16 * 1024;

/// The released part of one answer, and the reader it is sent to.
pub(super) struct Live<'a> {
    reader: &'a UnboundedSender<String>,
    /// The text so far.
    text: String,
    sources: Vec<Cited>,
    used_chunks: Vec<Uuid>,
}

impl<'a> Live<'a> {
    pub(super) fn new(reader: &'a UnboundedSender<String>) -> Self {
        Self { reader, text: String::new(), sources: Vec::new(), used_chunks: Vec::new() }
    }

    /// Returns whether the reader has been sent anything.
    pub(super) fn has_released(&self) -> bool {
        !self.text.is_empty()
    }

    /// Returns the draft that consists of what has been released, if anything has.
    pub(super) fn draft(&self) -> Option<Draft> {
        let (sources, used_chunks) = (self.sources.clone(), self.used_chunks.clone());
        (!self.text.is_empty()).then(|| Draft {
            sources,
            used_chunks,
            writer: MODEL,
            model_ran: true,
            ..Draft::phrase(Action::Answer, self.text.clone())
        })
    }

    /// Returns a verified draft that begins with what has been released, or that alone if the draft does not.
    pub(super) fn reconcile(&self, draft: Draft) -> Draft {
        match self.draft() {
            Some(released) if !draft.text.starts_with(&self.text) => released,
            Some(released) => Draft { text: draft.text, ..released },
            None => draft,
        }
    }
}

/// Reads one completion while it is written, and releases its sentences.
pub(super) struct Releasing<'l, 'r, 'p, 't> {
    live: &'l mut Live<'r>,
    prompt: &'p Prompt<'p>,
    assessment: &'p Assessment<'t>,
    growing: Growing,
    /// Bytes of finished sentences that have been judged.
    judged: usize,
    /// Nothing further is released before the whole is verified.
    is_withheld: bool,
}

impl<'l, 'r, 'p, 't> Releasing<'l, 'r, 'p, 't> {
    pub(super) fn new(
        live: &'l mut Live<'r>,
        prompt: &'p Prompt<'p>,
        assessment: &'p Assessment<'t>,
    ) -> Self {
        Self { live, prompt, assessment, growing: Growing::new("answer"), judged: 0, is_withheld: false }
    }

    /// Adds a part of the completion, and releases the sentences that it finishes.
    pub(super) fn add(&mut self, part: &str) {
        self.growing.push(part);
        let (text, is_complete) = self.growing.text();
        if self.is_withheld || text.is_empty() {
            return;
        }
        let Some(cited) = self.cited() else { return };
        if text.len() > MAX_LIVE_BYTES {
            self.is_withheld = true;
            return;
        }
        let clean = verify::clean(beginning(text, is_complete), &cited);
        let finished = if is_complete { clean.as_str() } else { &clean[..finished(&clean)] };
        if finished.len() <= self.judged {
            return;
        }
        self.judged = finished.len();
        let claims = Claims::of_clean(finished, &cited, self.assessment.topics());
        // The words of two languages cannot be compared, and a leak may go on in what follows.
        if claims.are_foreign(self.assessment.language())
            || claims.name_blocked_topic()
            || self.prompt.leaks_into(self.growing.content())
        {
            self.is_withheld = true;
            return;
        }
        if let Some(text) = claims.supported_text() {
            self.release(text, &cited);
        }
    }

    /// Returns the passages that the completion cites before its text. `None` if it does not, or does
    /// something else than answering.
    fn cited(&self) -> Option<Vec<&'p Passage>> {
        reply::action(self.growing.member("action")?).filter(|action| *action == Action::Answer)?;
        let numbers = reply::citations(self.growing.member("citations")?)?;
        let cited = self.prompt.cited(&numbers);
        (!cited.is_empty()).then_some(cited)
    }

    fn release(&mut self, text: String, cited: &[&Passage]) {
        let Some(new) = text.strip_prefix(self.live.text.as_str()).filter(|new| !new.is_empty()) else {
            return;
        };
        if self.live.text.is_empty() {
            self.live.used_chunks = cited.iter().map(|passage| passage.chunk_id).collect();
            if self.assessment.task().settings.show_sources {
                self.live.sources = Cited::all(cited.iter().copied());
            }
        }
        // It fails if the reader has gone, which ends the writing.
        let _ = self.live.reader.send(new.to_owned());
        self.live.text = text;
    }
}

/// Returns the beginning of a text that is not complete in which every word and all markup is.
fn beginning(text: &str, is_complete: bool) -> &str {
    if is_complete {
        return text;
    }
    let words = text
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + text[at..].chars().next().map_or(0, char::len_utf8));
    &text[..links::complete_markup(&text[..words])]
}

/// Returns the size of the sentences of a text that are finished, whatever follows it.
///
/// Whether a full stop ends a sentence is decided by what follows it, up to the next letter.
fn finished(text: &str) -> usize {
    let line = text.rfind('\n').map_or(0, |at| at + 1);
    let mut is_followed = false;
    for sentence in sentences(&text[line..]).into_iter().rev() {
        if is_followed {
            return sentence.as_ptr() as usize - text.as_ptr() as usize + sentence.len();
        }
        is_followed = sentence.contains(char::is_alphabetic);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_finished_when_the_next_one_has_begun() {
        for (text, expected) in [
            ("We open at nine. ", ""),
            ("We open at nine. We ", "We open at nine."),
            ("We open at nine. (10 ", ""),
            ("We open at nine. (10 on Sundays) ", ""),
            ("We open at 9 a.m. and ", ""),
            ("We open on 3. ", ""),
            ("Yes! We open. It ", "Yes! We open."),
            ("Yes!\n", "Yes!\n"),
            ("- Tea\n- Cake. And ", "- Tea\n- Cake."),
            ("", ""),
        ] {
            assert_eq!(&text[..finished(text)], expected, "{text}");
        }
    }

    #[test]
    fn only_complete_words_and_markup_are_looked_at() {
        assert_eq!(beginning("It costs $7", false), "It costs ");
        assert_eq!(beginning("It costs $7", true), "It costs $7");
        assert_eq!(beginning("See [the list of", false), "See ");
        assert_eq!(beginning("Tea", false), "");
    }
}
