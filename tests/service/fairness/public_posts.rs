//! Many behind one address: who proves nothing is refused after a while, and those who do are not.

use frontdesk_client::model::{
    ContactFormSettings, EmailChannelSettings, InboxChannel, InboxChannelKind, MetaChannelSettings,
    NewCalendarFeed, NewInboxChannel, TelegramChannelSettings,
};
use frontdesk_store::Plan;
use jiff::Timestamp;
use serde_json::json;
use uuid::Uuid;

use crate::{
    channels::posting::{SECRET, mail_request, signed_request},
    database::{Customer, Database},
    installation::{Installation, UNLIMITED, learned},
    on_both_databases, site,
    wire::Request,
};

on_both_databases!(
    wrong_secrets_refuse_nobody_else,
    posts_without_the_signature_use_up_nothing,
    programs_use_up_nothing_of_what_visitors_may_submit,
);

/// Failed attempts that are answered before others are refused.
const FAILURES: u32 = 3;
const MAIL: &[u8] =
    b"From: sam@customer.example\r\nSubject: Hi\r\nMessage-ID: <1@customer.example>\r\n\r\nHello\r\n";

async fn status(service: &Installation, request: &Request) -> u16 {
    request.send(service.address()).await.status.as_u16()
}

async fn channel(service: &Installation, customer: &Customer, new: NewInboxChannel) -> InboxChannel {
    service.client(customer).inbox_channels().create(new).await.unwrap().into_inner()
}

fn email() -> NewInboxChannel {
    let settings = EmailChannelSettings::new().address("support@acme.example").push_secret(SECRET.to_owned());
    NewInboxChannel::new(InboxChannelKind::Email, "Support").email(settings)
}

fn telegram() -> NewInboxChannel {
    let settings =
        TelegramChannelSettings::new().token("123456:ABC-DEF1234ghIkl").webhook_secret(SECRET.to_owned());
    NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings)
}

fn meta() -> MetaChannelSettings {
    MetaChannelSettings::new().sender_id("1").access_token("EAAB").app_secret(SECRET).verify_token(SECRET)
}

fn whatsapp() -> NewInboxChannel {
    NewInboxChannel::new(InboxChannelKind::Whatsapp, "WhatsApp").whatsapp(meta())
}

fn of_channel(key: Uuid, end: &str) -> String {
    format!("/api/v1/public/channels/{key}/{end}")
}

fn mail_with(key: Uuid, secret: &str) -> Request {
    mail_request(key, secret, MAIL)
}

fn update_with(key: Uuid, secret: &str) -> Request {
    Request::new("POST", &of_channel(key, "telegram"))
        .header("X-Telegram-Bot-Api-Secret-Token", secret)
        .json(json!({ "update_id": 2, "edited_message": {} }).to_string())
}

fn signed_with(key: Uuid, secret: &str) -> Request {
    signed_request(key, secret, &json!({ "object": "whatsapp_business_account", "entry": [] }))
}

fn handshake_with(key: Uuid, token: &str) -> Request {
    let query = format!("hub.mode=subscribe&hub.verify_token={token}&hub.challenge=7");
    Request::new("GET", &format!("{}?{query}", of_channel(key, "meta")))
}

fn submission(form_key: Uuid, body: &serde_json::Value) -> Request {
    let path = format!("/api/v1/public/forms/{form_key}/submissions");
    Request::new("POST", &path).json(body.to_string())
}

fn reply(chatbot_id: Uuid) -> Request {
    let body = json!({ "subject": "", "messages": [{ "from": "jo@customer.example", "body": "What does delivery cost?" }] });
    Request::new("POST", &format!("/api/v1/chatbots/{chatbot_id}/reply")).json(body.to_string())
}

fn public(method: &str, path: &str, token: Uuid) -> Request {
    Request::new(method, &format!("/api/v1/{path}/{token}"))
}

/// A kind of request: without proof with its status, and with proof.
struct Kind {
    name: &'static str,
    wrong: Request,
    refused: u16,
    right: Request,
    accepted: u16,
}

async fn wrong_secrets_refuse_nobody_else(database: Database) {
    let service = Installation::start_with(database, |config| config.limits.failed_attempts = FAILURES).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let mails = channel(&service, &acme, email()).await.email.unwrap().channel_key;
    let bot = channel(&service, &acme, telegram()).await.telegram.unwrap().channel_key;
    let phone = channel(&service, &acme, whatsapp()).await.whatsapp.unwrap().channel_key;
    let page = NewInboxChannel::new(InboxChannelKind::Messenger, "Page").messenger(meta());
    let page = channel(&service, &acme, page).await.messenger.unwrap().channel_key;
    let form = NewInboxChannel::new(InboxChannelKind::ContactForm, "Contact");
    let form = form.contact_form(ContactFormSettings::new());
    let form = channel(&service, &acme, form).await.contact_form.unwrap().form_key;
    let chatbot_id = learned(&client, &site::bakery().await).await;
    let feed = client.calendar_feeds().create(NewCalendarFeed::new("All")).await.unwrap().calendar_token;
    let links = service.database.store.unsubscribes();
    let link =
        links.issue_link(acme.account.account_id, "ann@customer.example", Timestamp::now()).await.unwrap();
    let hello = json!({ "message": "Hello" });
    let token = |form_key: Uuid| Request::new("POST", &format!("/api/v1/public/forms/{form_key}/token"));
    let chatbots = |key: &str| Request::new("GET", "/api/v1/chatbots").key(key);
    let none = Uuid::new_v4();
    let kind = |name, wrong, right, accepted| Kind { name, wrong, refused: 404, right, accepted };
    let kinds = [
        kind("e-mail", mail_with(mails, "wrong"), mail_with(mails, SECRET), 202),
        kind("Telegram", update_with(bot, "wrong"), update_with(bot, SECRET), 200),
        kind("WhatsApp", signed_with(phone, "wrong"), signed_with(phone, SECRET), 200),
        kind("Messenger", handshake_with(page, "wrong"), handshake_with(page, SECRET), 200),
        kind("submission", submission(none, &hello), submission(form, &hello), 201),
        kind("token", token(none), token(form), 200),
        kind("reply", reply(none), reply(chatbot_id), 200),
        kind("calendar", public("GET", "calendars", none), public("GET", "calendars", feed), 200),
        kind(
            "page to unsubscribe",
            public("GET", "unsubscribe", none),
            public("GET", "unsubscribe", link),
            200,
        ),
        kind("unsubscription", public("POST", "unsubscribe", none), public("POST", "unsubscribe", link), 200),
        Kind { refused: 401, ..kind("API key", chatbots("sk_live_unknown"), chatbots(&acme.key.text), 200) },
    ];
    for Kind { name, wrong, refused, .. } in &kinds {
        // Each has its own count: those before have used up nothing of it.
        for _ in 0..FAILURES {
            assert_eq!(status(&service, wrong).await, *refused, "{name}");
        }
        for _ in 0..2 {
            assert_eq!(status(&service, wrong).await, 429, "{name}");
        }
    }
    for Kind { name, right, accepted, .. } in &kinds {
        assert_eq!(status(&service, right).await, *accepted, "{name}");
    }
    // Neither does one channel refuse what is wrong with another one: its owner sees what is wrong.
    let other = service.database.customer("other", Plan::Growth).await;
    let mails = channel(&service, &other, email()).await.email.unwrap().channel_key;
    assert_eq!(status(&service, &mail_with(mails, "wrong")).await, 404);
    // Guesses of what does not exist count together, however many there are.
    for _ in 0..FAILURES {
        assert_eq!(status(&service, &mail_with(Uuid::new_v4(), SECRET)).await, 404);
    }
    assert_eq!(status(&service, &mail_with(Uuid::new_v4(), SECRET)).await, 429);
    service.stop().await;
}

async fn posts_without_the_signature_use_up_nothing(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let phone = channel(&service, &acme, whatsapp()).await.whatsapp.unwrap().channel_key;
    // More than the channel may receive in a minute.
    for _ in 0..610 {
        assert_eq!(status(&service, &signed_with(phone, "wrong")).await, 404);
    }
    assert_eq!(status(&service, &signed_with(phone, SECRET)).await, 200);
    service.stop().await;
}

async fn programs_use_up_nothing_of_what_visitors_may_submit(database: Database) {
    const LIMIT: u32 = 2;
    let service = Installation::start_with(database, |config| {
        config.limits.form_requests_per_client = LIMIT;
        config.limits.submissions_per_form = UNLIMITED;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mut forms = Vec::new();
    for name in ["Contact", "Support"] {
        let new = NewInboxChannel::new(InboxChannelKind::ContactForm, name);
        let new = new.contact_form(ContactFormSettings::new());
        forms.push(channel(&service, &acme, new).await.contact_form.unwrap().form_key);
    }
    let [first, second] = forms[..] else { panic!("{forms:?}") };
    let hello = json!({ "message": "Hello" });
    // What is not valid counts nowhere.
    for _ in 0..LIMIT * 3 {
        assert_eq!(status(&service, &submission(first, &json!({}))).await, 422);
    }
    for expected in [201, 201, 429] {
        assert_eq!(status(&service, &submission(first, &hello)).await, expected);
    }
    let database = service.stop_for_another().await;

    // What a program has filled in counts apart, so that it cannot close a form from many addresses.
    let service =
        Installation::start_with(database, |config| config.limits.submissions_per_form = LIMIT).await;
    let trapped = json!({ "message": "Buy!", "website": "https://spam.example/" });
    for expected in [201, 201, 429] {
        assert_eq!(status(&service, &submission(second, &trapped)).await, expected);
    }
    for expected in [201, 201, 429] {
        assert_eq!(status(&service, &submission(second, &hello)).await, expected);
    }
    service.stop().await;
}
