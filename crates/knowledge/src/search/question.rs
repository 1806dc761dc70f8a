//! Analysis of a question into concepts.

use std::collections::HashMap;

use super::concepts::{Concept, Concepts, Form, idf};
use super::index::{Index, IndexError, IndexStats};
use super::query::Query;
use super::{languages, spelling, synonyms};
use crate::analyze::{
    Language, Morphology, Word, WordAnalyzer, conjugation, detect_language, is_anaphoric, likely_language,
    question_words,
};
use crate::attributes::{Attribute, asked, names_feast, says_when};
use crate::words::fold_text;

/// A question with at most this many content words may refer to the previous one.
const SHORT_QUESTION: usize = 3;

/// Weight of the words of the previous question in a question that refers to it.
const PREVIOUS_WEIGHT: f64 = 0.5;

/// Weight of words that occur in questions about any topic.
const FILLER_WEIGHT: f64 = 0.3;

/// Weight of an additional spelling of several words.
const ALIAS_WEIGHT: f64 = 0.5;

/// Weight of two words written as one.
const JOINED_WEIGHT: f64 = 0.8;

/// Weight of another form of a verb.
const CONJUGATED_WEIGHT: f64 = 0.9;

/// Weight of an attribute that the question asks for.
const ATTRIBUTE_WEIGHT: f64 = 0.5;

/// Weight of an attribute in a question of one word.
const BARE_ATTRIBUTE_WEIGHT: f64 = 2.0;

/// Fewest letters of the name of a feast; shorter words such as "new" and "day" are parts of one.
const LEAST_FEAST: usize = 4;

/// Most content words of a question that are used; longer questions are pasted texts.
const MAX_CONCEPTS: usize = 40;

/// Analyzes a question, looks up the rarity of its words, and adds corrections of words that the content does
/// not have.
pub(super) async fn concepts(
    index: &impl Index,
    query: &Query,
    languages: &[Morphology],
    stats: &IndexStats,
    knows: &(dyn Fn(&str) -> bool + Sync),
) -> Result<Concepts, IndexError> {
    let mut list = Vec::new();
    push(&mut list, &query.question, languages, 1.0);
    let own = required(&list);
    let is_follow_up = refers_back(query, own, languages);
    if let Some(previous) = query.previous.as_ref().filter(|_| is_follow_up) {
        push(&mut list, previous, languages, PREVIOUS_WEIGHT);
    }
    push_attributes(&mut list, &query.question, own);
    look_up(index, &mut list, stats).await?;
    spelling::correct(index, &mut list, languages, stats, knows).await?;
    let language = language_of(&query.question, &list);
    Ok(Concepts { list, is_follow_up, language })
}

/// Returns the language of a question. If the content has none of its words, a single function word decides:
/// "Sind Hunde erlaubt?" is a question in another language, while "van" in "Van rental?" is not Dutch.
fn language_of(question: &str, list: &[Concept]) -> Option<Language> {
    let is_known = |concept: &Concept| concept.forms.iter().any(|form| form.document_frequency > 0);
    let has_known = || list.iter().any(|concept| concept.is_required && is_known(concept));
    detect_language(question).or_else(|| likely_language(question).filter(|_| !has_known()))
}

impl Query {
    /// Returns whether the question may refer to the previous one, in which case both are searched for
    /// together. It may if it has few words of its own or words such as "it" or "there".
    pub fn is_follow_up(&self) -> bool {
        is_follow_up(self, &languages(self))
    }
}

/// Returns whether a question may refer to the one before it, as far as its words show.
fn is_follow_up(query: &Query, languages: &[Morphology]) -> bool {
    let mut list = Vec::new();
    push(&mut list, &query.question, languages, 1.0);
    refers_back(query, required(&list), languages)
}

fn required(list: &[Concept]) -> usize {
    list.iter().filter(|concept| concept.is_required).count()
}

fn refers_back(query: &Query, own_words: usize, languages: &[Morphology]) -> bool {
    let language = languages.first().copied().unwrap_or(Morphology::Plain);
    query.previous.is_some() && (own_words <= SHORT_QUESTION || is_anaphoric(&query.question, language))
}

/// Adds the attributes that the question asks for, such as a telephone number, whatever words the content has
/// for them.
///
/// A question without another subject asks for the attribute itself: for "Address?", a text that states an
/// address is better than one with the word.
///
/// Of a question that only names a day, the hours are asked for. Otherwise the day belongs to what the
/// question is about.
fn push_attributes(list: &mut Vec<Concept>, question: &str, own_words: usize) {
    let weight = if own_words <= 1 { BARE_ATTRIBUTE_WEIGHT } else { ATTRIBUTE_WEIGHT };
    let mut asked = asked(question);
    let has_subject = list.iter().any(|concept| concept.is_required && !concept.says_when());
    if asked.is_empty() && !asked.days.is_empty() && !has_subject {
        asked.insert(Attribute::Hours);
    }
    for attribute in asked.iter().filter(|attribute| attribute.is_indexed()) {
        let term = attribute.term().to_owned();
        list.push(Concept {
            typed: String::new(),
            forms: vec![Form::unknown(&term, 1.0, true)],
            term,
            meant: None,
            weight,
            is_required: false,
            is_kind: false,
        });
    }
}

fn push(list: &mut Vec<Concept>, text: &str, languages: &[Morphology], weight: f64) {
    let words = question_words(text, languages);
    let lower = text.to_lowercase();
    let analyzers: Vec<WordAnalyzer> =
        languages.iter().map(|language| WordAnalyzer::new(*language)).collect();
    for (place, word) in words.iter().enumerate() {
        if list.len() >= MAX_CONCEPTS {
            return;
        }
        let first = &word.terms[0];
        if list.iter().any(|concept| concept.term == first.text) {
            continue;
        }
        let mut forms: Vec<Form> =
            word.terms.iter().map(|term| Form::unknown(&term.text, 1.0, true)).collect();
        // `user name` is also written `username`.
        let before = place.checked_sub(1).and_then(|before| words.get(before)).map(|before| (before, word));
        let after = words.get(place + 1).map(|after| (word, after));
        for (left, right) in [before, after].into_iter().flatten().filter(|_| !first.alias) {
            let joined = analyzers[0].term(&format!("{}{}", left.typed, right.typed));
            forms.extend(joined.map(|term| Form::unknown(&term, JOINED_WEIGHT, true)));
        }
        for (morphology, analyzer) in languages.iter().zip(&analyzers) {
            let Some(language) = morphology.language() else { continue };
            for other in conjugation::of(&word.typed, language) {
                let term = analyzer.term(&other);
                let new = term.filter(|term| forms.iter().all(|form| form.term != *term));
                forms.extend(new.map(|term| Form::unknown(&term, CONJUGATED_WEIGHT, true)));
            }
        }
        for (synonym, synonym_weight) in synonyms::of(&first.text, languages[0]) {
            forms.push(Form::unknown(&synonym, synonym_weight, false));
        }
        let kind = if first.alias {
            ALIAS_WEIGHT
        } else if first.filler {
            FILLER_WEIGHT
        } else {
            1.0
        };
        list.push(Concept {
            typed: word.typed.clone(),
            term: first.text.clone(),
            meant: None,
            is_required: !first.alias && !first.filler && weight >= 1.0,
            is_kind: {
                let before = place.checked_sub(1).and_then(|before| words.get(before));
                says_which(&word.typed, before, words.get(place + 1), &lower)
            },
            forms,
            weight: weight * kind,
        });
    }
}

/// Returns whether the name of a feast says which kind of thing is meant, in a text in lower case: "Christmas
/// trees", "árboles de Navidad".
fn says_which(typed: &str, before: Option<&Word>, after: Option<&Word>, text: &str) -> bool {
    let is_thing = |word: &&Word| !says_when(&word.typed);
    let name = fold_text(typed);
    name.len() >= LEAST_FEAST
        && names_feast(&name)
        && (after.filter(is_thing).is_some_and(|thing| text.contains(&format!("{typed} {}", thing.typed)))
            || before.filter(is_thing).is_some_and(|thing| {
                let joint = |of: &str| text.contains(&format!("{} {of} {typed}", thing.typed));
                ["de", "di", "do", "da", "of"].into_iter().any(joint)
            }))
}

async fn look_up(index: &impl Index, list: &mut [Concept], stats: &IndexStats) -> Result<(), IndexError> {
    let terms: Vec<String> =
        list.iter().flat_map(|concept| &concept.forms).map(|form| form.term.clone()).collect();
    if terms.is_empty() {
        return Ok(());
    }
    let frequencies: HashMap<&String, u64> =
        terms.iter().zip(index.document_frequencies(&terms).await?).collect();
    for form in list.iter_mut().flat_map(|concept| &mut concept.forms) {
        form.document_frequency = frequencies.get(&form.term).copied().unwrap_or(0);
        form.idf = idf(form.document_frequency, stats.chunks);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feast_may_say_which_things_are_meant() {
        for (question, language, is_kind) in [
            ("Do you sell Christmas trees?", "en", true),
            ("¿Vendéis árboles de Navidad?", "es", true),
            ("Are you open on Christmas Eve?", "en", false),
            ("Do you deliver before Christmas?", "en", false),
            ("¿Abrís el día de Navidad?", "es", false),
        ] {
            let mut list = Vec::new();
            push(&mut list, question, &[Morphology::of(language)], 1.0);
            assert_eq!(list.iter().any(|concept| concept.is_kind), is_kind, "{question}");
        }
    }

    #[test]
    fn a_follow_up_is_short_or_refers_back() {
        let query = |question: &str, previous: Option<&str>| Query {
            question: question.to_owned(),
            previous: previous.map(str::to_owned),
            ..Query::default()
        };
        for (question, is_follow_up) in [
            ("And on Sundays?", true),
            ("How much is that one?", true),
            ("Und wie viel kostet das?", true),
            ("Which documents prove my identity when I collect a large parcel?", false),
        ] {
            assert_eq!(
                query(question, Some("When are you open?")).is_follow_up(),
                is_follow_up,
                "{question}"
            );
            assert!(!query(question, None).is_follow_up(), "{question}");
        }
    }
}
