//! Tests of the two operations from request to response, on a real database, mostly with the extractive
//! writer.

mod identity;
mod reply;
mod rewriting;
mod send;

use std::collections::BTreeSet;
use std::sync::Arc;

use frontdesk_assistant::Assistant;
use frontdesk_knowledge::{FieldTerms, Hosts};
use frontdesk_model::operations::messages;
use frontdesk_model::{
    Answer, DraftReplyError, EmailReply, MessageRejectedBody, NewMessage, NewReply, SendMessageError,
    SendMessageOkBody,
};
use frontdesk_outbound::{Outbound, Policy};
use frontdesk_retrieval::{ContentSearch, EmbeddingModel};
use frontdesk_runtime::server::Incoming;
use frontdesk_runtime::{Failure, Operation};
use frontdesk_server::{DraftReply, Messages, SendMessage};
use frontdesk_store::{
    Account, AccountKind, Chatbot, Conversation, Message, NewAccount, NewChatbot, NewChunk, NewPage,
    PageOutcome, PageStatus, Plan, Role, Scope, SourceType, Store,
};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use uuid::Uuid;

use crate::{
    answering::{Answering, hits::HitCounts, web_search::WebSearch},
    api::{self, Service},
    background::{Background, jobs::JobSignals, media::MediaModels, training},
    edge::{
        Caller, Edge,
        cursors::Cursors,
        rate_limit::RateLimits,
        waiters::{Waiters, WaitingLimits},
    },
    platform::{
        Clock, Platform,
        config::Config,
        files::{self, FileStorage},
        metrics::Metrics,
        priority::Priority,
        readiness::Readiness,
        secrets::{encryption::SecretCipher, pepper::Peppers},
    },
};

const NOW: i64 = 1_800_000_000;
const DELIVERY: &str = "We deliver from Tuesday to Saturday. Delivery within ten miles costs 4.90 pounds.";
const REPAIRS: &str = "The workshop sharpens secateurs for 9 pounds within two working days.";

/// An account with a chatbot that has read two pages.
struct Shop {
    service: Service,
    account: Account,
    chatbot: Chatbot,
    caller: Caller,
}

/// The head of a request to an operation of a chatbot, without what authorization adds.
fn head(operation: &'static Operation, chatbot_id: Uuid) -> Incoming {
    let path = operation.path.replace("{chatbot_id}", &chatbot_id.to_string());
    let request = http::Request::builder().method(&operation.method).uri(path).body(()).unwrap();
    Incoming::from_parts(operation, request.into_parts().0)
}

async fn service() -> Service {
    let outbound = Outbound::new(Policy::new("test")).unwrap();
    let store = Store::open("sqlite::memory:").await.unwrap();
    let platform = Platform {
        cipher: SecretCipher::new(&Peppers::of("pepper")),
        files: FileStorage::in_folder(std::env::temp_dir().join("frontdesk-operation-tests")),
        config: Arc::new(Config::default()),
        clock: Clock::from_fn(|| Timestamp::from_second(NOW).unwrap()),
        metrics: Metrics::new(),
        readiness: Readiness::default(),
        priority: Priority::default(),
        store: store.clone(),
    };
    let edge = Edge {
        platform,
        cursors: Cursors::open(&store).await.unwrap(),
        rate_limits: RateLimits::in_process(),
        waiters: Waiters::new(WaitingLimits { process: 10, account: 10 }),
    };
    let background = Background {
        edge,
        job_signals: JobSignals::default(),
        outbound: outbound.clone(),
        webhook_outbound: outbound.clone(),
        mail_outbound: outbound.clone(),
        messenger_outbound: outbound.clone(),
        mailer: None,
        crawled_hosts: Hosts::new(),
        extractor: files::extractor(&Config::default()),
        media: MediaModels::open(&Config::default().files).unwrap(),
    };
    let answering = Answering {
        background,
        search: ContentSearch::new(store, EmbeddingModel::none()),
        assistant: Arc::new(Assistant::new(None, outbound)),
        web_search: WebSearch::default(),
        hits: HitCounts::default(),
        reply_slots: Arc::new(Semaphore::new(8)),
    };
    Service { answering }
}

impl Shop {
    async fn open() -> Self {
        let shop = Self::untrained(&service().await, None).await;
        shop.read("https://shop.example/delivery", "Delivery", DELIVERY).await;
        shop.read("https://shop.example/repairs", "Repairs", REPAIRS).await;
        shop
    }

    async fn with_credits(credits: u64) -> Self {
        let shop = Self::untrained(&service().await, Some(credits)).await;
        shop.read("https://shop.example/delivery", "Delivery", DELIVERY).await;
        shop
    }

    async fn untrained(service: &Service, monthly_credits: Option<u64>) -> Self {
        Self::of_account(service, AccountKind::Standard, None, monthly_credits).await
    }

    async fn of_account(
        service: &Service,
        kind: AccountKind,
        parent_id: Option<Uuid>,
        monthly_credits: Option<u64>,
    ) -> Self {
        let now = service.now();
        let new = NewAccount { parent_id, kind, name: "Shop".into(), plan: Plan::Growth, monthly_credits };
        let account = service.store.accounts().create(&new, now).await.unwrap();
        let new = NewChatbot {
            name: "Help".into(),
            language: Some("en".into()),
            settings: json!({ "business_name": "Shop", "language": "en" }),
            pages: Vec::new(),
            job: training::job(),
        };
        let chatbot = service.store.chatbots().create(&account.scope(), &new, now).await.unwrap();
        let caller = Caller {
            scope: account.scope(),
            account_id: account.account_id,
            user_id: Uuid::new_v4(),
            key_id: Uuid::new_v4(),
            via: crate::edge::Via::Key,
            role: Role::Owner,
            plan: Plan::Growth,
            monthly_credits,
            rate_per_minute: None,
        };
        Self { service: service.clone(), account, chatbot, caller }
    }

    fn scope(&self) -> Scope {
        self.account.scope()
    }

    async fn read(&self, url: &str, title: &str, text: &str) -> Uuid {
        let (store, now) = (&self.service.store, self.service.now());
        let chatbot_id = self.chatbot.chatbot_id;
        store.webpages().add(&self.scope(), chatbot_id, &[NewPage::root(url)], 100, now).await.unwrap();
        let page = store.webpages().next_pending(&self.scope(), chatbot_id).await.unwrap().unwrap();
        let terms = FieldTerms::of(title, "", text, Some("en"));
        let chunk = NewChunk {
            source_type: SourceType::Webpage,
            title: title.into(),
            headings: String::new(),
            text: text.into(),
            url: url.into(),
            language: Some("en".into()),
            terms_title: terms.title.into(),
            terms_headings: terms.headings.into(),
            terms_body: terms.body.into(),
        };
        let outcome = PageOutcome {
            status: PageStatus::Ready,
            reason: None,
            http_status: Some(200),
            final_url: Some(url.into()),
            title: Some(title.into()),
            content_hash: Some(url.into()),
            language: Some("en".into()),
            chunks: Some(vec![chunk]),
            links: Vec::new(),
            max_pages: 100,
        };
        assert!(store.webpages().finish(&self.scope(), page.webpage_id, &outcome, now).await.unwrap());
        page.webpage_id
    }

    /// The head of a request to this chatbot, with the row that authorization adds.
    async fn authorized(&self, operation: &'static Operation, scope: Option<&Scope>) -> Incoming {
        let mut incoming = head(operation, self.chatbot.chatbot_id);
        api::resolvers().resolve(&self.service, scope, &mut incoming).await.unwrap();
        incoming
    }

    async fn send(&self, body: Value) -> Result<Answer, Failure<SendMessageError>> {
        let body: NewMessage = serde_json::from_value(body).unwrap();
        let chatbot_id = self.chatbot.chatbot_id;
        let caller = self.caller.clone();
        let incoming = self.authorized(&messages::SEND_MESSAGE, Some(&caller.scope)).await;
        let request =
            SendMessage { caller, chatbot_id: chatbot_id.into(), idempotency_key: None, body, incoming };
        self.service.send_message(request).await.map(|body| match body {
            SendMessageOkBody::Json(answer) => answer,
            SendMessageOkBody::Events(_) => panic!("a stream was not asked for"),
        })
    }

    async fn draft(&self, body: Value) -> Result<EmailReply, Failure<DraftReplyError>> {
        let body: NewReply = serde_json::from_value(body).unwrap();
        let chatbot_id = self.chatbot.chatbot_id;
        let incoming = self.authorized(&messages::DRAFT_REPLY, None).await;
        self.service.draft_reply(DraftReply { chatbot_id: chatbot_id.into(), body, incoming }).await
    }

    async fn domain(&self, hostname: &str) -> i64 {
        let secret = self.service.cipher.encrypt(&format!("secret of {hostname}"), hostname).unwrap();
        let new = frontdesk_store::NewDomain {
            hostname: hostname.to_owned(),
            identity_enforcement: frontdesk_store::IdentityEnforcement::Optional,
            public_keys: Vec::new(),
            identity_secret: secret,
        };
        self.service
            .store
            .domains()
            .create(&self.scope(), &new, 50, self.service.now())
            .await
            .unwrap()
            .domain_id
    }

    async fn used(&self) -> u64 {
        let month = frontdesk_store::Month::of(self.service.now());
        self.service.store.credits().usage(&self.scope(), &month, 1_000).await.unwrap().used
    }

    async fn conversation(&self, conversation_id: Uuid) -> Conversation {
        self.service.store.conversations().find(&self.scope(), conversation_id).await.unwrap().unwrap()
    }

    async fn messages(&self, conversation_id: Uuid) -> Vec<Message> {
        self.service.store.conversations().messages(&self.scope(), conversation_id, 0, 100).await.unwrap()
    }

    async fn contacts(&self) -> Vec<frontdesk_store::Contact> {
        self.service.store.contacts().list(&self.scope(), None, 100).await.unwrap()
    }
}

/// The fields that a refusal names, or the code of the refusal.
fn refused(outcome: Result<Answer, Failure<SendMessageError>>) -> BTreeSet<String> {
    match outcome {
        Err(Failure::Declared(SendMessageError::UnprocessableEntity(rejected))) => match rejected.body {
            MessageRejectedBody::ValidationError(error) => error.errors.into_keys().collect(),
            MessageRejectedBody::InvalidIdentityError(error) => {
                BTreeSet::from([error.error.as_str().to_owned()])
            }
            MessageRejectedBody::Unknown(body) => panic!("the document has no such body: {body}"),
        },
        other => panic!("not refused: {other:?}"),
    }
}

fn named(fields: &[&str]) -> BTreeSet<String> {
    fields.iter().map(|field| (*field).to_owned()).collect()
}
