//! Conversations are listed, handed over to people and back, rated, and watched.

use std::time::{Duration, Instant};

use frontdesk_store::{
    Conversation, ConversationError, ConversationFilter, ConversationMode, FeedbackRating, MessageRole,
    NewAnswer, PageRequest, Scope, Store,
};
use sqlx::Row;
use tokio::time::timeout;
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{World, answer, at, claim, escalation, turn};

on_both_databases!(
    a_conversation_goes_to_a_person_and_back,
    a_wrong_mode_is_refused,
    a_person_is_needed_until_one_has_come,
    a_visitor_is_told_once_that_nobody_is_available,
    one_of_many_tells_the_visitor,
    the_worst_rating_counts,
    filters_find_what_they_name,
    pages_are_read_from_an_index_in_their_order,
    messages_are_paged_from_the_newest,
    a_watch_reports_changes,
    a_watch_reports_changes_by_other_processes,
);

/// No conversation.
const NOBODY: [Uuid; 0] = [];

async fn find(store: &Store, scope: &Scope, id: Uuid) -> Conversation {
    store.conversations().find(scope, id).await.unwrap().unwrap()
}

async fn a_conversation_goes_to_a_person_and_back(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let conversations = store.conversations();
    let requested = conversations.escalate(&scope, id, &escalation(None), at(5)).await.unwrap().unwrap();
    assert_eq!((requested.mode, requested.needs_escalation), (ConversationMode::HumanRequested, true));
    let request = requested.escalation.clone().unwrap();
    assert_eq!((request.note.as_deref(), request.escalated_at), (Some("A refund\u{fffd}."), at(5)));
    let again = conversations.escalate(&scope, id, &escalation(None), at(6)).await.unwrap();
    assert_eq!(again.as_ref(), Some(&requested));

    let reply = conversations.reply(&scope, id, world.user.user_id, "Hi\0!", at(7)).await.unwrap().unwrap();
    assert_eq!(
        (reply.conversation.mode, reply.conversation.needs_escalation),
        (ConversationMode::Human, false)
    );
    assert_eq!((reply.message.role, reply.message.body.as_str()), (MessageRole::TeamMember, "Hi\u{fffd}!"));
    assert_eq!((reply.message.team_member_id, reply.message.position), (Some(world.user.user_id), 3));
    assert_eq!(reply.conversation.last_message_at, at(7));
    let second = conversations.reply(&scope, id, Uuid::nil(), "Me too.", at(8)).await.unwrap().unwrap();
    assert_eq!(second.message.position, 4);

    let returned = conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap();
    assert_eq!((returned.mode, returned.message_count), (ConversationMode::Ai, 4));
    assert_eq!(returned.escalation, requested.escalation);
    assert_eq!(conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap(), returned);
    let closed = conversations.close(&scope, id, at(300)).await.unwrap().unwrap();
    assert_eq!(closed.mode, ConversationMode::Closed);
    assert_eq!(conversations.close(&scope, id, at(300)).await.unwrap().unwrap(), closed);
    assert_eq!(find(store, &scope, id).await, closed);
}

async fn a_wrong_mode_is_refused(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let conversations = store.conversations();
    let refused = |outcome: Result<(), ConversationError>| match outcome {
        Err(ConversationError::WrongMode { mode }) => mode,
        other => panic!("{other:?}"),
    };
    conversations.reply(&scope, id, world.user.user_id, "Hello.", at(5)).await.unwrap().unwrap();
    let escalated = conversations.escalate(&scope, id, &escalation(None), at(6)).await;
    assert_eq!(refused(escalated.map(drop)), ConversationMode::Human);
    let closed = conversations.close(&scope, id, at(300)).await.unwrap().unwrap();
    let escalated = conversations.escalate(&scope, id, &escalation(None), at(6)).await;
    assert_eq!(refused(escalated.map(drop)), ConversationMode::Closed);
    let replied = conversations.reply(&scope, id, world.user.user_id, "Hello.", at(6)).await;
    assert_eq!(refused(replied.map(drop)), ConversationMode::Closed);
    let returned = conversations.return_to_ai(&scope, id, at(300)).await;
    assert_eq!(refused(returned.map(drop)), ConversationMode::Closed);
    assert_eq!(find(store, &scope, id).await, closed);
}

async fn a_person_is_needed_until_one_has_come(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let conversations = store.conversations();
    let record = async |needs_escalation: bool| {
        let answer = NewAnswer { needs_escalation, ..answer("Hm.") };
        conversations.record_answer(&scope, id, &answer, None, at(5)).await.unwrap().unwrap().conversation
    };
    assert!(record(true).await.needs_escalation);
    assert!(!record(false).await.needs_escalation);
    assert!(record(true).await.needs_escalation);
    assert!(conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap().escalation.is_none());
    conversations.escalate(&scope, id, &escalation(None), at(6)).await.unwrap().unwrap();
    // An answer that was being written when the person was asked for.
    assert!(record(false).await.needs_escalation);
    assert!(!conversations.close(&scope, id, at(300)).await.unwrap().unwrap().needs_escalation);
}

async fn a_visitor_is_told_once_that_nobody_is_available(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let conversations = store.conversations();
    let due = async |now| {
        let due = conversations.unclaimed(now, 10).await.unwrap();
        due.into_iter().map(|conversation| conversation.conversation_id).collect::<Vec<_>>()
    };
    conversations.escalate(&scope, id, &escalation(Some(at(60))), at(5)).await.unwrap().unwrap();
    assert_eq!(due(at(59)).await, NOBODY);
    assert_eq!(conversations.tell_unclaimed(&scope, id, "Nobody.", at(59)).await.unwrap(), None);
    assert_eq!(due(at(60)).await, [id]);
    let foreign = World::new(store, "two", 2).await.scope();
    assert_eq!(conversations.tell_unclaimed(&foreign, id, "Nobody.", at(60)).await.unwrap(), None);
    let told = conversations.tell_unclaimed(&scope, id, "Nobody.", at(60)).await.unwrap().unwrap();
    assert_eq!((told.message.role, told.message.body.as_str()), (MessageRole::System, "Nobody."));
    assert_eq!((told.conversation.mode, told.message.position), (ConversationMode::HumanRequested, 3));
    assert!(told.conversation.needs_escalation);
    assert_eq!(due(at(600)).await, NOBODY);
    assert_eq!(conversations.tell_unclaimed(&scope, id, "Nobody.", at(600)).await.unwrap(), None);

    // Another request waits again; whoever comes, hands back or closes ends the wait.
    for end in ["reply", "return", "close"] {
        conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap();
        conversations.escalate(&scope, id, &escalation(Some(at(700))), at(650)).await.unwrap().unwrap();
        assert_eq!(due(at(700)).await, [id], "{end}");
        match end {
            "reply" => {
                drop(conversations.reply(&scope, id, world.user.user_id, "Hi.", at(660)).await.unwrap());
            }
            "return" => drop(conversations.return_to_ai(&scope, id, at(300)).await.unwrap()),
            _ => drop(conversations.close(&scope, id, at(300)).await.unwrap()),
        }
        assert_eq!(due(at(700)).await, NOBODY, "{end}");
    }
}

async fn one_of_many_tells_the_visitor(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    store.conversations().escalate(&scope, id, &escalation(Some(at(6))), at(5)).await.unwrap().unwrap();
    let tellers: Vec<_> = (0..8)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(
                async move { store.conversations().tell_unclaimed(&scope, id, "Nobody.", at(7)).await },
            )
        })
        .collect();
    let mut told = 0;
    for teller in tellers {
        told += usize::from(teller.await.unwrap().unwrap().is_some());
    }
    assert_eq!(told, 1);
    assert_eq!(find(store, &scope, id).await.message_count, 3);
}

async fn the_worst_rating_counts(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let conversations = store.conversations();
    let rate = async |message: Uuid, rating, comment| {
        conversations.rate(&scope, id, message, rating, comment, at(9)).await.unwrap()
    };
    let visitors = world.turn.message.message_id;
    assert_eq!(rate(visitors, FeedbackRating::Up, None).await, None);
    let messages = conversations.messages(&scope, id, 1, 10).await.unwrap();
    let answer = messages[0].message_id;
    let reply = conversations.reply(&scope, id, world.user.user_id, "Hi.", at(8)).await.unwrap().unwrap();
    let reply = reply.message.message_id;
    assert_eq!(find(store, &scope, id).await.feedback, None);
    let rated = rate(answer, FeedbackRating::Up, None).await.unwrap().feedback.unwrap();
    assert_eq!((rated.rating, rated.comment, rated.rated_at), (FeedbackRating::Up, None, at(9)));
    assert_eq!(find(store, &scope, id).await.feedback, Some(FeedbackRating::Up));
    let rated = rate(reply, FeedbackRating::Down, Some("No\0.")).await.unwrap();
    assert_eq!(rated.feedback.unwrap().comment.as_deref(), Some("No\u{fffd}."));
    assert_eq!(find(store, &scope, id).await.feedback, Some(FeedbackRating::Down));
    rate(answer, FeedbackRating::Up, None).await.unwrap();
    assert_eq!(find(store, &scope, id).await.feedback, Some(FeedbackRating::Down));
    rate(reply, FeedbackRating::Up, None).await.unwrap();
    assert_eq!(find(store, &scope, id).await.feedback, Some(FeedbackRating::Up));
    let other =
        conversations.begin_turn(&scope, &turn(&world.chatbot, None, "x"), at(9)).await.unwrap().unwrap();
    let other = other.conversation.conversation_id;
    assert_eq!(
        conversations.rate(&scope, other, answer, FeedbackRating::Up, None, at(9)).await.unwrap(),
        None
    );
}

async fn filters_find_what_they_name(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let scope = world.scope();
    let conversations = store.conversations();
    let begin = async |text: &str, seconds, contact_id| {
        let mut new = turn(&world.chatbot, None, text);
        new.contact_id = contact_id;
        new.source = if seconds % 2 == 0 { "api".into() } else { "widget".into() };
        let begun = conversations.begin_turn(&scope, &new, at(seconds)).await.unwrap().unwrap();
        begun.conversation.conversation_id
    };
    let contact =
        store.contacts().upsert(&scope, &claim("second@example.com"), at(9)).await.unwrap().unwrap();
    let known = world.conversation_id();
    let waiting = begin("waiting", 11, Some(contact.contact_id)).await;
    conversations.escalate(&scope, waiting, &escalation(None), at(12)).await.unwrap().unwrap();
    let helped = begin("helped", 14, None).await;
    let reply = conversations.reply(&scope, helped, world.user.user_id, &"é".repeat(300), at(15)).await;
    let reply = reply.unwrap().unwrap().message.message_id;
    conversations.rate(&scope, helped, reply, FeedbackRating::Down, None, at(16)).await.unwrap().unwrap();
    let closed = begin("closed", 18, None).await;
    conversations.close(&scope, closed, at(300)).await.unwrap().unwrap();

    let list = async |filter: ConversationFilter| {
        let page = PageRequest::first(100);
        let page = conversations.page(&scope, world.chatbot.chatbot_id, &filter, &page).await.unwrap();
        page.items
    };
    let ids = async |filter| {
        list(filter).await.into_iter().map(|listed| listed.conversation.conversation_id).collect::<Vec<_>>()
    };
    let all = ConversationFilter::default;
    assert_eq!(ids(all()).await, [closed, helped, waiting, known]);
    let previews: Vec<_> = list(all()).await.into_iter().map(|listed| listed.preview).collect();
    assert_eq!(previews, ["closed", &"é".repeat(200), "waiting", "On Tuesday."]);
    for (mode, expected) in [
        (ConversationMode::Ai, known),
        (ConversationMode::HumanRequested, waiting),
        (ConversationMode::Human, helped),
        (ConversationMode::Closed, closed),
    ] {
        assert_eq!(ids(ConversationFilter { mode: Some(mode), ..all() }).await, [expected], "{mode}");
    }
    assert_eq!(ids(ConversationFilter { is_open: Some(true), ..all() }).await, [helped, waiting, known]);
    assert_eq!(ids(ConversationFilter { is_open: Some(false), ..all() }).await, [closed]);
    let both = ConversationFilter { is_open: Some(false), mode: Some(ConversationMode::Human), ..all() };
    assert_eq!(ids(both).await, NOBODY);
    assert_eq!(ids(ConversationFilter { needs_escalation: Some(true), ..all() }).await, [waiting]);
    let others = ConversationFilter { needs_escalation: Some(false), ..all() };
    assert_eq!(ids(others).await, [closed, helped, known]);
    let of = |contact_id| ConversationFilter { contact_id: Some(contact_id), ..all() };
    assert_eq!(ids(of(contact.contact_id)).await, [waiting]);
    assert_eq!(ids(of(world.contact.contact_id)).await, [known]);
    assert_eq!(ids(ConversationFilter { source: Some("widget".into()), ..all() }).await, [waiting]);
    assert_eq!(ids(ConversationFilter { feedback: Some(FeedbackRating::Down), ..all() }).await, [helped]);
    assert_eq!(ids(ConversationFilter { feedback: Some(FeedbackRating::Up), ..all() }).await, NOBODY);
    assert_eq!(ids(ConversationFilter { created_since: Some(at(14)), ..all() }).await, [closed, helped]);
}

/// Reads pages with each filter and looks at how the database does it.
async fn pages_are_read_from_an_index_in_their_order(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    // Enough rows for PostgreSQL to prefer an index, a few of each kind among many.
    fill(database, &world, 5_000).await;

    let all = ConversationFilter::default;
    for (filter, expected, index) in [
        (all(), 5001, "conversations_list"),
        (ConversationFilter { mode: Some(ConversationMode::Human), ..all() }, 10, "conversations_mode"),
        (ConversationFilter { is_open: Some(true), ..all() }, 2501, "conversations_open"),
        (ConversationFilter { is_open: Some(false), ..all() }, 2500, "conversations_mode"),
        (ConversationFilter { source: Some("facebook".to_owned()), ..all() }, 0, "conversations_source"),
        (ConversationFilter { needs_escalation: Some(true), ..all() }, 10, "conversations_escalation"),
        (ConversationFilter { feedback: Some(FeedbackRating::Down), ..all() }, 10, "conversations_feedback"),
        (
            ConversationFilter { contact_id: Some(world.contact.contact_id), ..all() },
            1,
            "conversations_of_contact",
        ),
    ] {
        let plan = store
            .conversations()
            .explain_page(&world.scope(), world.chatbot.chatbot_id, &filter, &PageRequest::first(25))
            .await;
        let plan = plan.unwrap();
        assert!(plan.contains(index), "{filter:?}: {index} is not used:\n{plan}");
        let sorts = ["Sort", "USE TEMP B-TREE"].into_iter().any(|step| plan.contains(step));
        assert!(!sorts, "{filter:?} is sorted:\n{plan}");
        let mut seen = 0;
        let mut page = PageRequest::first(100);
        loop {
            let bot = world.chatbot.chatbot_id;
            let found = store.conversations().page(&world.scope(), bot, &filter, &page).await.unwrap();
            seen += found.items.len();
            page.after = found.next;
            if page.after.is_none() {
                break;
            }
        }
        assert_eq!(seen, expected, "{filter:?}");
    }
}

/// Adds conversations of one message: half of them closed, and one in 500 with a person, one to look at, and
/// one that was rated.
async fn fill(database: &Database, world: &World, count: u32) {
    let pool = database.raw().await;
    let (numbers, padded) = if database.is_postgres() {
        (format!("generate_series(1, {count}) AS n"), "lpad(n::text, 12, '0')")
    } else {
        let numbers = format!(
            "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s) AS s"
        );
        (numbers, "printf('%012d', n)")
    };
    let owner = format!("'{}', '{}'", world.account.account_id, world.chatbot.chatbot_id);
    for statement in [
        format!(
            "INSERT INTO conversations (conversation_id, account_id, chatbot_id, mode, source, message_count, \
             context_start, created_at, last_message_at, needs_escalation, feedback) \
             SELECT '00000000-0000-0000-0000-' || {padded}, {owner}, \
             CASE WHEN n % 500 = 1 THEN 'human' WHEN n % 2 = 0 THEN 'closed' ELSE 'ai' END, 'api', 1, 0, n, n, \
             CASE WHEN n % 500 = 0 THEN 1 ELSE 0 END, CASE WHEN n % 500 = 2 THEN 'down' END FROM {numbers}"
        ),
        format!(
            "INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, sources, \
             needs_escalation, credits_used, created_at) \
             SELECT '00000000-0000-0000-0001-' || {padded}, '00000000-0000-0000-0000-' || {padded}, {owner}, 1, \
             'visitor', 'When do you deliver to the islands?', '[]', 0, 0, n FROM {numbers}"
        ),
        // Of SQLite nobody asks for statistics.
        if database.is_postgres() { "ANALYZE" } else { "" }.to_owned(),
    ] {
        sqlx::query(sqlx::AssertSqlSafe(statement)).execute(&pool).await.unwrap();
    }
    pool.close().await;
}

/// The conversations of the measurement.
const MANY: u32 = 200_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for a minute; run it with `--ignored --nocapture`"]
async fn many_conversations_are_paged_quickly_on_sqlite() {
    Box::pin(paged_quickly(&Database::sqlite().await)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for a minute; run it with `--ignored --nocapture`"]
async fn many_conversations_are_paged_quickly_on_postgres() {
    let Some(database) = Database::postgres("many_conversations_are_paged_quickly").await else { return };
    Box::pin(paged_quickly(&database)).await;
    database.close().await;
}

/// Walks through a long list with each kind of filter. Prints the plans and the times, and fails if a page is
/// slow.
#[expect(clippy::print_stdout, reason = "what is measured is printed")]
async fn paged_quickly(database: &Database) {
    let world = World::new(&database.store, "one", 1).await;
    fill(database, &world, MANY).await;
    let (scope, bot) = (world.scope(), world.chatbot.chatbot_id);
    let all = ConversationFilter::default;
    for filter in [
        all(),
        ConversationFilter { is_open: Some(true), ..all() },
        ConversationFilter { is_open: Some(false), ..all() },
        ConversationFilter { mode: Some(ConversationMode::Human), ..all() },
        ConversationFilter { needs_escalation: Some(true), ..all() },
        ConversationFilter { feedback: Some(FeedbackRating::Down), ..all() },
    ] {
        let mut page = PageRequest::first(25);
        let plan = database.store.conversations().explain_page(&scope, bot, &filter, &page).await.unwrap();
        println!("{filter:?}\n{plan}");
        let mut times = Vec::new();
        loop {
            let began = Instant::now();
            page.after = database.store.conversations().page(&scope, bot, &filter, &page).await.unwrap().next;
            times.push(began.elapsed());
            if page.after.is_none() {
                break;
            }
        }
        let (first, last) = (times[0], times[times.len() - 1]);
        times.sort_unstable();
        let (median, p99) = (times[times.len() / 2], times[times.len() * 99 / 100]);
        println!(
            "{} pages: first {first:?}, last {last:?}, median {median:?}, 99th percentile {p99:?}\n",
            times.len()
        );
        // Other work of the machine decides how long the slowest pages take.
        let limit = Duration::from_millis(20);
        assert!(last < limit && median < limit, "{filter:?}: last {last:?}, median {median:?}");
    }
}

async fn messages_are_paged_from_the_newest(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    let conversations = store.conversations();
    conversations.reply(&scope, id, world.user.user_id, "Hi.", at(5)).await.unwrap().unwrap();
    let mut page = PageRequest::first(2);
    let mut seen = Vec::new();
    loop {
        let found = conversations.message_page(&scope, id, &page).await.unwrap();
        seen.push(found.items.iter().map(|message| message.position).collect::<Vec<_>>());
        page.after = found.next;
        if page.after.is_none() {
            break;
        }
    }
    assert_eq!(seen, [vec![3, 2], vec![1]]);
    let third = conversations.messages(&scope, id, 2, 1).await.unwrap().remove(0);
    let found = conversations.find_message(&scope, id, third.message_id).await.unwrap();
    assert_eq!(found, Some(third));
}

const SOON: Duration = Duration::from_secs(10);
const NEVER: Duration = Duration::from_millis(200);

async fn a_watch_reports_changes(database: &Database) {
    let store = &database.store;
    let world = World::new(store, "one", 1).await;
    let (scope, id, user) = (world.scope(), world.conversation_id(), world.user.user_id);
    let conversations = store.conversations();
    let mut watch = conversations.watch(id);
    let mut second = conversations.watch(id);
    let mut other = conversations.watch(Uuid::nil());
    assert!(timeout(NEVER, watch.changed()).await.is_err());
    conversations.escalate(&scope, id, &escalation(Some(at(6))), at(5)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    timeout(SOON, second.changed()).await.unwrap();
    assert!(timeout(NEVER, other.changed()).await.is_err());
    drop(second);
    // Changes while nobody looks are reported once.
    conversations.tell_unclaimed(&scope, id, "Nobody.", at(7)).await.unwrap().unwrap();
    conversations.reply(&scope, id, user, "Hi.", at(8)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    assert!(timeout(NEVER, watch.changed()).await.is_err());
    conversations.return_to_ai(&scope, id, at(300)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    conversations.record_answer(&scope, id, &answer("Yes."), None, at(9)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    conversations.close(&scope, id, at(300)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    // A call that changes nothing, or is refused, causes no event.
    conversations.close(&scope, id, at(300)).await.unwrap().unwrap();
    drop(conversations.reply(&scope, id, user, "Hi.", at(8)).await.unwrap_err());
    assert!(timeout(NEVER, watch.changed()).await.is_err());
}

async fn a_watch_reports_changes_by_other_processes(database: &Database) {
    if !database.is_postgres() {
        assert!(database.store.hears_all_processes());
        return;
    }
    let world = World::new(&database.store, "one", 1).await;
    let (scope, id) = (world.scope(), world.conversation_id());
    // Another store knows nothing of what happens in this one.
    let elsewhere = Store::open(&database.url).await.unwrap();
    assert!(!elsewhere.hears_all_processes());
    let mut watch = elsewhere.conversations().watch(id);
    // By its name, the test ends this connection and no other one of the server.
    let name = format!("listener-{}", Uuid::now_v7());
    let separator = if database.url.contains('?') { '&' } else { '?' };
    let listening = tokio::spawn({
        let url = format!("{}{separator}application_name={name}", database.url);
        let elsewhere = elsewhere.clone();
        async move { elsewhere.listen(&url).await }
    });
    // Whoever waits looks once when the connection stands.
    timeout(SOON, watch.changed()).await.unwrap();
    assert!(elsewhere.hears_all_processes());
    assert!(timeout(NEVER, watch.changed()).await.is_err());
    database.store.conversations().escalate(&scope, id, &escalation(None), at(5)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();

    // The connection is lost, and made again.
    let pool = database.raw().await;
    let ended = sqlx::query(
        "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = $1",
    );
    let ended: i64 = ended.bind(name).fetch_one(&pool).await.unwrap().get(0);
    assert_eq!(ended, 1);
    timeout(SOON, watch.changed()).await.unwrap();
    timeout(SOON, async {
        while !elsewhere.hears_all_processes() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await
    .unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    let user = world.user.user_id;
    database.store.conversations().reply(&scope, id, user, "Hi.", at(6)).await.unwrap().unwrap();
    timeout(SOON, watch.changed()).await.unwrap();
    listening.abort();
    elsewhere.close().await;
    pool.close().await;
}
