//! Quotes, refusals and suggestions of the extractive writer.

use frontdesk_knowledge::SourceType;

use super::*;
use crate::conversation::Turn;
use crate::fixtures::{passage, prices, remove_support, task};
use crate::settings::{Instruction, ResponseLength};
use crate::task::{Kind, Mail, Task};
use frontdesk_knowledge::sentences;

fn write(task: &Task) -> Draft {
    super::write(&Assessment::of(task))
}

const CANCEL: &str = "Cancelling a subscription\nYou can cancel your subscription in the billing settings. \
                      To cancel:\n1. Open the billing settings\n2. Press Cancel plan\n3. Confirm with your password\n\
                      Your data stays available for 30 days.\nWhat happens to my invoices?\n\
                      Invoices stay available for download.";

fn cancel() -> Passage {
    Passage { score: 0.8, ..passage("Billing > Cancel", CANCEL) }
}

/// Every line and sentence of a text is a part of a passage.
fn assert_verbatim(text: &str, passages: &[Passage]) {
    for sentence in text.lines().flat_map(sentences) {
        assert!(passages.iter().any(|passage| passage.text.contains(sentence)), "invented: {sentence}");
    }
}

#[test]
fn the_sentences_that_answer_are_quoted() {
    let passages = [prices(), cancel()];
    for (question, expected) in [
        ("How much does the Pro plan cost?", "The Pro plan costs $7 per month and user."),
        ("What does Teams cost per month?", "The Teams plan costs $12 per month and user."),
        ("Do the prices include taxes?", "All prices exclude taxes."),
        ("Is the Free plan limited?", "The Free plan is limited to public projects."),
        ("How long does my data stay available?", "Your data stays available for 30 days."),
        ("What happens to my invoices?", "Invoices stay available for download."),
    ] {
        let mut task = task(question, &passages);
        task.settings.response_length = ResponseLength::Short;
        let draft = write(&task);
        assert_eq!((draft.text.as_str(), draft.action), (expected, Action::Answer), "{question}");
        assert_eq!((draft.writer, draft.model_ran, draft.needs_escalation), ("extractive", false, false));
        assert_eq!(draft.sources.len(), 1);
    }
}

#[test]
fn a_fact_of_two_words_is_an_answer() {
    let hours = passage(
        "Visit us",
        "Sunday Closed\nMonday 7:00 AM to 8:00 PM\nSaturday 9:00 AM to 5:00 PM\n\
         Sign up for the open mic at the counter from 6 PM.",
    );
    let mut task = task("are you open on sunday", &[hours]);
    task.settings.response_length = ResponseLength::Short;
    assert_eq!(write(&task).text, "Sunday Closed");
}

#[test]
fn a_question_of_one_word_asks_for_the_fact_and_not_for_the_word() {
    let passages = [
        passage("Chat", "You can give your postal address when you register for the chat server."),
        passage("Shop", "Acme Bicycles\n12 Mill Street, Cologne"),
    ];
    let mut task = task("Address?", &passages);
    task.settings.response_length = ResponseLength::Short;
    assert_eq!(write(&task).text, "12 Mill Street, Cologne");
}

#[test]
fn a_day_belongs_to_what_the_question_is_about() {
    let passages = [
        passage("Opening hours", "Monday to Friday: 8:00 - 18:00\nSaturday: 9:00 - 13:00\nSunday: closed"),
        passage("Collection", "Our driver collects on weekdays. We do not collect on Fridays and Saturdays."),
    ];
    for (question, expected) in [
        ("Do you collect on Saturdays?", "We do not collect on Fridays and Saturdays."),
        ("Are you open on Saturdays?", "Saturday: 9:00 - 13:00"),
    ] {
        let mut task = task(question, &passages);
        task.settings.response_length = ResponseLength::Short;
        assert_eq!(write(&task).text, expected, "{question}");
    }
}

#[test]
fn a_closed_period_comes_before_the_hours_of_the_week() {
    let passages = [
        passage("Opening hours", "Monday to Friday: 8:00 - 18:00\nSaturday: 9:00 - 13:00"),
        passage("News", "From 24 December to 2 January we are closed. We wish you a happy new year."),
    ];
    let mut task = task("Are you open on 28 December?", &passages);
    task.settings.response_length = ResponseLength::Short;
    assert_eq!(write(&task).text, "From 24 December to 2 January we are closed.");
}

#[test]
fn a_break_in_a_season_is_not_the_hours_of_a_weekday_in_it() {
    let passages = [
        passage(
            "Opening hours",
            "Friday – April to October: 9:00 to 19:00; November to March: 10:00 to 17:30",
        ),
        passage("News", "From 24 December to 2 January we have our winter break."),
    ];
    let mut task = task("When do you shut on Fridays in winter?", &passages);
    task.settings.response_length = ResponseLength::Short;
    assert!(write(&task).text.contains("10:00 to 17:30"), "{}", write(&task).text);
}

#[test]
fn a_price_that_no_text_states_is_not_answered() {
    let carpets = [passage("Carpets", "Carpets are cleaned on Wednesdays only.")];
    let draft = write(&task("How much is the cleaning of carpets?", &carpets));
    assert_eq!(draft.action, Action::Refuse, "{}", draft.text);
    let stated = [passage("Carpets", "Carpets are cleaned on Wednesdays for £9 each.")];
    assert_eq!(write(&task("How much is the cleaning of carpets?", &stated)).action, Action::Answer);
}

#[test]
fn a_question_of_how_often_is_answered_without_a_number() {
    let filters = [passage("Filters", "Filters are changed once a year.")];
    assert_eq!(write(&task("How often are filters changed?", &filters)).action, Action::Answer);
    let others = [passage("Filters", "Filters are changed by our technician.")];
    assert_eq!(write(&task("How often are filters changed?", &others)).action, Action::Refuse);
}

#[test]
fn what_was_said_of_a_person_is_quoted_with_the_name() {
    let team = "Our people\nAda Lund\nShe looks after the kilns, and has a cat.\nBo Berg\nHe teaches the beginners on Tuesdays.";
    let draft = write(&task("Who teaches the beginners?", &[passage("Team", team)]));
    assert_eq!(draft.text, "Bo Berg\nHe teaches the beginners on Tuesdays.");
}

#[test]
fn what_that_is_must_be_known() {
    let prices = [passage("Prices", "A ticket costs £9. A guided tour costs £15.")];
    assert_eq!(write(&task("How much is that?", &prices)).action, Action::Refuse);
    let mut after_refusal = task("How much is that?", &prices);
    after_refusal.history = vec![
        Turn::visitor("Do you have monsteras?"),
        Turn::assistant("I do not know.", Action::Refuse, false),
    ];
    assert_eq!(write(&after_refusal).action, Action::Refuse);
}

#[test]
fn a_person_is_asked_for_and_named() {
    let named = [passage("Studio", "The studio was opened by Ada Lund and her sister.")];
    assert_eq!(write(&task("Who opened the studio?", &named)).action, Action::Answer);
    let unnamed = [passage("Studio", "The studio was opened on a rainy morning.")];
    assert_eq!(write(&task("Who opened the studio?", &unnamed)).action, Action::Refuse);
}

#[test]
fn a_yes_to_another_question_is_not_quoted() {
    let item =
        Passage { title: "Do you sell stamps and envelopes?".into(), ..passage("", "Yes, beside the door.") };
    let other =
        Passage { title: "Lost letters".into(), ..passage("Letters", "We look for letters without stamps.") };
    let passages = [item, other];
    let text = |question: &str| write(&task(question, &passages)).text;
    assert!(text("Do you sell envelopes and stamps?").contains("Yes, beside the door."));
    let lost = text("My letter had no stamps. Do you look for letters?");
    assert!(!lost.contains("Yes, beside"), "{lost}");
}

#[test]
fn a_sentence_is_quoted_with_the_one_that_has_its_subject() {
    let text = "The workshop repairs tools of every make. It is closed on Mondays and at weekends.";
    let task = task("Is the workshop closed on Mondays?", &[passage("Workshop", text)]);
    assert!(write(&task).text.starts_with("The workshop repairs"), "{}", write(&task).text);
}

#[test]
fn the_question_without_an_answer_is_named() {
    let mut asked = task("How much is the Pro plan? Do you sell boats?", &[prices()]);
    let part = |question: &str, passages: &[Passage]| frontdesk_knowledge::Part {
        question: question.into(),
        retrieval: task(question, passages).retrieval,
    };
    asked.retrieval.parts =
        vec![part("How much is the Pro plan?", &[prices()]), part("Do you sell boats?", &[])];
    let text = write(&asked).text;
    assert!(
        text.contains("$7") && text.ends_with("I could not find an answer to “Do you sell boats”."),
        "{text}"
    );

    // A question of words that nothing can be compared with is open as well, whatever its passages are.
    asked.retrieval.parts =
        vec![part("How much is the Pro plan?", &[prices()]), part("Wer seid ihr?", &[cancel()])];
    asked.retrieval.parts[1].retrieval.support.words.clear();
    let text = write(&asked).text;
    assert!(text.contains("$7") && text.contains("“Wer seid ihr”"), "{text}");
}

#[test]
fn steps_are_quoted_as_a_whole() {
    let mut task = task("How do I cancel my plan step by step?", &[cancel()]);
    task.settings.response_length = ResponseLength::Medium;
    let draft = write(&task);
    assert!(
        draft.text.contains(
            "To cancel:\n1. Open the billing settings\n2. Press Cancel plan\n3. Confirm with your password"
        ),
        "{}",
        draft.text
    );
}

#[test]
fn the_length_setting_limits_the_number_of_sentences() {
    let mut before = 0;
    for (length, most) in [(ResponseLength::Short, 1), (ResponseLength::Medium, 3), (ResponseLength::Long, 6)]
    {
        let mut task = task("What do the plans cost per month and user?", &[prices()]);
        task.settings.response_length = length;
        let count = sentences(&write(&task).text).len();
        assert!((before.max(1)..=most).contains(&count), "{length:?}: {count}");
        before = count;
    }
    assert!(before > 1);
}

#[test]
fn every_sentence_is_a_part_of_a_passage() {
    let passages = [prices(), cancel()];
    let questions = [
        "How much does the Pro plan cost?",
        "Can I cancel and keep my data?",
        "plan",
        "user invoices taxes billing password",
        "What about projects and invoices?",
        "Wie viel kostet Pro?",
        "zzz",
        "1 2 3",
    ];
    for question in questions {
        for length in [ResponseLength::Short, ResponseLength::Medium, ResponseLength::Long] {
            let mut task = task(question, &passages);
            task.settings.response_length = length;
            let draft = write(&task);
            assert_eq!(draft.action, Action::Answer, "{question}");
            assert_verbatim(&draft.text, &passages);
            assert!(!draft.sources.is_empty() && draft.sources.len() <= 2);
        }
    }
}

#[test]
fn a_frequently_asked_question_is_answered_word_for_word() {
    let answer = "Yes!  We deliver\n- on weekdays\n- on Saturdays (e.g. before noon)";
    let item = Passage {
        title: "Do you deliver?".into(),
        source_type: SourceType::Faq,
        url: String::new(),
        exact_answer: true,
        ..passage("", answer)
    };
    let mut task = task("Do you deliver?", &[prices(), item]);
    remove_support(&mut task);
    let draft = write(&task);
    assert_eq!(draft.text, answer);
    assert_eq!(
        draft.sources,
        [Cited { title: "Do you deliver?".into(), url: String::new(), source_type: SourceType::Faq }]
    );
}

#[test]
fn weak_support_is_an_honest_refusal() {
    let mut weak = task("Do you deliver to Mars?", &[prices()]);
    remove_support(&mut weak);
    let empty = task("Do you deliver to Mars?", &[]);
    let nothing_quotable = task("menu", &[passage("Menu", "Read more\nContact us")]);
    for task in [weak, empty, nothing_quotable] {
        let draft = write(&task);
        assert_eq!(draft.action, Action::Refuse);
        assert!(draft.text.contains("Acme") && draft.text.starts_with("I could not find"), "{}", draft.text);
        assert!(draft.sources.is_empty() && !draft.model_ran && !draft.needs_escalation);
    }
}

#[test]
fn refusals_speak_the_language_the_owner_or_the_visitor_wants() {
    for (language, follow, question, expected) in [
        (None, false, "Liefert ihr auch nach Österreich?", "I could not find"),
        (Some("de"), false, "Do you also deliver to Austria?", "Dazu habe ich"),
        (Some("en"), true, "Kann ich das auch auf Rechnung bekommen?", "Dazu habe ich"),
        (Some("fr"), true, "xyzzy", "Je n'ai pas"),
        (Some("es-MX"), false, "x", "No he encontrado"),
        (Some("ja"), false, "x", "I could not find"),
        (Some("it"), false, "x", "Non ho trovato"),
        (Some("nl"), false, "x", "Daar heb ik"),
        (Some("pt-BR"), false, "x", "Não encontrei"),
    ] {
        let mut task = task(question, &[]);
        task.settings.language = language.map(str::to_owned);
        task.settings.respond_in_user_language = follow;
        let text = write(&task).text;
        assert!(text.starts_with(expected), "{question}: {text}");
    }
}

#[test]
fn hidden_sources_are_not_returned() {
    let mut task = task("How much does the Pro plan cost?", &[prices()]);
    task.settings.show_sources = false;
    let draft = write(&task);
    assert!(draft.sources.is_empty() && draft.text.contains("$7") && !draft.text.contains("https://"));
}

#[test]
fn a_page_is_cited_once() {
    let second = Passage { score: 0.9, ..passage("Prices", "Taxes depend on the country of the user.") };
    let mut task = task("What about taxes for the user?", &[prices(), second]);
    task.settings.response_length = ResponseLength::Long;
    let draft = write(&task);
    assert!(draft.text.contains("Taxes depend") && draft.text.contains("exclude taxes"), "{}", draft.text);
    assert_eq!(draft.sources.len(), 1);
}

#[test]
fn sentences_the_owner_forbids_are_left_out() {
    let mut forbidding = task("How much does the Pro plan cost?", &[prices()]);
    forbidding.settings.instructions =
        vec![Instruction { text: "Never mention taxes.".into(), is_critical: true }];
    forbidding.settings.response_length = ResponseLength::Long;
    let text = write(&forbidding).text;
    assert!(text.contains("$7") && !text.contains("taxes"), "{text}");

    let mut only = task("What about taxes?", &[passage("Taxes", "All prices exclude taxes.")]);
    only.settings.blocked_topics = vec!["tax".into()];
    let draft = write(&only);
    assert_eq!(draft.action, Action::Refuse);
    assert!(draft.text.starts_with("I cannot help with that topic"), "{}", draft.text);
}

#[test]
fn follow_ups_name_what_was_found_but_not_used() {
    let other = |headings: &str| Passage { score: 0.1, ..passage(headings, "Something else entirely here.") };
    let mut task = task(
        "How much does the Pro plan cost?",
        &[prices(), other("Help > Invoices"), other("Refunds?"), other("Prices")],
    );
    task.settings.follow_up_questions = true;
    let text = write(&task).text;
    assert!(text.ends_with("\n\nWould you also like to know about “Invoices” or “Refunds”?"), "{text}");
    task.retrieval.passages.truncate(1);
    assert!(!write(&task).text.contains("Would you"));
}

#[test]
fn an_email_draft_has_the_form_of_an_email() {
    let mut task = task("How much does the Pro plan cost?", &[prices()]);
    let thread = vec![Mail { from: "a@b.example".into(), body: task.question.clone() }];
    task.kind = Kind::EmailReply { subject: "Prices".into(), thread };
    task.settings.response_length = ResponseLength::Short;
    task.settings.follow_up_questions = true;
    let text = write(&task).text;
    assert_eq!(text, "Hello,\n\nThe Pro plan costs $7 per month and user.\n\nKind regards\nAcme");
    remove_support(&mut task);
    assert!(write(&task).text.contains("passing it on to a colleague"));
}

#[test]
fn code_and_odd_passages_do_no_harm() {
    for text in ["", "\n\n", "```", "1.", "- ", "?", "a\u{0}b", "🙂 🙂 🙂 1", "x:\n", &"word ".repeat(5000)]
    {
        let task = task("word", &[passage("Odd", text)]);
        let draft = write(&task);
        assert!(!draft.text.is_empty(), "{text}");
    }
}
