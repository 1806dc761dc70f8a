//! What is decided before and after writing, without a model.

use frontdesk_knowledge::Passage;
use frontdesk_outbound::Policy;

use super::*;
use crate::fixtures::{passage, task};
use crate::task::{Instruction, Kind, SensitiveTopic, Turn};

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
async fn an_offer_is_made_once_and_the_sign_stays() {
    let mut task = task("This is ridiculous! When are you open on weekdays?", &[hours()]);
    let draft = assistant().respond(task.clone()).await;
    assert_eq!((draft.action, draft.needs_escalation), (Action::Answer, true));
    assert!(draft.text.contains("from 9 to 17") && draft.text.ends_with("just say so."), "{}", draft.text);
    task.history.push(Turn::assistant(draft.text, draft.action, draft.needs_escalation));
    let again = assistant().respond(task).await;
    assert!(again.needs_escalation && !again.text.contains("just say so"), "{}", again.text);
}

#[tokio::test]
async fn the_second_refusal_in_a_row_needs_a_person() {
    let mut task = task("Do you deliver to Mars?", &[]);
    let first = assistant().respond(task.clone()).await;
    assert_eq!((first.action, first.needs_escalation), (Action::Refuse, false));
    task.history =
        vec![Turn::visitor("Do you sell rockets?"), Turn::assistant(first.text, first.action, false)];
    let second = assistant().respond(task).await;
    assert_eq!((second.action, second.needs_escalation), (Action::Refuse, true));
}

#[tokio::test]
async fn blocked_and_sensitive_topics_are_refused_before_writing() {
    let saturday = |question: &str| task(question, &[hours()]);
    let mut blocked = saturday("Are you open on Saturdays?");
    blocked.settings.blocked_topics = vec!["Saturday".into()];
    let mut ruled = saturday("Are you open on Saturdays?");
    ruled.settings.instructions =
        vec![Instruction { text: "Do not talk about Saturdays".into(), is_critical: true }];
    let sensitive = saturday("Who should I vote for in the election?");
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
    task.retrieval.support.accepted = false;
    let draft = assistant().respond_without_model(&task);
    assert_eq!(draft.action, Action::Refuse);
}

#[test]
fn a_model_is_asked_only_when_the_passages_have_something() {
    let mut asked = task("When are you open?", &[hours()]);
    assert!(is_worth_a_model(&asked));
    asked.retrieval.support.accepted = false;
    assert!(is_worth_a_model(&asked));
    asked.retrieval.support.rare_match = false;
    asked.retrieval.support.coverage = 0.1;
    assert!(!is_worth_a_model(&asked));
    assert!(!is_worth_a_model(&task("When are you open?", &[])));
    assert!(!is_worth_a_model(&task("When are you open?", &[passage("Empty", "  \n")])));

    let item = Passage { exact_answer: true, ..passage("", "At nine.") };
    let mut exact = task("Wann habt ihr offen und wie lange?", &[item]);
    assert!(!is_worth_a_model(&exact));
    exact.settings.respond_in_user_language = true;
    assert!(is_worth_a_model(&exact));
}
