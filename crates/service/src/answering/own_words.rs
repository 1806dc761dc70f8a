//! Addresses and phone numbers that a visitor leaves in a message.

use frontdesk_runtime::check::Format;
use frontdesk_store::{Conversation, ConversationMode, phone_number};

/// Returns whether a visitor who writes next in a conversation has a reason to leave an address: the last
/// message offers a person, or a person was asked for and has not come yet.
pub(super) fn is_asked(conversation: &Conversation) -> bool {
    conversation.mode == ConversationMode::HumanRequested
        || conversation.offer_position == Some(conversation.message_count)
}

/// Returns the first e-mail address of a text.
pub(super) fn email(text: &str) -> Option<String> {
    let words = text.split(|character: char| character.is_whitespace() || "<>()[]\"',;:".contains(character));
    let addresses = words.map(|word| word.trim_matches(['.', '!', '?']));
    let found = addresses.into_iter().find(|word| {
        let has_domain = word.rsplit_once('@').is_some_and(|(_, domain)| domain.contains('.'));
        has_domain && Format::Email.matches(word)
    });
    found.map(str::to_owned)
}

/// Returns the first phone number with its country code, in the format E.164.
pub(super) fn phone(text: &str) -> Option<String> {
    let begins = text.match_indices('+').map(|(begin, _)| begin);
    begins.into_iter().find_map(|begin| {
        let (plus, rest) = text[begin..].split_at(1);
        let is_part = |character: char| character.is_ascii_digit() || " \u{a0}-./()".contains(character);
        let end = rest.find(|character| !is_part(character)).unwrap_or(rest.len());
        phone_number(&format!("{plus}{}", &rest[..end]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_sentences() {
        for (text, expected) in [
            ("Yes please, ann@customer.example.", Some("ann@customer.example")),
            ("My email: <Ann.B+x@customer.example>!", Some("Ann.B+x@customer.example")),
            ("write to me @ home, or ann@localhost", None),
            ("no thanks", None),
        ] {
            assert_eq!(email(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn phone_numbers_are_found_in_sentences() {
        for (text, expected) in [
            ("Call +44 (0)20 7946-0018, please.", Some("+442079460018")),
            ("1 + 1 = 2, and +49 30 901820 is mine", Some("+4930901820")),
            ("020 7946 0018", None),
            ("order 4711", None),
        ] {
            assert_eq!(phone(text).as_deref(), expected, "{text}");
        }
    }
}
