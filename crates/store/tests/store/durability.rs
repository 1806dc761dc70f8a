//! What was acknowledged survives, what was not leaves no half behind.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use frontdesk_store::{NewPage, PageStatus, Scope, Store};
use uuid::Uuid;

use crate::database::Database;
use crate::on_both_databases;
use crate::world::{account, at, candidates, chatbot, chunk, job, outcome, turn};

on_both_databases!(
    a_cancelled_call_leaves_all_or_nothing,
    a_call_after_cancelled_ones_is_durable,
    a_killed_process_loses_nothing_it_acknowledged
);

const CHILD_URL: &str = "FRONTDESK_TEST_KILLED_CHILD_URL";
const CHILD_ACCOUNT: &str = "FRONTDESK_TEST_KILLED_CHILD_ACCOUNT";
const CHILD_CHATBOT: &str = "FRONTDESK_TEST_KILLED_CHILD_CHATBOT";
const ACKNOWLEDGED: &str = "acknowledged ";

/// Runs a call until it has been woken `polls` times, then drops it, as a server does whose client has gone.
async fn cancelled_after<T>(polls: usize, call: impl Future<Output = T>) -> Option<T> {
    let mut call = Box::pin(call);
    let mut left = polls;
    std::future::poll_fn(move |context| {
        if left == 0 {
            return std::task::Poll::Ready(None);
        }
        left -= 1;
        call.as_mut().poll(context).map(Some)
    })
    .await
}

/// A finished page has both chunks and both index entries, an unfinished one has none.
async fn assert_whole(store: &Store, scope: &Scope, bot: Uuid, page: Uuid, number: usize) -> PageStatus {
    let status = store.webpages().find(scope, page).await.unwrap().unwrap().status;
    let expected: usize = if status == PageStatus::Ready { 2 } else { 0 };
    assert_eq!(store.chunks().of_page(scope, page).await.unwrap().len(), expected, "page {number}");
    let words = [format!("first{number}"), format!("second{number}")];
    let found = candidates(store, scope, bot, &words, &[], 10).await.unwrap();
    assert_eq!(found.len(), expected, "page {number}");
    status
}

fn visited(number: usize) -> frontdesk_store::PageOutcome {
    outcome(vec![chunk("", &format!("first{number}")), chunk("", &format!("second{number}"))])
}

async fn a_cancelled_call_leaves_all_or_nothing(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await.chatbot_id;
    let mut finished = 0;
    let mut cancelled = 0;
    // How often a call must be polled depends on how quickly the database answers. A fast one is cancelled
    // early more often.
    let mut polls = 0;
    for number in 0..400 {
        let new = [NewPage::root(format!("https://bot.example/{number}"))];
        store.webpages().add(&scope, bot, &new, 1_000, at(1)).await.unwrap().unwrap();
        let pages = store.webpages().list(&scope, bot, None, None, 1_000).await.unwrap();
        let page = pages.iter().find(|page| page.url == new[0].url).unwrap().webpage_id;
        let outcome = visited(number);
        let result = cancelled_after(polls, store.webpages().finish(&scope, page, &outcome, at(2))).await;
        let status = assert_whole(store, &scope, bot, page, number).await;
        if let Some(done) = result {
            assert!(done.unwrap());
            assert_eq!(status, PageStatus::Ready);
            finished += 1;
            polls = 0;
        } else {
            cancelled += 1;
            polls += 1;
        }
        if finished >= 5 && cancelled > 5 {
            break;
        }
    }
    assert!(finished > 0 && cancelled > 5, "{finished} finished, {cancelled} cancelled");
    store.health().await.unwrap();
    store.jobs().enqueue(&scope, &job("after"), at(3)).await.unwrap().unwrap();
}

/// A transaction that nobody ends would take the next call's writes with it.
async fn a_call_after_cancelled_ones_is_durable(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let mut created = 1;
    for number in 0..200 {
        cancelled_after(1 + number % 4, store.jobs().enqueue(&scope, &job("cancelled"), at(1))).await;
        account(store, "Another").await;
        created += 1;
    }
    // Other connections see what was acknowledged.
    assert_eq!(database.count("accounts").await, created);
}

async fn a_killed_process_loses_nothing_it_acknowledged(database: &Database) {
    let store = &database.store;
    let scope = account(store, "One").await.scope();
    let bot = chatbot(store, &scope, "bot").await;
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::child_that_is_killed", "--nocapture"])
        .env(CHILD_URL, &database.url)
        .env(CHILD_ACCOUNT, scope.account_id.to_string())
        .env(CHILD_CHATBOT, bot.chatbot_id.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut acknowledged: Vec<String> = Vec::new();
    let told = |line: std::io::Result<String>| {
        line.ok().and_then(|line| line.split_once(ACKNOWLEDGED).map(|(_, what)| what.to_owned()))
    };
    while acknowledged.len() < 120 {
        acknowledged.extend(told(lines.next().expect("the child runs until it is killed")));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    acknowledged.extend(lines.filter_map(told));

    let store = Store::open(&database.url).await.unwrap();
    let (mut pages, mut conversations, mut jobs) = (0, 0, 0);
    for line in &acknowledged {
        let mut parts = line.split(' ');
        let (what, id, number) = (parts.next().unwrap(), parts.next().unwrap(), parts.next().unwrap());
        let id: Uuid = id.parse().unwrap();
        match what {
            "page" => {
                let number = number.parse().unwrap();
                let status = assert_whole(&store, &scope, bot.chatbot_id, id, number).await;
                assert_eq!(status, PageStatus::Ready);
                pages += 1;
            }
            "conversation" => {
                let messages = store.conversations().messages(&scope, id, 0, 10).await.unwrap();
                assert_eq!(messages[0].body, format!("hello {number}"));
                conversations += 1;
            }
            "job" => {
                assert!(store.jobs().find(&scope, id).await.unwrap().is_some());
                jobs += 1;
            }
            other => panic!("unknown line {other}"),
        }
    }
    assert!(pages > 0 && conversations > 0 && jobs > 0, "{pages} {conversations} {jobs}");
    for page in store.webpages().list(&scope, bot.chatbot_id, None, None, 100_000).await.unwrap() {
        if let Ok(number) = page.url.rsplit('/').next().unwrap().parse() {
            assert_whole(&store, &scope, bot.chatbot_id, page.webpage_id, number).await;
        }
    }
}

/// Not a test by itself: the process that the test above starts and kills. It writes as fast as it can and
/// says what has been acknowledged.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn child_that_is_killed() {
    let Ok(url) = std::env::var(CHILD_URL) else { return };
    let read = |name| std::env::var(name).unwrap().parse::<Uuid>().unwrap();
    let scope = Scope::of_account(read(CHILD_ACCOUNT));
    let store = Store::open(&url).await.unwrap();
    let bot = store.chatbots().find(&scope, read(CHILD_CHATBOT)).await.unwrap().unwrap();
    let acknowledge = |what: &str, id: Uuid, number: usize| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "\n{ACKNOWLEDGED}{what} {id} {number}").unwrap();
        out.flush().unwrap();
    };
    let mut writers = Vec::new();
    for writer in 0..4_usize {
        let (store, bot) = (store.clone(), bot.clone());
        writers.push(tokio::spawn(async move {
            // Far more than can be written before the kill, but an end if it never comes.
            for number in (writer..400_000).step_by(4) {
                match writer {
                    0 => {
                        let said = turn(&bot, None, &format!("hello {number}"));
                        let begun =
                            store.conversations().begin_turn(&scope, &said, at(5)).await.unwrap().unwrap();
                        acknowledge("conversation", begun.conversation.conversation_id, number);
                    }
                    1 => {
                        let enqueued =
                            store.jobs().enqueue(&scope, &job("work"), at(5)).await.unwrap().unwrap();
                        acknowledge("job", enqueued.job_id, number);
                    }
                    _ => {
                        let new = [NewPage::root(format!("https://bot.example/{number}"))];
                        store
                            .webpages()
                            .add(&scope, bot.chatbot_id, &new, 500_000, at(5))
                            .await
                            .unwrap()
                            .unwrap();
                        let all = store.webpages().list(
                            &scope,
                            bot.chatbot_id,
                            Some(PageStatus::Pending),
                            None,
                            100,
                        );
                        let all = all.await.unwrap();
                        let page = all.iter().find(|page| page.url == new[0].url).unwrap().webpage_id;
                        assert!(
                            store.webpages().finish(&scope, page, &visited(number), at(5)).await.unwrap()
                        );
                        acknowledge("page", page, number);
                    }
                }
            }
        }));
    }
    for writer in writers {
        writer.await.unwrap();
    }
}
