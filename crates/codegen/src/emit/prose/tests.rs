//! Where sentences end, and how they are joined.

use super::{ended, first_sentence, opening, status_line};
use crate::{ir::Status, render::markdown};

#[test]
fn a_sentence_ends_where_the_next_begins() {
    for (text, first) in [
        ("Lists pets. Pages follow.", "Lists pets."),
        ("Lists pets.\nPages follow.", "Lists pets."),
        ("Lists pets, e.g. Dogs. And more.", "Lists pets, e.g. Dogs."),
        ("Apps (e.g. Web. Also TV). They sign in.", "Apps (e.g. Web. Also TV)."),
        ("See [the Docs. Part 2](https://x.example). Then go.", "See [the Docs. Part 2](https://x.example)."),
        ("Takes `a. B` as it is. Then more.", "Takes `a. B` as it is."),
        ("Cats vs. Dogs. Choose.", "Cats vs. Dogs."),
        ("Approx. Ten. Or so.", "Approx. Ten."),
        ("By J. Smith. All rights.", "By J. Smith."),
        ("Cats, dogs etc. live here. They do.", "Cats, dogs etc. live here."),
        ("Cats, dogs etc. They live here.", "Cats, dogs etc."),
        ("An open ( is text. It is.", "An open ( is text."),
        ("One of:\n- first. Second\n- third", "One of …"),
        ("\n\nNo end\nhere\n\nNext", "No end here"),
        ("Where:\n\n- it is", "Where …"),
        ("", ""),
    ] {
        assert_eq!(first_sentence(text), first, "{text}");
    }
}

#[test]
fn a_sentence_has_one_end() {
    for (text, sentence) in
        [("Pets", "Pets."), ("Pets.", "Pets."), ("Pets?", "Pets?"), ("`id`", "`id`."), ("One of:", "One of:")]
    {
        assert_eq!(ended(text), sentence);
    }
}

#[test]
fn the_full_stop_of_a_paragraph_of_html_is_inside_it() {
    for (text, sentence) in [
        ("<p>Lists pets</p>", "<p>Lists pets.</p>"),
        ("<p>Lists pets.</p>\n", "<p>Lists pets.</p>"),
        ("<div><p>Lists <code>pets</code></p>\n</div>", "<div><p>Lists <code>pets</code>.</p>\n</div>"),
        ("Lists pets<br />", "Lists pets.<br />"),
        ("<P>Lists pets</P >", "<P>Lists pets.</P >"),
        ("Lists:<ul><li>cats</li></ul>", "Lists:<ul><li>cats</li></ul>"),
        ("<b>Pets</b>", "<b>Pets</b>."),
        ("See <https://x.example>", "See <https://x.example>."),
        ("Fewer <p> than a > b>", "Fewer <p> than a > b>."),
        ("</p>", "</p>"),
    ] {
        assert_eq!(ended(text), sentence, "{text}");
        assert!(!markdown(&ended(text)).lines().any(|line| line == "."), "{text}");
    }
}

#[test]
fn a_status_is_said_once() {
    for (status, docs, line) in [
        (Status::Code(400), Some("400 Bad Request"), "400: Bad Request"),
        (Status::Code(400), Some("400"), "400"),
        (Status::Code(400), Some("4000 pets are too many"), "400: 4000 pets are too many"),
        (Status::Default, Some("oops"), "Any other status: oops"),
        (Status::Class(4), None, "4XX"),
    ] {
        assert_eq!(status_line(status, docs), line);
    }
}

#[test]
fn an_overview_opens_with_a_paragraph() {
    for (text, first) in [
        ("Pets for all.\n\nMore.", Some("Pets for all.")),
        ("# Pets\n\nPets for all.", Some("Pets for all.\n")),
        ("<h1>Pets</h1><p>Pets for all.</p>", Some("Pets for all.")),
        ("# Pets", None),
        ("", None),
        ("```\na\n\nb\n```\n\nText.", Some("Text.")),
    ] {
        assert_eq!(opening(text).as_deref().map(str::trim), first.map(str::trim), "{text}");
    }
}
