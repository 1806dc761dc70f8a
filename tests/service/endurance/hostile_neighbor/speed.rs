//! How fast the account that works is alone and beside the hostile one.

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use frontdesk_client::Client;
use uuid::Uuid;

use super::{
    MEMORY,
    misdeeds::{ALL, provoke, set_up_hostile},
    neighbors,
    working::{Office, Working},
};
use crate::{
    database::Database,
    process::Process,
    site::{Page, Site},
};

/// Services that are started one after the other, each with a database of its own.
const SERVICES: usize = 3;

/// Rounds alone, and rounds beside the hostile account, of each service.
const ROUNDS: usize = 3;

/// How long an exchange with a foreign server may take.
const EXCHANGE_SECONDS: u64 = 5;

const PAGES: usize = 60;
const EMAILS: usize = 20;
const EVENTS: usize = 40;
const ANSWERS: usize = 30;

/// Times of the kinds of work.
type Times = BTreeMap<&'static str, Vec<Duration>>;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for minutes; run it with `--ignored --nocapture`"]
async fn the_working_account_beside_the_hostile_one_on_sqlite() {
    let mut measured = Measured::default();
    for _ in 0..SERVICES {
        measured.add(Database::sqlite().await).await;
    }
    measured.print("SQLite");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "measures for minutes; run it with `--ignored --nocapture`"]
async fn the_working_account_beside_the_hostile_one_on_postgres() {
    let mut measured = Measured::default();
    for _ in 0..SERVICES {
        let name = "the_working_account_beside_the_hostile_one_on_postgres";
        let Some(database) = Database::postgres(name).await else { return };
        let remains = database.remains();
        measured.add(database).await;
        remains.release().await;
    }
    measured.print("PostgreSQL");
}

#[derive(Default)]
struct Measured {
    alone: Times,
    beside: Times,
    peak: usize,
}

impl Measured {
    /// Measures one service: alone, then beside the hostile account.
    async fn add(&mut self, database: Database) {
        let (process, hostile, working) =
            neighbors(&database, nursery().await, &EXCHANGE_SECONDS.to_string()).await;
        let office = working.set_up().await;
        let chatbot_id = working.learn().await;
        // The first round warms up.
        round(&working, &office, chatbot_id, "warm").await;
        for number in 0..ROUNDS {
            merge(&mut self.alone, round(&working, &office, chatbot_id, &format!("alone{number}")).await);
        }
        set_up_hostile(&hostile, ALL).await;
        for number in 0..ROUNDS {
            let provoking = tokio::spawn(provoking(hostile.clone()));
            merge(&mut self.beside, round(&working, &office, chatbot_id, &format!("beside{number}")).await);
            provoking.abort();
        }
        self.see_memory(&process);
        drop(working);
        drop(process);
        drop(database);
    }

    fn see_memory(&mut self, process: &Process) {
        let peak = process.peak_memory().unwrap_or_default();
        assert!(peak < MEMORY, "{peak}");
        self.peak = self.peak.max(peak);
    }

    #[expect(clippy::print_stdout, reason = "what is measured is printed")]
    fn print(&self, database: &str) {
        println!("{database}: median (quartiles) of {} rounds", SERVICES * ROUNDS);
        for (kind, alone) in &self.alone {
            let (alone, beside) = (quartiles(alone), quartiles(&self.beside[kind]));
            let ratio = alone[1].as_secs_f64() / beside[1].as_secs_f64();
            println!("| {kind} | {} | {} | {ratio:.2} |", shown(alone), shown(beside));
        }
        println!("peak memory: {} MB", self.peak >> 20);
    }
}

/// Keeps all servers of the hostile account busy: again as soon as the exchanges of the last time have been
/// given up. More often, its own requests would be measured, which are limited by their rate and not by the
/// other side.
async fn provoking(hostile: Client) {
    loop {
        provoke(&hostile).await;
        tokio::time::sleep(Duration::from_secs(EXCHANGE_SECONDS)).await;
    }
}

/// Does each kind of work once.
async fn round(working: &Working, office: &Office, chatbot_id: Uuid, name: &str) -> Times {
    let mut times = Times::new();
    let mut timed = |kind: &'static str, began: Instant| {
        times.insert(kind, vec![began.elapsed()]);
    };
    // Otherwise the time would depend on when the mailbox was visited last.
    working.mailbox.is_visited().await;
    let began = Instant::now();
    working.receive(name, EMAILS).await;
    timed("20 e-mails from a mailbox, which is visited every second", began);
    let began = Instant::now();
    working.send(office, EMAILS).await;
    timed("20 e-mails written and sent", began);
    let began = Instant::now();
    working.notify(office, EVENTS).await;
    timed("40 events caused and delivered", began);
    let began = Instant::now();
    working.learn().await;
    timed("a website of 60 pages learned", began);
    let began = Instant::now();
    working.answer(chatbot_id, ANSWERS).await;
    timed("30 questions answered", began);
    times
}

fn merge(all: &mut Times, some: Times) {
    for (kind, times) in some {
        all.entry(kind).or_default().extend(times);
    }
}

fn quartiles(times: &[Duration]) -> [Duration; 3] {
    let mut times = times.to_vec();
    times.sort_unstable();
    [times.len() / 4, times.len() / 2, times.len() * 3 / 4].map(|place| times[place])
}

fn shown([first, median, third]: [Duration; 3]) -> String {
    format!("{} ms ({} to {})", median.as_millis(), first.as_millis(), third.as_millis())
}

/// A website of many pages.
async fn nursery() -> Site {
    Site::answering(|path| {
        if path == "/" {
            let links: String = (1..PAGES)
                .map(|page| format!("<li><a href=\"/plant/{page}\">Plant {page}</a></li>"))
                .collect();
            return Page::html("Nursery", &format!("<p>Delivery costs 4.90 pounds.</p><ul>{links}</ul>"));
        }
        let Some(plant) = path.strip_prefix("/plant/") else { return Page::missing() };
        let text = format!("Plant {plant} wants sun in the morning and water in the evening. ").repeat(20);
        Page::html(&format!("Plant {plant}"), &format!("<p>{text}</p>"))
    })
    .await
}
