//! Features of windows: what their selection is based on.

use frontdesk_knowledge::{
    Attribute, Attributes, QuestionWord, Words, asked, says_when, speaks_of_past_year,
};

use super::asking::Asking;
use super::facts::Facts;
use super::form::{Form, is_formal, refers_back};
use super::lack::answers_another;
use super::people::entries;
use super::timing::Timing;
use super::windows::{Shape, Source, Window, overlaps, windows, words_of};

/// Names of the features of a window, in the order of [`Question::window`].
pub(crate) const WINDOW: [&str; 30] = [
    "score",
    "best_passage",
    "second_passage",
    "similarity",
    "lexical",
    "words",
    "words_with_headings",
    "words_outside",
    "rarest_word",
    "density",
    "nearness_mean",
    "nearness_best",
    "length",
    "segments",
    "at_start",
    "starts_mid_line",
    "starts_with_heading",
    "starts_with_question",
    "question_matches",
    "items",
    "how_with_items",
    "contact_given",
    "contact_missing",
    "hours_given",
    "hours_missing",
    "price_given",
    "price_missing",
    "number_given",
    "day_covered",
    "day_missing",
];

/// A question with what is asked for.
#[derive(Debug)]
pub(crate) struct Question {
    /// The attributes that are asked for, such as hours of some days.
    pub(super) asked: Attributes,
    is_how: bool,
    /// The rarity of each word, at most 64.
    pub(super) rarity: Vec<f64>,
    /// The share of the chunks that have each word.
    pub(super) commonness: Vec<f64>,
    /// A bit for each word that the content has.
    pub(super) known: u64,
    /// A bit for each of the rarest words that the content has.
    pub(super) rarest: u64,
    /// A bit for each of its own words that names what it is about.
    pub(super) subject: u64,
    /// A bit for each of these that names what is offered or counted, rather than that it is.
    pub(super) object: u64,
    /// What kind of answer it asks for.
    pub(super) form: Form,
    /// The number of its own words, without those of the question before it.
    pub(super) own_words: usize,
    /// Whether it is about what was said before, and nothing was, or nothing that is known.
    pub(super) refers_to_nothing: bool,
    /// Whether hours and prices of earlier years are no answer.
    asks_for_the_present: bool,
    /// What it says of when.
    timing: Option<Timing>,
}

impl Question {
    pub(super) fn of(asking: &Asking<'_>) -> Self {
        let own_words = asking.retrieval.support.words.len();
        let words = words_of(asking);
        let mut asked = asked(asking.question);
        // "And on Saturday?" asks for what the question before it asked for.
        if own_words <= 2
            && let Some(previous) = asking.previous
            && (asked.is_empty() || !asked.days.is_empty())
        {
            let days = asked.days;
            asked = frontdesk_knowledge::asked(previous);
            if !days.is_empty() {
                asked.days = days;
            }
        }
        let is_named = |word: &&QuestionWord| !word.says_when;
        // The day of a question about something else says when that is.
        if asked.is_empty() && !asked.days.is_empty() && !words.iter().any(|word| is_named(&word)) {
            asked.insert(Attribute::Hours);
        }
        // A question of one word has no subject of its own: "Address?" asks for the address, and a text with
        // the word may be about anything.
        let is_bare = !asked.is_empty() && own_words <= 1;
        let rarity: Vec<f64> =
            words.iter().take(64).map(|word| if is_bare { 0.0 } else { word.rarity }).collect();
        let bits = |test: &dyn Fn(usize) -> bool| {
            (0..rarity.len()).filter(|index| test(*index)).fold(0, |bits, index| bits | 1 << index)
        };
        let known = bits(&|index| words[index].is_known);
        let most = (0..rarity.len())
            .filter(|index| words[*index].is_known)
            .map(|index| rarity[index])
            .fold(0.0, f64::max);
        let rarest = bits(&|index| words[index].is_known && rarity[index] >= most - 1e-9);
        let subject = bits(&|index| words[index].is_known && is_named(&&words[index]));
        let has_subject = words.iter().any(|word| is_named(&word));
        // "Christmas trees" are not asked about for a time.
        let names_kind = words.iter().any(|word| is_named(&word) && says_when(&word.typed));
        let timing = Timing::of(asking.question, asked, subject, has_subject).filter(|_| !names_kind);
        let own = bits(&|index| index < own_words && is_named(&&words[index]));
        let names = bits(&|index| is_named(&&words[index]) && !is_formal(&words[index].typed));
        let form = Form::of(asking.question, asked);
        let refers_back = refers_back(&Words::of(asking.question));
        // "How much is that?" is about what the question before it named.
        let object = if own & names == 0 && refers_back { names } else { own & names };
        let is_how = Words::of(asking.question).has_any(&[
            "how to|do|can|does|should",
            "wie kann|mache|geht|muss",
            "comment",
            "como",
            "come",
            "hoe",
            "jak",
        ]);
        let asks_for_the_present = !speaks_of_past_year(asking.question);
        let commonness = words.iter().take(64).map(|word| word.commonness).collect();
        Self {
            asked,
            is_how,
            rarity,
            commonness,
            known,
            rarest,
            subject: own,
            object,
            form,
            own_words,
            refers_to_nothing: refers_back
                && object == 0
                && (asking.previous.is_none() || asking.is_after_refusal),
            asks_for_the_present,
            timing,
        }
    }

    /// Returns whether a window is an answer whatever else is known: the question only asks when something is
    /// open, and it says so.
    pub(super) fn is_settled_by(&self, window: &Window, sources: &[Source<'_>]) -> bool {
        self.timing.as_ref().is_some_and(|timing| timing.is_answered_by(window, sources))
    }

    /// Returns whether it is about a feast that the sources do not mention.
    pub(super) fn is_about_unknown_feast(&self, sources: &[Source<'_>]) -> bool {
        self.timing.as_ref().is_some_and(|timing| timing.is_about_unknown_feast(sources))
    }

    /// Returns whether it says when.
    pub(super) fn says_when(&self) -> bool {
        self.timing.is_some()
    }

    /// Returns every window that may be quoted, with whether it may be quoted first.
    pub(super) fn candidates(&self, sources: &[Source<'_>], asking: &Asking<'_>) -> Vec<(Window, bool)> {
        let mut found = windows(sources);
        if self.form == Form::Person {
            let entries = entries(sources);
            found.retain(|window| !entries.iter().any(|entry| overlaps(entry, window)));
            found.extend(entries);
        }
        found.retain(|window| !answers_another(window, sources, asking));
        if self.asks_for_the_present {
            let is_past = |window: &Window| {
                let source = &sources[window.source];
                source.segments[window.segments.clone()].iter().any(|segment| {
                    let given = segment.given;
                    (!given.days.is_empty()
                        || given.contains(Attribute::Hours)
                        || given.contains(Attribute::Price))
                        && speaks_of_past_year(&source.passage.text[segment.range.clone()])
                })
            };
            found.retain(|window| !is_past(window));
        }
        match &self.timing {
            Some(timing) => timing.restrict(found, sources),
            None => found.into_iter().map(|window| (window, true)).collect(),
        }
    }

    /// Returns the share of the question's words, by rarity, that have their bit set.
    pub(super) fn share(&self, words: u64) -> f64 {
        let all: f64 = self.rarity.iter().sum();
        if all > 0.0 { self.rarity_of(words) / all } else { 0.0 }
    }

    /// Returns the sum of the rarities of the words that have their bit set.
    fn rarity_of(&self, words: u64) -> f64 {
        let set = self.rarity.iter().enumerate().filter(|(index, _)| words & (1 << index) != 0);
        set.map(|(_, rarity)| rarity).sum()
    }

    /// Returns whether it asks for something that it names, or for its price.
    pub(super) fn names_offer(&self) -> bool {
        matches!(self.form, Form::Offer | Form::Price) && self.object != 0 && !self.says_when()
    }

    /// Returns whether it asks for the price of something that the content does not have.
    pub(super) fn asks_price_of_unknown(&self) -> bool {
        self.form == Form::Price && self.object & !self.known != 0
    }

    /// Returns the bit of the last word for what the question names.
    pub(super) fn last_object(&self) -> u64 {
        if self.object == 0 { 0 } else { 1 << (u64::BITS - 1 - self.object.leading_zeros()) }
    }

    /// Returns the share of the words for what the question names, by rarity, that do not have their bit set.
    pub(super) fn lack(&self, words: u64) -> f64 {
        let all = self.rarity_of(self.object);
        if all > 0.0 { self.rarity_of(self.object & !words) / all } else { 0.0 }
    }

    /// Returns the features of a window.
    #[expect(clippy::cast_precision_loss, reason = "numbers of segments and bytes of a passage are small")]
    pub(super) fn window(&self, window: &Window, sources: &[Source<'_>]) -> [f64; WINDOW.len()] {
        let source = &sources[window.source];
        let run = &source.segments[window.segments.clone()];
        let facts = Facts::of(window, sources);
        let bytes = window.text(sources).len() as f64;
        let relevance = &source.passage.relevance;
        let own = self.share(facts.words);
        let with_headings = self.share(facts.all_words);
        let first = &run[0];
        let items = run.iter().filter(|segment| matches!(segment.shape, Shape::Item | Shape::Step)).count()
            as f64
            / run.len() as f64;
        let given = |attribute| facts.given.contains(attribute);
        let asks = |attribute| self.asked.contains(attribute);
        let contact = [Attribute::Phone, Attribute::Email, Attribute::Address, Attribute::Payment];
        let contact_asked = contact.iter().any(|attribute| asks(*attribute));
        let contact_given = contact.iter().any(|attribute| asks(*attribute) && given(*attribute));
        let flag = |condition: bool| f64::from(u8::from(condition));
        let question_words = if first.shape == Shape::Question { self.share(first.words) } else { 0.0 };
        let has_days = !self.asked.days.is_empty();
        let day_covered = has_days && facts.given.days.covers(self.asked.days);
        let hours = asks(Attribute::Hours);
        let price = asks(Attribute::Price);
        let number = asks(Attribute::Date) || asks(Attribute::Quantity);
        [
            source.passage.score,
            flag(window.source == 0),
            flag(window.source == 1),
            relevance.similarity.unwrap_or_default(),
            relevance.lexical,
            own,
            with_headings,
            self.share(source.heading_words),
            flag(self.rarest & (facts.words | facts.section_words) != 0),
            own / (1.0 + bytes / 100.0),
            facts.nearness_mean.unwrap_or_default(),
            facts.nearness_best.unwrap_or_default(),
            bytes / 500.0,
            (run.len() as f64).ln(),
            flag(window.segments.start == 0),
            flag(!first.starts_line),
            flag(first.shape == Shape::Heading),
            flag(first.shape == Shape::Question),
            question_words,
            items,
            flag(self.is_how) * items,
            flag(contact_given),
            flag(contact_asked && !contact_given),
            flag(hours && given(Attribute::Hours)),
            flag(hours && !given(Attribute::Hours)),
            flag(price && given(Attribute::Price)),
            flag(price && !given(Attribute::Price)),
            flag(number && (given(Attribute::Date) || given(Attribute::Quantity))),
            flag(day_covered),
            flag(has_days && !day_covered),
        ]
    }
}
