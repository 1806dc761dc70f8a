//! Search in the training content of many chatbots, and reading it in.
//!
//! `cargo bench --package frontdesk-tests --bench service -- search` fills SQLite, and PostgreSQL if
//! `FRONTDESK_TEST_POSTGRES_URL` names a database in which schemas may be made, and prints how long a search
//! takes beside the plainest query of the database's own full-text search, and the memory of this process.
//! Another process fills the databases. `FRONTDESK_BENCH_CHATBOTS` replaces the number of chatbots.

use std::time::Instant;

use frontdesk_knowledge::{FieldTerms, QueryEmbedder};
use frontdesk_retrieval::{ContentSearch, EmbeddingModel};
use frontdesk_store::{Chatbot, Store};
use sqlx::{AnyPool, AssertSqlSafe, Executor, Row};
use uuid::Uuid;

use crate::Result;
use crate::content::Author;
use crate::filling::{DIFFERENT_PAGES, Filler};
use crate::times::Times;

/// The argument that names this benchmark.
pub(crate) const NAME: &str = "search";

const PAGES_OF_A_CHATBOT: usize = 100;
const PAGES_OF_THE_LARGE_CHATBOT: usize = 20_000;
const QUESTIONS: usize = 300;

/// What visitors ask, and the model that their questions are embedded with.
struct Visitors {
    questions: Vec<String>,
    model: EmbeddingModel,
}

pub(crate) async fn measure_all() -> Result<()> {
    sqlx::any::install_default_drivers();
    if crate::filling::fills().await? {
        return Ok(());
    }
    let mut author = Author::new();
    // The author writes the pages first.
    (0..DIFFERENT_PAGES).for_each(|_| drop(author.page("")));
    let questions = (0..QUESTIONS).map(|_| author.question()).collect();
    let model = EmbeddingModel::bundled();
    // Loading the model is not what is measured.
    model.embed("a question", None).await?;
    let visitors = Visitors { questions, model };

    let mut filler = Filler::start()?;
    let folder = tempfile::tempdir()?;
    let file = format!("sqlite:{}", folder.path().join("bench.db").display());
    measure("SQLite", &file, &mut filler, &visitors).await?;
    let Ok(server) = std::env::var("FRONTDESK_TEST_POSTGRES_URL") else {
        println!("skipped on PostgreSQL: FRONTDESK_TEST_POSTGRES_URL is not set");
        return Ok(());
    };
    let schema = format!("frontdesk_bench_{}", Uuid::now_v7().simple());
    let pool = AnyPool::connect(&server).await?;
    pool.execute(AssertSqlSafe(format!("CREATE SCHEMA {schema}"))).await?;
    let separator = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{separator}options=-c%20search_path%3D{schema}");
    let measured = measure("PostgreSQL", &url, &mut filler, &visitors).await;
    drop(filler);
    pool.execute(AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await?;
    measured
}

async fn measure(database: &'static str, url: &str, filler: &mut Filler, visitors: &Visitors) -> Result<()> {
    let chatbots: usize =
        std::env::var("FRONTDESK_BENCH_CHATBOTS").ok().map_or(Ok(1_000), |number| number.parse())?;
    let store = Store::open(url).await?;
    let search = |model| ContentSearch::new(store.clone(), model);
    // A service has one search, and each keeps what it has read.
    let searches = || {
        let by_words = search(EmbeddingModel::none());
        [("words", by_words), ("words and meaning", search(visitors.model.clone()))]
    };

    let mut filled = Vec::new();
    for (at, at_once) in [(10.min(chatbots), 1), (chatbots, 2)] {
        filled.extend(fill(&store, filler, at - filled.len(), at_once, PAGES_OF_A_CHATBOT, url).await?);
        tidy(url).await?;
        // Each chatbot is asked once, as if its visitors came by now and then; then some of them again.
        let step = (filled.len() / QUESTIONS).max(1);
        let asked: Vec<&Chatbot> = filled.iter().step_by(step).cycle().take(QUESTIONS).collect();
        let again: Vec<&Chatbot> = filled.iter().take(10).cycle().take(QUESTIONS).collect();
        let name = format!("{database}, {at} chatbots of {PAGES_OF_A_CHATBOT} pages");
        plain(&name, url, &asked, visitors).await?;
        for (by, search) in searches() {
            ask(&format!("{name}: by {by}, first visit"), &search, &asked, visitors).await?;
            ask(&format!("{name}: by {by}, later visits"), &search, &again, visitors).await?;
            memory();
        }
    }
    let large = fill(&store, filler, 1, 1, PAGES_OF_THE_LARGE_CHATBOT, url).await?;
    tidy(url).await?;
    let asked: Vec<&Chatbot> = large.iter().cycle().take(QUESTIONS).collect();
    let name = format!("{database}, one chatbot of {PAGES_OF_THE_LARGE_CHATBOT} pages");
    plain(&name, url, &asked, visitors).await?;
    for (by, search) in searches() {
        ask(&format!("{name}: by {by}, first visit"), &search, &asked[..1], visitors).await?;
        ask(&format!("{name}: by {by}, later visits"), &search, &asked, visitors).await?;
        memory();
    }
    store.close().await;
    Ok(())
}

/// Has chatbots made and filled, `at_once` of them at the same time.
async fn fill(
    store: &Store,
    filler: &mut Filler,
    chatbots: usize,
    at_once: usize,
    pages: usize,
    url: &str,
) -> Result<Vec<Chatbot>> {
    let mut filled = Vec::new();
    for id in filler.fill(chatbots, at_once, pages, url)? {
        let (_, chatbot) =
            store.chatbots().find_public(id).await?.ok_or("a chatbot that was made is there")?;
        filled.push(chatbot);
    }
    Ok(filled)
}

/// Prints how long questions take; with a model, without the time that it takes to embed them.
async fn ask(name: &str, search: &ContentSearch, asked: &[&Chatbot], visitors: &Visitors) -> Result<()> {
    let (mut times, mut embedding) = (Times::default(), Times::default());
    let mut found = 0;
    for (chatbot, question) in asked.iter().zip(&visitors.questions) {
        let begin = Instant::now();
        search.embedding().embed(question, chatbot.language.as_deref()).await?;
        let alone = begin.elapsed();
        let begin = Instant::now();
        found += usize::from(!search.find(chatbot, question, None, &[]).await?.passages.is_empty());
        times.0.push(begin.elapsed().saturating_sub(alone));
        embedding.0.push(alone);
    }
    println!("{name}: {times}; {found} found something; the questions' vectors: {embedding}");
    Ok(())
}

/// Prints how long the database's own search takes for the same words: 20 rows in its order, without their
/// text.
async fn plain(name: &str, url: &str, asked: &[&Chatbot], visitors: &Visitors) -> Result<()> {
    let pool = AnyPool::connect(url).await?;
    let mut times = Times::default();
    for (chatbot, question) in asked.iter().zip(&visitors.questions) {
        let number: i64 = sqlx::query("SELECT chatbot_no FROM chatbots WHERE chatbot_id = $1")
            .bind(chatbot.chatbot_id.to_string())
            .fetch_one(&pool)
            .await?
            .try_get("chatbot_no")?;
        let words = FieldTerms::of(question, "", "", Some("en")).title;
        let tokens: Vec<String> =
            words.iter().map(|word| format!("{number}zz{}", word.replace('z', "z7a"))).collect();
        let (sql, query) = if url.starts_with("sqlite") {
            let query = tokens.iter().map(|token| format!("\"{token}\"")).collect::<Vec<_>>().join(" OR ");
            ("SELECT rowid FROM chunk_index WHERE chunk_index MATCH $1 ORDER BY rank LIMIT 20", query)
        } else {
            let sql = "SELECT chunk_no FROM chunks WHERE tokens @@ CAST($1 AS tsquery) \
                       ORDER BY ts_rank(tokens, CAST($1 AS tsquery)) DESC LIMIT 20";
            (sql, tokens.join(" | "))
        };
        let begin = Instant::now();
        sqlx::query(sql).bind(query).fetch_all(&pool).await?;
        times.0.push(begin.elapsed());
    }
    pool.close().await;
    println!("{name}: the database's own search: {times}");
    Ok(())
}

/// What PostgreSQL does by itself after a while. SQLite has no statistics in the service either.
async fn tidy(url: &str) -> Result<()> {
    if !url.starts_with("sqlite") {
        let pool = AnyPool::connect(url).await?;
        pool.execute("VACUUM ANALYZE").await?;
        pool.close().await;
    }
    Ok(())
}

/// Prints the memory of this process, where the system tells it.
fn memory() {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let held = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
    };
    println!("memory: {} MB, at most {} MB so far\n", held("VmRSS:"), held("VmHWM:"));
}
