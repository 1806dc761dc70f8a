//! `kill -9` at any moment: training goes on where it was, and what was acknowledged is there.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use frontdesk_client::{
    Client,
    model::{ChatbotStatus, NewMessage},
};
use frontdesk_store::{JobState, MessageRole, PageStatus, Plan, Scope};
use jiff::Timestamp;
use uuid::Uuid;

use crate::{
    database::Database,
    installation::{chatbot_for, client, learned, trained},
    on_both_databases,
    patience::until,
    process::Process,
    site::{self, Page, Site},
};

on_both_databases!(
    training_survives_a_kill,
    training_survives_kills_at_any_moment,
    what_was_acknowledged_survives_a_kill,
);

/// Starts the service again after a kill.
pub(crate) async fn restart(database: &Database, more: &[&str]) -> Process {
    if database.is_postgres() {
        // Other processes may work on this database, so a dead one's lease has to run out. This spares the
        // wait.
        database.store.jobs().end_all_leases(Timestamp::now()).await.unwrap();
        database.store.webhooks().end_all_leases().await.unwrap();
    }
    Process::start(database, more)
}

/// The content of a chatbot by address, as it is after a training without disturbance.
async fn content(
    database: &Database,
    scope: &Scope,
    chatbot_id: Uuid,
) -> BTreeMap<String, (PageStatus, Vec<String>)> {
    let pages = database.pages(scope, chatbot_id).await;
    let count = pages.len();
    let content: BTreeMap<_, _> = pages
        .into_iter()
        .map(|(page, chunks)| {
            (page.url, (page.status, chunks.into_iter().map(|chunk| chunk.text).collect::<Vec<_>>()))
        })
        .collect();
    assert_eq!(content.len(), count, "an address is there twice");
    // The index has exactly the chunks that the pages have.
    let chunks: usize = content.values().map(|(_, chunks)| chunks.len()).sum();
    let stats = database.store.search().corpus_stats(scope, chatbot_id).await.unwrap();
    assert_eq!(stats.chunks, u64::try_from(chunks).unwrap());
    content
}

async fn all_jobs_are_done(database: &Database) {
    until("all jobs are done", async || {
        let mut counts = database.store.jobs().counts().await.unwrap();
        // Recurring work is never done: its jobs wait for their next run.
        counts.retain(|count| !matches!(count.queue.as_str(), "housekeeping" | "embed" | "mail"));
        counts.iter().all(|count| count.state == JobState::Done).then_some(())
    })
    .await;
}

/// Reads of pages, without what every crawl begins with: robots.txt, sitemaps, and where the start address
/// leads.
fn page_reads(site: &Site) -> BTreeMap<String, usize> {
    let mut reads = site.reads();
    reads.retain(|path, _| path != "/" && path != "/robots.txt" && !path.starts_with("/sitemap"));
    reads
}

async fn training_survives_a_kill(database: Database) {
    let site = Site::of([
        ("/", Page::html("Home", "<p>Welcome to the mill of the valley.</p><a href=\"/a\">a</a>")),
        ("/a", Page::html("Flour", "<p>Rye flour costs 3 pounds a bag.</p><a href=\"/gate\">on</a>")),
        ("/gate", Page::html("Gate", "<p>The gate is open on weekdays.</p><a href=\"/b\">b</a>").gated()),
        ("/b", Page::html("Tours", "<p>Tours of the mill take two hours.</p>")),
    ])
    .await;
    let customer = database.customer("mill", Plan::Growth).await;
    let process = Process::start(&database, &[]);
    let talking = client(process.address, &customer.key.text);
    let created = talking.chatbots().create(chatbot_for("Helper", &[site.origin()])).await.unwrap();
    site.someone_is_at_the_gate().await;
    process.kill();
    site.open_the_gate();

    let process = restart(&database, &[]).await;
    let talking = client(process.address, &customer.key.text);
    let chatbot = trained(&talking, created.chatbot_id.uuid()).await;
    assert_eq!((chatbot.status, chatbot.training_sources), (ChatbotStatus::Ready, 4));
    let question = NewMessage::new("How long do tours of the mill take?");
    let answer = talking.messages().send(created.chatbot_id, question).await.unwrap();
    assert!(answer.response.contains("two hours"), "{answer:?}");
    // What was finished before the kill is not done again.
    let expected = [("/a", 1), ("/b", 1), ("/gate", 2)].map(|(path, reads)| (path.to_owned(), reads));
    assert_eq!(page_reads(&site), BTreeMap::from(expected));
    let again = learned(&talking, &site).await;
    let scope = customer.scope();
    let disturbed = content(&database, &scope, created.chatbot_id.uuid()).await;
    assert_eq!(disturbed, content(&database, &scope, again).await);
    all_jobs_are_done(&database).await;
}

async fn training_survives_kills_at_any_moment(database: Database) {
    const PAGES: usize = 40;
    const KILLS: usize = 4;
    let site = Site::answering(|path| {
        let number = match path {
            "/" => 0,
            _ => match path.strip_prefix("/page/").and_then(|number| number.parse::<usize>().ok()) {
                Some(number) if number < PAGES => number,
                _ => return Page::missing(),
            },
        };
        let links: String = [2 * number + 1, 2 * number + 2]
            .iter()
            .filter(|next| **next < PAGES)
            .map(|next| format!("<a href=\"/page/{next}\">{next}</a> "))
            .collect();
        let text =
            format!("<p>Article {number} has the order code B{number}X and weighs {number} grams.</p>");
        Page::html(&format!("Article {number}"), &format!("{text}<p>{links}</p>"))
    })
    .await;
    let customer = database.customer("mill", Plan::Growth).await;
    let scope = customer.scope();
    let pace = ["--crawl-delay-milliseconds", "30"];
    let mut process = Process::start(&database, &pace);
    let created = client(process.address, &customer.key.text)
        .chatbots()
        .create(chatbot_for("Helper", &[site.origin()]));
    let chatbot_id = created.await.unwrap().chatbot_id;
    let mut moments = Vec::new();
    for _ in 0..KILLS {
        let moment = u64::from(Uuid::new_v4().as_bytes()[0]) * 2;
        moments.push(moment);
        tokio::time::sleep(Duration::from_millis(moment)).await;
        process.kill();
        process = restart(&database, &pace).await;
    }
    let talking = client(process.address, &customer.key.text);
    let chatbot = trained(&talking, chatbot_id.uuid()).await;
    let what = format!("killed after {moments:?} ms");
    assert_eq!(chatbot.status, ChatbotStatus::Ready, "{what}");
    assert_eq!(chatbot.training_sources, i64::try_from(PAGES).unwrap(), "{what}");
    let reads = page_reads(&site);
    assert_eq!(reads.len(), PAGES - 1, "{what}");
    // A kill costs at most the page that was under way.
    assert!(reads.values().sum::<usize>() < PAGES + KILLS, "{what}: {reads:?}");

    let again = learned(&talking, &site).await;
    let disturbed = content(&database, &scope, chatbot_id.uuid()).await;
    assert_eq!(disturbed, content(&database, &scope, again).await, "{what}");
    all_jobs_are_done(&database).await;
}

/// What the service has acknowledged: conversation, answer and its text.
type Acknowledged = (Uuid, Uuid, String);

/// Sends messages until the service is gone.
async fn send_on(client: Client, chatbot_id: Uuid, count: Arc<AtomicUsize>) -> Vec<Acknowledged> {
    let mut acknowledged = Vec::new();
    let mut conversation_id = None;
    loop {
        let mut message = NewMessage::new("What does delivery cost?");
        if let Some(conversation_id) = conversation_id {
            message = message.conversation_id(conversation_id);
        }
        let Ok(answer) = client.messages().send(chatbot_id.into(), message).await else {
            return acknowledged;
        };
        conversation_id = Some(answer.conversation_id);
        count.fetch_add(1, Ordering::Relaxed);
        let message_id = answer.message_id.parse().unwrap();
        acknowledged.push((answer.conversation_id.uuid(), message_id, answer.response.clone()));
    }
}

async fn what_was_acknowledged_survives_a_kill(database: Database) {
    const SENDERS: usize = 4;
    const ENOUGH: usize = 24;
    let customer = database.customer("acme", Plan::Growth).await;
    let site = site::bakery().await;
    let process = Process::start(&database, &["--crawl-delay-milliseconds", "0"]);
    let talking = client(process.address, &customer.key.text);
    let chatbot_id = learned(&talking, &site).await;
    let count = Arc::new(AtomicUsize::new(0));
    let senders: Vec<_> = (0..SENDERS)
        .map(|_| tokio::spawn(send_on(talking.clone(), chatbot_id, Arc::clone(&count))))
        .collect();
    until("enough is acknowledged", async || (count.load(Ordering::Relaxed) >= ENOUGH).then_some(())).await;
    // One more is created and acknowledged at the very end.
    let last = talking.chatbots().create(chatbot_for("Last", &["http://127.0.0.2/".into()])).await.unwrap();
    process.kill();
    let mut acknowledged = Vec::new();
    for sender in senders {
        acknowledged.extend(sender.await.unwrap());
    }
    assert!(acknowledged.len() >= ENOUGH);

    let process = restart(&database, &[]).await;
    let talking = client(process.address, &customer.key.text);
    let scope = customer.scope();
    for (conversation_id, message_id, text) in &acknowledged {
        let messages =
            database.store.conversations().messages(&scope, *conversation_id, 0, 1_000).await.unwrap();
        let at = messages.iter().position(|message| message.message_id == *message_id);
        let at = at.unwrap_or_else(|| panic!("the answer {message_id} is lost"));
        assert_eq!((messages[at].role, &messages[at].body), (MessageRole::Assistant, text));
        assert_eq!(messages[at - 1].role, MessageRole::Visitor);
        assert!(messages.iter().enumerate().all(|(index, message)| message.position == index as u64 + 1));
    }
    // Every acknowledged answer is paid, and at most those that were under way besides.
    let used = usize::try_from(database.credits_used(&scope).await).unwrap();
    let paid = acknowledged.len()..=acknowledged.len() + SENDERS;
    assert!(paid.contains(&used), "{used} credits for {} answers", acknowledged.len());
    assert_eq!(trained(&talking, last.chatbot_id.uuid()).await.status, ChatbotStatus::Failed);
    assert_eq!(trained(&talking, chatbot_id).await.status, ChatbotStatus::Ready);
}
