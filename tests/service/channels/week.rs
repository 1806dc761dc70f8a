//! A week of a small business, from the first question of a visitor to a customer; endpoint and journal tell
//! the same story.

use std::collections::BTreeMap;

use frontdesk_client::model::{
    AnswerMode, ContactInfo, CustomerMark, DealOutcome, EmailChannelSettings, FollowUpState, NewDeal,
    NewEscalation, NewFollowUp, NewFollowUpChannel, NewFollowUpTrigger, NewMessage, NewThread,
    NewThreadMessage,
};
use frontdesk_store::Plan;
use serde_json::Value;
use uuid::Uuid;

use super::{
    dovecot::smtp_server,
    email_channel,
    posting::{SECRET, post_mail},
};
use crate::{
    contract::sales::{follow_up, with_mail},
    database::Database,
    installation::{Installation, learned},
    on_both_databases,
    patience::until,
    site,
    webhooks::{
        Received, Receiver,
        mail::{Mails, Manner, sink},
        register,
    },
    wire::json,
};

on_both_databases!(a_week);

/// Waits for an e-mail that contains a text.
async fn mailed(mails: &Mails, text: &str) -> String {
    until("the e-mail is sent", async || {
        mails.lock().unwrap().iter().find(|mail| mail.contains(text)).cloned()
    })
    .await
}

async fn a_week(database: Database) {
    let (smtp, mails) = sink(Manner::Accept).await;
    let url = smtp.clone();
    let service = Installation::start_with(database, move |config| with_mail(config, &url)).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let client = service.client(&acme);
    let receiver = Receiver::start().await;
    register(&client, &receiver).await;
    let bot = learned(&client, &site::bakery().await).await;
    let inbox = client.inbox();

    // Monday: a visitor asks, wants a person, and gets one.
    let sam = ContactInfo::new().email("sam@customer.example").name("Sam Reed");
    let question = NewMessage::new("What does delivery cost?").contact(sam);
    let asked = client.messages().send(bot.into(), question).await.unwrap().into_inner();
    let conversation_id = asked.conversation_id;
    let escalated =
        client.conversations().escalate(bot.into(), conversation_id, NewEscalation::new()).await.unwrap();
    let chat = escalated.thread_id.unwrap();
    let answer = NewThreadMessage::new("This is Ann. I will send you an offer by e-mail.");
    inbox.create_thread_message(chat, answer).await.unwrap();
    let after: Uuid = asked.message_id.parse().unwrap();
    let replies =
        client.conversations().poll_replies(bot.into(), conversation_id, after.into()).wait(5).await.unwrap();
    assert_eq!(replies.mode, AnswerMode::Human);
    let contact_id = inbox.get_thread(chat).await.unwrap().contact_id.unwrap();

    // Tuesday: the offer goes out by e-mail, and the visitor replies to it.
    let settings = EmailChannelSettings::new()
        .address("sales@acme.example")
        .smtp(smtp_server(&smtp))
        .push_secret(SECRET.to_owned());
    let channel = email_channel(&client, "Sales", settings).await;
    let offer = NewThread::new(channel.channel_id, contact_id, "45 pounds for each delivery.")
        .subject("Our offer".to_owned());
    let offered = inbox.create_thread(offer).await.unwrap().into_inner();
    mailed(&mails, "45 pounds for each delivery.").await;
    let offer_id = offered.messages.as_ref().unwrap()[0].message_id;
    let post = async |number: u32, text: &str| {
        let mail = format!(
            "From: Sam Reed <sam@customer.example>\r\nTo: sales@acme.example\r\nSubject: Re: Our offer\r\n\
             Message-ID: <{number}@customer.example>\r\nIn-Reply-To: <{offer_id}@acme.example>\r\n\r\n{text}\r\n"
        );
        json(&post_mail(service.address(), &channel, mail).await)
    };
    let replied = post(1, "Let me think about it.").await;
    assert_eq!(replied["thread_id"], offered.thread_id.to_string(), "{replied}");
    assert_eq!(inbox.get_thread(offered.thread_id).await.unwrap().contact_id, Some(contact_id));

    // Wednesday and Thursday: a deal, which is followed up twice.
    let deal = NewDeal::new("Deliveries for Sam").contact_ids([contact_id]).value("45".to_owned());
    let deal = client.deals().create(deal.currency("GBP".to_owned())).await.unwrap().into_inner();
    let activities = client.deal_activities();
    for text in ["Do you have questions?", "The offer ends tomorrow."] {
        let new = NewFollowUp::new(NewFollowUpChannel::Email, text, NewFollowUpTrigger::AtTime);
        let new = follow_up(contact_id.uuid(), new.subject("Your offer"), 3);
        let planned = activities.create(deal.deal_id, new).await.unwrap().into_inner();
        activities.send_now(deal.deal_id, planned.deal_activity_id).await.unwrap();
        until("the follow-up is sent", async || {
            service.database.make_due(&["send_follow_ups"]).await;
            let sent = activities.get(deal.deal_id, planned.deal_activity_id).await.unwrap().into_inner();
            (sent.follow_up.unwrap().state == FollowUpState::Sent).then_some(())
        })
        .await;
        mailed(&mails, text).await;
    }

    // Friday: the visitor agrees, the deal is won, and the contact is a customer.
    post(2, "Agreed.").await;
    let won = client.deals().win(deal.deal_id).await.unwrap().into_inner();
    assert_eq!(won.outcome, DealOutcome::Won);
    client.contacts().mark_as_customer(contact_id, CustomerMark::new()).await.unwrap();
    let contact = client.contacts().get(contact_id).await.unwrap().into_inner();
    assert!(contact.is_paying_customer, "{contact:?}");
    assert_eq!((won.contact_ids.as_slice(), contact.r#type.as_str()), (&[contact_id][..], "customer"));
    assert_eq!(client.contacts().list().await.unwrap().contacts.len(), 1, "one person all week");

    // Endpoint and journal tell the same story, in the same words.
    let journal = client.events().list().limit(100).await.unwrap().into_inner().events;
    let told: Vec<&str> = journal.iter().map(|event| event.r#type.as_str()).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &told {
        *counts.entry(name).or_default() += 1;
    }
    for (name, count) in [
        ("lead.created", 1),
        ("conversation.created", 1),
        ("conversation.handoff_requested", 1),
        ("conversation.handoff_accepted", 1),
        ("deal.created", 1),
        ("deal.won", 1),
        ("contact.became_customer", 1),
    ] {
        assert_eq!(counts.get(name), Some(&count), "{name}: {told:?}");
    }
    let place = |name: &str| told.iter().position(|told| *told == name).unwrap();
    let order = [
        "lead.created",
        "conversation.handoff_requested",
        "conversation.handoff_accepted",
        "deal.created",
        "deal.won",
    ];
    assert!(order.is_sorted_by_key(|name| place(name)), "{told:?}");
    let texts: Vec<Value> = journal
        .iter()
        .filter(|event| event.r#type.as_str() == "message.created")
        .map(|event| serde_json::to_value(&event.data).unwrap()["message"]["text"].clone())
        .collect();
    for said in ["45 pounds for each delivery.", "Let me think about it.", "Agreed."] {
        assert!(texts.iter().any(|text| text == said), "{said}: {texts:?}");
    }
    let mut sent: Vec<Value> =
        receiver.has_received(journal.len()).await.iter().map(Received::json).collect();
    sent.sort_by_key(|event| event["sequence"].as_i64());
    let recorded: Vec<Value> = journal.iter().map(|event| serde_json::to_value(event).unwrap()).collect();
    assert_eq!(sent, recorded);
    service.stop().await;
}
