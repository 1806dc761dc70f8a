//! Features of an answer: what the decision to give it or to refuse is based on.

use frontdesk_knowledge::{Attribute, Language, Passage};

use super::asking::Asking;
use super::facts::Facts;
use super::features::{Question, WINDOW};
use super::form::Form;
use super::lack::parts;
use super::subject::Subject;
use super::windows::{Source, Window};

/// Names of the features of an answer, in the order of [`answer`].
pub(crate) const ANSWER: [&str; 57] = [
    "score",
    "score_second",
    "similarity",
    "lexical",
    "coverage",
    "words",
    "words_with_headings",
    "unknown_words",
    "rarest_word",
    "nearness_best",
    "nearness_mean",
    "attribute_given",
    "attribute_missing",
    "day_missing",
    "day_given",
    "few_words",
    "window_score",
    "cosine",
    "cosine_deviations",
    "segment_deviations",
    "similarity_gap",
    "long_question",
    "contact_given",
    "contact_missing",
    "hours_given",
    "hours_missing",
    "price_given",
    "price_missing",
    "nearness_of_all",
    "words_of_all",
    "words_with_headings_of_all",
    "size",
    "is_foreign",
    "accepted_by_words",
    "missing_words",
    "missing_words_everywhere",
    "lead_similarity",
    "lead_is_of_best_passage",
    "lead_margin",
    "subject_missing",
    "subject_missing_here",
    "subject_scattered",
    "last_missing",
    "last_outside",
    "rarest_missing",
    "commonness",
    "has_subject",
    "single_subject",
    "single_missing",
    "subject_words",
    "missing_and_far",
    "found_and_near",
    "nearness_gap",
    "offer_lacks",
    "offer_lacks_and_far",
    "number_lacks",
    "number_lacks_and_far",
];

/// The features of a window that an answer has as well.
const SHARED: [&str; 6] =
    ["contact_given", "contact_missing", "hours_given", "hours_missing", "price_given", "price_missing"];

/// The features of which the greatest value of all windows counts.
const GREATEST: [&str; 3] = ["nearness_best", "words", "words_with_headings"];

/// As many chunks as the smallest site has on which the weights were trained. Fewer count as so many.
const LEAST_CHUNKS: usize = 20;

/// A window with its score and features.
#[derive(Debug)]
pub(super) struct Scored {
    pub(super) window: Window,
    /// Whether it may be quoted first.
    pub(super) may_lead: bool,
    pub(super) score: f64,
    pub(super) features: [f64; WINDOW.len()],
}

/// Returns the features of the decision to answer with `lead`, the best of all windows.
#[expect(clippy::cast_precision_loss, reason = "numbers of chunks are far below 2^52")]
pub(super) fn answer(
    question: &Question,
    lead: &Scored,
    all: &[Scored],
    sources: &[Source<'_>],
    asking: &Asking<'_>,
) -> [f64; ANSWER.len()] {
    let source = &sources[lead.window.source];
    let facts = Facts::of(&lead.window, sources);
    let relevance = &source.passage.relevance;
    let best = |value: &dyn Fn(&Source<'_>) -> f64| sources.iter().map(value).fold(0.0, f64::max);
    let passages = &asking.retrieval.passages;
    let flag = |condition: bool| f64::from(u8::from(condition));
    let wanted = question.asked.intersection(facts.given);
    let has_days = !question.asked.days.is_empty();
    let covers_days = facts.given.days.covers(question.asked.days);
    let unknown = question.share(!question.known);
    let cosines = asking.retrieval.support.cosines;
    let deviation = cosines.map_or(0.01, |cosines| cosines.deviation.max(0.01));
    let nearness = facts.nearness_best.unwrap_or_default();
    let mut similarities: Vec<f64> =
        passages.iter().filter_map(|passage| passage.relevance.similarity).collect();
    similarities.sort_by(|left, right| right.total_cmp(left));
    let words = facts.all_words;
    // At most four: nobody repeats all words of a long story.
    let missing = |words: u64| f64::from((question.subject & !words).count_ones().min(4)) / 4.0;
    let everywhere = sources.iter().fold(0, |words, source| {
        source.segments.iter().fold(words | source.heading_words, |words, segment| words | segment.words)
    });
    let elsewhere = all.iter().filter(|other| other.window.source != lead.window.source);
    let elsewhere = elsewhere.map(|other| other.score).fold(lead.score - 4.0, f64::max);
    let shared = SHARED.map(|name| lead.features[place(name)]);
    let greatest =
        GREATEST.map(|name| all.iter().map(|scored| scored.features[place(name)]).fold(0.0, f64::max));
    let is_foreign = is_foreign(asking, source.passage);
    // A text in another language has none of the words, which says nothing.
    let subject = if is_foreign { 0 } else { question.subject };
    let subject = Subject::of(question, subject, &facts, &lead.window, source);
    let near = nearness.clamp(0.0, 1.2);
    let named = || words | parts(question, &lead.window, source, asking);
    let lacks = if is_foreign || question.object & !words == 0 { 0.0 } else { question.lack(named()) };
    let offer_lacks = flag(question.form == Form::Offer) * lacks;
    let number_lacks = flag(matches!(question.form, Form::Price | Form::Quantity)) * lacks;
    [
        best(&|source| source.passage.score),
        passages.get(1).map_or(0.0, |passage| passage.score),
        best(&|source| source.passage.relevance.similarity.unwrap_or_default()),
        relevance.lexical,
        asking.retrieval.support.coverage,
        question.share(facts.words),
        question.share(words),
        unknown,
        flag(question.rarest & words != 0),
        nearness,
        facts.nearness_mean.unwrap_or_default(),
        flag(!wanted.is_empty()),
        flag(!question.asked.is_empty() && wanted.is_empty()),
        flag(has_days && !covers_days),
        flag(has_days && covers_days && facts.given.contains(Attribute::Hours)),
        flag(question.own_words <= 1),
        lead.score,
        cosines.map_or(0.0, |cosines| cosines.best),
        cosines.map_or(0.0, |cosines| (cosines.best - cosines.mean) / deviation),
        cosines.map_or(0.0, |_| 0.12 * nearness / deviation),
        similarities.first().copied().unwrap_or_default() - similarities.get(1).copied().unwrap_or_default(),
        flag(question.own_words >= 6),
        shared[0],
        shared[1],
        shared[2],
        shared[3],
        shared[4],
        shared[5],
        greatest[0],
        greatest[1],
        greatest[2],
        (asking.retrieval.support.chunks.max(LEAST_CHUNKS) as f64).ln(),
        flag(is_foreign),
        flag(asking.retrieval.support.accepted_by_words),
        missing(words),
        missing(everywhere),
        relevance.similarity.unwrap_or_default(),
        flag(lead.window.source == 0),
        (lead.score - elsewhere).clamp(-4.0, 4.0) / 4.0,
        subject.missing,
        subject.missing_here,
        subject.scattered,
        flag(subject.is_last_missing),
        flag(subject.is_last_outside),
        subject.rarest_missing,
        subject.commonness,
        flag(subject.words > 0),
        flag(subject.words == 1),
        flag(subject.words == 1) * subject.missing,
        f64::from(subject.words.min(6)),
        subject.missing * (1.0 - near),
        (1.0 - subject.missing) * near,
        greatest[0] - nearness,
        offer_lacks,
        offer_lacks * (1.0 - near),
        number_lacks,
        number_lacks * (1.0 - near),
    ]
}

/// Least nearness in meaning from which a text may answer a question none of whose words the content has. On
/// labeled questions, those that have no answer stay below.
const NEAR: f64 = 0.4;

/// The same for a question in another language than the text, whose words the content cannot have. Below it,
/// what is nearest was the right text for hardly any labeled question.
const NEAR_IN_ANOTHER_LANGUAGE: f64 = 0.25;

/// Returns whether the content has none of the words of a question, and nothing that is near enough in
/// meaning to be the same in other words.
pub(super) fn is_unheard_of(
    question: &Question,
    lead: &Scored,
    all: &[Scored],
    sources: &[Source<'_>],
    asking: &Asking<'_>,
) -> bool {
    let given = Facts::of(&lead.window, sources).given;
    let nearness = all.iter().map(|scored| scored.features[place("nearness_best")]).fold(0.0, f64::max);
    let is_foreign = is_foreign(asking, sources[lead.window.source].passage);
    let near = if is_foreign { NEAR_IN_ANOTHER_LANGUAGE } else { NEAR };
    question.subject != 0
        && (is_foreign || question.subject & question.known == 0)
        && question.asked.intersection(given).is_empty()
        && nearness < near
}

/// Returns whether a question is in another language than a passage. Few of its words can then be in it.
pub(super) fn is_foreign(asking: &Asking<'_>, passage: &Passage) -> bool {
    let language = passage.language.as_deref().and_then(Language::from_tag);
    let asked = asking.retrieval.support.language;
    language.is_some_and(|language| asked.is_some_and(|asked| asked != language))
}

/// Returns the place of a feature of windows.
fn place(name: &str) -> usize {
    WINDOW.iter().position(|other| *other == name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_named_as_those_of_windows() {
        assert!(SHARED.iter().chain(&GREATEST).all(|name| WINDOW.contains(name)));
        assert!(SHARED.iter().all(|name| ANSWER.contains(name)));
    }
}
