//! The format `email` of the runtime, and the addresses of the service: what one accepts before the `@`, the
//! other accepts too. Otherwise a body would be valid, and its address would not.

use frontdesk_runtime::check::Format;

#[test]
fn the_same_characters_may_be_before_the_at_sign() {
    // The planes with assigned characters.
    let assigned = ('\0'..='\u{33fff}').chain('\u{e0000}'..='\u{e01ff}');
    let differing: Vec<char> = assigned
        .filter(|character| *character != '@')
        .filter(|character| {
            let text = format!("a{character}a@[192.0.2.1]");
            Format::Email.matches(&text) != frontdesk_address::email(&text).is_some()
        })
        .collect();
    assert!(differing.is_empty(), "{differing:?}");
}

#[test]
fn the_same_words_may_be_before_the_at_sign() {
    let (longest, longer) = ("a".repeat(64), "a".repeat(65));
    for local in ["", "a", "a.b", ".a", "a.", "a..b", "a@b", "\"a b\"", "jürgen", &longest, &longer] {
        let text = format!("{local}@b.example");
        assert_eq!(Format::Email.matches(&text), frontdesk_address::email(&text).is_some(), "{text}");
    }
}
