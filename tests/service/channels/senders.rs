//! Who wrote an e-mail and who gets the reply, where that is not the one in `From`.

use frontdesk_client::model::NewThreadMessage;
use frontdesk_store::Plan;

use super::posting::Mailbox;
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    patience::until,
    webhooks::mail::{Manner, sink},
};

on_both_databases!(
    forms_and_lists_under_the_own_address_name_who_wrote,
    the_author_of_a_newsletter_is_shown,
    whoever_wrote_last_gets_the_reply,
);

async fn forms_and_lists_under_the_own_address_name_who_wrote(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), None).await;
    for (from, fields, name, email) in [
        ("WordPress <support@acme.example>", "", "Petra Neu", "petra@customer.example"),
        (
            "'Ann Fox' via Support <Support@acme.example>",
            "Precedence: list\r\nList-Id: <support.acme.example>\r\n",
            "Ann Fox",
            "ann@customer.example",
        ),
    ] {
        let mail = format!(
            "From: {from}\r\nReply-To: {name} <{email}>\r\n{fields}Message-ID: <{email}>\r\nSubject: Quote\r\n\r\n5 doors, please."
        );
        let (thread_id, message) = mailbox.newest(mail).await;
        assert_eq!((&*message.body, message.author.name.as_deref()), ("5 doors, please.", Some(name)));
        let thread = mailbox.client.inbox().get_thread(thread_id.into()).await.unwrap().into_inner();
        let contact = mailbox.client.contacts().get(thread.contact_id.unwrap()).await.unwrap().into_inner();
        assert_eq!((contact.email.as_deref(), contact.name.as_deref()), (Some(email), Some(name)));
        assert_eq!(thread.status.as_str(), "open");
    }
    let own =
        "From: support@acme.example\r\nReply-To: support@acme.example\r\nSubject: Hello\r\n\r\nNobody else.";
    assert_eq!(mailbox.post(own).await, "skipped");
    service.stop().await;
}

async fn the_author_of_a_newsletter_is_shown(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), None).await;
    let mail = "From: Tool News <news@tools.example>\r\nList-Id: <news.tools.example>\r\nList-Unsubscribe: <mailto:u@tools.example>\r\n\
        Precedence: bulk\r\nMessage-ID: <1@tools.example>\r\nSubject: Saws\r\n\r\nNew saws.";
    let (_, message) = mailbox.newest(mail).await;
    let author = (message.author.id, message.author.name.as_deref());
    assert_eq!(author, (None, Some("Tool News <news@tools.example>")));
    assert_eq!(
        mailbox.client.contacts().list().await.unwrap().contacts.len(),
        0,
        "nobody becomes a contact by it"
    );
    service.stop().await;
}

async fn whoever_wrote_last_gets_the_reply(database: Database) {
    let (smtp, mails) = sink(Manner::Accept).await;
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let mailbox = Mailbox::new(&service, service.client(&acme), Some(&smtp)).await;
    let inbox = mailbox.client.inbox();
    let sent = async |count: usize| {
        until("the reply is sent", async || {
            let mails = mails.lock().unwrap();
            (mails.len() == count).then(|| mails[count - 1].clone())
        })
        .await
    };
    let mail = |id: &str, from: &str, fields: &str| {
        format!("From: {from}\r\nMessage-ID: <{id}>\r\nSubject: Fence\r\n{fields}\r\nHello")
    };
    let (thread_id, _) = mailbox.newest(mail("1@c", "Eva <eva@work.example>", "")).await;
    let (same, _) = mailbox.newest(mail("2@c", "Eva <eva@home.example>", "In-Reply-To: <1@c>\r\n")).await;
    assert_eq!(same, thread_id);
    inbox.create_thread_message(thread_id.into(), NewThreadMessage::new("To you.")).await.unwrap();
    let reply = sent(1).await;
    assert!(reply.contains("To: Eva <eva@home.example>") && reply.contains("In-Reply-To: <2@c>"), "{reply}");
    // A program that responds for somebody is nobody to reply to.
    let away = "In-Reply-To: <2@c>\r\nAuto-Submitted: auto-replied\r\n";
    mailbox.newest(mail("3@c", "robot@home.example", away)).await;
    inbox.create_thread_message(thread_id.into(), NewThreadMessage::new("Still there?")).await.unwrap();
    let reply = sent(2).await;
    assert!(reply.contains("To: Eva <eva@home.example>"), "{reply}");
    service.stop().await;
}
