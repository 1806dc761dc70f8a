//! Decisions before and after writing, without a model.

use frontdesk_knowledge::Passage;
use frontdesk_outbound::Policy;

use super::*;
use crate::conversation::Turn;
use crate::fixtures::{passage, remove_support, task};
use crate::settings::{Instruction, SensitiveTopic};
use crate::task::Kind;

fn assistant() -> Assistant {
    Assistant::new(None, Outbound::new(Policy::new("test")).unwrap())
}

fn hours() -> Passage {
    passage("Opening hours", "We are open on weekdays from 9 to 17. On Saturdays we are closed.")
}

#[tokio::test]
async fn a_request_for_a_person_is_handed_over_at_once() {
    for (question, expected) in [
        ("I want to talk to a human", "I will pass this on to a person from Acme."),
        ("Ich möchte mit einem Menschen sprechen", "Ich gebe das an einen Menschen von Acme weiter."),
        ("Mitarbeiter bitte", "Ich gebe das an einen Menschen von Acme weiter."),
    ] {
        let mut task = task(question, &[hours()]);
        task.settings.respond_in_user_language = true;
        let draft = assistant().respond(task).await;
        assert_eq!((draft.action, draft.needs_escalation), (Action::Escalate, true), "{question}");
        assert_eq!(draft.text, expected);
    }
}

#[tokio::test]
async fn courtesies_are_returned_without_sources() {
    for (question, expected) in [
        ("Hello!", "Hello! What would you like to know about Acme?"),
        ("moin", "Hallo! Was möchten Sie über Acme wissen?"),
        ("merci beaucoup", "Avec plaisir ! Puis-je vous aider pour autre chose ?"),
        ("bye", "Goodbye, and thank you for your visit!"),
    ] {
        let mut task = task(question, &[hours()]);
        task.settings.respond_in_user_language = true;
        let draft = assistant().respond(task).await;
        assert_eq!((draft.text.as_str(), draft.action), (expected, Action::Answer));
        assert!(draft.sources.is_empty() && !draft.needs_escalation && !draft.model_ran);
    }
    let draft = assistant().respond(task("???", &[])).await;
    assert_eq!(draft.action, Action::Clarify);
}

#[tokio::test]
async fn the_offer_is_made_once_and_the_sign_stays() {
    let mut task = task("This is ridiculous! When are you open on weekdays?", &[hours()]);
    let draft = assistant().respond(task.clone()).await;
    assert_eq!((draft.action, draft.needs_escalation), (Action::Answer, true));
    assert!(draft.text.contains("from 9 to 17"), "{}", draft.text);
    assert_eq!(draft.offer, Some("Shall I connect you with a person from the team?"));
    assert!(
        draft
            .full_text()
            .ends_with("weekdays from 9 to 17.\n\nShall I connect you with a person from the team?")
            || draft.full_text().ends_with("\n\nShall I connect you with a person from the team?")
    );
    for offer in [Offer::Pending, Offer::Past] {
        task.offer = offer;
        let again = assistant().respond(task.clone()).await;
        assert_eq!((again.needs_escalation, again.offer), (true, None));
        assert_eq!(again.full_text(), again.text);
    }
}

#[tokio::test]
async fn every_language_offers_a_person_and_understands_the_reply() {
    for (language, yes, no) in [
        ("en", "Yes please", "No thanks"),
        ("de", "Ja bitte", "Nein danke"),
        ("fr", "Oui s'il vous plaît", "Non merci"),
        ("es", "Sí, por favor", "No, gracias"),
        ("nl", "Ja graag", "Nee, dank je"),
        ("it", "Sì, per favore", "No, grazie"),
        ("pt", "Sim, por favor", "Não, obrigado"),
    ] {
        let phrases = Phrases::of(Language::from_tag(language).unwrap());
        let mut task = task("xyzzy", &[]);
        task.settings.language = Some(language.into());
        let refusal = assistant().respond(task.clone()).await;
        assert_eq!((refusal.action, refusal.offer), (Action::Refuse, Some(phrases.offer)), "{language}");

        task.history = vec![
            Turn::visitor("xyzzy"),
            Turn::assistant(refusal.full_text(), refusal.action, refusal.needs_escalation),
        ];
        task.offer = Offer::Pending;
        task.question = yes.into();
        let accepted = assistant().respond(task.clone()).await;
        assert_eq!((accepted.action, accepted.needs_escalation), (Action::Escalate, true), "{yes}");
        assert_eq!((accepted.text, accepted.offer), (phrases.fill(phrases.escalate, "Acme"), None));

        task.question = no.into();
        let declined = assistant().respond(task).await;
        assert_eq!(
            (declined.action, declined.needs_escalation, declined.offer),
            (Action::Clarify, false, None),
            "{no}"
        );
        assert_eq!(declined.text, phrases.carry_on);
    }
}

#[tokio::test]
async fn the_second_refusal_in_a_row_needs_a_person() {
    let mut task = task("Do you deliver to Mars?", &[]);
    let first = assistant().respond(task.clone()).await;
    assert_eq!((first.action, first.needs_escalation), (Action::Refuse, false));
    assert!(first.offer.is_some());
    task.offer = Offer::Pending;
    task.history =
        vec![Turn::visitor("Do you sell rockets?"), Turn::assistant(first.text, first.action, false)];
    let second = assistant().respond(task).await;
    assert_eq!((second.action, second.needs_escalation, second.offer), (Action::Refuse, true, None));
}

#[tokio::test]
async fn blocked_and_sensitive_topics_are_refused_before_writing() {
    let saturday = |question: &str| task(question, &[hours()]);
    let mut blocked = saturday("Are you open on Saturdays?");
    blocked.settings.blocked_topics = vec!["Saturday".into()];
    let mut ruled = saturday("Are you open on Saturdays?");
    ruled.settings.instructions =
        vec![Instruction { text: "Do not talk about Saturdays".into(), is_critical: true }];
    let sensitive = saturday("Should I vote for the party that is open on Saturdays?");
    for task in [blocked, ruled, sensitive.clone()] {
        let draft = assistant().respond(task).await;
        assert_eq!(draft.action, Action::Refuse);
        assert!(draft.text.starts_with("I cannot help with that topic here."), "{}", draft.text);
    }
    let mut allowed = sensitive;
    allowed.settings.allowed_sensitive_topics = vec![SensitiveTopic::Politics];
    assert_eq!(assistant().respond(allowed).await.action, Action::Answer);
}

#[tokio::test]
async fn what_the_website_says_on_a_sensitive_topic_is_answered() {
    for (language, page, text, question, fact) in [
        (
            "en",
            "Divorce",
            "You need a lawyer for a divorce in court.",
            "Do I need a lawyer for a divorce?",
            "need a lawyer",
        ),
        (
            "en",
            "Whitening",
            "Side effects of whitening are rare and mild.",
            "What are the side effects of whitening?",
            "rare",
        ),
        (
            "de",
            "Bleaching",
            "Nebenwirkungen des Bleachings sind selten.",
            "Welche Nebenwirkungen hat das Bleaching?",
            "selten",
        ),
        (
            "de",
            "Scheidung",
            "Für die Scheidung brauchen Sie einen Anwalt.",
            "Brauche ich für die Scheidung einen Anwalt?",
            "Anwalt",
        ),
        (
            "fr",
            "Blanchiment",
            "Les effets secondaires du blanchiment sont rares.",
            "Quels sont les effets secondaires du blanchiment ?",
            "rares",
        ),
        (
            "es",
            "Blanqueamiento",
            "Los efectos secundarios del blanqueamiento son leves.",
            "¿Qué efectos secundarios tiene el blanqueamiento?",
            "leves",
        ),
        (
            "nl",
            "Scheiding",
            "Voor een scheiding heeft u een advocaat nodig.",
            "Heb ik voor een scheiding een advocaat nodig?",
            "advocaat nodig",
        ),
        (
            "it",
            "Divorzio",
            "Per il divorzio serve un avvocato.",
            "Per il divorzio ho bisogno di un avvocato?",
            "serve un avvocato",
        ),
        (
            "pt",
            "Clareamento",
            "Os efeitos colaterais do clareamento são leves.",
            "Quais são os efeitos colaterais do clareamento?",
            "leves",
        ),
    ] {
        let found = Passage { language: Some(language.into()), ..passage(page, text) };
        let mut asked = task(question, &[found]);
        asked.settings.language = Some(language.into());
        let draft = assistant().respond(asked.clone()).await;
        assert_eq!(draft.action, Action::Answer, "{question}: {}", draft.text);
        assert!(draft.text.contains(fact), "{question}: {}", draft.text);

        // The same words without support in the content are a request for advice.
        remove_support(&mut asked);
        let refused = assistant().respond(asked.clone()).await;
        let blocked = Phrases::of(Language::from_tag(language).unwrap());
        assert_eq!(refused.text, blocked.fill(blocked.blocked, "Acme"), "{question}");
        asked.retrieval.passages = vec![Passage { language: Some(language.into()), ..hours() }];
        assert_eq!(assistant().respond(asked).await.action, Action::Refuse, "{question}");
    }
}

#[tokio::test]
async fn the_owners_own_answer_may_touch_a_sensitive_topic() {
    let item = Passage { exact_answer: true, ..passage("", "No, we give no legal advice.") };
    let mut task = task("Do you give legal advice?", &[item]);
    assert_eq!(assistant().respond(task.clone()).await.text, "No, we give no legal advice.");
    task.settings.blocked_topics = vec!["legal advice".into()];
    assert_eq!(assistant().respond(task).await.action, Action::Refuse);
}

#[tokio::test]
async fn emails_are_answered_as_emails() {
    let mut task = task("I want to talk to a human", &[hours()]);
    task.kind = Kind::EmailReply { subject: "Help".into(), thread: Vec::new() };
    let draft = assistant().respond(task.clone()).await;
    assert_eq!(draft.action, Action::Escalate);
    assert!(
        draft.text.starts_with("Hello,\n\n") && draft.text.ends_with("Kind regards\nAcme"),
        "{}",
        draft.text
    );
    task.question = "Thanks!".into();
    remove_support(&mut task);
    let draft = assistant().respond_without_model(&task);
    assert_eq!(draft.action, Action::Refuse);
}

#[test]
fn a_model_is_asked_only_when_the_passages_have_something() {
    assert!(is_worth_a_model(&Assessment::of(&task("When are you open?", &[hours()]))));
    let mut asked = task("Do you repair helicopters?", &[hours()]);
    remove_support(&mut asked);
    assert!(is_worth_a_model(&Assessment::of(&asked)));
    asked.retrieval.support.rare_match = false;
    asked.retrieval.support.coverage = 0.1;
    assert!(!is_worth_a_model(&Assessment::of(&asked)));
    assert!(!is_worth_a_model(&Assessment::of(&task("When are you open?", &[]))));
    assert!(!is_worth_a_model(&Assessment::of(&task("When are you open?", &[passage("Empty", "  \n")]))));

    let item = Passage { exact_answer: true, ..passage("", "At nine.") };
    let mut exact = task("Wann habt ihr offen und wie lange?", &[item]);
    assert!(!is_worth_a_model(&Assessment::of(&exact)));
    exact.settings.respond_in_user_language = true;
    assert!(is_worth_a_model(&Assessment::of(&exact)));
}
