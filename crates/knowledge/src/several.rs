//! Messages with several questions, which are searched for one by one.

use crate::analyze::{Language, detect_language};
use crate::attributes::{Attribute, asked};
use crate::words::Words;

/// Most questions into which a message is split. Longer messages are usually stories.
const MOST: usize = 3;

/// Longest message that is split into questions, in bytes.
const LONGEST: usize = 400;

/// Words that join two questions.
const AND: &[&str] = &["and", "und", "et", "y", "e", "en", "i", "oraz", "sowie"];

/// How a question begins after such a word.
const OPENERS: &[&str] = &[
    "what|when|where|who|how|which|why",
    "do|does|can|could|may|will|is|are you|we|i|there",
    "was|wann|wo|wer|wie|wieviel|welche|welcher|welches|warum|woher|wohin",
    "kann|konnen|habt|gibt|seid|macht|bietet|darf|ist|sind ich|man|ihr|sie|es|wir",
    "quel|quelle|quels|quelles|quand|ou|qui|comment|combien|pourquoi",
    "est ce que|qu",
    "que|cuando|donde|quien|como|cuanto|cuanta|cual",
    "por que",
    "che|cosa|quando|dove|chi|come|quanto|quanta|quale|perche",
    "wat|wanneer|waar|wie|hoe|hoeveel|welke|waarom",
    "kan|kunnen|hebben|zijn ik|jullie|we|u",
    "o que",
    "quando|onde|quem|como|qual",
    "co|kiedy|gdzie|kto|jak|ile|jaki|jaka|jakie|czy|dlaczego",
];

/// How the first of two questions begins, whatever it is about: "Are dogs allowed and …".
const FIRST_OPENERS: &[&str] = &[
    "do|does|did|can|could|may|will|is|are|has|have",
    "ist|sind|hat|haben|kann|konnen|darf|durfen",
    "est|sont",
    "esta|estan|son|hay",
    "sono|c",
    "is|zijn|heeft",
    "sao|estao|ha",
];

/// Returns the questions of a message, if there are several that are understood one without the other; else
/// nothing.
pub(crate) fn questions(text: &str) -> Vec<&str> {
    if text.len() > LONGEST {
        return Vec::new();
    }
    let mut found: Vec<&str> = Vec::new();
    for sentence in sentences(text) {
        let ends_as_question = sentence.trim_end_matches([' ', '\n', '!', '.']).ends_with('?');
        let is_question = ends_as_question || !text.contains('?');
        if is_question {
            found.extend(joined(sentence));
        }
    }
    found.retain(|question| Words::of(question).len() >= 2);
    let is_several = (2..=MOST).contains(&found.len()) && {
        let language = detect_language(text);
        found[1..].iter().all(|question| stands_alone(question, language))
    };
    let are_questions = text.contains('?') || found.iter().all(|question| begins_as_question(question));
    if is_several && are_questions { found } else { Vec::new() }
}

/// Splits a message after each line, and after each stop before white space or the end of the text: the one
/// in "1.5 kg" does not end a sentence.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let ends = |(at, stop): (usize, char)| {
            let end = at + stop.len_utf8();
            let is_stop = matches!(stop, '?' | '.' | '!')
                && !rest[end..].starts_with(|next: char| !next.is_whitespace());
            (stop == '\n' || is_stop).then_some(end)
        };
        let end = rest.char_indices().find_map(ends).unwrap_or(rest.len());
        let (sentence, after) = rest.split_at(end);
        rest = after;
        (!sentence.is_empty()).then_some(sentence)
    })
}

/// Splits a sentence before each question that a word such as "and" joins to the one before.
fn joined(sentence: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = sentence;
    let mut from = 0;
    while let Some(space) = rest[from..].find(' ').map(|at| from + at) {
        from = space + 1;
        let word = rest[from..].split(' ').next().unwrap_or_default();
        let after = rest[from + word.len()..].trim_start();
        let is_joint = AND.contains(&word.to_lowercase().as_str())
            && (begins_as_question(rest) || begins_with(rest, FIRST_OPENERS))
            && begins_as_question(after)
            && Words::of(after).len() >= 2
            && Words::of(&rest[..space]).len() >= 2;
        if is_joint {
            parts.push(rest[..space].trim());
            rest = after;
            from = 0;
        }
    }
    parts.push(rest.trim());
    parts
}

fn begins_as_question(text: &str) -> bool {
    begins_with(text, OPENERS)
}

fn begins_with(text: &str, patterns: &[&str]) -> bool {
    let words = Words::of(text);
    patterns.iter().any(|pattern| words.match_length(0, pattern).is_some())
}

/// Returns whether a question in a language names what it is about, or asks for something that needs no
/// subject, such as an address.
fn stands_alone(question: &str, language: Option<Language>) -> bool {
    const REFERENCES: &[(Language, &[&str])] = &[
        (Language::English, &["it|its|they|them|that|this|those|these|one|ones"]),
        (
            Language::German,
            &[
                "das|die|der|dieser|diese|es|davon|dafur|darin|dazu $",
                "kostet|kosten|ist|sind|gibt das|die|er|sie|es",
            ],
        ),
        (Language::French, &["ca|cela|celui|celle|ils|elles|y"]),
        (Language::Spanish, &["eso|esto|ellos|ellas|lo"]),
        (Language::Italian, &["esso|essa|questo|questa|li"]),
        (Language::Dutch, &["het|dat|deze|die|ze"]),
        (Language::Portuguese, &["isso|isto|ele|ela"]),
        (Language::Polish, &["to|on|ona|tego"]),
    ];
    let words = Words::of(question);
    let asked = asked(question);
    let needs_no_subject = [Attribute::Address, Attribute::Phone, Attribute::Email, Attribute::Payment]
        .iter()
        .any(|attribute| asked.contains(*attribute));
    let is_long = words.len() >= 4;
    // "who are you".
    let is_general = asked.is_empty();
    // A reference of one language is a common word of another: "to" and "on" are pronouns in Polish.
    let mut spoken = REFERENCES.iter().filter(|(of, _)| language.is_none_or(|language| language == *of));
    !spoken.any(|(_, references)| words.has_any(references)) && (needs_no_subject || is_long || is_general)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_split_into_its_questions() {
        for (text, expected) in [
            ("Do you deliver? Where are you?", &["Do you deliver?", "Where are you?"][..]),
            (
                "Do you have gift cards? When are you open on Sunday?",
                &["Do you have gift cards?", "When are you open on Sunday?"],
            ),
            (
                "Are dogs allowed in the garden, and do I have to book a table?",
                &["Are dogs allowed in the garden,", "do I have to book a table?"],
            ),
            ("How much is 1.5 kg? Where are you?", &["How much is 1.5 kg?", "Where are you?"]),
            ("Do you deliver?! Where are you?!", &["Do you deliver?!", "Where are you?!"]),
            ("wer seid ihr und wo ist euer laden?", &["wer seid ihr", "wo ist euer laden?"]),
            ("Was kostet die Lieferung und wo seid ihr?", &["Was kostet die Lieferung", "wo seid ihr?"]),
            (
                "¿Cuánto cuesta la matrícula y dónde estáis?",
                &["¿Cuánto cuesta la matrícula", "dónde estáis?"],
            ),
            (
                "Combien coûte une révision et où êtes-vous ?",
                &["Combien coûte une révision", "où êtes-vous ?"],
            ),
            ("Ile kosztuje pranie i gdzie jesteście?", &["Ile kosztuje pranie", "gdzie jesteście?"]),
        ] {
            assert_eq!(questions(text), expected, "{text}");
        }
    }

    #[test]
    fn other_messages_are_one_question() {
        for text in [
            "Do you deliver?",
            "How do I bring and collect a tool?",
            "Do you have gift cards and how much are they?",
            "Gibt es Gutscheine und was kosten die?",
            "What happens if I book a class and do not show up?",
            "My plant arrived damaged. What happens now?",
            "",
            "?",
            "and",
        ] {
            assert!(questions(text).is_empty(), "{text}: {:?}", questions(text));
        }
    }
}
