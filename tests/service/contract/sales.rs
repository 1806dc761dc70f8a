//! An account that sells: contacts, deals, follow-ups that are planned, and the e-mails that its service
//! sends.

use std::collections::{BTreeMap, BTreeSet};

use frontdesk_client::{
    Client,
    model::{
        DealActivity, FollowUpState, NewDealActivity, NewDealActivityType, NewFollowUp, NewFollowUpChannel,
        NewFollowUpTrigger,
    },
};
use frontdesk_model::ContactId;
use frontdesk_service::config::Config;
use frontdesk_store::{
    ContactFields, ContactInput, Conversation, NewChatbot, NewJob, NewPage, NewTurn, Plan, Redacted,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use uuid::Uuid;

use crate::{
    database::{Customer, Database},
    installation::Installation,
    patience::until,
    webhooks::mail::{Mails, Manner, sink},
};

pub(super) const PUBLIC_URL: &str = "https://desk.example";

/// An account with a chatbot, whose service sends e-mails to a sink.
pub(crate) struct Sales {
    pub(crate) service: Installation,
    pub(crate) customer: Customer,
    pub(crate) client: Client,
    pub(crate) mails: Mails,
    pub(super) smtp_url: String,
    pub(super) chatbot_id: Uuid,
}

/// Configures a service to send e-mails.
pub(crate) fn with_mail(config: &mut Config, url: &str) {
    config.mail.smtp_url = Some(Redacted::new(url.to_owned()));
    config.mail.from = Some("Frontdesk <desk@frontdesk.example>".to_owned());
    config.mail.public_url = Some(PUBLIC_URL.parse().unwrap());
}

impl Sales {
    pub(crate) async fn open(database: Database, manner: Manner) -> Self {
        let (url, mails) = sink(manner).await;
        let smtp_url = url.clone();
        let service = Installation::start_with(database, move |config| with_mail(config, &url)).await;
        let customer = service.database.customer("acme", Plan::Growth).await;
        let client = service.client(&customer);
        let chatbot_id = chatbot(&service.database, &customer).await;
        Self { service, customer, client, mails, smtp_url, chatbot_id }
    }

    /// A deal of the account.
    pub(crate) async fn deal(&self) -> Uuid {
        deal(&self.service.database, &self.customer).await
    }

    /// A contact who has begun a conversation.
    pub(crate) async fn visitor(&self, name: &str) -> (Uuid, Conversation) {
        let fields = ContactFields {
            email: Some(format!("{name}@customer.example")),
            name: Some(name.to_owned()),
            ..ContactFields::default()
        };
        let input = ContactInput { claimed: fields, ..ContactInput::default() };
        let contacts = self.service.database.store.contacts();
        let contact =
            contacts.upsert(&self.customer.scope(), &input, Timestamp::now()).await.unwrap().unwrap();
        let conversation = self.says(Some(contact.contact_id), None, "What does it cost?").await;
        (contact.contact_id, conversation)
    }

    pub(super) async fn says(
        &self,
        contact_id: Option<Uuid>,
        conversation_id: Option<Uuid>,
        text: &str,
    ) -> Conversation {
        let turn = NewTurn {
            chatbot_id: self.chatbot_id,
            conversation_id,
            new_conversation_id: None,
            verified_subject: None,
            contact_id,
            source: "api".into(),
            text: text.to_owned(),
            sent_by: None,
            charge: None,
        };
        let conversations = self.service.database.store.conversations();
        let turn = conversations.begin_turn(&self.customer.scope(), &turn, Timestamp::now()).await.unwrap();
        turn.unwrap().conversation
    }

    pub(crate) async fn create(&self, deal_id: Uuid, new: NewDealActivity) -> DealActivity {
        self.client.deal_activities().create(deal_id.into(), new).await.unwrap().into_inner()
    }

    pub(crate) async fn get(&self, activity: &DealActivity) -> DealActivity {
        let call = self.client.deal_activities().get(activity.deal_id, activity.deal_activity_id);
        call.await.unwrap().into_inner()
    }

    /// Waits until a follow-up is in a state.
    pub(crate) async fn reaches(&self, activity: &DealActivity, state: FollowUpState) -> DealActivity {
        until(state.as_str(), async || {
            self.service.database.make_due(&["send_follow_ups"]).await;
            let activity = self.get(activity).await;
            (activity.follow_up.as_ref().unwrap().state == state).then_some(activity)
        })
        .await
    }
}

/// A chatbot that is not trained.
pub(crate) async fn chatbot(database: &Database, customer: &Customer) -> Uuid {
    let job = NewJob {
        queue: "crawl".into(),
        kind: "nothing".into(),
        subject: None,
        payload: json!({}),
        run_at: Some(Timestamp::now() + SignedDuration::from_hours(1)),
        max_attempts: 1,
        time_limit: SignedDuration::from_hours(2),
        dedupe_key: None,
    };
    let chatbot = NewChatbot {
        name: "Helper".into(),
        language: Some("en".into()),
        settings: json!({ "business_name": "Acme" }),
        pages: vec![NewPage::root("https://acme.example/".to_owned())],
        job,
    };
    let chatbots = database.store.chatbots();
    chatbots.create(&customer.scope(), &chatbot, Timestamp::now()).await.unwrap().chatbot_id
}

/// A deal of an account.
pub(crate) async fn deal(database: &Database, customer: &Customer) -> Uuid {
    let (deal_id, account_id) = (Uuid::now_v7(), customer.account.account_id);
    let statements = [
        format!(
            "INSERT INTO deal_statuses (deal_status_id, account_id, name, name_key, kind, position, created_at, updated_at) \
             VALUES ('{deal_id}', '{account_id}', '{deal_id}', '{deal_id}', 'open', 50, 0, 0)"
        ),
        format!(
            "INSERT INTO deal_rows (deal_row_id, account_id, name, name_key, is_collapsed, is_default, position, created_at, updated_at) \
             VALUES ('{deal_id}', '{account_id}', '{deal_id}', '{deal_id}', 0, 0, 50, 0, 0)"
        ),
        format!(
            "INSERT INTO deals (deal_id, account_id, title, search_text, deal_status_id, deal_row_id, position, outcome, source, \
             status_changed_at, active_at, created_at, updated_at) \
             VALUES ('{deal_id}', '{account_id}', 'Oven', 'oven', '{deal_id}', '{deal_id}', 'a', 'open', 'api', 0, 0, 0, 0)"
        ),
    ];
    database.run(&statements.join(";")).await;
    deal_id
}

/// Plans follow-ups by e-mail that become due when [`begin`] is called, each to a contact of its own, who has
/// a conversation. Every tenth contact has replied already.
pub(crate) async fn plan_many(
    database: &Database,
    customer: &Customer,
    chatbot_id: Uuid,
    deal_id: Uuid,
    count: usize,
) {
    const BATCH: usize = 250;
    let account_id = customer.account.account_id;
    let later = Timestamp::now().as_microsecond() + 86_400_000_000;
    let mut rows = [const { Vec::new() }; 4];
    for number in 0..count {
        let (id, said) = (Uuid::now_v7(), if number % 10 == 0 { 2 } else { 0 });
        rows[0].push(format!(
            "('{id}', '{account_id}', 'v{number}@customer.example', 'v{number}', 0, 'api', 0, 0)"
        ));
        rows[1].push(format!("('{id}', '{account_id}', '{chatbot_id}', '{id}', 'ai', 'api', 1, 0, 0, 0)"));
        rows[2].push(format!(
            "('{id}', '{id}', '{account_id}', '{chatbot_id}', 1, 'visitor', 'Hello', '[]', 0, 0, {said})"
        ));
        rows[3].push(format!(
            "('{id}', '{account_id}', '{deal_id}', 'follow_up', 'Ask', 'open', 'normal', {later}, '{id}', 0, 0, 'email', 'Your offer', \
             'Do you have questions?', 'at_time', 1, 'none', 'UTC', 1, 'scheduled', 0, 0, {later}, 1)"
        ));
    }
    let heads = [
        "contacts (contact_id, account_id, email, name, is_verified, source, first_seen_at, last_seen_at)",
        "conversations (conversation_id, account_id, chatbot_id, contact_id, mode, source, message_count, context_start, created_at, \
         last_message_at)",
        "messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, sources, needs_escalation, credits_used, \
         created_at)",
        "deal_activities (deal_activity_id, account_id, deal_id, type, title, status, priority, due_key, contact_id, created_at, updated_at, \
         channel, subject, body, start_trigger, max_attempts, repeat_interval, timezone, stop_on_reply, state, attempts, anchor_at, \
         next_attempt_at, replies_after)",
    ];
    for (head, rows) in heads.iter().zip(&rows) {
        for batch in rows.chunks(BATCH) {
            database.run(&format!("INSERT INTO {head} VALUES {}", batch.join(", "))).await;
        }
    }
}

/// Makes every planned follow-up due.
pub(crate) async fn begin(database: &Database) {
    database.run("UPDATE deal_activities SET next_attempt_at = 0 WHERE state = 'scheduled'").await;
}

/// The recipients of the follow-ups that [`plan_many`] has planned and that may be sent.
pub(crate) fn expected(count: usize) -> BTreeSet<String> {
    let sent = (0..count).filter(|number| number % 10 != 0);
    sent.map(|number| format!("To: v{number} <v{number}@customer.example>")).collect()
}

pub(super) fn later(hours: i64) -> frontdesk_runtime::Timestamp {
    let at = Timestamp::now() + SignedDuration::from_hours(hours);
    frontdesk_runtime::Timestamp::from_microseconds(at.as_microsecond()).unwrap()
}

pub(super) fn email() -> NewFollowUp {
    NewFollowUp::new(NewFollowUpChannel::Email, "Do you have questions?", NewFollowUpTrigger::AtTime)
        .subject("Your offer")
}

pub(crate) fn follow_up(contact_id: Uuid, follow_up: NewFollowUp, hours: i64) -> NewDealActivity {
    NewDealActivity::new(NewDealActivityType::FollowUp, "Ask about the offer")
        .contact_id(ContactId::from(contact_id))
        .due_at(later(hours))
        .follow_up(follow_up)
}

/// How often each recipient got an e-mail.
pub(crate) fn recipients(mails: &Mails) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for mail in mails.lock().unwrap().iter() {
        let to = mail.lines().find(|line| line.starts_with("To: ")).unwrap();
        *counts.entry(to.to_owned()).or_default() += 1;
    }
    counts
}
