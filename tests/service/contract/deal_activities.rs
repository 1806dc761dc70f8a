//! Activities of deals: states, reminders, calendars, and follow-ups that are sent once and only while they
//! may be.

use std::collections::BTreeSet;

use frontdesk_client::model::{
    ContactId, DealActivityCompletion, DealActivityStatus, DealActivityUpdate, FollowUpState,
    FollowUpStoppedReason, NewCalendarFeed, NewDealActivity, NewDealActivityType, NewFollowUp,
    NewFollowUpChannel, NewFollowUpRepeat, NewFollowUpTrigger, NewVisitorMessage, NewVisitorSession,
    SendWindow, TeamMemberId, VisitorContact,
};
use frontdesk_runtime::Patch;
use frontdesk_service::config::{Config, SearchModel};
use frontdesk_store::{ContactFields, ContactInput, NoticeStatus, Redacted};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::sales::{
    PUBLIC_URL, Sales, begin, email, expected, follow_up, later, plan_many, recipients, with_mail,
};
use crate::{
    database::Database,
    installation::{client, status},
    on_both_databases,
    patience::until,
    webhooks::mail::Manner,
    wire::Request,
};

on_both_databases!(
    an_activity_goes_through_its_states,
    lists_are_ordered_by_due_time_and_filtered,
    what_contradicts_itself_is_refused,
    a_follow_up_is_sent_once_and_can_be_unsubscribed,
    nothing_is_sent_after_a_stop_condition,
    a_follow_up_in_a_chat_reaches_the_visitor,
    a_follow_up_that_may_have_been_sent_is_not_sent_again,
    two_services_send_each_follow_up_once,
    an_owner_is_reminded_once,
    a_calendar_is_read_by_its_secret_alone,
);

async fn an_activity_goes_through_its_states(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let deal_id = sales.deal().await;
    let new = NewDealActivity::new(NewDealActivityType::Call, " Call Ann ").due_at(later(-1));
    let call = sales.create(deal_id, new).await;
    assert_eq!((&*call.title, call.is_overdue, call.is_automatic), ("Call Ann", true, false));
    let activities = sales.client.deal_activities();
    let id = call.deal_activity_id;
    let done =
        activities.complete(deal_id.into(), id, DealActivityCompletion::new()).await.unwrap().into_inner();
    assert_eq!(
        (done.status, done.is_overdue, done.done_at.is_some()),
        (DealActivityStatus::Done, false, true)
    );
    assert_eq!(status(&activities.complete(deal_id.into(), id, DealActivityCompletion::new()).await), 200);
    assert_eq!(status(&activities.cancel(deal_id.into(), id).await), 409);
    assert_eq!(status(&activities.send_now(deal_id.into(), id).await), 409);
    let open = activities.reopen(deal_id.into(), id).await.unwrap().into_inner();
    assert_eq!((open.status, open.done_at), (DealActivityStatus::Open, None));
    assert_eq!(activities.cancel(deal_id.into(), id).await.unwrap().status, DealActivityStatus::Cancelled);
    assert_eq!(status(&activities.complete(deal_id.into(), id, DealActivityCompletion::new()).await), 409);
    let other = sales.deal().await;
    assert_eq!(status(&activities.get(other.into(), id).await), 404, "another deal");

    // A follow-up that somebody cancels is stopped, and planned again with its activity.
    let (ann, _) = sales.visitor("ann").await;
    let planned = sales.create(deal_id, follow_up(ann, email(), 3)).await;
    let id = planned.deal_activity_id;
    let stopped = activities.cancel(deal_id.into(), id).await.unwrap().follow_up.clone().unwrap();
    assert_eq!((stopped.state, stopped.next_attempt_at), (FollowUpState::Stopped, None));
    assert_eq!(stopped.stopped_reason, Some(FollowUpStoppedReason::Manual));
    assert_eq!(status(&activities.send_now(deal_id.into(), id).await), 409);
    let resumed = activities.reopen(deal_id.into(), id).await.unwrap().follow_up.clone().unwrap();
    assert_eq!((resumed.state, resumed.next_attempt_at), (FollowUpState::Scheduled, planned.due_at));
    let moved =
        activities.update(deal_id.into(), id, DealActivityUpdate::new().due_at(later(5))).await.unwrap();
    assert_eq!(moved.follow_up.as_ref().unwrap().next_attempt_at, moved.due_at);
    assert_eq!(status(&activities.delete(deal_id.into(), id).await), 204);
    assert_eq!(status(&activities.delete(deal_id.into(), id).await), 404);
    sales.service.stop().await;
}

async fn lists_are_ordered_by_due_time_and_filtered(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let (first, second) = (sales.deal().await, sales.deal().await);
    let task = |title: &str| NewDealActivity::new(NewDealActivityType::Task, title);
    sales.create(first, task("whenever")).await;
    sales.create(first, task("tomorrow").due_at(later(24))).await;
    let owned =
        task("yesterday").due_at(later(-24)).owner_id(TeamMemberId::from(sales.customer.owner.user_id));
    sales.create(second, owned).await;
    let titles = async |query: &str| {
        let target = format!("/api/v1/deal-activities{query}");
        let raw =
            Request::new("GET", &target).key(&sales.customer.key.text).send(sales.service.address()).await;
        let body = crate::wire::json(&raw);
        let Some(items) = body["activities"].as_array() else { panic!("{query}: {body}") };
        items.iter().map(|item| item["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(titles("").await, "yesterday tomorrow whenever");
    assert_eq!(titles("?overdue=true").await, "yesterday");
    assert_eq!(titles("?overdue=false").await, "tomorrow whenever");
    assert_eq!(titles(&format!("?owner_id={}", sales.customer.owner.user_id)).await, "yesterday");
    let now = Timestamp::now();
    assert_eq!(titles(&format!("?due_after={now}")).await, "tomorrow");
    assert_eq!(titles(&format!("?due_before={now}")).await, "yesterday");
    assert_eq!(titles("?type=call").await, "");
    let of_deal = sales.client.deal_activities().list_activities_of_deal(first.into()).await;
    assert_eq!(of_deal.unwrap().activities.len(), 2);
    sales.service.database.run(&format!("UPDATE deals SET deleted_at = 1 WHERE deal_id = '{second}'")).await;
    assert_eq!(titles("").await, "tomorrow whenever");
    for wrong in
        ["?type=dance", "?status=lazy", &format!("?owner_id={first}"), &format!("?contact_id={first}")]
    {
        let target = format!("/api/v1/deal-activities{wrong}");
        let raw =
            Request::new("GET", &target).key(&sales.customer.key.text).send(sales.service.address()).await;
        assert_eq!(raw.status, 422, "{wrong}");
    }
    sales.service.stop().await;
}

async fn what_contradicts_itself_is_refused(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let deal_id = sales.deal().await;
    let (ann, _) = sales.visitor("ann").await;
    let chat = || NewFollowUp::new(NewFollowUpChannel::Chat, "Hello", NewFollowUpTrigger::AtTime);
    let task = || NewDealActivity::new(NewDealActivityType::Task, "Task");
    let no_reply = NewFollowUp::new(NewFollowUpChannel::Chat, "Hello", NewFollowUpTrigger::AfterNoReply);
    for (new, field) in [
        (task().follow_up(email()), "follow_up"),
        (
            NewDealActivity::new(NewDealActivityType::FollowUp, "x").contact_id(ContactId::from(ann)),
            "follow_up",
        ),
        (follow_up(ann, email(), 1).contact_id(Patch::Null), "contact_id"),
        (follow_up(deal_id, email(), 1), "contact_id"),
        (follow_up(ann, email(), 1).due_at(Patch::Null), "due_at"),
        (follow_up(ann, chat().subject("Offer"), 1), "follow_up.subject"),
        (follow_up(ann, email().subject("Offer\r\nBcc: all@customer.example"), 1), "follow_up.subject"),
        (follow_up(ann, email().timezone("Europe/Atlantis"), 1), "follow_up.timezone"),
        (
            follow_up(ann, email().send_window(SendWindow::new("09:00", "09:00")), 1),
            "follow_up.send_window.to",
        ),
        (follow_up(ann, email().max_attempts(2), 1), "follow_up.repeat_interval"),
        (follow_up(ann, email().delay_hours(2), 1), "follow_up.delay_hours"),
        (follow_up(ann, no_reply, 1), "follow_up.delay_hours"),
        (task().reminder_minutes_before(5), "reminder_minutes_before"),
        (task().owner_id(TeamMemberId::from(ann)), "owner_id"),
    ] {
        let body = serde_json::to_string(&new).unwrap();
        let raw = Request::new("POST", &format!("/api/v1/deals/{deal_id}/activities"))
            .key(&sales.customer.key.text)
            .json(body.clone())
            .send(sales.service.address())
            .await;
        let response = crate::wire::json(&raw);
        let fields: Vec<&String> =
            response["errors"].as_object().unwrap_or_else(|| panic!("{body}: {response}")).keys().collect();
        assert_eq!((raw.status.as_u16(), fields), (422, vec![&field.to_owned()]), "{body}");
    }
    sales.service.stop().await;
}

async fn a_follow_up_is_sent_once_and_can_be_unsubscribed(database: Database) {
    let sales = Sales::open(database, Manner::FirstLater).await;
    let deal_id = sales.deal().await;
    let (ann, _) = sales.visitor("ann").await;
    let activity = sales.create(deal_id, follow_up(ann, email(), 3)).await;
    let other = sales.create(deal_id, follow_up(ann, email(), 3)).await;
    let activities = sales.client.deal_activities();
    activities.send_now(deal_id.into(), activity.deal_activity_id).await.unwrap();
    until("the server has said: later", async || {
        sales.service.database.make_due(&["send_follow_ups"]).await;
        (sales.mails.lock().unwrap().len() == 1).then_some(())
    })
    .await;
    // The next try is due in half a minute.
    let again = format!(
        "UPDATE deal_activities SET next_attempt_at = 0 WHERE state = 'scheduled' AND deal_activity_id = '{}'",
        activity.deal_activity_id
    );
    until("the follow-up is sent", async || {
        sales.service.database.run(&again).await;
        sales.service.database.make_due(&["send_follow_ups"]).await;
        (sales.get(&activity).await.follow_up.unwrap().state == FollowUpState::Sent).then_some(())
    })
    .await;
    let sent = sales.get(&activity).await;
    assert_eq!((sent.status, sent.follow_up.as_ref().unwrap().attempts), (DealActivityStatus::Done, 1));
    let mails = sales.mails.lock().unwrap().clone();
    assert_eq!(mails.len(), 2, "one that was refused for the moment, and one that was accepted");
    let header = |mail: &str, name: &str| {
        let unfolded = mail.replace("\n ", " ");
        let line = unfolded.lines().find(|line| line.starts_with(&format!("{name}: "))).map(str::to_owned);
        line.unwrap_or_else(|| panic!("{name} is not in\n{mail}"))
    };
    assert_eq!(header(&mails[0], "Message-ID"), header(&mails[1], "Message-ID"));
    assert_eq!(header(&mails[1], "From"), "From: acme <desk@frontdesk.example>");
    assert_eq!(header(&mails[1], "To"), "To: ann <ann@customer.example>");
    assert_eq!(header(&mails[1], "Reply-To"), "Reply-To: owner@acme.example");
    assert_eq!(header(&mails[1], "Subject"), "Subject: Your offer");
    assert_eq!(header(&mails[1], "Auto-Submitted"), "Auto-Submitted: auto-generated");
    assert_eq!(
        header(&mails[1], "List-Unsubscribe-Post"),
        "List-Unsubscribe-Post: List-Unsubscribe=One-Click"
    );
    let link = header(&mails[1], "List-Unsubscribe");
    let link = link.trim_start_matches("List-Unsubscribe: <").trim_end_matches('>');
    let path = link.strip_prefix(PUBLIC_URL).unwrap();

    // Opening the page changes nothing.
    let page = Request::new("GET", path).send(sales.service.address()).await;
    assert_eq!(page.status, 200);
    let text = String::from_utf8_lossy(&page.body).into_owned();
    assert!(
        text.contains("<form method=\"post\">") && text.contains("acme") && !text.contains("<script"),
        "{text}"
    );
    assert_eq!(sales.get(&other).await.follow_up.unwrap().state, FollowUpState::Scheduled);
    assert_eq!(
        sales
            .service
            .database
            .store
            .account_data()
            .rows(
                sales.customer.account.account_id,
                *frontdesk_store::TABLES.iter().find(|table| table.name == "unsubscribed_addresses").unwrap(),
                "",
            )
            .await
            .unwrap()
            .0
            .len(),
        0
    );
    // One click does, and a repetition too.
    for _ in 0..2 {
        let click = Request::new("POST", path)
            .body_of("application/x-www-form-urlencoded", "List-Unsubscribe=One-Click")
            .send(sales.service.address())
            .await;
        assert_eq!(click.status, 200);
    }
    activities.send_now(deal_id.into(), other.deal_activity_id).await.unwrap();
    let stopped = sales.reaches(&other, FollowUpState::Stopped).await.follow_up.unwrap();
    assert_eq!(stopped.stopped_reason, Some(FollowUpStoppedReason::Unsubscribed));
    // The address stays unsubscribed when the contact was erased and comes back.
    let contacts = sales.service.database.store.contacts();
    assert!(contacts.erase(&sales.customer.scope(), ann, Timestamp::now()).await.unwrap());
    let (again, _) = sales.visitor("ann").await;
    let third = sales.create(deal_id, follow_up(again, email(), 0)).await;
    let stopped = sales.reaches(&third, FollowUpState::Stopped).await.follow_up.unwrap();
    assert_eq!(stopped.stopped_reason, Some(FollowUpStoppedReason::Unsubscribed));
    assert_eq!(sales.mails.lock().unwrap().len(), 2);
    let unknown = format!("/api/v1/unsubscribe/{}", Uuid::new_v4());
    assert_eq!(Request::new("GET", &unknown).send(sales.service.address()).await.status, 404);
    sales.service.stop().await;
}

async fn nothing_is_sent_after_a_stop_condition(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let (open, closed) = (sales.deal().await, sales.deal().await);
    let scope = sales.customer.scope();
    let (replying, conversation) = sales.visitor("replying").await;
    let (erased, _) = sales.visitor("erased").await;
    let (closing, _) = sales.visitor("closing").await;
    let fields =
        ContactFields { email: Some("stranger@customer.example".into()), ..ContactFields::default() };
    let contacts = sales.service.database.store.contacts();
    let input = ContactInput { claimed: fields, ..ContactInput::default() };
    let stranger = contacts.upsert(&scope, &input, Timestamp::now()).await.unwrap().unwrap().contact_id;
    let mut all = Vec::new();
    for (deal_id, contact_id, reason) in [
        (open, replying, FollowUpStoppedReason::Replied),
        (open, erased, FollowUpStoppedReason::ContactErased),
        (closed, closing, FollowUpStoppedReason::DealClosed),
        (open, stranger, FollowUpStoppedReason::NoConversation),
    ] {
        for channel in [NewFollowUpChannel::Email, NewFollowUpChannel::Chat] {
            let new = NewFollowUp::new(channel, "Hello?", NewFollowUpTrigger::AtTime);
            let new = if channel == NewFollowUpChannel::Email { new.subject("Offer") } else { new };
            all.push((sales.create(deal_id, follow_up(contact_id, new, 1)).await, reason.clone()));
        }
    }
    sales.says(Some(replying), Some(conversation.conversation_id), "Yes, please.").await;
    assert!(contacts.erase(&scope, erased, Timestamp::now()).await.unwrap());
    sales
        .service
        .database
        .run(&format!("UPDATE deals SET outcome = 'won', closed_at = 1 WHERE deal_id = '{closed}'"))
        .await;
    sales
        .service
        .database
        .run("UPDATE deal_activities SET anchor_at = 0, next_attempt_at = 0 WHERE state = 'scheduled'")
        .await;
    for (activity, reason) in &all {
        let stopped = sales.reaches(activity, FollowUpState::Stopped).await;
        let follow_up = stopped.follow_up.unwrap();
        assert_eq!(
            (follow_up.stopped_reason.as_ref(), follow_up.attempts),
            (Some(reason), 0),
            "{activity:?}"
        );
    }
    assert!(sales.mails.lock().unwrap().is_empty());
    let said = sales.service.database.store.conversations();
    let said = said.messages(&scope, conversation.conversation_id, 0, 10).await.unwrap();
    assert_eq!(said.len(), 2, "{said:?}");
    // What an erased person was to be told is gone, too.
    let erased = sales.get(&all[2].0).await;
    assert_eq!((&*erased.title, &*erased.follow_up.unwrap().body, erased.contact_id), ("", "", None));
    sales.service.stop().await;
}

async fn a_follow_up_in_a_chat_reaches_the_visitor(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let deal_id = sales.deal().await;
    let (ann, conversation) = sales.visitor("ann").await;
    let (conversation_id, scope) = (conversation.conversation_id, sales.customer.scope());
    // Somebody else says to be her, and must not read what she is told.
    let widget_key = sales.client.widgets().get(sales.chatbot_id.into()).await.unwrap().widget_key;
    let session = sales.client.widgets().create_visitor_session(widget_key, NewVisitorSession::new());
    let stranger = sales.client.with_visitor_token(session.await.unwrap().token.expose());
    let stranger = stranger.visitors();
    let claimed = stranger.send_message(NewVisitorMessage::new("Hello", Uuid::new_v4())).await.unwrap();
    stranger.update_contact(VisitorContact::new().email("ann@customer.example")).await.unwrap();
    let claimed =
        sales.client.conversations().get(sales.chatbot_id.into(), claimed.conversation_id).await.unwrap();
    assert_eq!(claimed.contact_id, Some(Into::into(ann)));
    let messages = sales.service.database.store.conversations();
    let last = messages.messages(&scope, conversation_id, 0, 10).await.unwrap().last().unwrap().message_id;
    let waits = sales
        .client
        .conversations()
        .poll_replies(sales.chatbot_id.into(), conversation_id.into(), last.into())
        .wait(20);
    let waiting = tokio::spawn(async move { waits.await.unwrap().into_inner() });
    let new =
        NewFollowUp::new(NewFollowUpChannel::Chat, "Do you have questions?", NewFollowUpTrigger::AtTime)
            .max_attempts(2)
            .repeat_interval(NewFollowUpRepeat::Daily);
    let activity = sales.create(deal_id, follow_up(ann, new, 0)).await;
    let told = waiting.await.unwrap();
    assert_eq!(
        told.messages.iter().map(|message| &*message.text).collect::<Vec<_>>(),
        ["Do you have questions?"]
    );
    let waiting = sales.reaches(&activity, FollowUpState::Waiting).await;
    let follow_up = waiting.follow_up.unwrap();
    assert_eq!((waiting.status, follow_up.attempts), (DealActivityStatus::Open, 1));
    assert!(follow_up.next_attempt_at.unwrap() > later(11), "{follow_up:?}");
    // A reply ends it.
    sales.says(Some(ann), Some(conversation_id), "No.").await;
    sales.client.deal_activities().send_now(deal_id.into(), activity.deal_activity_id).await.unwrap();
    let stopped = sales.reaches(&activity, FollowUpState::Stopped).await.follow_up.unwrap();
    assert_eq!(stopped.stopped_reason, Some(FollowUpStoppedReason::Replied));
    sales.service.stop().await;
}

async fn a_follow_up_that_may_have_been_sent_is_not_sent_again(database: Database) {
    let sales = Sales::open(database, Manner::HangUp).await;
    let deal_id = sales.deal().await;
    let (ann, _) = sales.visitor("ann").await;
    let cut = sales.create(deal_id, follow_up(ann, email(), 0)).await;
    let failed = sales.reaches(&cut, FollowUpState::Failed).await.follow_up.unwrap();
    assert_eq!((failed.last_error.unwrap().code.as_str(), failed.attempts), ("outcome_unknown", 1));
    assert_eq!(sales.mails.lock().unwrap().len(), 1);
    // A process that dies after the claim leaves this.
    let died = sales.create(deal_id, follow_up(ann, email(), 1)).await;
    let id = died.deal_activity_id;
    for statement in [
        format!(
            "INSERT INTO follow_up_messages (deal_activity_id, attempt, account_id, status, tries, created_at) \
             VALUES ('{id}', 1, '{}', 'sending', 1, 0)",
            sales.customer.account.account_id
        ),
        format!(
            "UPDATE deal_activities SET state = 'sending', next_attempt_at = 0 WHERE deal_activity_id = '{id}'"
        ),
    ] {
        sales.service.database.run(&statement).await;
    }
    let failed = sales.reaches(&died, FollowUpState::Failed).await.follow_up.unwrap();
    assert_eq!(failed.last_error.unwrap().code.as_str(), "outcome_unknown");
    assert_eq!(status(&sales.client.deal_activities().send_now(deal_id.into(), id).await), 409);
    assert_eq!(sales.mails.lock().unwrap().len(), 1);
    sales.service.stop().await;
}

async fn two_services_send_each_follow_up_once(database: Database) {
    const COUNT: usize = 300;
    let sales = Sales::open(database, Manner::Accept).await;
    let deal_id = sales.deal().await;
    let database = &sales.service.database;
    // A file of SQLite is served by one process; the runners within it share the work.
    let second = if database.is_postgres() {
        let mut config = Config { database: Redacted::new(database.url.clone()), ..Config::default() };
        config.listen = ([127, 0, 0, 1], 0).into();
        config.search.model = SearchModel::None;
        config.files.directory = Some(sales.service.files.path().to_owned());
        with_mail(&mut config, &sales.smtp_url);
        Some(frontdesk_service::start(config).await.unwrap())
    } else {
        None
    };
    plan_many(database, &sales.customer, sales.chatbot_id, deal_id, COUNT).await;
    begin(database).await;
    let activities = database.store.deal_activities();
    until("every follow-up is finished", async || {
        // Attempts that are being made are due when their lease ends.
        let lease_end = Timestamp::now() + SignedDuration::from_hours(1);
        (!activities.is_follow_up_due(lease_end).await.unwrap()).then_some(())
    })
    .await;
    let counts = recipients(&sales.mails);
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    assert_eq!(counts.into_keys().collect::<BTreeSet<_>>(), expected(COUNT));
    if let Some(second) = second {
        second.shutdown().await;
    }
    sales.service.stop().await;
}

async fn an_owner_is_reminded_once(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let deal_id = sales.deal().await;
    let call = NewDealActivity::new(NewDealActivityType::Call, "Call Ann\r\nBcc: x@evil.example")
        .due_at(later(1))
        .owner_id(TeamMemberId::from(sales.customer.owner.user_id))
        .reminder_minutes_before(90);
    let activity = sales.create(deal_id, call).await;
    // One that is cancelled is not reminded of.
    let other =
        NewDealActivity::new(NewDealActivityType::Call, "Other").due_at(later(2)).reminder_minutes_before(1);
    let other = sales.create(deal_id, other).await;
    sales.client.deal_activities().cancel(deal_id.into(), other.deal_activity_id).await.unwrap();
    let notices = sales.service.database.store.notices();
    let scope = sales.customer.scope();
    until("the reminder is sent", async || {
        sales.service.database.make_due(&["remind_of_activities", "send_notices"]).await;
        let list = notices.list(&scope).await.unwrap();
        list.iter().any(|notice| notice.status == NoticeStatus::Sent).then_some(())
    })
    .await;
    assert_eq!(notices.list(&scope).await.unwrap().len(), 1);
    let mails = sales.mails.lock().unwrap().clone();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("To: owner <owner@acme.example>\n"), "{}", mails[0]);
    let (head, _) = mails[0].split_once("\n\n").unwrap();
    assert!(head.contains("Subject: Reminder: Call Ann") && !head.contains("\nBcc:"), "{head}");
    assert!(mails[0].contains(&activity.deal_activity_id.to_string()), "{}", mails[0]);
    assert!(!sales.service.database.store.deal_activities().is_reminder_due(Timestamp::MAX).await.unwrap());
    sales.service.stop().await;
}

async fn a_calendar_is_read_by_its_secret_alone(database: Database) {
    let sales = Sales::open(database, Manner::Accept).await;
    let deal_id = sales.deal().await;
    let owner_id = sales.customer.owner.user_id;
    let call = |title: &str| NewDealActivity::new(NewDealActivityType::Call, title).due_at(later(1));
    sales.create(deal_id, call("Mine").owner_id(TeamMemberId::from(owner_id))).await;
    sales.create(deal_id, call("Of nobody")).await;
    let feeds = sales.client.calendar_feeds();
    let mine =
        feeds.create(NewCalendarFeed::new("Mine").owner_id(owner_id.into())).await.unwrap().into_inner();
    let all = feeds.create(NewCalendarFeed::new("All")).await.unwrap().into_inner();
    let read = async |url: &str| {
        let path = url.strip_prefix(PUBLIC_URL).unwrap().to_owned();
        Request::new("GET", &path).send(sales.service.address()).await
    };
    let text = |raw: &frontdesk_client::Raw| String::from_utf8(raw.body.to_vec()).unwrap();
    let calendar = read(&mine.url).await;
    assert_eq!(
        (calendar.status.as_u16(), crate::wire::header(&calendar, "content-type")),
        (200, "text/calendar; charset=utf-8")
    );
    assert!(
        text(&calendar).contains("SUMMARY:Mine") && !text(&calendar).contains("Of nobody"),
        "{}",
        text(&calendar)
    );
    assert_eq!(text(&read(&all.url).await).matches("BEGIN:VEVENT").count(), 2);
    // The secret is not stored.
    let secret = all.calendar_token.to_string();
    let table = frontdesk_store::TABLES.iter().find(|table| table.name == "calendar_feeds").unwrap();
    let account_id = sales.customer.account.account_id;
    let stored = sales.service.database.store.account_data().rows(account_id, *table, "").await.unwrap().0;
    assert_eq!(stored.len(), 2);
    assert!(!serde_json::to_string(&stored).unwrap().contains(&secret));
    // A new secret ends the old one, and so does a revocation.
    let rotated = feeds.rotate(all.calendar_feed_id).await.unwrap().into_inner();
    assert_eq!((read(&all.url).await.status.as_u16(), read(&rotated.url).await.status.as_u16()), (404, 200));
    feeds.delete(all.calendar_feed_id).await.unwrap();
    assert_eq!(read(&rotated.url).await.status, 404);
    // A feed ends with the person who has made it.
    let scope = sales.customer.scope();
    let users = sales.service.database.store.users();
    users.set_status(&scope, owner_id, frontdesk_store::UserStatus::Disabled).await.unwrap();
    assert_eq!(read(&mine.url).await.status, 404);
    let stranger = client(sales.service.address(), "sk_live_unknown");
    assert_eq!(status(&stranger.calendar_feeds().list().await), 401);
    sales.service.stop().await;
}
