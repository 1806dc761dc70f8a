//! The two operations from request to answer, on a real database and with the embedded writer.

use std::collections::BTreeSet;
use std::sync::Arc;

use frontdesk_assistant::Assistant;
use frontdesk_knowledge::FieldTerms;
use frontdesk_model::{
    Answer, DraftReplyError, EmailReply, MessageRejectedBody, NewMessage, NewReply, ReplyRejectedBody,
    SendMessageError,
};
use frontdesk_outbound::{Outbound, Policy};
use frontdesk_runtime::Failure;
use frontdesk_server::{DraftReply, Messages, SendMessage};
use frontdesk_store::{
    Account, AccountKind, Chatbot, ConversationMode, MessageRole, NewAccount, NewChatbot, NewChunk, NewPage,
    PageOutcome, PageStatus, Plan, Role, Scope, SourceType, Store,
};
use jiff::Timestamp;
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};
use tokio::sync::Notify;
use uuid::Uuid;

use crate::config::Config;
use crate::metrics::Metrics;
use crate::service::{Caller, Clock, Service};
use crate::training;

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

async fn service() -> Service {
    let outbound = Outbound::new(Policy::new("test")).unwrap();
    let store = Store::open("sqlite::memory:").await.unwrap();
    Service {
        sealer: crate::sealing::Sealer::open(&store, None).await.unwrap(),
        store,
        assistant: Arc::new(Assistant::new(None, outbound.clone())),
        outbound,
        config: Arc::new(Config::default()),
        clock: Clock::from_fn(|| Timestamp::from_second(NOW).unwrap()),
        metrics: Metrics::new(),
        training_queued: Arc::new(Notify::new()),
    }
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
        let now = service.now();
        let new = NewAccount {
            parent_id: None,
            kind: AccountKind::Standard,
            name: "Shop".into(),
            plan: Plan::Growth,
            monthly_credits,
        };
        let account = service.store.create_account(&new, now).await.unwrap();
        let new = NewChatbot {
            name: "Help".into(),
            language: Some("en".into()),
            settings: json!({ "business_name": "Shop", "language": "en" }),
            pages: Vec::new(),
            job: training::job(),
        };
        let chatbot = service.store.create_chatbot(&account.scope(), &new, now).await.unwrap();
        let caller = Caller {
            scope: account.scope(),
            account_id: account.account_id,
            user_id: Uuid::new_v4(),
            key_id: Uuid::new_v4(),
            role: Role::Owner,
            plan: Plan::Growth,
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
        store.add_pages(&self.scope(), chatbot_id, &[NewPage::root(url)], 100, now).await.unwrap();
        let page = store.next_pending(&self.scope(), chatbot_id).await.unwrap().unwrap();
        let terms = FieldTerms::of(title, "", text, Some("en"));
        let chunk = NewChunk {
            source_type: SourceType::Webpage,
            title: title.into(),
            headings: String::new(),
            text: text.into(),
            url: url.into(),
            language: Some("en".into()),
            terms_title: terms.title,
            terms_headings: terms.headings,
            terms_body: terms.body,
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
        assert!(store.finish_page(&self.scope(), page.webpage_id, &outcome, now).await.unwrap());
        page.webpage_id
    }

    async fn send(&self, body: Value) -> Result<Answer, Failure<SendMessageError>> {
        let body: NewMessage = serde_json::from_value(body).unwrap();
        let request = SendMessage { caller: self.caller.clone(), chatbot_id: self.chatbot.chatbot_id, body };
        self.service.send_message(request).await
    }

    async fn draft(&self, body: Value) -> Result<EmailReply, Failure<DraftReplyError>> {
        let body: NewReply = serde_json::from_value(body).unwrap();
        self.service.draft_reply(DraftReply { chatbot_id: self.chatbot.chatbot_id, body }).await
    }

    async fn domain(&self, hostname: &str) -> i64 {
        let secret = self.service.sealer.seal(&format!("secret of {hostname}"), hostname).unwrap();
        self.service
            .store
            .create_domain(&self.scope(), hostname, &secret, self.service.now())
            .await
            .unwrap()
            .domain_id
    }

    async fn used(&self) -> u64 {
        let month = frontdesk_store::Month::of(self.service.now());
        self.service.store.credit_usage(&self.scope(), &month, 1_000).await.unwrap().used
    }

    async fn contacts(&self) -> Vec<frontdesk_store::Contact> {
        self.service.store.contacts(&self.scope(), None, 100).await.unwrap()
    }
}

fn assertion(hostname: &str, subject: &str) -> String {
    let claims = json!({
        "sub": subject, "aud": hostname, "iat": NOW, "exp": NOW + 600, "email": format!("{subject}@customer.example")
    });
    let secret = format!("secret of {hostname}");
    jsonwebtoken::encode(&Header::default(), &claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap()
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

#[tokio::test]
async fn a_question_is_answered_from_the_content_and_kept() {
    let shop = Shop::open().await;
    let answer = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    assert!(answer.response.contains("4.90 pounds"), "{}", answer.response);
    assert_eq!(answer.sources[0].url, "https://shop.example/delivery");
    assert_eq!(answer.mode.as_str(), "ai");
    assert!(!answer.needs_escalation);
    let usage = &answer.usage;
    assert_eq!((usage.credits_used, usage.monthly_remaining, usage.monthly_limit), (1, 1_999, 2_000));

    let messages = shop.service.store.messages(&shop.scope(), answer.conversation_id, 0, 10).await.unwrap();
    let kept: Vec<_> = messages.iter().map(|message| (message.role, message.body.as_str())).collect();
    assert_eq!(
        kept,
        [
            (MessageRole::Visitor, "What does delivery cost?"),
            (MessageRole::Assistant, answer.response.as_str())
        ]
    );
    assert_eq!(messages[1].message_id.to_string(), answer.message_id);
    assert_eq!(messages[1].credits_used, 1);
}

#[tokio::test]
async fn what_the_content_does_not_hold_is_refused_and_free() {
    let shop = Shop::open().await;
    let answer = shop.send(json!({ "message": "Who won the chess championship in 1972?" })).await.unwrap();
    assert!(answer.sources.is_empty());
    assert!(!answer.response.is_empty());
    assert_eq!((answer.usage.credits_used, answer.usage.monthly_remaining), (0, 2_000));
    assert_eq!(shop.used().await, 0);
}

#[tokio::test]
async fn a_conversation_goes_on_under_its_id_and_under_no_other() {
    let shop = Shop::open().await;
    let first = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    let next = json!({ "message": "And sharpening secateurs?", "conversation_id": first.conversation_id });
    assert_eq!(shop.send(next).await.unwrap().conversation_id, first.conversation_id);

    let unknown = Uuid::new_v4();
    let answer = shop.send(json!({ "message": "Hello", "conversation_id": unknown })).await.unwrap();
    assert!(answer.conversation_id != unknown && answer.conversation_id != first.conversation_id);

    // The conversation of another tenant, and of another chatbot of the same account, is as good as unknown.
    let other = Shop::untrained(&shop.service, None).await;
    let foreign =
        other.send(json!({ "message": "Hello", "conversation_id": first.conversation_id })).await.unwrap();
    assert_ne!(foreign.conversation_id, first.conversation_id);
    let messages = shop.service.store.messages(&shop.scope(), first.conversation_id, 0, 10).await.unwrap();
    assert_eq!(messages.len(), 4);
}

#[tokio::test]
async fn while_a_person_answers_messages_are_only_kept() {
    let shop = Shop::with_credits(1).await;
    let first = shop.send(json!({ "message": "What does delivery cost?" })).await.unwrap();
    assert_eq!(first.usage.monthly_remaining, 0);
    for mode in [ConversationMode::HumanRequested, ConversationMode::Human] {
        shop.service.store.set_conversation_mode(&shop.scope(), first.conversation_id, mode).await.unwrap();
        let body = json!({ "message": "Are you there?", "conversation_id": first.conversation_id });
        // No credits are needed, so none being left does not matter.
        let kept = shop.send(body).await.unwrap();
        assert_eq!((kept.response.as_str(), kept.mode.as_str()), ("", mode.as_str()));
        assert_eq!((kept.usage.credits_used, kept.needs_escalation), (0, false));
        assert_eq!(kept.conversation_id, first.conversation_id);
    }
    let messages = shop.service.store.messages(&shop.scope(), first.conversation_id, 0, 10).await.unwrap();
    assert_eq!(messages.len(), 4);
    assert_eq!(messages[3].role, MessageRole::Visitor);
}

#[tokio::test]
async fn without_credits_nothing_happens() {
    let shop = Shop::with_credits(0).await;
    let outcome =
        shop.send(json!({ "message": "What does delivery cost?", "contact": { "name": "Jo" } })).await;
    assert!(matches!(outcome, Err(Failure::Declared(SendMessageError::PaymentRequired(_)))), "{outcome:?}");
    assert!(shop.contacts().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_credits_are_spent_once() {
    let shop = Arc::new(Shop::with_credits(5).await);
    let calls: Vec<_> = (0..20)
        .map(|_| {
            let shop = Arc::clone(&shop);
            tokio::spawn(async move { shop.send(json!({ "message": "What does delivery cost?" })).await })
        })
        .collect();
    let mut answered = 0;
    for call in calls {
        match call.await.unwrap() {
            Ok(_) => answered += 1,
            Err(Failure::Declared(SendMessageError::PaymentRequired(_))) => {}
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((answered, shop.used().await), (5, 5));
}

#[tokio::test]
async fn tags_narrow_the_search_and_unknown_ones_are_refused() {
    let shop = Shop::open().await;
    let page =
        shop.read("https://shop.example/b2b", "Trade", "Traders pay by invoice within thirty days.").await;
    let (store, now) = (&shop.service.store, shop.service.now());
    let tag = store.create_tag(&shop.scope(), shop.chatbot.chatbot_id, "Trade", now).await.unwrap().unwrap();
    assert!(store.tag_webpage(&shop.scope(), page, tag.tag_id).await.unwrap());

    let invoice = json!({ "message": "Do traders pay by invoice?", "source_tags": ["trade"] });
    assert!(shop.send(invoice).await.unwrap().response.contains("invoice"));
    let delivery = json!({ "message": "What does delivery cost?", "source_tags": ["Trade"] });
    let answer = shop.send(delivery).await.unwrap();
    assert!(!answer.response.contains("4.90"), "{}", answer.response);

    let unknown =
        json!({ "message": "Hello", "source_tags": ["Trade", "no such", "neither"], "domain_id": 99 });
    assert_eq!(refused(shop.send(unknown).await), named(&["domain_id", "source_tags.1", "source_tags.2"]));
}

#[tokio::test]
async fn claims_make_unproven_contacts() {
    let shop = Shop::open().await;
    let contact = json!({ "email": "Jo@Customer.example", "name": "Jo", "custom": ["Mower", null] });
    let first = shop.send(json!({ "message": "Hello", "contact": contact })).await.unwrap();
    let more = json!({ "phone": "+44 20 7946 0123" });
    shop.send(json!({ "message": "Hi", "conversation_id": first.conversation_id, "contact": more }))
        .await
        .unwrap();
    shop.send(json!({ "message": "Hi", "contact": { "email": " ", "jwt": null } })).await.unwrap();
    shop.send(json!({ "message": "Hi", "contact": null })).await.unwrap();

    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    let jo = &contacts[0];
    assert_eq!(jo.email.as_deref(), Some("jo@customer.example"));
    assert_eq!((jo.name.as_deref(), jo.phone.as_deref()), (Some("Jo"), Some("+44 20 7946 0123")));
    assert_eq!(jo.custom, Some(json!(["Mower", null])));
    assert!(!jo.is_verified);
    let conversation =
        shop.service.store.conversation(&shop.scope(), first.conversation_id).await.unwrap().unwrap();
    assert_eq!(conversation.contact_id, Some(jo.contact_id));
}

#[tokio::test]
async fn an_assertion_is_verified_under_the_only_domain() {
    let shop = Shop::open().await;
    let unverifiable = json!({ "message": "Hi", "contact": { "jwt": assertion("shop.example", "seven") } });
    assert_eq!(refused(shop.send(unverifiable.clone()).await), named(&["invalid_identity"]));

    shop.domain("shop.example").await;
    shop.send(unverifiable).await.unwrap();
    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 1);
    assert_eq!(contacts[0].external_id.as_deref(), Some("seven"));
    assert_eq!(contacts[0].email.as_deref(), Some("seven@customer.example"));
    assert!(contacts[0].is_verified);

    // A claim about the same address neither changes nor becomes the proven contact.
    let claim = json!({ "email": "seven@customer.example", "name": "Mallory" });
    shop.send(json!({ "message": "Hi", "contact": claim })).await.unwrap();
    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 2);
    assert!(contacts.iter().all(|contact| !(contact.is_verified && contact.name.is_some())));
}

#[tokio::test]
async fn bad_assertions_are_refused_and_leave_nothing_behind() {
    let shop = Shop::open().await;
    let own = shop.domain("shop.example").await;
    let other = Shop::untrained(&shop.service, None).await;
    let foreign = other.domain("other.example").await;
    let good = assertion("shop.example", "seven");
    for (contact, domain_id, expected) in [
        (json!({ "jwt": assertion("other.example", "seven") }), json!(null), "invalid_identity"),
        (json!({ "jwt": assertion("other.example", "seven") }), json!(own), "invalid_identity"),
        (json!({ "jwt": "" }), json!(null), "invalid_identity"),
        (json!({ "jwt": "not a token" }), json!(own), "invalid_identity"),
        (json!({ "jwt": assertion("other.example", "seven") }), json!(foreign), "domain_id"),
        (json!({ "jwt": good }), json!(own + 1_000), "domain_id"),
        (json!({ "name": "Jo" }), json!(foreign), "domain_id"),
    ] {
        let body = json!({ "message": "Hi", "contact": contact, "domain_id": domain_id });
        assert_eq!(refused(shop.send(body.clone()).await), named(&[expected]), "{body}");
    }
    shop.domain("second.example").await;
    let ambiguous = json!({ "message": "Hi", "contact": { "jwt": good } });
    assert_eq!(refused(shop.send(ambiguous).await), named(&["domain_id"]));
    assert!(shop.contacts().await.is_empty());
    assert_eq!(shop.used().await, 0);

    shop.send(json!({ "message": "Hi", "contact": { "jwt": good }, "domain_id": own })).await.unwrap();
    assert_eq!(shop.contacts().await.len(), 1);
}

#[tokio::test]
async fn the_conversation_of_a_proven_visitor_goes_on_for_nobody_else() {
    let shop = Shop::open().await;
    shop.domain("shop.example").await;
    let seven = json!({ "jwt": assertion("shop.example", "seven") });
    let eight = json!({ "jwt": assertion("shop.example", "eight") });
    let first = shop.send(json!({ "message": "Hi", "contact": seven })).await.unwrap();
    let go_on = |contact: Value| json!({ "message": "Hi", "conversation_id": first.conversation_id, "contact": contact });
    assert_eq!(shop.send(go_on(seven)).await.unwrap().conversation_id, first.conversation_id);
    for contact in [eight, json!(null), json!({ "email": "seven@customer.example" })] {
        assert_ne!(shop.send(go_on(contact)).await.unwrap().conversation_id, first.conversation_id);
    }
}

#[tokio::test]
async fn chatbots_of_other_tenants_do_not_exist() {
    let shop = Shop::open().await;
    let other = Shop::untrained(&shop.service, None).await;
    for chatbot_id in [other.chatbot.chatbot_id, Uuid::new_v4()] {
        let request = SendMessage {
            caller: shop.caller.clone(),
            chatbot_id,
            body: NewMessage::new("What does delivery cost?"),
        };
        let outcome = shop.service.send_message(request).await;
        assert!(matches!(outcome, Err(Failure::Declared(SendMessageError::NotFound(_)))), "{outcome:?}");
    }
}

#[tokio::test]
async fn nothing_of_another_tenant_is_ever_quoted() {
    let shop = Shop::open().await;
    let other = Shop::untrained(&shop.service, None).await;
    other.read("https://other.example/", "Canary", "The canary of the other tenant is called Zebulon.").await;
    let answer =
        shop.send(json!({ "message": "What is the canary of the other tenant called?" })).await.unwrap();
    assert!(!answer.response.contains("Zebulon") && answer.sources.is_empty(), "{answer:?}");
    let answer = other.send(json!({ "message": "What is the canary called?" })).await.unwrap();
    assert!(answer.response.contains("Zebulon"), "{answer:?}");
}

fn thread(body: &str) -> Value {
    json!({ "subject": "Re: A question", "messages": [{ "from": "jo@customer.example", "body": body }] })
}

#[tokio::test]
async fn a_reply_is_drafted_from_the_content() {
    let shop = Shop::open().await;
    let reply = shop.draft(thread("Hello,\n\nwhat does delivery cost?\n\nBest wishes\nJo")).await.unwrap();
    assert!(reply.reply.contains("4.90 pounds"), "{}", reply.reply);
    assert_eq!(reply.sources[0].url, "https://shop.example/delivery");
    assert_eq!((reply.usage.credits_used, reply.usage.monthly_remaining), (1, 1_999));
    // A draft is about people but keeps nothing of them.
    assert!(shop.contacts().await.is_empty());
}

#[tokio::test]
async fn a_chatbot_without_content_drafts_nothing() {
    let shop = Shop::untrained(&service().await, None).await;
    match shop.draft(thread("What does delivery cost?")).await {
        Err(Failure::Declared(DraftReplyError::UnprocessableEntity(rejected))) => {
            assert!(matches!(rejected.body, ReplyRejectedBody::NoTrainingDataError(_)), "{rejected:?}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(shop.used().await, 0);
}

#[tokio::test]
async fn drafts_are_bounded_by_credits_and_by_day() {
    let broke = Shop::with_credits(0).await;
    let outcome = broke.draft(thread("What does delivery cost?")).await;
    assert!(matches!(outcome, Err(Failure::Declared(DraftReplyError::PaymentRequired(_)))), "{outcome:?}");

    let mut shop = Shop::open().await;
    let mut config = Config::default();
    config.limits.replies_per_day = 1;
    shop.service.config = Arc::new(config);
    shop.draft(thread("What does delivery cost?")).await.unwrap();
    match shop.draft(thread("What does delivery cost?")).await {
        Err(Failure::Declared(DraftReplyError::TooManyRequests(limited))) => {
            assert!((1..=86_401).contains(&limited.retry_after), "{limited:?}");
        }
        other => panic!("{other:?}"),
    }
}
