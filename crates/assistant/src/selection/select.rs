//! Selection of the quote that answers a question, and the decision to refuse instead.

use frontdesk_knowledge::{Attributes, Passage, QuestionWord, asked};

use super::asking::Asking;
use super::decision::{Scored, answer, is_unheard_of};
use super::facts::Facts;
use super::features::Question;
use super::form::Form;
use super::lack::{Naming, lacks_number, names_only_place, naming};
use super::weights::Models;
use super::windows::{Limits, Source, Window, overlaps, sources};
use crate::task::Task;
use crate::topics::Topics;

/// A further window is quoted if its score is at most this far below the best one's.
const MARGIN: f64 = 4.0;

/// A window that names what is asked about is quoted first if its score is at most this far below that of one
/// that does not.
const MARGIN_OF_NAMING: f64 = 1.5;

/// Log-odds above the threshold from which a quote is an answer although it lacks a word that is asked about:
/// it says the same in other words.
const MARGIN_OF_LACKING: f64 = 1.5;

/// The same although the content has none of the words.
const MARGIN_OF_UNHEARD_OF: f64 = 0.5;

/// Least nearness in meaning of such a window, as a share of that of the best one.
const LEAST_RELATION: f64 = 0.45;

/// Least nearness in meaning of a further window from another passage that neither has a word of the question
/// nor states what is asked for, as a share of that of the first one.
const LEAST_RELATION_OF_FURTHER: f64 = 0.5;

/// The text of an answer and its origin.
#[derive(Debug, Default)]
pub(crate) struct Quotes<'a> {
    /// The quotes; empty if nothing can be quoted.
    pub(crate) text: String,
    /// The quoted passages, best first.
    pub(crate) passages: Vec<&'a Passage>,
    /// The features of the decision to answer.
    pub(super) features: Vec<f64>,
    /// Whether the quotes can be expected to answer the question.
    pub(crate) is_supported: bool,
    /// Whether a segment was left out because the owner does not want it mentioned.
    pub(crate) withheld: bool,
    /// Those of several questions that the quotes do not answer.
    pub(crate) open: Vec<&'a str>,
    /// Why they can be expected to answer the question, or not.
    pub(super) grounds: Grounds<'a>,
}

/// Why quotes can be expected to answer a question, or not.
#[derive(Debug, Clone, Default)]
pub(super) struct Grounds<'a> {
    /// Log-odds of the trained decision above its threshold, if it was taken.
    pub(super) margin: Option<f64>,
    /// Whether the content has none of the words, and nothing near in meaning.
    pub(super) is_unheard_of: bool,
    /// Whether the quote lacks what an answer must have.
    pub(super) is_lacking: bool,
    /// What is asked for.
    pub(super) asked: Attributes,
    /// What the best window states.
    pub(super) stated: Attributes,
    /// The words of the question; of several questions, those of the first one that is answered.
    pub(super) words: &'a [QuestionWord],
    /// A bit for each of these words that the best window and the headings above it lack.
    pub(super) missing: u64,
}

/// Returns whether the content of a task has vectors.
pub(super) fn has_vectors(task: &Task) -> bool {
    task.retrieval.passages.iter().any(|passage| passage.relevance.similarity.is_some())
}

/// Selects what to quote, with the trained models.
pub(crate) fn quotes<'a>(task: &'a Task, topics: &Topics) -> Quotes<'a> {
    quotes_by(task, topics, Models::trained(has_vectors(task)))
}

/// Selects what to quote, with these models. Each of several questions is answered by itself, if one of them
/// can be.
pub(super) fn quotes_by<'a>(task: &'a Task, topics: &Topics, models: &Models) -> Quotes<'a> {
    let limits = Limits::of(task.settings.response_length);
    let mut combined = Quotes::default();
    for part in &task.retrieval.parts {
        // Nothing in it can be compared: "wer seid ihr" on an English site would be answered by any sentence.
        if part.retrieval.support.words.is_empty() && asked(&part.question).is_empty() {
            combined.open.push(&part.question);
            continue;
        }
        let quotes = quotes_for(&Asking::part(part), topics, models, limits);
        combined.withheld |= quotes.withheld;
        if quotes.text.is_empty() || !quotes.is_supported {
            combined.open.push(&part.question);
            continue;
        }
        if !combined.text.contains(&quotes.text) {
            let gap = if combined.text.is_empty() { "" } else { "\n\n" };
            combined.text.push_str(gap);
            combined.text.push_str(&quotes.text);
        }
        let is_new =
            |passage: &&Passage| combined.passages.iter().all(|other| other.chunk_id != passage.chunk_id);
        let new: Vec<&Passage> = quotes.passages.into_iter().filter(is_new).collect();
        combined.passages.extend(new);
        if combined.features.is_empty() {
            combined.features = quotes.features;
            combined.grounds = quotes.grounds;
        }
        combined.is_supported = true;
    }
    if combined.is_supported { combined } else { quotes_for(&Asking::of(task), topics, models, limits) }
}

/// Selects what to quote for one question.
fn quotes_for<'a>(asking: &Asking<'a>, topics: &Topics, models: &Models, limits: Limits) -> Quotes<'a> {
    let sources = sources(asking, topics);
    let withheld = sources.iter().flat_map(|source| &source.segments).any(|segment| segment.withheld);
    let mut quotes = Quotes { withheld, ..Quotes::default() };
    let question = Question::of(asking);
    let scored: Vec<Scored> = question
        .candidates(&sources, asking)
        .into_iter()
        .map(|(window, may_lead)| {
            let features = question.window(&window, &sources);
            Scored { score: models.window.score(&features), window, may_lead, features }
        })
        .collect();
    let Some(lead) = lead(&scored, &sources) else { return quotes };
    let is_answerable = !question.refers_to_nothing && !question.is_about_unknown_feast(&sources);
    let is_settled = question.is_settled_by(&lead.window, &sources);
    let naming = |scored: &Scored| naming(&question, &scored.window, &sources, asking);
    let is_answerable = is_answerable && (is_settled || !names_only_place(&question, &lead.window, &sources));
    let is_lacking = !is_answerable || (!is_settled && naming(lead) == Naming::Lacking);
    let named =
        (is_lacking && is_answerable).then(|| instead(&question, lead, &scored, &sources, naming)).flatten();
    let (lead, is_lacking) = (named.unwrap_or(lead), is_lacking && named.is_none());
    let features = answer(&question, lead, &scored, &sources, asking);
    let facts = Facts::of(&lead.window, &sources);
    let has_vectors = asking.retrieval.support.cosines.is_some();
    let margin = models.margin(&features);
    let exceeds = |least: f64| margin.is_some_and(|margin| margin >= least);
    // A number or a name that is asked for, what "that" is, and the price of what the content does not know,
    // are nothing that a likely answer may leave open.
    let is_debatable = is_answerable
        && question.form != Form::Person
        && !question.asks_price_of_unknown()
        && !lacks_number(&question, facts.given, lead.window.text(&sources));
    quotes.grounds = Grounds {
        margin,
        is_lacking: is_lacking && !(is_debatable && exceeds(MARGIN_OF_LACKING)),
        is_unheard_of: has_vectors
            && !exceeds(MARGIN_OF_UNHEARD_OF)
            && is_unheard_of(&question, lead, &scored, &sources, asking),
        asked: question.asked,
        stated: facts.given,
        words: &asking.retrieval.support.words,
        missing: question.subject & !facts.all_words,
    };
    let is_accepted = quotes.grounds.margin.map_or(asking.retrieval.support.accepted, |margin| margin >= 0.0);
    // Beside a text that names what is asked about, passages about something else are noise.
    let is_literal = asking.previous.is_none() && question.names_offer() && naming(lead) == Naming::Literal;
    // A score alone also rises with what many questions have in common, such as the place of a passage.
    let least_nearness = LEAST_RELATION_OF_FURTHER * facts.nearness_best.unwrap_or_default();
    let is_related = |other: &Scored| {
        let facts = Facts::of(&other.window, &sources);
        other.window.source == lead.window.source
            || facts.all_words & question.subject != 0
            || !facts.given.intersection(question.asked).is_empty()
            || facts.nearness_best.is_none_or(|nearness| nearness >= least_nearness)
    };
    let may_follow = |other: &Scored| {
        if lead.window.names_person {
            let words = Facts::of(&other.window, &sources).words;
            return other.window.names_person && words & question.subject != 0;
        }
        !is_literal || other.window.source == lead.window.source || naming(other) == Naming::Literal
    };
    let chosen = choose(lead, &scored, &sources, limits, may_follow, is_related);
    quotes.is_supported =
        (is_accepted || is_settled) && !quotes.grounds.is_unheard_of && !quotes.grounds.is_lacking;
    quotes.features = features.to_vec();
    compose(&chosen, &sources, &mut quotes);
    quotes
}

/// Returns the window to quote first. An announcement repeats the words of the question, and what it
/// announces is the answer, so that is preferred if it is nearly as good.
fn lead<'w>(scored: &'w [Scored], sources: &[Source<'_>]) -> Option<&'w Scored> {
    let first = best(scored.iter().filter(|scored| scored.may_lead))?;
    if !sources[first.window.source].is_announcement {
        return Some(first);
    }
    let others = scored
        .iter()
        .filter(|other| other.may_lead && other.score >= first.score - MARGIN)
        .filter(|other| !sources[other.window.source].is_announcement);
    best(others).or(Some(first))
}

/// Returns the window to quote instead of one that lacks what an answer must have: nearly as good, with the
/// words, and as much about what is done with it. "We sell books" is not replaced by a rack for bicycles.
fn instead<'w>(
    question: &Question,
    lead: &Scored,
    scored: &'w [Scored],
    sources: &[Source<'_>],
    naming: impl Fn(&Scored) -> Naming,
) -> Option<&'w Scored> {
    let facts = |scored: &Scored| Facts::of(&scored.window, sources);
    let words = |scored: &Scored| facts(scored).all_words;
    let nearness = |scored: &Scored| facts(scored).nearness_best.unwrap_or_default();
    let least = LEAST_RELATION * nearness(lead);
    let is_offer = question.form == Form::Offer;
    let formal = if is_offer { words(lead) & question.subject & !question.object } else { 0 };
    let may_lead = scored.iter().filter(|other| other.may_lead);
    if question.form == Form::Person {
        // What somebody does is said in their entry, with other words around it.
        let entries =
            may_lead.filter(|other| other.window.names_person && other.score >= lead.score - MARGIN);
        return best(entries.filter(|entry| facts(entry).words & question.subject != 0));
    }
    let near = may_lead.filter(|other| other.score >= lead.score - MARGIN_OF_NAMING);
    let related = near.filter(|other| nearness(other) >= least && formal & !words(other) == 0);
    best(related.filter(|other| naming(other) == Naming::Literal))
}

/// The first of equals wins: earlier passages are better, and earlier sentences usually more important.
fn best<'w>(scored: impl Iterator<Item = &'w Scored>) -> Option<&'w Scored> {
    scored.fold(None, |best: Option<&Scored>, next| match best {
        Some(best) if next.score <= best.score => Some(best),
        _ => Some(next),
    })
}

/// Returns the best windows that do not overlap, nearly as good as the first one, within the limits, up to
/// the first that is about something else.
fn choose<'w>(
    lead: &'w Scored,
    scored: &'w [Scored],
    sources: &[Source<'_>],
    limits: Limits,
    may_follow: impl Fn(&Scored) -> bool,
    is_related: impl Fn(&Scored) -> bool,
) -> Vec<&'w Window> {
    let mut chosen = vec![&lead.window];
    let mut room = limits.bytes.saturating_sub(lead.window.text(sources).len());
    let least = lead.score - MARGIN;
    while chosen.len() < limits.windows {
        let fits = scored.iter().filter(|other| {
            let Scored { window, score, .. } = other;
            let text = window.text(sources);
            *score >= least
                && text.len() <= room
                && !sources[window.source].is_announcement
                && !chosen.iter().any(|other| overlaps(window, other) || other.text(sources).contains(text))
                && may_follow(other)
        });
        // Those after one that is about something else are worse.
        let Some(Scored { window, .. }) = best(fits).filter(|next| is_related(next)) else { break };
        room = room.saturating_sub(window.text(sources).len());
        chosen.push(window);
    }
    chosen
}

/// Puts the windows into reading order, the passage of the best one first, and joins neighbors that are not
/// under a heading or a question of their own.
fn compose<'a>(chosen: &[&Window], sources: &[Source<'a>], quotes: &mut Quotes<'a>) {
    let Some(lead) = chosen.first().map(|window| window.source) else { return };
    let mut ordered: Vec<Window> = chosen.iter().map(|window| (*window).clone()).collect();
    ordered.sort_by_key(|window| (window.source != lead, window.source, window.segments.start));
    let mut joined: Vec<Window> = Vec::new();
    for window in ordered {
        match joined.last_mut() {
            Some(last)
                if last.source == window.source
                    && last.segments.end == window.segments.start
                    && !window.begins_anew(sources)
                    && !window.names_person =>
            {
                last.segments.end = window.segments.end;
            }
            _ => joined.push(window),
        }
    }
    for (index, window) in joined.iter().enumerate() {
        if index > 0 {
            let is_continued = joined[index - 1].source == window.source && !window.begins_anew(sources);
            quotes.text.push_str(if is_continued { "\n" } else { "\n\n" });
        }
        quotes.text.push_str(window.text(sources).trim());
        let passage = sources[window.source].passage;
        if !quotes.passages.iter().any(|quoted| quoted.chunk_id == passage.chunk_id) {
            quotes.passages.push(passage);
        }
    }
}
