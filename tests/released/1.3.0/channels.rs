//! Channels of the inbox: contact forms, programs, mailboxes and messengers.

use std::time::Duration;

use released_client::model::{
    ConnectionSecurity, ContactFormSettings, EmailChannelSettings, FormSubmission, InboxChannel,
    InboxChannelKind, InboxChannelUpdate, IssueFormTokenError, MailServerSettings, MetaChannelSettings,
    NewChannelMessage, NewInboxChannel, ReceiveChannelMessageError, SkippedMailReason,
    TelegramChannelSettings, Thread, ThreadChannel, ThreadStatus, ThreadUpdate,
};

use crate::{Bakery, Outcome, waiting::eventually};

/// Sets up channels of all kinds, and receives a message by those that can be reached from here.
pub async fn set_up(bakery: &Bakery) -> Outcome {
    form(bakery).await?;
    program(bakery).await?;
    email(bakery).await?;
    messengers(bakery).await
}

/// A contact form of the website. Visitors have no key; a token proves that the form was open for a while.
async fn form(bakery: &Bakery) -> Outcome {
    let (client, channels) = (&bakery.client, bakery.client.inbox_channels());
    let settings = ContactFormSettings::new().reply_to("hello@bakery.example").min_fill_seconds(1);
    let new = NewInboxChannel::new(InboxChannelKind::ContactForm, "Website").contact_form(settings);
    let channel = channels.create(new).await?.into_inner();
    let key = channel.contact_form.as_ref().ok_or("no form")?.form_key;

    let token = client.forms().issue_token(key).without_credentials().await?.into_inner().token;
    let early = FormSubmission::new("Do you bake on Sundays?")
        .name("Lee")
        .email("lee@bäckerei.example")
        .token(token.clone());
    let late =
        FormSubmission::new("Do you bake for dogs?").name("Kim").email("kim@customer.example").token(token);
    let receipt = client.forms().submit(key, early).without_credentials().await?;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    // Whoever sends what looks doubtful sees no difference.
    let other = client.forms().submit(key, late).without_credentials().await?;
    assert_eq!((other.status().as_u16(), &other.message), (201, &receipt.message));
    let threads = client.inbox().list_threads().channel_id(channel.channel_id).await?.into_inner().threads;
    let previews: Vec<_> = threads.iter().map(|thread| &*thread.last_message_preview).collect();
    assert_eq!(previews, ["Do you bake for dogs?"]);

    // It was somebody who types fast: the bakery finds it among the spam, and the sender becomes a contact.
    let doubtful =
        client.inbox().list_threads().status(ThreadStatus::Spam).await?.into_inner().threads.remove(0);
    assert!(doubtful.last_message_preview.starts_with("Do you bake on Sundays?"), "{doubtful:?}");
    assert_eq!((doubtful.channel_id, doubtful.contact_id), (Some(channel.channel_id), None));
    let wanted = ThreadUpdate::new().status(ThreadStatus::Open);
    let wanted = client.inbox().update_thread(doubtful.thread_id, wanted).await?.into_inner();
    let lee = client.contacts().get(wanted.contact_id.ok_or("nobody has sent it")?).await?.into_inner();
    assert_eq!(lee.email.as_deref(), Some("lee@xn--bckerei-5wa.example"));
    let found = client.contacts().lookup().email("lee@bäckerei.example").await?;
    assert_eq!(found.contact_id, lee.contact_id);

    let update = InboxChannelUpdate::new().name("Old website").enabled(false);
    let updated = channels.update(channel.channel_id, update).await?;
    assert_eq!((&*updated.name, updated.enabled), ("Old website", false));
    let off = client.forms().issue_token(key).await.expect_err("the form is switched off");
    assert!(matches!(off.declared(), Some(IssueFormTokenError::NotFound(_))), "{off:?}");
    channels.delete(channel.channel_id).await?;
    assert!(channels.get(channel.channel_id).await.is_err_and(|error| error.is_not_found()));
    Ok(())
}

/// A program, such as the system of a shop, that brings messages of its own.
async fn program(bakery: &Bakery) -> Outcome {
    let channels = bakery.client.inbox_channels();
    let channel = channels.create(NewInboxChannel::new(InboxChannelKind::Api, "Shop")).await?.into_inner();
    let push = NewChannelMessage::new("order-1041", "one", "Where are my rolls?").subject("Order 1041");
    let pushed = channels.receive_channel_message(channel.channel_id, &push).await?;
    let again = channels.receive_channel_message(channel.channel_id, &push).await?;
    assert_eq!((pushed.is_duplicate, again.is_duplicate), (false, true));
    assert_eq!(pushed.message.message_id, again.message.message_id);
    let thread = bakery.client.inbox().get_thread(pushed.thread_id).await?;
    assert_eq!(
        (thread.thread_key.as_deref(), thread.subject.as_deref()),
        (Some("order-1041"), Some("Order 1041"))
    );
    channels.update(channel.channel_id, InboxChannelUpdate::new().enabled(false)).await?;
    let off = channels.receive_channel_message(channel.channel_id, &push).await;
    let off = off.expect_err("the channel is switched off").into_declared()?;
    assert!(matches!(off, ReceiveChannelMessageError::Conflict(_)), "{off:?}");
    channels.delete(channel.channel_id).await?;
    Ok(())
}

const PUSH_SECRET: &str = "a-secret-of-the-bakery";

/// The e-mail of the bakery: read from a mailbox, if there is one, and posted by a program.
async fn email(bakery: &Bakery) -> Outcome {
    let (surroundings, channels) = (&bakery.surroundings, bakery.client.inbox_channels());
    let server = |(host, port): (&str, i64)| MailServerSettings::new(host, port, ConnectionSecurity::None);
    let mut settings = EmailChannelSettings::new()
        .address("support@bakery.example")
        .sender_name("Blue Door Bakery")
        .push_secret(PUSH_SECRET)
        .smtp(server((&surroundings.smtp.0, surroundings.smtp.1)));
    if let Some(mailbox) = &surroundings.mailbox {
        settings = settings.imap(server((&mailbox.host, mailbox.port)).user("support").password("secret"));
    }
    let new = NewInboxChannel::new(InboxChannelKind::Email, "Support").email(settings);
    let channel = channels.create(new).await?.into_inner();
    assert!(!format!("{channel:?}").contains(PUSH_SECRET), "secrets are never returned");
    let email = channel.email.as_ref().ok_or("no mailbox")?;
    assert!(email.has_push_secret);

    // What is not an e-mail is listed with the reason, and the next one is received nevertheless.
    let sour = "From: max@customer.example\r\nSubject: Rye\r\n\r\nIs it sour?\r\n";
    for mail in ["Nothing that anybody could read", sour] {
        assert_eq!(surroundings.post_mail(email.channel_key, PUSH_SECRET, mail).await?, "202");
    }
    let skipped = channels.list_skipped_mails(channel.channel_id).await?.into_inner().skipped_mails;
    assert_eq!(
        skipped.iter().map(|mail| &mail.reason).collect::<Vec<_>>(),
        [&SkippedMailReason::NotAMessage]
    );
    let original = channels.download_skipped_mail(channel.channel_id, skipped[0].skipped_mail_id).await?;
    assert_eq!(original.into_inner().text(1_000).await?, "Nothing that anybody could read");
    channels.delete_skipped_mail(channel.channel_id, skipped[0].skipped_mail_id).await?;
    assert!(channels.list_skipped_mails(channel.channel_id).await?.skipped_mails.is_empty());
    let thread = newest_thread(bakery, &channel, "Is it sour?").await?;
    assert_eq!((&thread.channel, thread.subject.as_deref()), (&ThreadChannel::Email, Some("Rye")));
    let contact_id = thread.contact_id.ok_or("the sender is no contact")?;
    let of_contact = bakery.client.contacts().list_threads(contact_id).await?;
    assert!(of_contact.threads.iter().any(|found| found.thread_id == thread.thread_id), "{of_contact:?}");
    // What a response quotes is folded away, and stays.
    let reply = "From: max@customer.example\r\nSubject: Re: Rye\r\n\r\nAnd spelt?\r\n\r\nOn 3 May 2026, Bakery wrote:\r\n> No.\r\n";
    assert_eq!(surroundings.post_mail(email.channel_key, PUSH_SECRET, reply).await?, "202");
    let messages = bakery.client.inbox().list_thread_messages(thread.thread_id).await?.into_inner().messages;
    let last = messages.last().ok_or("no message")?;
    assert_eq!((&*last.body, last.subject.as_deref()), ("And spelt?", Some("Re: Rye")));
    assert_eq!(last.folded_text.as_deref(), Some("On 3 May 2026, Bakery wrote:\n> No."));
    if let Some(mailbox) = &surroundings.mailbox {
        // The channel begins with what arrives after it was set up, and takes the same e-mail once.
        let oat = "From: max@customer.example\r\nSubject: Oat\r\n\r\nAnd this one?\r\n";
        eventually("the mailbox is read", async || {
            mailbox.deliver(oat)?;
            tokio::time::sleep(Duration::from_millis(300)).await;
            let found = bakery.client.inbox().list_threads().channel_id(channel.channel_id).q("one").await?;
            assert!(found.threads.iter().all(|thread| thread.message_count == 1), "{found:?}");
            Ok((!found.threads.is_empty()).then_some(()))
        })
        .await?;
    }
    // It stays: the people of the bakery reply by it.
    let listed = channels.list().kind(InboxChannelKind::Email).await?;
    assert_eq!(
        listed.channels.iter().map(|found| found.channel_id).collect::<Vec<_>>(),
        [channel.channel_id]
    );
    Ok(())
}

/// Telegram, whose bots are asked for messages, and WhatsApp, which posts them.
async fn messengers(bakery: &Bakery) -> Outcome {
    let channels = bakery.client.inbox_channels();
    let settings = TelegramChannelSettings::new().token("123456:ABC-DEF1234ghIkl");
    let new = NewInboxChannel::new(InboxChannelKind::Telegram, "Bot").telegram(settings);
    let bot = channels.create(new).await?.into_inner();
    let thread = newest_thread(bakery, &bot, "Do you have gluten-free bread?").await?;
    assert_eq!(thread.channel, ThreadChannel::Telegram);

    let settings = MetaChannelSettings::new()
        .sender_id("106540352242922")
        .access_token("token-of-the-graph-api")
        .app_secret("secret of the app")
        .verify_token("token of the handshake");
    let new = NewInboxChannel::new(InboxChannelKind::Whatsapp, "WhatsApp").whatsapp(settings);
    let whatsapp = channels.create(new).await?.into_inner();
    let stored = channels.get(whatsapp.channel_id).await?.into_inner();
    assert_eq!(stored.whatsapp.map(|meta| meta.sender_id).as_deref(), Some("106540352242922"));
    channels.delete(whatsapp.channel_id).await?;
    Ok(())
}

/// Waits for a thread of a channel whose last message is this.
async fn newest_thread(bakery: &Bakery, channel: &InboxChannel, text: &str) -> Outcome<Thread> {
    eventually("the message is there", async || {
        let threads = bakery.client.inbox().list_threads().channel_id(channel.channel_id).await?.into_inner();
        Ok(threads.threads.into_iter().find(|thread| thread.last_message_preview == text))
    })
    .await
}
