//! A tenant with one of everything.

use frontdesk_store::{
    Account, AccountKind, ActivityPriority, ActivityStatus, ActivityType, ApiKey, Attachment, CalendarFeed,
    ChannelKind, Charge, Chatbot, ChunkRecord, ChunkVectors, Contact, ContactFields, ContactInput,
    CreditPurpose, Day, Deal, DealActivity, DealActivityFilter, DealFilter, DealOrder, DealUpdate, Domain,
    EscalationReason, EventType, Faq, FaqItem, FaqItemContent, FaqItemSource, FaqItemStatus, File,
    FileContent, FileKind, FollowUp, FollowUpChannel, FollowUpState, FollowUpTrigger, IdentityEnforcement,
    InboxChannel, Job, KeyHash, MessageRole, MessagesFrom, Money, Month, NewAccount, NewAnswer, NewApiKey,
    NewAttachment, NewChatbot, NewChunk, NewDeal, NewDomain, NewEscalation, NewFaq, NewFaqItem, NewFile,
    NewInbound, NewInboxChannel, NewJob, NewPage, NewTextSnippet, NewThreadReply, NewTurn, NewUser,
    NewVectors, NewVisitorSession, NewWebhookEndpoint, NewWebsite, PageOutcome, PageRequest, PageStatus,
    Plan, QueryWord, Received, Redacted, RepeatInterval, ReplyKind, Role, Scope, SentBy, SnippetContent,
    SourceType, Spending, Store, StoreError, Subject, Tag, TextSnippet, ThreadFilter, ThreadMessage, Turn,
    UnansweredQuestion, User, VisitorSession, WebhookDelivery, WebhookEndpoint, Webpage, Website,
    WebsiteOptions, WebsiteSource, Widget,
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

/// The chunks that a search for these words finds, the best first.
pub(crate) async fn candidates(
    store: &Store,
    scope: &Scope,
    chatbot_id: Uuid,
    words: &[String],
    tag_ids: &[Uuid],
    limit: u32,
) -> Result<Vec<ChunkRecord>, StoreError> {
    let frequencies = store.search().document_frequencies(scope, chatbot_id, words).await?;
    let chunks = store.search().corpus_stats(scope, chatbot_id).await?.chunks;
    let word = |(text, chunks): (&String, u64)| QueryWord { text: text.clone(), chunks };
    let words: Vec<QueryWord> = words.iter().zip(frequencies).map(word).collect();
    let ids = store.search().candidates(scope, chatbot_id, &words, chunks, tag_ids, limit).await?;
    let mut found = store.chunks().by_ids(scope, chatbot_id, &ids).await?;
    found.sort_by_key(|chunk| ids.iter().position(|id| *id == chunk.chunk_id));
    Ok(found)
}

/// A chunk whose analyzed words are simply its words.
pub(crate) fn chunk(title: &str, text: &str) -> NewChunk {
    let terms = str::to_lowercase;
    NewChunk {
        source_type: SourceType::Webpage,
        title: title.into(),
        headings: String::new(),
        text: text.into(),
        url: "https://example.com/".into(),
        language: Some("en".into()),
        terms_title: terms(title),
        terms_headings: String::new(),
        terms_body: terms(text),
    }
}

/// The passage of an item, whose analyzed words are simply its words.
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

/// A request for a person, and when the visitor is informed that nobody is available.
pub(crate) fn escalation(unclaimed_at: Option<Timestamp>) -> NewEscalation {
    NewEscalation { reason: EscalationReason::UserRequest, note: Some("A refund\0.".into()), unclaimed_at }
}

pub(crate) fn turn(chatbot: &Chatbot, conversation_id: Option<Uuid>, text: &str) -> NewTurn {
    NewTurn {
        chatbot_id: chatbot.chatbot_id,
        conversation_id,
        new_conversation_id: None,
        verified_subject: None,
        contact_id: None,
        source: "api".into(),
        text: text.into(),
        sent_by: None,
        charge: None,
    }
}

pub(crate) fn answer(body: &str) -> NewAnswer {
    NewAnswer {
        question_id: None,
        role: MessageRole::Assistant,
        body: body.into(),
        offer: None,
        sources: json!([{ "title": "T", "url": "https://example.com/", "type": "webpage" }]),
        needs_escalation: false,
        credits_used: 1,
        charge: None,
    }
}

pub(crate) fn claim(email: &str) -> ContactInput {
    ContactInput {
        claimed: ContactFields { email: Some(email.into()), ..ContactFields::default() },
        ..ContactInput::default()
    }
}

/// Credits of a month that an answer costs.
pub(crate) fn charge(month: &Month, spending: Spending, amount: u64, limit: u64) -> Charge {
    Charge { month: month.clone(), spending, amount, limit }
}

/// Credits for messages of a chatbot at the beginning of time.
pub(crate) fn spending(chatbot_id: Uuid) -> Spending {
    Spending { chatbot_id, day: Day::of(at(0)), purpose: CreditPurpose::Message }
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

/// A follow-up by e-mail that is due.
pub(crate) fn follow_up(deal: &Deal, contact: &Contact) -> DealActivity {
    DealActivity {
        deal_activity_id: Uuid::now_v7(),
        account_id: deal.account_id,
        deal_id: deal.deal_id,
        kind: ActivityType::FollowUp,
        title: "Ask about the offer".into(),
        note: Some("Wants two.".into()),
        status: ActivityStatus::Open,
        priority: ActivityPriority::Normal,
        due_at: Some(at(5)),
        duration_minutes: None,
        owner_id: None,
        contact_id: Some(contact.contact_id),
        reminder_minutes_before: None,
        remind_at: None,
        result: None,
        done_at: None,
        follow_up: Some(FollowUp {
            channel: FollowUpChannel::Email,
            subject: Some("Your offer".into()),
            body: "Do you have questions?".into(),
            trigger: FollowUpTrigger::AtTime,
            delay_hours: None,
            max_attempts: 1,
            repeat: RepeatInterval::None,
            timezone: "Europe/Berlin".into(),
            send_window: None,
            stop_on_reply: true,
            state: FollowUpState::Scheduled,
            attempts: 0,
            anchor_at: at(5),
            next_attempt_at: Some(at(5)),
            send_now: false,
            replies_after: at(3),
            last_attempt_at: None,
            stopped_reason: None,
            last_error: None,
        }),
        created_at: at(3),
        updated_at: at(3),
    }
}

/// A message of the contact of the world.
pub(crate) fn inbound(channel: &InboxChannel, thread_key: &str, message_key: &str) -> NewInbound {
    NewInbound {
        channel_id: channel.channel_id,
        thread_key: thread_key.into(),
        thread_id: None,
        message_key: message_key.into(),
        contact: claim("visitor@example.com").claimed,
        contact_id: None,
        author_name: None,
        subject: Some("Order 4711\0".into()),
        body: format!("Where is my parcel {message_key}?\0"),
        body_html: None,
        folded_text: None,
        content_digest: None,
        attachments: vec![attachment("photo.png")],
        sent_at: None,
        is_spam: false,
        is_automatic: false,
    }
}

/// An attachment whose content no object has.
pub(crate) fn attachment(file_name: &str) -> NewAttachment {
    let attachment_id = Uuid::now_v7();
    NewAttachment {
        attachment_id,
        file_name: file_name.into(),
        mime_type: "application/pdf".into(),
        size_bytes: 3,
        object_key: format!("attachments/{attachment_id}"),
    }
}

/// A reply of a person that others fetch.
pub(crate) fn reply(author: &User, body: &str) -> NewThreadReply {
    NewThreadReply {
        message_id: Uuid::now_v7(),
        kind: ReplyKind::Reply,
        body: body.into(),
        author_id: author.user_id,
        attachment_ids: Vec::new(),
        client_message_id: None,
        set_status: None,
        delivery: None,
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
    pub(crate) deal: Deal,
    pub(crate) activity: DealActivity,
    pub(crate) calendar_feed: CalendarFeed,
    pub(crate) widget: Widget,
    /// The session of the visitor who has said something.
    pub(crate) session: VisitorSession,
    pub(crate) turn: Turn,
    pub(crate) job: Job,
    pub(crate) endpoint: WebhookEndpoint,
    pub(crate) delivery: WebhookDelivery,
    pub(crate) channel: InboxChannel,
    /// A thread of the channel, with one message.
    pub(crate) received: Received,
    /// An attachment that no message has.
    pub(crate) attachment: Attachment,
}

/// A session of whose visitor nothing is known. The numbers keep the hashes of tokens apart.
pub(crate) fn session(seed: u8, number: u8) -> NewVisitorSession {
    let mut hash = [seed; 32];
    hash[0] = number;
    NewVisitorSession {
        hash: KeyHash::new(hash),
        language: Some("en".into()),
        verified_subject: None,
        contact_id: None,
    }
}

/// A domain with this secret, and nothing else that is out of the ordinary.
pub(crate) fn new_domain(hostname: &str, identity_secret: Redacted<String>) -> NewDomain {
    NewDomain {
        hostname: hostname.to_owned(),
        identity_enforcement: IdentityEnforcement::Optional,
        public_keys: Vec::new(),
        identity_secret,
    }
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
        Box::pin(Self::within(store, account, name, seed)).await
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
        let domain =
            store.domains().create(&scope, &new_domain("Shop.Example", secret), 50, at(0)).await.unwrap();
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
        let new = NewDeal {
            title: format!("Delivery for {name}"),
            contact_ids: vec![contact.contact_id],
            value: Some(Money::parse("12.50", "EUR").unwrap()),
            owner_id: Some(user.user_id),
            ..NewDeal::default()
        };
        let deal = store.deals().create(&scope, &new, Some(user.user_id), at(3)).await.unwrap();
        let activity = follow_up(&deal, &contact);
        assert!(store.deal_activities().create(&activity).await.unwrap());
        let calendar_feed = store.calendar_feeds().create(&scope, "Sales", None, user.user_id, at(3)).await;
        let (calendar_feed, _) = calendar_feed.unwrap().unwrap();
        let unsubscribes = store.unsubscribes();
        let token = unsubscribes.issue_link(account.account_id, "zoe@example.com", at(3)).await.unwrap();
        let link = unsubscribes.find(token).await.unwrap().unwrap();
        unsubscribes.unsubscribe(&link, at(3)).await.unwrap();
        let mut first = turn(&chatbot, None, "When do you deliver?");
        first.contact_id = Some(contact.contact_id);
        let widget = store.widgets().of_chatbot(&chatbot, at(2)).await.unwrap().unwrap();
        let new = session(seed, 0);
        let session = store.visitors().begin_session(&widget, &new, at(3)).await.unwrap().unwrap();
        first.sent_by =
            Some(SentBy { session_id: session.session_id, client_message_id: Uuid::from_u128(1) });
        assert!(store.visitors().take_credits(&scope, &Day::of(at(0)), 1, 100).await.unwrap());
        let turn = store.conversations().begin_turn(&scope, &first, at(3)).await.unwrap().unwrap();
        let conversation_id = turn.conversation.conversation_id;
        store
            .conversations()
            .record_answer(&scope, conversation_id, &answer("On Tuesday."), None, at(4))
            .await
            .unwrap()
            .unwrap();
        let credits = store.credits();
        let spent =
            credits.reserve(&scope, &charge(&Month::of(at(0)), spending(chatbot.chatbot_id), 1, 100)).await;
        spent.unwrap().unwrap();
        let mut new = job("refresh");
        new.subject = Some(Subject::chatbot(chatbot.chatbot_id));
        new.queue = format!("queue of {name}");
        let enqueued = store.jobs().enqueue(&scope, &new, at(4)).await.unwrap().unwrap();
        let job = store.jobs().find(&scope, enqueued.job_id).await.unwrap().unwrap();
        embed(store).await;
        let webhook_endpoint_id = Uuid::now_v7();
        let new = NewWebhookEndpoint {
            webhook_endpoint_id,
            url: "https://crm.example/".into(),
            description: None,
            events: vec![EventType::LeadCreated],
            chatbot_ids: vec![chatbot.chatbot_id],
            enabled: true,
            secret: Redacted::new("webhook secret".to_owned()),
        };
        let endpoint = store.webhooks().create(&scope, &new, 20, at(4)).await.unwrap();
        let delivery = store.webhooks().send_test(&scope, webhook_endpoint_id, at(4)).await.unwrap().unwrap();
        let new = NewInboxChannel::new(ChannelKind::Api, "Shop");
        let channel = store.inbox_channels().create(&scope, &new, 50, at(4)).await.unwrap();
        let received = store.threads().receive(&scope, &inbound(&channel, "order", "one"), at(4)).await;
        let received = received.unwrap().unwrap();
        let reply = reply(&user, "It is on its way.");
        let reply = NewThreadReply { delivery: Some(self::job("deliver_message")), ..reply };
        let replied = store.threads().reply(&scope, received.thread.thread_id, &reply, at(4)).await;
        assert!(replied.unwrap().unwrap().is_new);
        let about = DealUpdate { thread_ids: Some(vec![received.thread.thread_id]), ..DealUpdate::default() };
        let deal = store.deals().update(&scope, deal.deal_id, &about, at(4)).await.unwrap().unwrap();
        let new = attachment("receipt.pdf");
        let attachment = store.threads().add_attachment(&scope, &new, at(4)).await.unwrap();
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
            deal,
            activity,
            calendar_feed,
            widget,
            session,
            turn,
            job,
            endpoint,
            delivery,
            channel,
            received,
            attachment,
        }
    }

    pub(crate) fn scope(&self) -> Scope {
        self.account.scope()
    }

    pub(crate) fn conversation_id(&self) -> Uuid {
        self.turn.conversation.conversation_id
    }

    /// Hands a new conversation of the contact over, and returns its thread.
    pub(crate) async fn chat(&self, store: &Store) -> Uuid {
        let (scope, conversations) = (self.scope(), store.conversations());
        let mut first = turn(&self.chatbot, None, "Is anybody there?");
        first.contact_id = Some(self.contact.contact_id);
        let begun = conversations.begin_turn(&scope, &first, at(5)).await.unwrap().unwrap();
        let id = begun.conversation.conversation_id;
        let waiting = conversations.escalate(&scope, id, &escalation(None), at(5)).await.unwrap();
        waiting.unwrap().thread_id.unwrap()
    }

    async fn messages_of_thread(&self, store: &Store) -> Vec<ThreadMessage> {
        let (thread_id, from) = (self.received.thread.thread_id, MessagesFrom::Newest);
        store.threads().messages(&self.scope(), thread_id, from, 100).await.unwrap().0
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
                candidates(store, scope, chatbot_id, &words, &[self.tag.tag_id], 10).await.unwrap(),
                store.contacts().list(scope, None, 100).await.unwrap(),
                store.conversations().find(scope, self.conversation_id()).await.unwrap(),
                store.conversations().messages(scope, self.conversation_id(), 0, 100).await.unwrap(),
                (
                    store.credits().entries(scope, &Month::of(at(0))).await.unwrap(),
                    store.jobs().find(scope, self.job.job_id).await.unwrap(),
                    store.webhooks().find(scope, self.endpoint.webhook_endpoint_id).await.unwrap(),
                    store.webhooks().find_delivery(scope, self.delivery.webhook_delivery_id).await.unwrap(),
                    store.events().page(scope, None, &[], 100).await.unwrap(),
                    store.notices().list(scope).await.unwrap(),
                    (
                        store.deal_statuses().page(scope, &PageRequest::first(100)).await.unwrap(),
                        store.deal_rows().page(scope, &PageRequest::first(100)).await.unwrap(),
                        store
                            .deals()
                            .page(
                                scope,
                                &DealFilter::default(),
                                DealOrder::default(),
                                &PageRequest::first(100)
                            )
                            .await
                            .unwrap(),
                        store
                            .deals()
                            .changes(scope, self.deal.deal_id, &PageRequest::first(100))
                            .await
                            .unwrap(),
                        store.deals().board(scope, None, |_| 50).await.unwrap(),
                        store
                            .deal_activities()
                            .page(scope, &DealActivityFilter::default(), &PageRequest::first(100))
                            .await
                            .unwrap(),
                        store.calendar_feeds().page(scope, &PageRequest::first(100)).await.unwrap(),
                    ),
                    (
                        store
                            .threads()
                            .page(scope, &ThreadFilter::default(), &PageRequest::first(10))
                            .await
                            .unwrap(),
                        self.messages_of_thread(store).await,
                        store.threads().find_attachment(scope, self.attachment.attachment_id).await.unwrap(),
                        store.inbox_channels().page(scope, None, &PageRequest::first(10)).await.unwrap(),
                    ),
                ),
            )
        )
    }
}
