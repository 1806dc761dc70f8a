//! A tenant with one of everything.

use frontdesk_store::{
    Account, AccountKind, ApiKey, Chatbot, Contact, ContactFields, ContactInput, Domain, Job, KeyHash,
    MessageRole, NewAccount, NewAnswer, NewApiKey, NewChatbot, NewChunk, NewJob, NewPage, NewTurn, NewUser,
    PageOutcome, PageStatus, Plan, Redacted, Role, Scope, SourceType, Store, Tag, Turn, User, Webpage,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

/// A moment, some seconds after a fixed one.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_790_000_000 + seconds).unwrap()
}

pub(crate) const LEASE: SignedDuration = SignedDuration::from_secs(30);

pub(crate) async fn account(store: &Store, name: &str) -> Account {
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: name.into(),
        plan: Plan::Growth,
        monthly_credits: None,
    };
    store.create_account(&new, at(0)).await.unwrap()
}

pub(crate) fn job(kind: &str) -> NewJob {
    NewJob {
        lane: "crawl".into(),
        kind: kind.into(),
        chatbot_id: None,
        payload: json!({ "kind": kind }),
        run_at: None,
        max_attempts: 3,
        dedupe_key: None,
    }
}

pub(crate) async fn chatbot(store: &Store, scope: &Scope, name: &str) -> Chatbot {
    let new = NewChatbot {
        name: name.into(),
        language: Some("en".into()),
        settings: json!({ "business_name": name }),
        pages: vec![NewPage::root(format!("https://{name}.example/"))],
        job: job("train"),
    };
    store.create_chatbot(scope, &new, at(1)).await.unwrap()
}

/// A chunk whose analysed words are simply its words.
pub(crate) fn chunk(title: &str, text: &str) -> NewChunk {
    let terms = |text: &str| text.split_whitespace().map(str::to_lowercase).collect();
    NewChunk {
        source_type: SourceType::Webpage,
        title: title.into(),
        headings: String::new(),
        text: text.into(),
        url: "https://example.com/".into(),
        language: Some("en".into()),
        terms_title: terms(title),
        terms_headings: Vec::new(),
        terms_body: terms(text),
    }
}

pub(crate) fn outcome(chunks: Vec<NewChunk>) -> PageOutcome {
    PageOutcome {
        status: PageStatus::Ready,
        reason: None,
        http_status: Some(200),
        final_url: Some("https://example.com/".into()),
        title: Some("Title".into()),
        content_hash: Some("hash".into()),
        language: Some("en".into()),
        chunks: Some(chunks),
        links: Vec::new(),
        max_pages: 100,
    }
}

pub(crate) fn turn(chatbot: &Chatbot, conversation_id: Option<Uuid>, text: &str) -> NewTurn {
    NewTurn {
        chatbot_id: chatbot.chatbot_id,
        conversation_id,
        verified_subject: None,
        contact_id: None,
        source: "api".into(),
        text: text.into(),
    }
}

pub(crate) fn answer(body: &str) -> NewAnswer {
    NewAnswer {
        role: MessageRole::Assistant,
        body: body.into(),
        sources: json!([{ "title": "T", "url": "https://example.com/", "type": "webpage" }]),
        needs_escalation: false,
        credits_used: 1,
    }
}

pub(crate) fn claim(email: &str) -> ContactInput {
    ContactInput {
        claimed: ContactFields { email: Some(email.into()), ..ContactFields::default() },
        source: "chatbot".into(),
        ..ContactInput::default()
    }
}

pub(crate) struct World {
    pub(crate) account: Account,
    pub(crate) user: User,
    pub(crate) key: ApiKey,
    pub(crate) domain: Domain,
    pub(crate) chatbot: Chatbot,
    pub(crate) page: Webpage,
    pub(crate) tag: Tag,
    pub(crate) contact: Contact,
    pub(crate) turn: Turn,
    pub(crate) job: Job,
}

impl World {
    /// `seed` keeps the key hashes of several worlds apart.
    pub(crate) async fn new(store: &Store, name: &str, seed: u8) -> Self {
        let account = account(store, name).await;
        Self::within(store, account, name, seed).await
    }

    pub(crate) async fn within(store: &Store, account: Account, name: &str, seed: u8) -> Self {
        let scope = account.scope();
        let new = NewUser { email: "Owner@Example.com".into(), name: "Owner".into(), role: Role::Owner };
        let user = store.create_user(&scope, &new, at(0)).await.unwrap();
        let new = NewApiKey {
            user_id: user.user_id,
            name: "integration".into(),
            hash: KeyHash::new([seed; 32]),
            display_prefix: "sk_live_ab".into(),
            rate_per_minute: None,
        };
        let key = store.create_api_key(&scope, &new, at(0)).await.unwrap().unwrap();
        let secret = Redacted::new("identity secret".to_owned());
        let domain = store.create_domain(&scope, "Shop.Example", &secret, at(0)).await.unwrap();
        let chatbot = chatbot(store, &scope, name).await;
        let page = store.next_pending(&scope, chatbot.chatbot_id).await.unwrap().unwrap();
        let mut visited =
            outcome(vec![chunk("Delivery", "we deliver on tuesday"), chunk("Refunds", "ask within a week")]);
        visited.links = vec![NewPage::root(format!("https://{name}.example/pending"))];
        assert!(store.finish_page(&scope, page.webpage_id, &visited, at(2)).await.unwrap());
        let page = store.webpage(&scope, page.webpage_id).await.unwrap().unwrap();
        let tag = store.create_tag(&scope, chatbot.chatbot_id, "Shop", at(2)).await.unwrap().unwrap();
        assert!(store.tag_webpage(&scope, page.webpage_id, tag.tag_id).await.unwrap());
        let contact =
            store.upsert_contact(&scope, &claim("visitor@example.com"), at(3)).await.unwrap().unwrap();
        let mut first = turn(&chatbot, None, "When do you deliver?");
        first.contact_id = Some(contact.contact_id);
        let turn = store.begin_turn(&scope, &first, at(3)).await.unwrap().unwrap();
        let conversation_id = turn.conversation.conversation_id;
        store
            .record_answer(&scope, conversation_id, &answer("On Tuesday."), None, at(4))
            .await
            .unwrap()
            .unwrap();
        let mut new = job("refresh");
        new.chatbot_id = Some(chatbot.chatbot_id);
        new.lane = format!("lane of {name}");
        let enqueued = store.enqueue(&scope, &new, at(4)).await.unwrap().unwrap();
        let job = store.job(&scope, enqueued.job_id).await.unwrap().unwrap();
        Self { account, user, key, domain, chatbot, page, tag, contact, turn, job }
    }

    pub(crate) fn scope(&self) -> Scope {
        self.account.scope()
    }

    pub(crate) fn conversation_id(&self) -> Uuid {
        self.turn.conversation.conversation_id
    }

    /// Everything that this tenant can see, as text that can be compared.
    pub(crate) async fn everything(&self, store: &Store) -> String {
        let scope = &self.scope();
        let chatbot_id = self.chatbot.chatbot_id;
        let words = ["deliver".to_owned(), "ask".to_owned()];
        format!(
            "{:#?}",
            (
                store.users(scope).await.unwrap(),
                store.api_keys(scope).await.unwrap(),
                store.domains(scope).await.unwrap(),
                store.chatbots(scope).await.unwrap(),
                store.webpages(scope, chatbot_id, None, None, 100).await.unwrap(),
                store.tags(scope, chatbot_id).await.unwrap(),
                store.candidates(scope, chatbot_id, &words, &[self.tag.tag_id], 10).await.unwrap(),
                store.contacts(scope, None, 100).await.unwrap(),
                store.conversation(scope, self.conversation_id()).await.unwrap(),
                store.messages(scope, self.conversation_id(), 0, 100).await.unwrap(),
                store.job(scope, self.job.job_id).await.unwrap(),
            )
        )
    }
}
