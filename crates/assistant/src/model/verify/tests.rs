//! Answers and what is left of them after verification.

use super::*;
use crate::fixtures::passage;
use crate::settings::Settings;

fn supported(answer: &str, cited: &[&Passage]) -> Option<String> {
    Claims::new(answer, cited, &Topics::of(&Settings::default())).supported_text()
}

#[test]
fn unsupported_sentences_are_removed() {
    let prices = passage("Prices", "The Pro plan costs $7 per month. You can cancel the plan at any time.");
    for (answer, expected) in [
        ("The Pro plan costs $7 per month.", Some("The Pro plan costs $7 per month.")),
        ("Sure! The Pro plan costs $7 a month.", Some("Sure! The Pro plan costs $7 a month.")),
        ("The Pro plan costs $9 per month.", None),
        (
            "The Pro plan costs $7 per month. Shipping to Mars takes three weeks.",
            Some("The Pro plan costs $7 per month."),
        ),
        ("Our founder Jane loves dogs.", None),
        ("Yes.", None),
        ("Yes. 42.", None),
        (
            "- Plans can be cancelled any time\n- Rockets included for pilots",
            Some("- Plans can be cancelled any time"),
        ),
        (
            "1. The Pro plan costs $7 per month.\n\n2. You can cancel the plan.",
            Some("1. The Pro plan costs $7 per month.\n\n2. You can cancel the plan."),
        ),
        (
            "The plan costs $7 per month. Anything else about rockets?",
            Some("The plan costs $7 per month. Anything else about rockets?"),
        ),
        ("", None),
    ] {
        assert_eq!(supported(answer, &[&prices]).as_deref(), expected, "{answer}");
    }
    assert_eq!(supported("The Pro plan costs $7 per month.", &[]), None);
}

#[test]
fn a_single_word_of_a_passage_supports_no_claim() {
    let cake = passage("Cake", "The cake contains hazelnuts. Guests eat it warm.");
    for claim in [
        "No, she cannot eat it.",
        "Yes, she can eat it.",
        "She can't eat it.",
        "She can just eat it with you.",
        "No hazelnuts.",
    ] {
        assert_eq!(supported(claim, &[&cake]), None, "{claim}");
    }
    let stated = "The cake contains hazelnuts.";
    for (answer, expected) in [
        ("Yes. The cake contains hazelnuts.", Some("Yes. The cake contains hazelnuts.")),
        ("Yes, the cake contains hazelnuts.", Some("Yes, the cake contains hazelnuts.")),
        ("No problem! The cake contains hazelnuts.", Some("No problem! The cake contains hazelnuts.")),
        ("No, she cannot eat it. The cake contains hazelnuts.", Some(stated)),
        ("Hazelnuts.", Some("Hazelnuts.")),
    ] {
        assert_eq!(supported(answer, &[&cake]).as_deref(), expected, "{answer}");
    }

    let mut german = passage("Kuchen", "Der Kuchen enthält Haselnüsse. Gäste essen ihn warm.");
    german.language = Some("de".into());
    for claim in ["Nein, das kann sie nicht essen.", "Ja, das kann sie essen.", "Sie kann ihn nicht essen."] {
        assert_eq!(supported(claim, &[&german]), None, "{claim}");
    }
    for answer in
        ["Ja, der Kuchen enthält Haselnüsse.", "Kein Problem! Der Kuchen enthält Haselnüsse.", "Haselnüsse."]
    {
        assert_eq!(supported(answer, &[&german]).as_deref(), Some(answer));
    }
}

#[test]
fn negations_agree_with_the_statement_that_has_the_words() {
    let mut english = passage(
        "House rules",
        "Dogs are allowed in the garden, but not in the pool. We do not deliver parcels to Norway. \
         Breakfast is served until ten. Sunday: closed. Check in no later than 8 pm.",
    );
    english.title = "Can I smoke in the rooms?\nNo, please go outside.".into();
    let mut german = passage(
        "Hausordnung",
        "Hunde sind im Garten erlaubt, aber nicht im Pool. Wir liefern keine Pakete nach Norwegen. \
         Sonntag: geschlossen.",
    );
    german.language = Some("de".into());
    for (passage, text, is_supported) in [
        (&english, "Dogs are allowed in the garden.", true),
        (&english, "No, dogs are not allowed in the garden.", false),
        (&english, "Dogs aren't allowed in the garden.", false),
        (&english, "Dogs are not allowed in the pool.", true),
        (&english, "No, we do not deliver parcels to Norway.", true),
        (&english, "Yes, we deliver parcels to Norway.", false),
        (&english, "We deliver parcels to Norway.", false),
        (&english, "Breakfast is never served until ten.", false),
        (&english, "Breakfast is served until ten.", true),
        (&english, "No, you cannot smoke in the rooms.", true),
        (&english, "You can smoke in the rooms.", false),
        (&english, "We are closed on Sunday.", true),
        (&english, "Check in by 8 pm.", true),
        (&german, "Hunde sind im Garten erlaubt.", true),
        (&german, "Nein, Hunde sind im Garten nicht erlaubt.", false),
        (&german, "Nein, wir liefern keine Pakete nach Norwegen.", true),
        (&german, "Ja, wir liefern Pakete nach Norwegen.", false),
        (&german, "Wir haben am Sonntag geschlossen.", true),
    ] {
        assert_eq!(supported(text, &[passage]).is_some(), is_supported, "{text}");
    }
}

#[test]
fn numbers_are_compared_without_separators() {
    let limits = passage("Limits", "Up to 1,000 messages per month.");
    assert!(supported("You get 1000 messages per month.", &[&limits]).is_some());
    assert!(supported("You get 10000 messages per month.", &[&limits]).is_none());
}

#[test]
fn sentences_in_another_language_are_undecided_unless_a_number_is_wrong() {
    let prices = passage("Prices", "The Pro plan costs $7 per month.");
    let answer = "Der Tarif Pro kostet 7 $ im Monat. Er kostet 9 $ im Jahr. Raketen sind enthalten.";
    let mut claims = Claims::new(answer, &[&prices], &Topics::of(&Settings::default()));
    assert!(claims.are_foreign(Language::German) && !claims.are_foreign(Language::English));
    assert_eq!(claims.undecided().len(), 2);
    claims.decide(&[1]);
    assert_eq!(claims.supported_text().as_deref(), Some("Der Tarif Pro kostet 7 $ im Monat."));
}

#[test]
fn a_clarification_is_one_question() {
    assert_eq!(
        question("I see. Which plan do you mean? https://evil.example"),
        Some("Which plan do you mean?".into())
    );
    assert_eq!(question("Tell me more."), None);
    assert_eq!(question(&format!("{}?", "x".repeat(400))), None);
}
