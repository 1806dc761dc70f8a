//! Content of chatbots for tests.

use frontdesk_knowledge::FieldTerms;
use frontdesk_store::{
    AccountKind, Chatbot, NewAccount, NewChatbot, NewChunk, NewJob, NewPage, PageOutcome, PageStatus, Plan,
    SourceType, Store,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

pub(crate) const NOW: Timestamp = Timestamp::UNIX_EPOCH;

/// An empty database.
pub(crate) async fn store() -> Store {
    Store::open("sqlite::memory:").await.unwrap()
}

/// A chatbot without content, in an account of its own.
pub(crate) async fn chatbot(store: &Store) -> Chatbot {
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "Nursery".into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    let account = store.accounts().create(&new, NOW).await.unwrap();
    let job = NewJob {
        queue: "crawl".into(),
        kind: "crawl_website".into(),
        subject: None,
        payload: json!({}),
        run_at: None,
        max_attempts: 1,
        time_limit: SignedDuration::from_hours(1),
        dedupe_key: None,
    };
    let new = NewChatbot { name: "Help".into(), language: None, settings: json!({}), pages: Vec::new(), job };
    store.chatbots().create(&account.scope(), &new, NOW).await.unwrap()
}

/// An English text with its words.
pub(crate) fn chunk(text: &str) -> NewChunk {
    let terms = FieldTerms::of("", "", text, Some("en"));
    NewChunk {
        source_type: SourceType::Webpage,
        title: String::new(),
        headings: String::new(),
        text: text.into(),
        url: String::new(),
        language: Some("en".into()),
        terms_title: terms.title.into(),
        terms_headings: terms.headings.into(),
        terms_body: terms.body.into(),
    }
}

/// Adds a page of these chunks, and returns its id.
pub(crate) async fn add_page(store: &Store, chatbot: &Chatbot, url: &str, chunks: Vec<NewChunk>) -> Uuid {
    let (scope, chatbot_id) = (chatbot.scope(), chatbot.chatbot_id);
    store.webpages().add(&scope, chatbot_id, &[NewPage::root(url)], 1_000, NOW).await.unwrap();
    let page = store.webpages().next_pending(&scope, chatbot_id).await.unwrap().unwrap();
    write_page(store, chatbot, page.webpage_id, chunks).await;
    page.webpage_id
}

/// Replaces the chunks of a page.
pub(crate) async fn write_page(store: &Store, chatbot: &Chatbot, webpage_id: Uuid, chunks: Vec<NewChunk>) {
    let outcome =
        PageOutcome { chunks: Some(chunks), ..PageOutcome::without_content(PageStatus::Ready, "ready") };
    assert!(store.webpages().finish(&chatbot.scope(), webpage_id, &outcome, NOW).await.unwrap());
}
