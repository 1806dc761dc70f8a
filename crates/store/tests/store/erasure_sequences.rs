//! Random sequences of what people and accounts do, and then an erasure: no word of the person is anywhere.
//!
//! `FRONTDESK_TEST_ERASURES` is how many sequences each database runs, `FRONTDESK_TEST_ERASURE_SEED` the seed
//! of the first one. A sequence that fails names its seed and what was done.

use std::path::{Path, PathBuf};
use std::time::Duration;

use frontdesk_store::{
    Claimed, ContactFields, ContactInput, ContactUpdate, DeliveryOutcome, DeliveryResult, EventType,
    FeedbackRating, FollowUp, FollowUpPlan, IdempotentRequest, Identity, NewAttachment, NewConsent, NewDeal,
    NewInbound, NewSkippedMail, NewThreadReply, NewWebhookEndpoint, NextFollowUp, Payment, Redacted,
    ReplyKind, RetentionPeriods, StoredResponse, VisitorSubject,
};
use frontdesk_store::{DealUpdate, Erased, NewEscalation};
use jiff::Timestamp;
use serde_json::json;
use tempfile::TempDir;
use uuid::Uuid;

use crate::database::Database;
use crate::personal_data::traces;
use crate::world::{World, answer, at, follow_up, inbound, job, reply, turn};

/// Sequences after which a new database begins, so that its file stays small.
const PER_DATABASE: u64 = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn erasing_leaves_no_word_on_sqlite() {
    let (first, count) = (first_seed(), sequences());
    let mut seed = first;
    while seed < first + count {
        let database = Database::sqlite().await;
        let until = (seed + PER_DATABASE).min(first + count);
        Box::pin(run_all(&database, seed, until)).await;
        database.store.close().await;
        seed = until;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn erasing_leaves_no_word_on_postgres() {
    let Some(database) = Database::postgres("erasing_leaves_no_word").await else { return };
    let first = first_seed();
    Box::pin(run_all(&database, first, first + sequences())).await;
    database.close().await;
}

fn sequences() -> u64 {
    std::env::var("FRONTDESK_TEST_ERASURES").ok().and_then(|text| text.parse().ok()).unwrap_or(5)
}

fn first_seed() -> u64 {
    std::env::var("FRONTDESK_TEST_ERASURE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

async fn run_all(database: &Database, from: u64, until: u64) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let endpoint = NewWebhookEndpoint {
        webhook_endpoint_id: Uuid::now_v7(),
        url: "https://all.example/".into(),
        description: None,
        events: vec![
            EventType::LeadCreated,
            EventType::MessageCreated,
            EventType::ContactUpdated,
            EventType::DealCreated,
            EventType::ThreadStatusChanged,
        ],
        chatbot_ids: Vec::new(),
        enabled: true,
        secret: Redacted::new("webhook secret".to_owned()),
    };
    store.webhooks().create(&world.scope(), &endpoint, 20, at(4)).await.unwrap();
    let files = tempfile::tempdir().unwrap();
    for seed in from..until {
        let before = world.conversation_id();
        let mut sequence = Sequence::new(database, &world, &files, seed);
        sequence.run().await;
        let others = store.conversations().messages(&world.scope(), before, 0, 10).await.unwrap();
        assert!(others.iter().any(|message| !message.body.is_empty()), "seed {seed}: others lose nothing");
    }
}

/// What a person does whose every word has the mark.
struct Sequence<'a> {
    database: &'a Database,
    world: &'a World,
    files: &'a TempDir,
    seed: u64,
    random: fastrand::Rng,
    /// A word that nobody else has. Its letters are those that the search index keeps as they are.
    mark: String,
    /// Digits that no other number has.
    digits: String,
    contacts: Vec<Uuid>,
    conversations: Vec<Uuid>,
    threads: Vec<Uuid>,
    deals: Vec<Uuid>,
    seconds: i64,
    done: Vec<&'static str>,
}

/// When attempts may be made: at once.
struct Now;

impl FollowUpPlan for Now {
    fn permitted(&self, _: &FollowUp, now: Timestamp) -> Option<Timestamp> {
        Some(now)
    }

    fn after(&self, _: &FollowUp, sent: Timestamp) -> Option<Timestamp> {
        Some(sent)
    }
}

impl<'a> Sequence<'a> {
    fn new(database: &'a Database, world: &'a World, files: &'a TempDir, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mark: String = (0..14).map(|_| random.char('a'..='z')).collect();
        let digits = format!("{:010}", random.u64(1_000_000_000..9_000_000_000));
        Self {
            database,
            world,
            files,
            seed,
            random,
            mark,
            digits,
            contacts: Vec::new(),
            conversations: Vec::new(),
            threads: Vec::new(),
            deals: Vec::new(),
            seconds: 100,
            done: Vec::new(),
        }
    }

    /// The present time, which goes on by some hours.
    fn now(&mut self) -> Timestamp {
        self.seconds += 10_000;
        at(self.seconds + i64::try_from(self.seed % 1_000).unwrap() * 1_000_000)
    }

    fn words(&mut self, about: &str) -> String {
        match self.random.usize(..3) {
            0 => format!("{about} {}", self.mark),
            1 => format!("{} says: {about}? {}", self.mark, self.mark),
            _ => format!("{about} ({}@customer.example, +49{})", self.mark, self.digits),
        }
    }

    async fn run(&mut self) {
        self.chat().await;
        for _ in 0..4 + self.random.usize(..14) {
            match self.random.usize(..16) {
                0..=2 => self.chat().await,
                3..=4 => self.write_by_channel().await,
                5 => self.write_elsewhere().await,
                6 => self.reply().await,
                7 => self.change_contact().await,
                8 => self.merge().await,
                9..=10 => self.deal().await,
                11 => self.follow_up().await,
                12 => self.skip_mail().await,
                13 => self.respond().await,
                14 => self.retention().await,
                _ => self.pay().await,
            }
        }
        let context = format!("seed {}, mark {}, after {:?}", self.seed, self.mark, self.done);
        assert!(!self.traces().await.is_empty(), "{context}: nothing was written");
        let contacts = self.contacts.clone();
        for contact_id in contacts {
            let now = self.now();
            let people = self.database.store.contacts();
            if self.random.bool() {
                people.erase(&self.world.scope(), contact_id, now).await.unwrap();
            } else {
                let first =
                    people.erase_within(&self.world.scope(), contact_id, Duration::ZERO, now).await.unwrap();
                if first == Erased::Continues {
                    while !people.continue_erasure(contact_id, Duration::ZERO, now).await.unwrap() {}
                }
            }
        }
        self.delete_objects().await;
        let left = self.traces().await;
        assert!(left.is_empty(), "{context}: {left:?}");
    }

    /// Where the mark is, in the database and among the files.
    async fn traces(&self) -> Vec<String> {
        let pool = self.database.raw().await;
        // The index of the search shares the beginning of words, never their end.
        let mut found = traces(self.database, &pool, &[&self.mark[4..], &self.digits]).await;
        pool.close().await;
        let mut folders = vec![self.files.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(&self.mark) {
                    found.push(path.display().to_string());
                }
            }
        }
        found
    }

    /// Deletes what the service deletes after an erasure.
    async fn delete_objects(&self) {
        let objects = self.database.store.stored_objects();
        for key in objects.erased(1_000).await.unwrap() {
            std::fs::remove_file(self.path(&key)).unwrap();
            objects.forget(&key).await.unwrap();
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        Path::new(self.files.path()).join(key.replace('/', "-"))
    }

    /// Stores an object as the service does.
    async fn object(&mut self) -> String {
        let (key, now) = (format!("{}/attachments/{}", self.seed, Uuid::now_v7()), self.now());
        self.database.store.stored_objects().register(&key, now).await.unwrap();
        std::fs::write(self.path(&key), format!("%PDF {}", self.mark)).unwrap();
        key
    }

    async fn attachment(&mut self) -> NewAttachment {
        let object_key = self.object().await;
        NewAttachment {
            attachment_id: Uuid::now_v7(),
            file_name: format!("{}.pdf", self.mark),
            mime_type: "application/pdf".into(),
            size_bytes: 3,
            object_key,
        }
    }

    fn fields(&mut self) -> ContactFields {
        let address = self.random.usize(..3);
        ContactFields {
            email: Some(format!("{}.{address}@customer.example", self.mark)),
            name: Some(format!("Ann {}", self.mark)),
            phone: self.random.bool().then(|| format!("+49{}", self.digits)),
            company: Some(format!("{} & Sons", self.mark)),
            custom: Some(json!({ "note": self.mark })),
        }
    }

    fn met(&mut self, contact_id: Uuid) {
        if !self.contacts.contains(&contact_id) {
            self.contacts.push(contact_id);
        }
    }

    async fn chat(&mut self) {
        self.done.push("chat");
        let (store, scope, now) = (&self.database.store, self.world.scope(), self.now());
        let mut input = ContactInput { claimed: self.fields(), ..ContactInput::default() };
        let subject = VisitorSubject::new(&format!("user-{}", self.mark));
        let is_proven = self.random.usize(..4) == 0;
        if is_proven {
            input.verified =
                Some(Identity { subject: subject.clone().unwrap(), fields: input.claimed.clone() });
        }
        let contact = store.contacts().upsert(&scope, &input, now).await.unwrap().unwrap();
        self.met(contact.contact_id);
        let known = if self.random.bool() && !is_proven {
            self.random.choice(&self.conversations).copied()
        } else {
            None
        };
        let words = self.words("When do you deliver");
        let mut said = turn(&self.world.chatbot, known, &words);
        said.contact_id = Some(contact.contact_id);
        said.verified_subject = subject.filter(|_| is_proven);
        let Some(begun) = store.conversations().begin_turn(&scope, &said, now).await.unwrap() else { return };
        let id = begun.conversation.conversation_id;
        self.conversations.push(id);
        if self.random.bool() {
            let bot = self.world.chatbot.chatbot_id;
            // The question may be put in other words than the visitor's.
            let question = if self.random.bool() { words } else { self.words("Who knows") };
            store
                .unanswered_questions()
                .record_asked(&scope, bot, &question, &begun.message, now)
                .await
                .unwrap();
        }
        let note = NewEscalation { note: Some(self.words("Asks")), ..crate::world::escalation(None) };
        let escalation = (self.random.usize(..3) == 0).then_some(&note);
        let quoted = answer(&self.words("You have asked"));
        let answered =
            store.conversations().record_answer(&scope, id, &quoted, escalation, now).await.unwrap();
        if let Some(answered) = answered
            && self.random.bool()
        {
            let comment = self.words("Bad");
            let message_id = answered.message.message_id;
            let rating = FeedbackRating::Down;
            store.conversations().rate(&scope, id, message_id, rating, Some(&comment), now).await.unwrap();
        }
        let conversation = store.conversations().find(&scope, id).await.unwrap();
        self.threads.extend(conversation.and_then(|conversation| conversation.thread_id));
    }

    async fn inbound(&mut self) -> NewInbound {
        let key = if self.random.bool() { "first" } else { "second" };
        let attachments = if self.random.bool() { vec![self.attachment().await] } else { Vec::new() };
        NewInbound {
            contact: self.fields(),
            subject: Some(self.words("Order")),
            body: self.words("Where is my parcel"),
            body_html: Some(format!("<p>{}</p>", self.words("Where"))),
            attachments,
            ..inbound(
                &self.world.channel,
                &format!("{}-{key}@mail.example", self.mark),
                &format!("{}-{}", self.mark, Uuid::now_v7()),
            )
        }
    }

    async fn write_by_channel(&mut self) {
        self.done.push("form or mail");
        let (scope, now) = (self.world.scope(), self.now());
        let inbound = self.inbound().await;
        let received = self.database.store.threads().receive(&scope, &inbound, now).await.unwrap().unwrap();
        self.contacts_of(received.message.author_id);
        self.threads.push(received.thread.thread_id);
    }

    fn contacts_of(&mut self, author: Option<Uuid>) {
        if let Some(author) = author {
            self.met(author);
        }
    }

    async fn write_elsewhere(&mut self) {
        self.done.push("mail in the thread of others");
        let (scope, now) = (self.world.scope(), self.now());
        let thread_id = Some(self.world.received.thread.thread_id);
        let inbound = NewInbound { thread_id, ..self.inbound().await };
        let received = self.database.store.threads().receive(&scope, &inbound, now).await.unwrap();
        // Retention may have removed the thread: then it is one of the person's own.
        self.contacts_of(received.unwrap().message.author_id);
    }

    async fn reply(&mut self) {
        self.done.push("reply");
        let (store, scope, now) = (&self.database.store, self.world.scope(), self.now());
        let Some(thread_id) = self.random.choice(&self.threads).copied() else { return };
        let kind = if self.random.bool() { ReplyKind::Reply } else { ReplyKind::Note };
        let written = NewThreadReply {
            kind,
            client_message_id: Some(format!("{}-{}", self.mark, Uuid::now_v7())),
            delivery: (kind == ReplyKind::Reply).then(|| job("deliver_message")),
            ..reply(&self.world.user, &self.words("Dear"))
        };
        // Gone by retention, or a chat that nobody answers.
        let Ok(Some(replied)) = store.threads().reply(&scope, thread_id, &written, now).await else { return };
        let message_id = replied.message.message_id;
        if let Ok(Some(outgoing)) = store.threads().take_outgoing(&scope, message_id).await {
            let error = format!("550 <{}@customer.example> is unknown", self.mark);
            let outcome = DeliveryOutcome::Failed { error };
            store.threads().finish_sending(&scope, message_id, outgoing.attempts, &outcome).await.unwrap();
        }
    }

    async fn change_contact(&mut self) {
        self.done.push("change of the contact");
        let Some(contact_id) = self.random.choice(&self.contacts).copied() else { return };
        let now = self.now();
        let update = ContactUpdate {
            email: Some(Some(format!("{}.{}@customer.example", self.mark, self.random.usize(..5)))),
            name: Some(Some(format!("{} Baker{}", self.mark, self.random.usize(..3)))),
            external_id: Some(Some(format!("id-{}-{}", self.mark, self.random.usize(..3)))),
            company: Some(Some(self.mark.clone())),
            custom: Some(json!([self.mark])),
            tags: Some(vec![self.mark.clone()]),
            custom_fields: Some([("size".to_owned(), self.mark.clone())].into()),
            consent: Some(Some(NewConsent { marketing: true, at: None, source: Some(self.mark.clone()) })),
            ..ContactUpdate::default()
        };
        // Another contact of the person may have the address.
        let _ = self.database.store.contacts().update(&self.world.scope(), contact_id, &update, now).await;
    }

    async fn merge(&mut self) {
        self.done.push("merge");
        let contacts = self.contacts.clone();
        let (Some(target), Some(source)) =
            (self.random.choice(&contacts).copied(), self.random.choice(&contacts).copied())
        else {
            return;
        };
        let now = self.now();
        let merged = self.database.store.contacts().merge(&self.world.scope(), target, source, now).await;
        if let Ok(Some(_)) = merged {
            self.contacts.retain(|contact_id| *contact_id != source);
        }
    }

    async fn deal(&mut self) {
        self.done.push("deal");
        let (store, scope, now) = (&self.database.store, self.world.scope(), self.now());
        let Some(contact_id) = self.random.choice(&self.contacts).copied() else { return };
        let title = match self.random.usize(..2) {
            0 => format!("Mower for Ann {}", self.mark),
            _ => format!("Call +49{} ({}.1@customer.example)", self.digits, self.mark),
        };
        let person = store.contacts().find(&scope, contact_id).await.unwrap();
        // What a title says of a person is what the account knows of it.
        let title = match person.and_then(|person| person.name) {
            Some(name) if self.random.bool() => format!("Mower for {name}"),
            _ => title.replace(&format!("+49{}", self.digits), "them").replace(".1@customer.example", ""),
        };
        let new = NewDeal { title, contact_ids: vec![contact_id], ..NewDeal::default() };
        let deal = store.deals().create(&scope, &new, Some(self.world.user.user_id), now).await.unwrap();
        self.deals.push(deal.deal_id);
        let contact = store.contacts().find(&scope, contact_id).await.unwrap().unwrap();
        let mut activity = follow_up(&deal, &contact);
        activity.title = self.words("Ask");
        activity.note = Some(self.words("Wants two"));
        activity.result = Some(self.words("Reached"));
        if let Some(follow_up) = &mut activity.follow_up {
            follow_up.subject = Some(self.words("Your offer"));
            follow_up.body = self.words("Dear");
        }
        assert!(store.deal_activities().create(&activity).await.unwrap());
        match self.random.usize(..4) {
            0 => {
                let reason = format!("{} has no money", self.mark);
                store.deals().lose(&scope, deal.deal_id, Some(&reason), None, now).await.unwrap();
            }
            1 => {
                store.deals().win(&scope, deal.deal_id, None, now).await.unwrap();
            }
            2 => {
                store.deals().delete(&scope, deal.deal_id, None, now).await.unwrap();
            }
            _ => {
                let update = DealUpdate { thread_ids: Some(self.threads.clone()), ..DealUpdate::default() };
                let _ = store.deals().update(&scope, deal.deal_id, &update, now).await;
            }
        }
    }

    async fn follow_up(&mut self) {
        self.done.push("follow-up");
        let (activities, now) = (self.database.store.deal_activities(), self.now());
        let mut turn = None;
        for _ in 0..5 {
            match activities.claim_follow_up(&mut turn, &Now, true, crate::world::LEASE, now).await.unwrap() {
                NextFollowUp::Send(email) => {
                    let results = [
                        DeliveryResult::Sent,
                        DeliveryResult::Refused,
                        DeliveryResult::Unknown,
                        DeliveryResult::NotSent(None),
                    ];
                    let result = results[self.random.usize(..results.len())];
                    activities.finish_follow_up(&email.claimed, result, &Now, now).await.unwrap();
                }
                NextFollowUp::Finished => {}
                NextFollowUp::Nothing | NextFollowUp::Busy => return,
            }
        }
    }

    async fn skip_mail(&mut self) {
        self.done.push("skipped mail");
        let (scope, now) = (self.world.scope(), self.now());
        let Some(contact_id) = self.random.choice(&self.contacts).copied() else { return };
        let contact = self.database.store.contacts().find(&scope, contact_id).await.unwrap();
        let Some(address) = contact.and_then(|contact| contact.email) else { return };
        let object_key = self.object().await;
        let is_report = self.random.bool();
        let new = NewSkippedMail {
            subject: Some(self.words("Undelivered")),
            object_key: Some(object_key),
            addresses: vec!["info@acme.example".into(), address.clone()],
            ..crate::emails::skipped(
                self.world.channel.channel_id,
                &format!("{}-{}", self.mark, Uuid::now_v7()),
                if is_report { "mailer-daemon@mx.example" } else { &address },
            )
        };
        assert!(self.database.store.skipped_mails().add(&scope, &new, now).await.unwrap());
    }

    async fn respond(&mut self) {
        self.done.push("stored response");
        let store = &self.database.store;
        // A response names what is there. Retention may have removed conversations and threads.
        let scope = self.world.scope();
        let mut named = self.contacts.clone();
        for id in &self.conversations {
            named.extend(
                store.conversations().find(&scope, *id).await.unwrap().map(|found| found.conversation_id),
            );
        }
        for id in &self.threads {
            named.extend(store.threads().find(&scope, *id).await.unwrap().map(|found| found.thread_id));
        }
        let Some(id) = self.random.choice(&named).copied() else { return };
        let now = self.now();
        let in_path = self.random.bool();
        let request = IdempotentRequest {
            api_key_id: self.world.key.key_id,
            path: if in_path {
                format!("POST /api/v1/inbox/threads/{id}/draft")
            } else {
                "POST /api/v1/x".into()
            },
            key: format!("{}-{}", self.mark, Uuid::now_v7()),
            fingerprint: "hash".into(),
        };
        let Claimed::Run(claimed) = store.idempotency().claim(&request, now).await.unwrap() else { panic!() };
        let response = StoredResponse {
            status: 201,
            content_type: None,
            body: self.words("Dear").into_bytes(),
            mentions: if in_path { String::new() } else { id.to_string() },
        };
        if !store.idempotency().complete(&claimed, &response).await.unwrap() {
            self.done.push("(refused)");
        }
    }

    async fn retention(&mut self) {
        self.done.push("retention");
        let (store, scope, now) = (&self.database.store, self.world.scope(), self.now());
        let periods = RetentionPeriods { conversation_days: Some(1), contact_days: None };
        store.retention().set(&scope, &periods).await.unwrap();
        keep_others(self.database, self.world, now).await;
        store.retention().apply(&scope, now, 50).await.unwrap();
        store.retention().set(&scope, &RetentionPeriods::default()).await.unwrap();
    }

    async fn pay(&mut self) {
        self.done.push("payment");
        let Some(contact_id) = self.random.choice(&self.contacts).copied() else { return };
        let now = self.now();
        let payment = Payment { reference: Some(self.words("Invoice")), ..Payment::default() };
        let contacts = self.database.store.contacts();
        contacts.mark_as_customer(&self.world.scope(), contact_id, &payment, now).await.unwrap();
    }
}

/// Lets others go on with their conversations and threads, so that retention keeps them.
async fn keep_others(database: &Database, world: &World, now: Timestamp) {
    let (store, scope) = (&database.store, world.scope());
    let said = turn(&world.chatbot, Some(world.conversation_id()), "Are you there?");
    store.conversations().begin_turn(&scope, &said, now).await.unwrap();
    let written = NewInbound {
        thread_id: Some(world.received.thread.thread_id),
        attachments: Vec::new(),
        ..inbound(&world.channel, "order", &Uuid::now_v7().to_string())
    };
    store.threads().receive(&scope, &written, now).await.unwrap();
}
