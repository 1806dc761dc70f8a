//! A tenant with one of everything.

use frontdesk_store::{
    Account, AccountKind, ApiKey, Chatbot, ChunkVectors, Contact, ContactFields, ContactInput, Domain, Faq,
    FaqItem, FaqItemContent, FaqItemSource, FaqItemStatus, File, FileContent, FileKind, Job, KeyHash,
    MessageRole, NewAccount, NewAnswer, NewApiKey, NewChatbot, NewChunk, NewFaq, NewFaqItem, NewFile, NewJob,
    NewPage, NewTextSnippet, NewTurn, NewUser, NewVectors, NewWebsite, PageOutcome, PageRequest, PageStatus,
    Plan, Redacted, Role, Scope, SnippetContent, SourceType, Store, Subject, Tag, TextSnippet, Turn,
    UnansweredQuestion, User, Webpage, Website, WebsiteOptions, WebsiteSource,
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
    store.accounts().create(&new, at(0)).await.unwrap()
}

pub(crate) fn job(kind: &str) -> NewJob {
    NewJob {
        queue: "crawl".into(),
        kind: kind.into(),
        subject: None,
        payload: json!({ "kind": kind }),
        run_at: None,
        max_attempts: 3,
        time_limit: SignedDuration::from_hours(24),
        dedupe_key: None,
    }
}

pub(crate) fn new_website(url: &str, tag_ids: Vec<Uuid>) -> NewWebsite {
    NewWebsite {
        url: url.into(),
        source: WebsiteSource::Crawl,
        options: WebsiteOptions::default(),
        tag_ids,
        job: job("crawl_website"),
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
    store.chatbots().create(scope, &new, at(1)).await.unwrap()
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

/// The passage of an item, whose analysed words are simply its words.
pub(crate) fn faq_chunk(item: &FaqItem, language: Option<&str>) -> NewChunk {
    NewChunk {
        source_type: SourceType::Faq,
        language: language.map(str::to_owned),
        ..chunk(&item.question, &item.answer)
    }
}

pub(crate) fn faq_item(question: &str, answer: &str) -> NewFaqItem {
    NewFaqItem {
        content: FaqItemContent {
            question: question.into(),
            alternative_questions: Vec::new(),
            answer: answer.into(),
            url: None,
            status: FaqItemStatus::Published,
        },
        position: None,
        source: FaqItemSource::Manual,
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
        offer: None,
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

/// A file with this text as its content, which no object has.
pub(crate) fn file(text: &str, tag_ids: &[Uuid]) -> NewFile {
    let file_id = Uuid::now_v7();
    NewFile {
        file_id,
        title: None,
        title_for_now: "Menu".into(),
        url: None,
        content: FileContent {
            file_name: "menu.pdf".into(),
            kind: FileKind::Document,
            mime_type: "application/pdf".into(),
            size_bytes: text.len() as u64,
            sha256: format!("hash of {text}"),
            object_key: format!("objects/{file_id}"),
        },
        tag_ids: tag_ids.to_vec(),
        job: job("read_file"),
    }
}

pub(crate) struct World {
    pub(crate) account: Account,
    pub(crate) user: User,
    pub(crate) key: ApiKey,
    pub(crate) domain: Domain,
    pub(crate) chatbot: Chatbot,
    pub(crate) page: Webpage,
    /// A website whose crawl has not begun.
    pub(crate) website: Website,
    pub(crate) tag: Tag,
    pub(crate) text_snippet: TextSnippet,
    pub(crate) faq: Faq,
    pub(crate) faq_item: FaqItem,
    pub(crate) unanswered: UnansweredQuestion,
    pub(crate) file: File,
    pub(crate) contact: Contact,
    pub(crate) turn: Turn,
    pub(crate) job: Job,
}

/// The model of all vectors.
pub(crate) const MODEL: &str = "model";

/// Gives every chunk a vector.
async fn embed(store: &Store) {
    let waiting = store.vectors().unembedded(MODEL, 100).await.unwrap();
    let vectors = || Some(ChunkVectors { vector: vec![1, 2], segments: vec![3] });
    let made: Vec<_> =
        waiting.iter().map(|chunk| NewVectors { chunk_id: chunk.chunk_id, vectors: vectors() }).collect();
    store.vectors().save(MODEL, &made).await.unwrap();
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
        let user = store.users().create(&scope, &new, at(0)).await.unwrap();
        let new = NewApiKey {
            user_id: user.user_id,
            name: "integration".into(),
            hash: KeyHash::new([seed; 32]),
            pepper_id: None,
            display_prefix: "sk_live_ab".into(),
            rate_per_minute: None,
        };
        let key = store.api_keys().create(&scope, &new, at(0)).await.unwrap().unwrap();
        let secret = Redacted::new("identity secret".to_owned());
        let domain = store.domains().create(&scope, "Shop.Example", &secret, at(0)).await.unwrap();
        let chatbot = chatbot(store, &scope, name).await;
        let page = store.webpages().next_pending(&scope, chatbot.chatbot_id).await.unwrap().unwrap();
        let mut visited =
            outcome(vec![chunk("Delivery", "we deliver on tuesday"), chunk("Refunds", "ask within a week")]);
        visited.links = vec![NewPage::root(format!("https://{name}.example/pending"))];
        assert!(store.webpages().finish(&scope, page.webpage_id, &visited, at(2)).await.unwrap());
        let page = store.webpages().find(&scope, page.webpage_id).await.unwrap().unwrap();
        let tag =
            store.tags().create(&scope, chatbot.chatbot_id, "Shop", None, at(2)).await.unwrap().unwrap();
        assert!(store.tags().tag_webpage(&scope, page.webpage_id, tag.tag_id).await.unwrap());
        let new = new_website(&format!("https://{name}.example/shop/"), vec![tag.tag_id]);
        let website =
            store.websites().create(&scope, chatbot.chatbot_id, &new, at(2)).await.unwrap().unwrap();
        let passage = NewChunk { source_type: SourceType::TextSnippet, ..chunk("Parking", "park behind") };
        let content = SnippetContent {
            title: "Parking".into(),
            content: format!("park behind {name}"),
            url: None,
            enabled: true,
            chunks: vec![passage],
        };
        let new = NewTextSnippet { content, tag_ids: vec![tag.tag_id] };
        let text_snippet =
            store.text_snippets().create(&scope, chatbot.chatbot_id, &new, at(2)).await.unwrap().unwrap();
        let new = NewFaq {
            name: "Shipping".into(),
            chatbot_ids: vec![chatbot.chatbot_id],
            tag_ids: vec![tag.tag_id],
            ..NewFaq::default()
        };
        let faq = store.faqs().create(&scope, &new, at(2)).await.unwrap();
        let new = faq_item("By whom?", &format!("by courier of {name}"));
        let faq_item = store.faq_items().create(&scope, faq.faq_id, &new, &faq_chunk, at(2)).await;
        let faq_item = faq_item.unwrap().unwrap();
        let faq = store.faqs().find(&scope, faq.faq_id).await.unwrap().unwrap();
        let unanswered = store.unanswered_questions();
        let unanswered = unanswered.record(&scope, chatbot.chatbot_id, "Who knows?", at(2)).await;
        let unanswered = unanswered.unwrap().unwrap();
        let file = store
            .files()
            .create(&scope, chatbot.chatbot_id, &file(name, &[tag.tag_id]), at(2))
            .await
            .unwrap()
            .unwrap();
        let contact =
            store.contacts().upsert(&scope, &claim("visitor@example.com"), at(3)).await.unwrap().unwrap();
        let mut first = turn(&chatbot, None, "When do you deliver?");
        first.contact_id = Some(contact.contact_id);
        let turn = store.conversations().begin_turn(&scope, &first, at(3)).await.unwrap().unwrap();
        let conversation_id = turn.conversation.conversation_id;
        store
            .conversations()
            .record_answer(&scope, conversation_id, &answer("On Tuesday."), None, at(4))
            .await
            .unwrap()
            .unwrap();
        let mut new = job("refresh");
        new.subject = Some(Subject::chatbot(chatbot.chatbot_id));
        new.queue = format!("queue of {name}");
        let enqueued = store.jobs().enqueue(&scope, &new, at(4)).await.unwrap().unwrap();
        let job = store.jobs().find(&scope, enqueued.job_id).await.unwrap().unwrap();
        embed(store).await;
        Self {
            account,
            user,
            key,
            domain,
            chatbot,
            page,
            website,
            tag,
            text_snippet,
            faq,
            faq_item,
            unanswered,
            file,
            contact,
            turn,
            job,
        }
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
                store.users().list(scope).await.unwrap(),
                store.api_keys().list(scope).await.unwrap(),
                store.domains().list(scope).await.unwrap(),
                store.chatbots().list(scope).await.unwrap(),
                (
                    store.webpages().list(scope, chatbot_id, None, None, 100).await.unwrap(),
                    store.websites().get(scope, self.website.website_id).await.unwrap(),
                ),
                store.tags().list(scope, chatbot_id).await.unwrap(),
                (
                    store
                        .text_snippets()
                        .find(scope, chatbot_id, self.text_snippet.text_snippet_id)
                        .await
                        .unwrap(),
                    store.faqs().find(scope, self.faq.faq_id).await.unwrap(),
                    store
                        .faq_items()
                        .page(scope, self.faq.faq_id, None, None, &PageRequest::first(10))
                        .await
                        .unwrap(),
                    store
                        .unanswered_questions()
                        .page(scope, chatbot_id, &PageRequest::first(10))
                        .await
                        .unwrap(),
                    store.files().find(scope, chatbot_id, self.file.file_id).await.unwrap(),
                ),
                store.search().candidates(scope, chatbot_id, &words, &[self.tag.tag_id], 10).await.unwrap(),
                store.contacts().list(scope, None, 100).await.unwrap(),
                store.conversations().find(scope, self.conversation_id()).await.unwrap(),
                store.conversations().messages(scope, self.conversation_id(), 0, 100).await.unwrap(),
                store.jobs().find(scope, self.job.job_id).await.unwrap(),
            )
        )
    }
}
