//! Activities of deals: what is to be done, calendars that show it, and follow-ups that are sent by
//! themselves.

use released_client::{
    model::{
        ContactId, ContactInfo, DealActivity, DealActivityCompletion, DealActivityStatus, DealActivityUpdate,
        DealId, FollowUpState, FollowUpStoppedReason, NewCalendarFeed, NewDeal, NewDealActivity,
        NewDealActivityType, NewFollowUp, NewFollowUpChannel, NewFollowUpTrigger, NewMessage,
        ReadCalendarError, SendDealActivityNowError,
    },
    runtime::Uuid,
};

use crate::{
    Bakery, Outcome,
    waiting::{eventually, in_hours},
};

/// Plans a call and follow-ups, shows them in a calendar, and sends a follow-up until its recipient has
/// enough.
pub async fn plan(bakery: &Bakery) -> Outcome {
    let client = &bakery.client;
    // Follow-ups go to people who have written first.
    let visitor = ContactInfo::new().email("zoe@customer.example").name("Zoe");
    let question = NewMessage::new("What does delivery cost?").contact(visitor);
    client.messages().send(bakery.chatbot_id, question).await?;
    let zoe = client.contacts().lookup().email("zoe@customer.example").await?.contact_id;
    let deal = client.deals().create(NewDeal::new("Birthday cake").contact_ids([zoe])).await?;

    a_call(bakery, deal.deal_id).await?;
    calendar(bakery, deal.deal_id).await?;
    follow_ups(bakery, deal.deal_id, zoe).await
}

/// An activity of a person, from its plan to its end.
async fn a_call(bakery: &Bakery, deal_id: DealId) -> Outcome {
    let activities = bakery.client.deal_activities();
    let call =
        NewDealActivity::new(NewDealActivityType::Call, "Call Zoe").due_at(in_hours(2)?).duration_minutes(15);
    let call = activities.create(deal_id, call).await?.into_inner();
    let id = call.deal_activity_id;
    assert_eq!((&call.status, call.is_overdue, call.is_automatic), (&DealActivityStatus::Open, false, false));
    let due = in_hours(26)?;
    let updated =
        activities.update(deal_id, id, DealActivityUpdate::new().note("After ten").due_at(due)).await?;
    assert_eq!((updated.due_at, updated.note.as_deref()), (Some(due), Some("After ten")));
    let of_deal = activities.list_activities_of_deal(deal_id).await?;
    assert_eq!(of_deal.activities, [activities.get(deal_id, id).await?.into_inner()]);

    let result = DealActivityCompletion::new().result("She wants chocolate");
    let done = activities.complete(deal_id, id, result).await?;
    assert_eq!(
        (&done.status, done.result.as_deref()),
        (&DealActivityStatus::Done, Some("She wants chocolate"))
    );
    assert_eq!(activities.reopen(deal_id, id).await?.status, DealActivityStatus::Open);
    assert_eq!(activities.cancel(deal_id, id).await?.status, DealActivityStatus::Cancelled);
    let cancelled = activities.list().status(DealActivityStatus::Cancelled).await?;
    assert_eq!(cancelled.activities[0].deal_activity_id, id);
    activities.delete(deal_id, id).await?;
    assert!(activities.get(deal_id, id).await.is_err_and(|error| error.is_not_found()));
    Ok(())
}

/// The address of a calendar is its secret.
async fn calendar(bakery: &Bakery, deal_id: DealId) -> Outcome {
    let (activities, feeds) = (bakery.client.deal_activities(), bakery.client.calendar_feeds());
    let tasting = NewDealActivity::new(NewDealActivityType::Meeting, "Cake tasting").due_at(in_hours(48)?);
    activities.create(deal_id, tasting).await?;
    let feed = feeds.create(NewCalendarFeed::new("Bakery")).await?.into_inner();
    assert!(feed.url.ends_with(&feed.calendar_token.to_string()), "{feed:?}");
    let calendar = feeds.read_calendar(feed.calendar_token).without_credentials().await?;
    assert!(
        calendar.starts_with("BEGIN:VCALENDAR") && calendar.contains("SUMMARY:Cake tasting"),
        "{}",
        *calendar
    );
    let listed = feeds.list().await?;
    assert_eq!(listed.calendar_feeds, [feeds.get(feed.calendar_feed_id).await?.into_inner()]);

    let rotated = feeds.rotate(feed.calendar_feed_id).await?;
    let ended = feeds.read_calendar(feed.calendar_token).await.expect_err("the address has changed");
    assert!(matches!(ended.declared(), Some(ReadCalendarError::NotFound(_))), "{ended:?}");
    assert!(feeds.read_calendar(rotated.calendar_token).await?.contains("Cake tasting"));
    feeds.delete(feed.calendar_feed_id).await?;
    assert!(feeds.list().await?.calendar_feeds.is_empty());
    Ok(())
}

/// A follow-up by e-mail, and its recipient who unsubscribes.
async fn follow_ups(bakery: &Bakery, deal_id: DealId, contact_id: ContactId) -> Outcome {
    let client = &bakery.client;
    let activities = client.deal_activities();
    let follow_up = |subject: &str| -> Outcome<NewDealActivity> {
        let text = "Did you like the cakes?";
        let email =
            NewFollowUp::new(NewFollowUpChannel::Email, text, NewFollowUpTrigger::AtTime).subject(subject);
        let new = NewDealActivity::new(NewDealActivityType::FollowUp, "Ask").contact_id(contact_id);
        Ok(new.due_at(in_hours(24)?).follow_up(email))
    };
    let first = activities.create(deal_id, follow_up("Your tasting")?).await?.into_inner();
    let second = activities.create(deal_id, follow_up("Your order")?).await?.into_inner();
    activities.send_now(deal_id, first.deal_activity_id).await?;
    let sent = reaches(bakery, &first, FollowUpState::Sent).await?;
    assert_eq!((&sent.status, sent.is_automatic), (&DealActivityStatus::Done, true));
    let again = activities.send_now(deal_id, first.deal_activity_id).await.expect_err("it was sent");
    assert!(matches!(again.declared(), Some(SendDealActivityNowError::Conflict(_))), "{again:?}");

    // Every follow-up has a link to unsubscribe, which needs no key.
    let mail = bakery.surroundings.received_mail(&["To: Zoe <zoe@", "Subject: Your tasting\n"]).await?;
    assert!(mail.contains("Did you like the cakes?"), "{mail}");
    let link = mail.split_once("List-Unsubscribe: <").and_then(|(_, rest)| rest.split_once('>'));
    let (_, token) = link.and_then(|(link, _)| link.rsplit_once('/')).ok_or("the e-mail has no link")?;
    let token: Uuid = token.parse()?;
    let page = client.unsubscribing().show_unsubscribe_page(token).without_credentials().await?;
    assert!(page.contains("<form method=\"post\">"), "{}", *page);
    client.unsubscribing().unsubscribe_recipient(token).without_credentials().await?;
    activities.send_now(deal_id, second.deal_activity_id).await?;
    let stopped = reaches(bakery, &second, FollowUpState::Stopped).await?;
    let reason = stopped.follow_up.and_then(|follow_up| follow_up.stopped_reason);
    assert_eq!(reason, Some(FollowUpStoppedReason::Unsubscribed));
    Ok(())
}

/// Waits until a follow-up is in a state.
async fn reaches(bakery: &Bakery, activity: &DealActivity, state: FollowUpState) -> Outcome<DealActivity> {
    eventually(state.as_str(), async || {
        let call = bakery.client.deal_activities().get(activity.deal_id, activity.deal_activity_id);
        let activity = call.await?.into_inner();
        let is_there = activity.follow_up.as_ref().is_some_and(|follow_up| follow_up.state == state);
        Ok(is_there.then_some(activity))
    })
    .await
}
