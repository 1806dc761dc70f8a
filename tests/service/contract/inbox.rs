//! The inbox: handover from visitor to person and back, programs that push messages, and contact forms with
//! their guards.

use frontdesk_client::model::{
    AnswerMode, ContactFormSettings, InboxChannelKind, InboxChannelUpdate, NewAttachment, NewChannelMessage,
    NewEscalation, NewInboxChannel, NewMessage, NewThreadDraft, NewThreadMessage, ThreadChannel,
    ThreadMessageType, ThreadStatus, ThreadUpdate,
};
use frontdesk_runtime::codec;
use frontdesk_store::{Plan, Redacted};
use serde_json::json;

use crate::{
    database::Database,
    installation::{Installation, learned, status},
    on_both_databases,
    patience::until,
    site,
    webhooks::mail::{Manner, sink},
    wire::{Request, header},
};

on_both_databases!(
    a_visitor_is_answered_in_the_inbox,
    programs_push_messages_and_fetch_replies,
    forms_keep_spam_back_and_replies_are_mailed,
    forms_are_limited_and_reveal_nothing,
);

async fn a_visitor_is_answered_in_the_inbox(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let (client, stranger) = (service.client(&acme), service.client(&other));
    let site = site::bakery().await;
    let bot = learned(&client, &site).await;
    let begun = client.messages().send(bot.into(), NewMessage::new("Hello?")).await.unwrap();
    let id = begun.conversation_id;
    let escalated = client.conversations().escalate(bot.into(), id, NewEscalation::new()).await.unwrap();
    let thread_id = escalated.thread_id.unwrap();
    let inbox = client.inbox();

    let silent =
        client.messages().send(bot.into(), NewMessage::new("Anybody?").conversation_id(id)).await.unwrap();
    assert_eq!(silent.mode, AnswerMode::HumanRequested);
    let thread = inbox.get_thread(thread_id).await.unwrap();
    assert_eq!((thread.channel.clone(), thread.conversation_id), (ThreadChannel::Chatbot, Some(id)));
    assert_eq!(thread.messages.as_ref().unwrap().last().unwrap().body, "Anybody?");
    assert_eq!(status(&stranger.inbox().get_thread(thread_id).await), 404);

    let reply = NewThreadMessage::new("This is Ann.").client_message_id("c1");
    let first = inbox.create_thread_message(thread_id, &reply).await.unwrap();
    let second = inbox.create_thread_message(thread_id, &reply).await.unwrap();
    assert_eq!(first.message_id, second.message_id);
    let after = silent.message_id.parse().unwrap();
    let replies = client.conversations().poll_replies(bot.into(), id, after).wait(5).await.unwrap();
    let texts: Vec<_> = replies.messages.iter().map(|message| &*message.text).collect();
    assert_eq!((texts, replies.mode.clone()), (vec!["This is Ann."], AnswerMode::Human));

    let note = NewThreadMessage::new("Odd.").r#type(ThreadMessageType::Note);
    inbox.create_thread_message(thread_id, note).await.unwrap();
    let page = inbox.list_thread_messages(thread_id).after(first.message_id).await.unwrap();
    assert_eq!((page.messages.len(), page.has_more), (1, false));
    let foreign =
        stranger.messages().send(learned(&stranger, &site).await.into(), NewMessage::new("Hello?")).await;
    let foreign = foreign.unwrap().message_id.parse().unwrap();
    assert_eq!(status(&inbox.list_thread_messages(thread_id).after(foreign).await), 422);
    assert_eq!(status(&inbox.list_thread_messages(thread_id).before(foreign).await), 422);
    let draft = inbox.draft_thread_reply(thread_id, NewThreadDraft::new(bot.into())).await.unwrap();
    assert!(!draft.reply.is_empty());

    let resolve = ThreadUpdate::new().status(ThreadStatus::Resolved);
    inbox.update_thread(thread_id, resolve).await.unwrap();
    assert_eq!(client.conversations().get(bot.into(), id).await.unwrap().mode, AnswerMode::Closed);
    let late = inbox.create_thread_message(thread_id, NewThreadMessage::new("Late.")).await;
    assert_eq!(status(&late), 409);
    let again =
        client.messages().send(bot.into(), NewMessage::new("Hello?").conversation_id(id)).await.unwrap();
    assert_eq!(again.mode, AnswerMode::Ai);
    let found = inbox.list_threads().q("anybo").status(ThreadStatus::Resolved).await.unwrap();
    assert_eq!(found.threads.len(), 1);
    service.stop().await;
}

async fn programs_push_messages_and_fetch_replies(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let (inbox, channels) = (client.inbox(), client.inbox_channels());
    let channel = channels.create(NewInboxChannel::new(InboxChannelKind::Api, "Shop")).await.unwrap();
    let push = NewChannelMessage::new("order", "one", "Where is it?");
    let pushed = channels.receive_channel_message(channel.channel_id, &push).await.unwrap();
    let again = channels.receive_channel_message(channel.channel_id, &push).await.unwrap();
    assert_eq!((pushed.is_duplicate, again.is_duplicate), (false, true));
    let thread_id = pushed.thread_id;

    let file = codec::File::new("a receipt").named("receipt.txt");
    let attachment = inbox.upload_attachment(NewAttachment::new(file)).await.unwrap();
    let program = codec::File::new("MZ program").named("photo.png");
    assert_eq!(status(&inbox.upload_attachment(NewAttachment::new(program)).await), 415);
    let id = attachment.attachment_id;
    let reply =
        NewThreadMessage::new("See the receipt.").attachment_ids([id]).set_status(ThreadStatus::Pending);
    let named = reply.clone().client_message_id("reply-1");
    let written = inbox.create_thread_message(thread_id, &named).await.unwrap();
    let again = inbox.create_thread_message(thread_id, &named).await.unwrap();
    assert_eq!(
        (again.message_id, again.attachments.len()),
        (written.message_id, 1),
        "it was lost on its way"
    );
    assert_eq!(written.attachments[0].file_name, "receipt.txt");
    assert_eq!(status(&inbox.create_thread_message(thread_id, &reply).await), 422, "it has a message");
    let off = InboxChannelUpdate::new().enabled(false);
    channels.update(channel.channel_id, off).await.unwrap();
    assert_eq!(status(&inbox.create_thread_message(thread_id, NewThreadMessage::new("Late.")).await), 409);
    assert_eq!(inbox.create_thread_message(thread_id, &named).await.unwrap().message_id, written.message_id);
    let path = format!("/api/v1/inbox/attachments/{id}/download");
    let raw = Request::new("GET", &path).key(&acme.key.text).send(service.address()).await;
    assert_eq!(&raw.body[..], b"a receipt");
    assert!(header(&raw, "Content-Disposition").starts_with("attachment;"));
    assert_eq!(header(&raw, "X-Content-Type-Options"), "nosniff");
    let other = service.database.customer("other", Plan::Growth).await;
    let raw = Request::new("GET", &path).key(&other.key.text).send(service.address()).await;
    assert_eq!(raw.status, 404);

    let journal = client.events().list().await.unwrap();
    let told: Vec<_> = journal.events.iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(told, ["message.created", "message.created", "thread.status_changed"]);
    let data = serde_json::to_value(&journal.events[1].data).unwrap();
    assert_eq!(data["message"]["text"], "See the receipt.");
    assert_eq!(data["thread"]["thread_key"], "order");
    service.stop().await;
}

async fn forms_keep_spam_back_and_replies_are_mailed(database: Database) {
    let (url, mails) = sink(Manner::Accept).await;
    let service = Installation::start_with(database, |config| {
        config.mail.smtp_url = Some(Redacted::new(url));
        config.mail.from = Some("Desk <notices@acme.example>".to_owned());
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = ContactFormSettings::new()
        .redirect_url("https://www.acme.example/thanks".to_owned())
        .reply_to("hello@acme.example".to_owned())
        .max_links(1)
        .blocked(["casino"]);
    let new = NewInboxChannel::new(InboxChannelKind::ContactForm, "Contact").contact_form(settings);
    let form = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = form.contact_form.as_ref().unwrap().form_key;
    let path = format!("/api/v1/public/forms/{key}/submissions");
    let submit = async |body: serde_json::Value| {
        Request::new("POST", &path).json(body.to_string()).send(service.address()).await
    };
    let plain =
        submit(json!({ "message": "Do you repair trimmers?", "email": "sam@customer.example" })).await;
    let spam = submit(json!({ "message": "Best CASINO" })).await;
    let trapped = submit(json!({ "message": "Buy now", "website": "https://x.example" })).await;
    assert_eq!(plain.status, 201, "{plain:?}");
    for kept_back in [&spam, &trapped] {
        assert_eq!((kept_back.status, &kept_back.body), (plain.status, &plain.body));
    }
    let posted = Request::new("POST", &path)
        .body_of("application/x-www-form-urlencoded", "message=Hello+there&email=&name=Jo")
        .send(service.address())
        .await;
    assert_eq!(posted.status, 303, "{posted:?}");
    assert_eq!(header(&posted, "Location"), "https://www.acme.example/thanks");
    assert_eq!(submit(json!({ "message": "Hi", "email": "no address" })).await.status, 422);

    let inbox = client.inbox();
    let open = inbox.list_threads().status(ThreadStatus::Open).await.unwrap().into_inner().threads;
    let previews: Vec<_> = open.iter().map(|thread| &*thread.last_message_preview).collect();
    assert_eq!(previews, ["Hello there", "Do you repair trimmers?"]);
    let unwanted = inbox.list_threads().status(ThreadStatus::Spam).await.unwrap();
    let previews: Vec<_> = unwanted.threads.iter().map(|thread| &*thread.last_message_preview).collect();
    assert_eq!(previews, ["Buy now Website: https://x.example", "Best CASINO"]);
    assert_eq!(client.contacts().list().await.unwrap().contacts.len(), 2, "none of the spam");

    let nobody = inbox.create_thread_message(open[0].thread_id, NewThreadMessage::new("Hello.")).await;
    assert_eq!(status(&nobody), 409, "no address was left");
    let thread_id = open[1].thread_id;
    let reply = inbox.create_thread_message(thread_id, NewThreadMessage::new("We do.")).await.unwrap();
    assert_eq!(reply.delivery_status.as_ref().unwrap().as_str(), "queued");
    until("the reply is sent", async || {
        let page = inbox.list_thread_messages(thread_id).await.unwrap();
        let last = page.messages.last().unwrap().delivery_status.clone();
        (last.unwrap().as_str() == "sent").then_some(())
    })
    .await;
    let sent = mails.lock().unwrap().clone();
    let to_sam: Vec<_> = sent.iter().filter(|mail| mail.contains("sam@customer.example")).collect();
    assert_eq!(to_sam.len(), 1);
    assert!(to_sam[0].contains("Reply-To: hello@acme.example") && to_sam[0].contains("We do."), "{to_sam:?}");
    assert!(to_sam[0].contains("From: acme <notices@acme.example>"), "the name of the account: {to_sam:?}");
    service.stop().await;
}

async fn forms_are_limited_and_reveal_nothing(database: Database) {
    let service = Installation::start_with(database, |config| {
        config.limits.form_requests_per_client = 3;
    })
    .await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let settings = ContactFormSettings::new().min_fill_seconds(2);
    let new = NewInboxChannel::new(InboxChannelKind::ContactForm, "Contact").contact_form(settings);
    let form = client.inbox_channels().create(new).await.unwrap().into_inner();
    let key = form.contact_form.as_ref().unwrap().form_key;
    let anonymous = crate::installation::anonymous(service.address());
    let token = anonymous.forms().issue_token(key).await.unwrap().token.clone();
    let path = format!("/api/v1/public/forms/{key}/submissions");
    let submit = async |body: serde_json::Value| {
        Request::new("POST", &path).json(body.to_string()).send(service.address()).await.status.as_u16()
    };
    assert_eq!(submit(json!({ "message": "Too fast", "token": token })).await, 201);
    tokio::time::sleep(std::time::Duration::from_millis(2_100)).await;
    assert_eq!(submit(json!({ "message": "In time", "token": token })).await, 201);
    assert_eq!(submit(json!({ "message": "Too often", "token": token })).await, 429);
    let threads = client.inbox().list_threads().await.unwrap().into_inner().threads;
    let previews: Vec<_> = threads.iter().map(|thread| &*thread.last_message_preview).collect();
    assert_eq!(previews, ["In time"]);
    let doubtful =
        client.inbox().list_threads().status(ThreadStatus::Spam).await.unwrap().into_inner().threads;
    assert_eq!(doubtful.iter().map(|thread| &*thread.last_message_preview).collect::<Vec<_>>(), ["Too fast"]);
    let unknown = format!("/api/v1/public/forms/{}/submissions", form.channel_id);
    let unknown = Request::new("POST", &unknown).json("{\"message\":\"Hi\"}").send(service.address()).await;
    assert_eq!(unknown.status, 404, "the id of a channel is no key of a form");
    service.stop().await;
}
