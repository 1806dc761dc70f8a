//! Replies to the assistant's offer of a person: consent, refusal, or something else.
//!
//! A message is consent if it says yes or repeats the offer, and nothing besides: all its other words are
//! courtesies or pronouns. "Yes, and what does it cost?" is a question, not consent.

use frontdesk_knowledge::Language;

use frontdesk_knowledge::Words;

mod vocabulary;

use vocabulary::{VOCABULARIES, Vocabulary};

/// Maximum number of words of a reply. Longer messages say something else as well.
const MAX_WORDS: usize = 12;

/// Meaning of a message that may reply to the offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// The visitor wants a person. The language is known if the words belong to only one.
    Given(Option<Language>),
    /// The visitor does not want a person.
    Declined(Option<Language>),
    /// The message does not reply to the offer.
    Other,
}

/// Reads a message as a reply to the offer.
pub(crate) fn read(message: &str, words: &Words) -> Consent {
    if words.is_empty() {
        return if message.contains('👍') { Consent::Given(None) } else { Consent::Other };
    }
    if words.len() > MAX_WORDS {
        return Consent::Other;
    }
    let replies: Vec<(Language, Reply)> =
        VOCABULARIES.iter().filter_map(|known| Some((known.language, reply(known, words)?))).collect();
    let in_language = |wanted: Reply| {
        let mut languages =
            replies.iter().filter(|(_, reply)| *reply == wanted).map(|(language, _)| *language);
        languages.next().map(|first| languages.next().is_none().then_some(first))
    };
    // A word that means yes in one language may be harmless in another, so a refusal weighs more.
    if let Some(language) = in_language(Reply::No) {
        return Consent::Declined(language);
    }
    in_language(Reply::Yes).map_or(Consent::Other, Consent::Given)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    Yes,
    No,
}

/// Reads a message in one language. `None` if it has a word that belongs to no reply.
fn reply(vocabulary: &Vocabulary, words: &Words) -> Option<Reply> {
    let (mut agrees, mut acknowledges, mut declines, mut thanks) = (false, false, false, false);
    let mut at = 0;
    while at < words.len() {
        let longest = |patterns: &[&str]| {
            patterns
                .iter()
                .filter_map(|pattern| words.match_length(at, pattern))
                .filter(|length| *length > 0)
                .max()
        };
        let (yes, no) = (longest(vocabulary.yes), longest(vocabulary.no));
        at += match (yes, no) {
            // The longer phrase wins: "why not" agrees although "not" declines.
            (Some(yes), no) if no.is_none_or(|no| yes >= no) => {
                agrees = true;
                yes
            }
            (_, Some(no)) => {
                declines = true;
                no
            }
            _ => {
                let word = words.get(at)?;
                let is_one_of = |list: &str| list.split(' ').any(|known| known == word);
                thanks |= is_one_of(vocabulary.thanks);
                acknowledges |= is_one_of(vocabulary.acknowledgements);
                let is_known = [vocabulary.thanks, vocabulary.acknowledgements, vocabulary.neutral]
                    .into_iter()
                    .any(is_one_of);
                if !is_known {
                    return None;
                }
                1
            }
        };
    }
    // "Ok, thanks" closes the subject instead of accepting the offer.
    match (declines, agrees || (acknowledges && !thanks)) {
        (true, _) => Some(Reply::No),
        (false, true) => Some(Reply::Yes),
        (false, false) => None,
    }
}

#[cfg(test)]
pub(crate) fn patterns() -> impl Iterator<Item = &'static str> {
    VOCABULARIES.iter().flat_map(|known| known.yes.iter().chain(known.no).copied())
}

#[cfg(test)]
mod tests;
