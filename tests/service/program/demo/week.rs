//! The week of the demonstration, as the interface shows it.

use std::{collections::BTreeMap, net::TcpListener};

use frontdesk_store::{NoticeStatus, Store};
use jiff::Timestamp;
use serde_json::Value;

use super::{super::harness::Database, Running};

/// What the interface shows of the week: lists, and what belongs to their items.
struct Week {
    conversations: Vec<Value>,
    contacts: Vec<Value>,
    threads: Vec<Value>,
    deals: Vec<Value>,
    activities: Vec<Value>,
    questions: Vec<Value>,
    members: Vec<Value>,
    faqs: Vec<Value>,
    events: Vec<Value>,
}

impl Week {
    async fn read(demo: &Running) -> Self {
        let chatbot = demo.get("/chatbots").await["chatbots"][0]["chatbot_id"].as_str().unwrap().to_owned();
        let list = async |path: &str, field: &str| -> Vec<Value> {
            let page = demo.get(path).await;
            page[field].as_array().unwrap_or_else(|| panic!("{path}: {page}")).clone()
        };
        let of_chatbot = |rest: &str| format!("/chatbots/{chatbot}/{rest}");
        let mut events = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = demo.get(&format!("/events?limit=100{cursor}")).await;
            events.extend(page["events"].as_array().unwrap().clone());
            match page["pagination"]["next_cursor"].as_str() {
                Some(next) => cursor = format!("&after={next}"),
                None => break,
            }
        }
        let mut threads = list("/inbox/threads?limit=100", "threads").await;
        threads.extend(list("/inbox/threads?status=spam", "threads").await);
        Self {
            conversations: list(&of_chatbot("conversations?limit=100"), "conversations").await,
            contacts: list("/contacts?limit=100", "contacts").await,
            threads,
            deals: list("/deals?limit=100", "deals").await,
            activities: list("/deal-activities?limit=100", "activities").await,
            questions: list(&of_chatbot("unanswered-questions?limit=100"), "unanswered_questions").await,
            members: list("/team-members", "team_members").await,
            faqs: list("/faqs", "faqs").await,
            events,
        }
    }

    fn counts(&self) -> [usize; 8] {
        [
            &self.conversations,
            &self.contacts,
            &self.threads,
            &self.deals,
            &self.activities,
            &self.questions,
            &self.members,
            &self.faqs,
        ]
        .map(Vec::len)
    }
}

fn time(item: &Value, field: &str) -> Timestamp {
    let text = item[field].as_str().unwrap_or_else(|| panic!("{field} of {item}"));
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn count(items: &[Value], field: &str, value: impl Into<Value>) -> usize {
    let value = value.into();
    items.iter().filter(|item| item[field] == value).count()
}

/// Asserts that a list is in the order of a time, the latest first.
fn is_latest_first(items: &[Value], field: &str) {
    assert!(items.is_sorted_by_key(|item| std::cmp::Reverse(time(item, field))), "the order of {field}");
}

/// Asserts that nothing has happened after a moment, whatever has a time of that kind.
fn has_happened(items: &[Value], now: Timestamp) {
    for item in items {
        for field in ["created_at", "updated_at", "last_message_at", "closed_at", "done_at", "last_seen_at"] {
            if item[field].is_string() {
                assert!(time(item, field) <= now, "{field} of {item} is still to come");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_has_a_week_of_the_shop() {
    let database = Database::new();
    // A mail server and a language model, which nobody may call.
    let outside = TcpListener::bind("127.0.0.1:0").unwrap();
    outside.set_nonblocking(true).unwrap();
    let port = outside.local_addr().unwrap().port();
    let (mail, model) = (format!("smtp://127.0.0.1:{port}"), format!("http://127.0.0.1:{port}/v1"));
    let arguments = [
        "--requests-per-key",
        "10000",
        "--mail-smtp-url",
        &mail,
        "--mail-from",
        "shop@fern-and-fable.example",
        "--assistant-base-url",
        &model,
        "--assistant-model",
        "any",
        "--assistant-allow-network",
        "127.0.0.1/32",
    ];
    let demo = Running::start(&database, &arguments);
    let now = Timestamp::now();
    let week = Week::read(&demo).await;
    for (items, field) in [
        (&week.conversations, "last_message_at"),
        (&week.contacts, "first_seen_at"),
        (&week.deals, "created_at"),
    ] {
        assert!(items.len() > 10, "{field}");
        is_latest_first(items, field);
    }
    for items in
        [&week.conversations, &week.contacts, &week.threads, &week.deals, &week.activities, &week.questions]
    {
        has_happened(items, now);
    }

    are_conversations_whole(&demo, &week).await;
    are_sales_consistent(&demo, &week).await;

    assert_eq!(count(&week.contacts, "is_paying_customer", true), 8);
    for source in ["chatbot", "contact_form", "api"] {
        assert!(count(&week.contacts, "source", source) > 3, "{source}");
    }
    for (field, value) in [("status", "snoozed"), ("status", "spam"), ("channel", "chatbot")] {
        assert!(count(&week.threads, field, value) > 0, "no thread has the {field} {value}");
    }
    assert!(count(&week.threads, "channel", "contact_form") + count(&week.threads, "channel", "api") >= 10);
    let mut attachments = 0;
    for thread in &week.threads {
        let path = format!("/inbox/threads/{}/messages", thread["thread_id"].as_str().unwrap());
        let messages = demo.get(&path).await["messages"].as_array().unwrap().clone();
        assert_eq!(messages.len(), thread["message_count"], "{thread}");
        assert!(messages.is_sorted_by_key(|message| time(message, "created_at")), "{thread}");
        attachments +=
            messages.iter().filter(|message| message["attachments"] != Value::Array(vec![])).count();
        for message in &messages {
            assert!(
                message["delivery_status"] != "failed" && message["delivery_error"].is_null(),
                "{message}"
            );
        }
    }
    assert_eq!(attachments, 1);
    assert_eq!((week.members.len(), week.faqs.len()), (4, 2));
    assert!(
        week.events.len() > 100
            && demo.get("/webhook-endpoints").await["webhook_endpoints"] == Value::Array(vec![])
    );
    assert_eq!(outside.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "something was sent");
    demo.stop();

    let demo = Running::start(&database, &arguments);
    let again = Week::read(&demo).await;
    assert_eq!(again.counts(), week.counts(), "the second start has made something");
    assert_eq!(again.conversations.first(), week.conversations.first());
    demo.stop();

    let url = format!("sqlite:{}", database.folder().join("demo.db").display());
    let store = Store::open(&url).await.unwrap();
    let scope = store.accounts().list().await.unwrap().remove(0).scope();
    let notices = store.notices().list(&scope).await.unwrap();
    assert!(!notices.is_empty() && notices.iter().all(|notice| notice.status == NoticeStatus::Expired));
}

/// The messages of conversations are in order, and what is shown of them in lists and reports is theirs.
async fn are_conversations_whole(demo: &Running, week: &Week) {
    assert_eq!(week.conversations.len(), 28);
    assert_eq!(count(&week.conversations, "mode", "human_requested"), 1, "one visitor waits");
    assert_eq!(count(&week.conversations, "feedback", "down"), 2);
    let (mut credits, mut of_contacts) = (0, BTreeMap::<String, u64>::new());
    for conversation in &week.conversations {
        let [chatbot, id] =
            ["chatbot_id", "conversation_id"].map(|field| conversation[field].as_str().unwrap());
        let path = format!("/chatbots/{chatbot}/conversations/{id}");
        let whole = demo.get(&path).await;
        let messages = whole["messages"].as_array().unwrap();
        assert_eq!(messages.len(), whole["message_count"], "{whole}");
        assert!(messages.is_sorted_by_key(|message| time(message, "created_at")), "{whole}");
        assert_eq!(messages[0]["created_at"], whole["created_at"], "{whole}");
        assert_eq!(messages.last().unwrap()["created_at"], whole["last_message_at"], "{whole}");
        credits += messages.iter().map(|message| message["credits_used"].as_u64().unwrap()).sum::<u64>();
        if let Some(contact) = whole["contact_id"].as_str() {
            *of_contacts.entry(contact.to_owned()).or_default() += 1;
        }
    }
    assert!(of_contacts.len() >= 9, "{of_contacts:?}");
    for (contact, expected) in of_contacts {
        let list = demo.get(&format!("/contacts/{contact}/conversations")).await;
        assert_eq!(list["conversations"].as_array().unwrap().len() as u64, expected, "{list}");
    }
    // The week may have begun in the month before.
    let first = week.conversations.last().unwrap()["created_at"].as_str().unwrap();
    let mut used = 0;
    let months: std::collections::BTreeSet<String> =
        [first[..7].to_owned(), Timestamp::now().to_string()[..7].to_owned()].into();
    for month in months {
        used += demo.get(&format!("/usage?month={month}")).await["credits_used"].as_u64().unwrap();
    }
    assert_eq!(used, credits);
    assert!(week.questions.len() >= 4, "{:?}", week.questions);
    let asked: Vec<&str> =
        week.questions.iter().filter_map(|question| question["question"].as_str()).collect();
    assert!(
        asked.contains(&"Do you stock olive trees?") && !asked.contains(&"Do you sell tulip bulbs?"),
        "{asked:?}"
    );
}

/// The board counts and adds up its deals, and activities are where they are expected.
async fn are_sales_consistent(demo: &Running, week: &Week) {
    let board = demo.get("/deals/board").await;
    let columns = board["columns"].as_array().unwrap();
    let names: Vec<&str> = columns.iter().filter_map(|column| column["status"]["name"].as_str()).collect();
    assert_eq!(names, ["Enquiry", "Visit booked", "Quote sent", "Won", "Lost"]);
    let pence = |value: &Value| value.as_str().unwrap().replace('.', "").parse::<u64>().unwrap();
    let mut all = 0;
    for column in columns {
        let id = &column["status"]["deal_status_id"];
        let deals: Vec<&Value> = week.deals.iter().filter(|deal| deal["deal_status_id"] == *id).collect();
        assert_eq!(deals.len(), column["count"], "{column}");
        let sum: u64 = deals.iter().map(|deal| pence(&deal["value"])).sum();
        assert_eq!(sum, pence(&column["value_sums"][0]["value"]), "{column}");
        all += deals.len();
    }
    assert_eq!((all, week.deals.len()), (13, 13));
    for deal in &week.deals {
        assert_eq!(deal["outcome"] == "lost", deal["lost_reason"].is_string(), "{deal}");
    }
    assert_eq!(count(&week.deals, "is_rotten", true), 1);
    let (overdue, done) =
        (count(&week.activities, "is_overdue", true), count(&week.activities, "status", "done"));
    assert_eq!((week.activities.len(), overdue, done), (11, 2, 3));
}
