//! Agencies and sub-accounts: chatbots, credits, what an agency's owner creates for a sub-account, and
//! reminders.

use std::collections::BTreeSet;

use frontdesk_client::{Client, model::ChatbotUpdate, model::NewMessage};
use frontdesk_store::{AccountKind, NewAccount, NoticeStatus, Plan, Role, UserStatus};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    contract::sales::with_mail,
    database::{Customer, Database, account},
    installation::{Installation, client, learned, status},
    on_both_databases,
    patience::until,
    site,
    webhooks::mail::{Manner, sink},
    wire::{Request, json as body_of},
};

on_both_databases!(
    the_owner_of_an_agency_reaches_its_sub_accounts_only,
    the_owner_of_an_agency_sells_for_a_sub_account,
    the_plan_of_the_sub_account_counts,
    attachments_go_to_threads_of_sub_accounts,
    reminders_of_sub_accounts_arrive,
);

/// An agency with a sub-account and its sibling, and another account.
struct Accounts {
    service: Installation,
    agency: Customer,
    first: Customer,
    second: Customer,
    other: Customer,
}

impl Accounts {
    async fn open(service: Installation, plan: Plan) -> Self {
        let database = &service.database;
        let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
        let agency = database.customer_of(new).await;
        let parent_id = Some(agency.account.account_id);
        let first = database.customer_of(NewAccount { parent_id, ..account("first", plan) }).await;
        let second = database.customer_of(NewAccount { parent_id, ..account("second", Plan::Growth) }).await;
        let other = database.customer("other", Plan::Growth).await;
        Self { service, agency, first, second, other }
    }

    /// Sends a request with the key of the owner of an account.
    async fn call(&self, customer: &Customer, method: &str, path: &str, body: Value) -> (u16, Value) {
        let mut request = Request::new(method, path).key(&customer.key.text);
        if !body.is_null() {
            request = request.json(body.to_string());
        }
        let raw = request.send(self.service.address()).await;
        (raw.status.as_u16(), if raw.body.is_empty() { Value::Null } else { body_of(&raw) })
    }

    /// As [`call`](Self::call), by the agency's owner. Fails unless it succeeds.
    async fn succeed(&self, method: &str, path: &str, body: Value) -> Value {
        let (status, answer) = self.call(&self.agency, method, path, body).await;
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    /// The agency's owner uploads a file, to the agency or to another account.
    async fn upload(&self, account_id: Option<Uuid>) -> String {
        let part = |name: &str, value: &str| {
            format!("--b\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
        };
        let account = account_id.map(|id| part("account_id", &id.to_string())).unwrap_or_default();
        let file = part("file\"; filename=\"offer.txt", "Our offer");
        let request = Request::new("POST", "/api/v1/inbox/attachments").key(&self.agency.key.text);
        let form = format!("{account}{file}--b--\r\n");
        let raw = request.body_of("multipart/form-data; boundary=b", form).send(self.service.address()).await;
        assert_eq!(raw.status, 201, "{raw:?}");
        body_of(&raw)["attachment_id"].as_str().unwrap().to_owned()
    }

    /// The agency's owner creates a deal in an account.
    async fn deal(&self, account_id: Uuid) -> Value {
        let board = format!("/api/v1/deals/board?account_id={account_id}");
        let board = self.succeed("GET", &board, Value::Null).await;
        let status = &board["columns"][0]["status"]["deal_status_id"];
        let new = json!({ "title": "Hedge", "deal_status_id": status, "account_id": account_id });
        self.succeed("POST", "/api/v1/deals", new).await
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

async fn the_owner_of_an_agency_sells_for_a_sub_account(database: Database) {
    let world = Accounts::open(Installation::start(database).await, Plan::Growth).await;
    let account_id = world.first.account.account_id;
    let site = site::bakery().await;
    let chatbot = json!({ "name": "Help", "business_name": "First", "training_urls": [site.origin()], "account_id": account_id });
    let chatbot = world.succeed("POST", "/api/v1/chatbots", chatbot).await;
    let contact = json!({ "email": "ann@customer.example", "account_id": account_id });
    let contact = world.succeed("POST", "/api/v1/contacts", contact).await;
    let deal = world.deal(account_id).await;
    let channel = json!({ "kind": "api", "name": "Shop", "account_id": account_id });
    let channel = world.succeed("POST", "/api/v1/inbox/channels", channel).await;
    let webhook = json!({ "url": "http://127.0.0.1:9/", "account_id": account_id });
    let webhook = world.succeed("POST", "/api/v1/webhook-endpoints", webhook).await;
    let domain = json!({ "hostname": "www.first.example", "account_id": account_id });
    let domain = world.succeed("POST", "/api/v1/domains", domain).await;
    let domain_id = domain["domain_id"].to_string();
    for (path, id) in [
        ("chatbots", text(&chatbot["chatbot_id"])),
        ("contacts", text(&contact["contact_id"])),
        ("deals", text(&deal["deal_id"])),
        ("inbox/channels", text(&channel["channel_id"])),
        ("webhook-endpoints", text(&webhook["webhook_endpoint_id"])),
        ("domains", &domain_id),
    ] {
        let path = format!("/api/v1/{path}/{id}");
        for (customer, expected) in
            [(&world.first, 200), (&world.agency, 200), (&world.second, 404), (&world.other, 404)]
        {
            let (status, answer) = world.call(customer, "GET", &path, Value::Null).await;
            assert_eq!(status, expected, "{} {path}: {answer}", customer.account.name);
        }
    }
    // Its board and its events, and those of the agency without it.
    let board = format!("/api/v1/deals/board?account_id={account_id}");
    let board = world.succeed("GET", &board, Value::Null).await;
    assert!(board.to_string().contains(text(&deal["deal_id"])), "{board}");
    let own = world.succeed("GET", "/api/v1/deals/board", Value::Null).await;
    assert!(!own.to_string().contains(text(&deal["deal_id"])), "{own}");
    let events = format!("/api/v1/events?account_id={account_id}");
    let events = world.succeed("GET", &events, Value::Null).await;
    let types: BTreeSet<&str> =
        events["events"].as_array().unwrap().iter().map(|event| text(&event["type"])).collect();
    assert!(types.contains("deal.created"), "{types:?}");
    let own = world.succeed("GET", "/api/v1/events", Value::Null).await;
    assert_eq!(own["events"], json!([]));
    // A list has the contacts of all accounts, or of one.
    let found = async |path: &str| {
        let list = world.succeed("GET", path, Value::Null).await;
        list["contacts"].as_array().unwrap().len()
    };
    assert_eq!(found("/api/v1/contacts").await, 1);
    assert_eq!(found(&format!("/api/v1/contacts?account_id={account_id}")).await, 1);
    assert_eq!(found(&format!("/api/v1/contacts?account_id={}", world.agency.account.account_id)).await, 0);
    // What a request names has to belong to the account.
    let status = &own_status(&world).await;
    let mixed = json!({ "title": "Hedge", "deal_status_id": status, "account_id": account_id });
    let (refused, answer) = world.call(&world.agency, "POST", "/api/v1/deals", mixed).await;
    assert_eq!(refused, 422, "{answer}");
    assert!(answer["errors"]["deal_status_id"].is_array(), "{answer}");
    world.service.stop().await;
}

/// A column of the agency's own board.
async fn own_status(world: &Accounts) -> Value {
    let board = world.succeed("GET", "/api/v1/deals/board", Value::Null).await;
    board["columns"][0]["status"]["deal_status_id"].clone()
}

async fn the_plan_of_the_sub_account_counts(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.plans.growth.contacts = Some(1);
        config.plans.scale.contacts = Some(2);
    })
    .await;
    let world = Accounts::open(service, Plan::Growth).await;
    let account_id = world.first.account.account_id;
    let contact =
        |number: u32| json!({ "email": format!("{number}@customer.example"), "account_id": account_id });
    world.succeed("POST", "/api/v1/contacts", contact(1)).await;
    let (status, answer) = world.call(&world.agency, "POST", "/api/v1/contacts", contact(2)).await;
    assert_eq!((status, &answer["error"]), (409, &json!("plan_limit_reached")), "{answer}");
    for number in [1, 2] {
        let own = json!({ "email": format!("{number}@customer.example") });
        world.succeed("POST", "/api/v1/contacts", own).await;
    }
    let usage = async |path: &str| world.succeed("GET", path, Value::Null).await;
    let of_first = usage(&format!("/api/v1/usage?account_id={account_id}")).await;
    assert_eq!(of_first["contacts"], json!({ "used": 1, "limit": 1 }));
    assert_eq!(usage("/api/v1/usage").await["contacts"], json!({ "used": 2, "limit": 2 }));
    let (_, own) = world.call(&world.first, "GET", "/api/v1/usage", Value::Null).await;
    assert_eq!(of_first, own);
    world.service.stop().await;
}

async fn attachments_go_to_threads_of_sub_accounts(database: Database) {
    let world = Accounts::open(Installation::start(database).await, Plan::Growth).await;
    let account_id = world.first.account.account_id;
    let channel = json!({ "kind": "api", "name": "Shop", "account_id": account_id });
    let channel = world.succeed("POST", "/api/v1/inbox/channels", channel).await;
    let pushes = format!("/api/v1/inbox/channels/{}/messages", text(&channel["channel_id"]));
    let push = json!({ "thread_key": "order", "message_key": "one", "body": "Where is it?" });
    let pushed = world.succeed("POST", &pushes, push).await;
    let messages = format!("/api/v1/inbox/threads/{}/messages", text(&pushed["thread_id"]));
    let reply = |ids: &[&str]| json!({ "body": "Here", "attachment_ids": ids });
    // Uploaded to the account of the thread, or to the agency by its owner.
    let (there, here) = (world.upload(Some(account_id)).await, world.upload(None).await);
    let written = world.succeed("POST", &messages, reply(&[&there, &here])).await;
    assert_eq!(written["attachments"].as_array().unwrap().len(), 2, "{written}");
    // The attachments are the sub-account's now.
    for id in [&there, &here] {
        let path = format!("/api/v1/inbox/attachments/{id}/download");
        for (customer, expected) in [(&world.first, 200), (&world.agency, 200), (&world.second, 404)] {
            let raw = Request::new("GET", &path).key(&customer.key.text).send(world.service.address()).await;
            assert_eq!(raw.status.as_u16(), expected, "{}", customer.account.name);
            if expected == 200 {
                assert_eq!(&raw.body[..], b"Our offer");
            }
        }
    }
    // Each belongs to one message, and those of a sibling stay there.
    let sibling = world.upload(Some(world.second.account.account_id)).await;
    for id in [&there, &sibling] {
        let (status, answer) = world.call(&world.agency, "POST", &messages, reply(&[id])).await;
        assert_eq!(status, 422, "{answer}");
        assert!(answer["errors"]["attachment_ids.0"].is_array(), "{answer}");
    }
    // A sub-account cannot take what its agency has uploaded.
    let of_agency = world.upload(None).await;
    assert_eq!(world.call(&world.first, "POST", &messages, reply(&[&of_agency])).await.0, 422);
    world.service.stop().await;
}

async fn reminders_of_sub_accounts_arrive(database: Database) {
    let (url, mails) = sink(Manner::Accept).await;
    let service = Installation::start_with(database, move |config| with_mail(config, &url)).await;
    let world = Accounts::open(service, Plan::Growth).await;
    let due = |title: &str, owner: Option<Uuid>| {
        let due_at = Timestamp::now() + SignedDuration::from_hours(1);
        json!({ "type": "call", "title": title, "due_at": due_at, "reminder_minutes_before": 90, "owner_id": owner })
    };
    let plan = async |customer: &Customer, activity: Value| {
        let deal = world.deal(customer.account.account_id).await;
        let path = format!("/api/v1/deals/{}/activities", text(&deal["deal_id"]));
        world.succeed("POST", &path, activity).await;
    };
    plan(&world.first, due("Of the agency", Some(world.agency.owner.user_id))).await;
    plan(&world.first, due("Of the sub-account", Some(world.first.owner.user_id))).await;
    // Nobody of this sub-account is there any more, so its agency looks after it.
    let users = world.service.database.store.users();
    users.set_status(&world.second.scope(), world.second.owner.user_id, UserStatus::Disabled).await.unwrap();
    plan(&world.second, due("Of nobody", None)).await;
    let notices = world.service.database.store.notices();
    until("the reminders are sent", async || {
        world.service.database.make_due(&["remind_of_activities", "send_notices"]).await;
        let mut sent = 0;
        for customer in [&world.first, &world.second] {
            let list = notices.list(&customer.scope()).await.unwrap();
            sent += list.iter().filter(|notice| notice.status == NoticeStatus::Sent).count();
        }
        (sent == 3).then_some(())
    })
    .await;
    let mails = mails.lock().unwrap().clone();
    for (title, recipient, about) in [
        ("Of the agency", "owner@agency.example", "Reminder of first"),
        ("Of the sub-account", "owner@first.example", "Reminder of first"),
        ("Of nobody", "owner@agency.example", "Reminder of second"),
    ] {
        let about = format!("{about}: {title}");
        let fits = |mail: &&String| mail.contains(&format!("<{recipient}>")) && mail.contains(&about);
        assert_eq!(mails.iter().filter(fits).count(), 1, "{title}: {mails:#?}");
    }
    assert_eq!(mails.len(), 3);
    world.service.stop().await;
}

async fn listed(client: &Client) -> BTreeSet<Uuid> {
    let listed = client.chatbots().list().await.unwrap();
    listed.chatbots.iter().map(|chatbot| chatbot.chatbot_id.uuid()).collect()
}

async fn the_owner_of_an_agency_reaches_its_sub_accounts_only(database: Database) {
    let service = Installation::start(database).await;
    let database = &service.database;
    let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
    let agency = database.customer_of(new).await;
    let below =
        |name| NewAccount { parent_id: Some(agency.account.account_id), ..account(name, Plan::Growth) };
    let first = database.customer_of(below("first")).await;
    let second = database.customer_of(below("second")).await;
    let other = database.customer("other", Plan::Growth).await;
    let admin = database.user(&agency.account, "admin", Role::Admin).await;
    let admin = client(service.address(), &database.key(&admin, None).await.text);

    let site = site::bakery().await;
    let mut chatbots = Vec::new();
    for customer in [&agency, &first, &second, &other] {
        chatbots.push(learned(&service.client(customer), &site).await);
    }
    let [of_agency, of_first, of_second, of_other] = chatbots[..] else { panic!("there are four") };
    let all = [of_agency, of_first, of_second, of_other];
    let owner = service.client(&agency);
    for (name, client, reached) in [
        ("owner", &owner, BTreeSet::from([of_agency, of_first, of_second])),
        ("admin", &admin, BTreeSet::from([of_agency])),
        ("first", &service.client(&first), BTreeSet::from([of_first])),
        ("second", &service.client(&second), BTreeSet::from([of_second])),
        ("other", &service.client(&other), BTreeSet::from([of_other])),
    ] {
        assert_eq!(listed(client).await, reached, "{name}");
        for chatbot_id in all {
            let expected = if reached.contains(&chatbot_id) { 200 } else { 404 };
            let update = ChatbotUpdate::new().primary_goal(name);
            let question = NewMessage::new("What does delivery cost?");
            assert_eq!(status(&client.chatbots().get(chatbot_id.into()).await), expected, "{name}");
            assert_eq!(
                status(&client.chatbots().update(chatbot_id.into(), update).await),
                expected,
                "{name}"
            );
            assert_eq!(
                status(&client.messages().send(chatbot_id.into(), question).await),
                expected,
                "{name}"
            );
        }
    }
    // Each answer is paid by the account of its chatbot: every chatbot was asked by its own account, those of
    // the agency also by its admin or by its owner.
    for (customer, credits) in [(&agency, 2), (&first, 2), (&second, 2), (&other, 1)] {
        let used = database.credits_used(&customer.scope()).await;
        assert_eq!(used, credits, "{}", customer.account.name);
    }
    // A chatbot that the agency's owner deletes is gone for the sub-account; other accounts are unaffected.
    owner.chatbots().delete(of_first.into()).await.unwrap();
    assert!(listed(&service.client(&first)).await.is_empty());
    assert_eq!(listed(&service.client(&second)).await, BTreeSet::from([of_second]));
    assert_eq!(status(&owner.chatbots().delete(of_other.into()).await), 404);
    service.stop().await;
}
