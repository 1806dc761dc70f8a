//! Consent to e-mails, and the other details that an account keeps of its contacts.

use std::collections::BTreeMap;

use frontdesk_client::model::{
    ContactId, ContactMerge, ContactUpdate, DealActivity, FollowUpState, FollowUpStoppedReason,
    InboxChannelKind, NewChannelMessage, NewContact, NewContactConsent, NewDealActivity, NewDealActivityType,
    NewFollowUp, NewFollowUpChannel, NewFollowUpTrigger, NewInboxChannel, TeamMemberId,
};
use frontdesk_runtime::Patch;
use frontdesk_store::Plan;
use uuid::Uuid;

use super::sales::Sales;
use crate::{
    database::Database,
    installation::{Installation, status},
    on_both_databases,
    webhooks::mail::Manner,
};

on_both_databases!(
    consent_and_replies_decide_about_emails,
    contacts_have_owners_labels_and_fields,
    a_merged_contact_keeps_the_details_of_both,
);

/// A follow-up by e-mail that is due at once, or in some days.
async fn email(sales: &Sales, deal_id: Uuid, contact_id: Uuid, in_days: i64) -> DealActivity {
    let due = jiff::Timestamp::now() + jiff::SignedDuration::from_hours(24 * in_days);
    let due = frontdesk_runtime::Timestamp::from_microseconds(due.as_microsecond()).unwrap();
    let new =
        NewFollowUp::new(NewFollowUpChannel::Email, "Do you like our offer?", NewFollowUpTrigger::AtTime)
            .subject("Our offer");
    let new = NewDealActivity::new(NewDealActivityType::FollowUp, "Ask")
        .contact_id(ContactId::from(contact_id))
        .due_at(due)
        .follow_up(new);
    sales.create(deal_id, new).await
}

async fn consent_and_replies_decide_about_emails(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let (deal_id, contacts) = (sales.deal().await, sales.client.contacts());
    let created = async |name: &str, consent: Option<bool>| {
        let mut new = NewContact::new().email(format!("{name}@customer.example"));
        if let Some(marketing) = consent {
            new = new.consent(NewContactConsent::new(marketing).source("trade fair"));
        }
        contacts.create(new).await.unwrap().contact_id
    };
    let (agreed, unasked) = (created("agreed", Some(true)).await, created("unasked", None).await);
    let (refused, _) = sales.visitor("refused").await;
    let refusal = ContactUpdate::new().consent(NewContactConsent::new(false));
    contacts.update(refused.into(), refusal).await.unwrap();
    let sent = email(&sales, deal_id, agreed.uuid(), 0).await;
    sales.reaches(&sent, FollowUpState::Sent).await;
    for (contact_id, reason) in [
        (unasked, FollowUpStoppedReason::NoConversation),
        (refused.into(), FollowUpStoppedReason::Unsubscribed),
    ] {
        let stopped =
            sales.reaches(&email(&sales, deal_id, contact_id.uuid(), 0).await, FollowUpState::Stopped).await;
        assert_eq!(stopped.follow_up.unwrap().stopped_reason, Some(reason));
    }
    assert_eq!(sales.mails.lock().unwrap().len(), 1);

    // Whoever has written to the inbox may be written to, and a reply there ends a follow-up as one in a chat
    // does.
    let channels = sales.client.inbox_channels();
    let channel = channels.create(NewInboxChannel::new(InboxChannelKind::Api, "Shop")).await.unwrap();
    let says = async |key: &str| {
        let message = NewChannelMessage::new("order", key, "Where is it?").contact_id(unasked);
        channels.receive_channel_message(channel.channel_id, message).await.unwrap();
    };
    says("one").await;
    let sent = email(&sales, deal_id, unasked.uuid(), 0).await;
    sales.reaches(&sent, FollowUpState::Sent).await;
    let waiting = email(&sales, deal_id, unasked.uuid(), 3).await;
    says("two").await;
    sales.client.deal_activities().send_now(deal_id.into(), waiting.deal_activity_id).await.unwrap();
    let stopped = sales.reaches(&waiting, FollowUpState::Stopped).await;
    assert_eq!(stopped.follow_up.unwrap().stopped_reason, Some(FollowUpStoppedReason::Replied));
    assert_eq!(sales.mails.lock().unwrap().len(), 2);
    sales.service.stop().await;
}

async fn contacts_have_owners_labels_and_fields(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let other = service.database.customer("other", Plan::Growth).await;
    let (client, stranger) = (service.client(&acme), service.client(&other));
    let contacts = client.contacts();
    let fields = BTreeMap::from([("Size".to_owned(), "L".to_owned())]);
    let new = NewContact::new()
        .email("ann@customer.example")
        .owner_id(TeamMemberId::from(acme.owner.user_id))
        .tags(["wholesale", "berlin", "wholesale"])
        .custom_fields(fields.clone())
        .consent(NewContactConsent::new(true).source("newsletter"));
    let ann = contacts.create(&new).await.unwrap().into_inner();
    assert_eq!(
        (ann.owner_id, &ann.tags[..]),
        (Some(acme.owner.user_id.into()), &["berlin", "wholesale"].map(str::to_owned)[..])
    );
    assert_eq!(ann.custom_fields, fields);
    let consent = ann.consent.unwrap();
    assert_eq!((consent.marketing, consent.source.as_deref()), (true, Some("newsletter")));

    // Foreign people own nothing, and their contacts are not found.
    assert_eq!(status(&stranger.contacts().create(&new).await), 422);
    assert_eq!(status(&contacts.list().owner_id(other.owner.user_id.into()).await), 422);
    let nameless = new.clone().custom_fields(BTreeMap::from([(" ".to_owned(), "L".to_owned())]));
    assert_eq!(status(&contacts.create(nameless).await), 422);
    contacts.create(NewContact::new().email("bob@customer.example").tags(["ber"])).await.unwrap();
    for (found, call) in [
        (1, contacts.list().tag("berlin")),
        (0, contacts.list().tag("Berl%")),
        (1, contacts.list().owner_id(acme.owner.user_id.into())),
        (2, contacts.list()),
    ] {
        assert_eq!(call.await.unwrap().contacts.len(), found);
    }

    // What is said again stays as it was said first, and the opposite is new.
    let update =
        async |update: ContactUpdate| contacts.update(ann.contact_id, update).await.unwrap().into_inner();
    let again = update(ContactUpdate::new().consent(NewContactConsent::new(true))).await;
    assert_eq!(again.consent, Some(consent.clone()));
    let refused = update(ContactUpdate::new().consent(NewContactConsent::new(false))).await.consent.unwrap();
    assert_eq!((refused.marketing, refused.source), (false, None));
    assert!(refused.at >= consent.at);
    let cleared = ContactUpdate::new()
        .owner_id(Patch::Null)
        .tags([""; 0])
        .custom_fields(BTreeMap::new())
        .consent(Patch::Null);
    let cleared = update(cleared).await;
    assert_eq!((cleared.owner_id, cleared.tags.len(), cleared.custom_fields.len()), (None, 0, 0));
    assert_eq!(cleared.consent, None);
    service.stop().await;
}

async fn a_merged_contact_keeps_the_details_of_both(database: Database) {
    let service = Installation::start(database).await;
    let acme = service.database.customer("acme", Plan::Growth).await;
    let contacts_of = service.client(&acme);
    let contacts = contacts_of.contacts();
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let target = NewContact::new()
        .email("ann@customer.example")
        .tags(["a"])
        .custom_fields(BTreeMap::from([field("Size", "L")]))
        .consent(NewContactConsent::new(true));
    let source = NewContact::new()
        .phone("+44 20 7946 0018")
        .owner_id(TeamMemberId::from(acme.owner.user_id))
        .tags(["b", "a"])
        .custom_fields(BTreeMap::from([field("Size", "S"), field("Colour", "red")]))
        .consent(NewContactConsent::new(false));
    let target = contacts.create(target).await.unwrap().contact_id;
    let source = contacts.create(source).await.unwrap().contact_id;
    let merged = contacts.merge(target, ContactMerge::new(source)).await.unwrap().into_inner();
    assert_eq!(
        (merged.owner_id, &merged.tags[..]),
        (Some(acme.owner.user_id.into()), &["a", "b"].map(str::to_owned)[..])
    );
    assert_eq!(merged.custom_fields, BTreeMap::from([field("Colour", "red"), field("Size", "L")]));
    assert_eq!(merged.consent.map(|consent| consent.marketing), Some(false), "the later word counts");
    service.stop().await;
}
