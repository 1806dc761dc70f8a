//! Search in the training content of many chatbots, and reading it in.
//!
//! `cargo bench --package frontdesk-tests --bench search` fills SQLite, and PostgreSQL if `FRONTDESK_TEST_POSTGRES_URL` names a database
//! in which schemas may be made, and prints how long a search takes beside the plainest query of the database's own full-text search.
//! `FRONTDESK_BENCH_CHATBOTS` replaces the number of chatbots.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod content;
mod times;

use std::collections::HashMap;
use std::error::Error;
use std::time::{Duration, Instant};

use content::Author;
use frontdesk_embedding::Model;
use frontdesk_knowledge::{FieldTerms, Page, QueryEmbedder, extract_html};
use frontdesk_service::{
    config::{Config, Search, SearchModel},
    meaning::EmbeddingModel,
    search::ContentSearch,
};
use frontdesk_store::{
    AccountKind, Chatbot, ChunkVectors, NewAccount, NewChatbot, NewChunk, NewPage, NewVectors, PageOutcome,
    PageStatus, Plan, Scope, SourceType, Store, UnembeddedChunk,
};
use jiff::Timestamp;
use rustix::time::ClockId;
use sqlx::{AnyPool, AssertSqlSafe, Executor, Row};
use times::{Times, processor_time};
use url::Url;
use uuid::Uuid;

/// As in the program `frontdesk`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Different pages; chatbots share them.
const DIFFERENT_PAGES: usize = 300;
const PAGES_OF_A_CHATBOT: usize = 100;
const PAGES_OF_THE_LARGE_CHATBOT: usize = 20_000;
const QUESTIONS: usize = 300;

/// A page as it is stored, with the vectors of its chunks by their text.
struct Content {
    pages: Vec<Page>,
    vectors: HashMap<String, Option<ChunkVectors>>,
    questions: Vec<String>,
    model: EmbeddingModel,
    model_id: String,
}

#[tokio::main]
async fn main() -> Result<()> {
    sqlx::any::install_default_drivers();
    let content = content().await?;
    let folder = tempfile::tempdir()?;
    measure("SQLite", &format!("sqlite:{}", folder.path().join("bench.db").display()), &content).await?;
    let Ok(server) = std::env::var("FRONTDESK_TEST_POSTGRES_URL") else {
        println!("skipped on PostgreSQL: FRONTDESK_TEST_POSTGRES_URL is not set");
        return Ok(());
    };
    let schema = format!("frontdesk_bench_{}", Uuid::now_v7().simple());
    let pool = AnyPool::connect(&server).await?;
    pool.execute(AssertSqlSafe(format!("CREATE SCHEMA {schema}"))).await?;
    let separator = if server.contains('?') { '&' } else { '?' };
    let url = format!("{server}{separator}options=-c%20search_path%3D{schema}");
    let measured = measure("PostgreSQL", &url, &content).await;
    pool.execute(AssertSqlSafe(format!("DROP SCHEMA {schema} CASCADE"))).await?;
    measured
}

fn settings(model: SearchModel) -> Search {
    Search { model, ..Config::default().search }
}

/// Writes and reads the pages, and embeds their chunks.
async fn content() -> Result<Content> {
    let mut author = Author::new();
    let mut pages = Vec::new();
    for number in 0..DIFFERENT_PAGES {
        let url: Url = format!("https://shop.example/{number}").parse()?;
        pages.push(Page::new(url.clone(), extract_html(author.page("").as_bytes(), None, &url, "frontdesk")));
    }
    let questions = (0..QUESTIONS).map(|_| author.question()).collect();
    let model = EmbeddingModel::open(&settings(SearchModel::Bundled))?;
    let chunks: Vec<UnembeddedChunk> = pages
        .iter()
        .flat_map(Page::chunks)
        .map(|chunk| UnembeddedChunk {
            chunk_id: Uuid::now_v7(),
            title: chunk.title,
            headings: chunk.headings,
            text: chunk.text,
            language: Some("en".to_owned()),
        })
        .collect();
    // Loading the model is not what is measured.
    model.embed("a question", None).await?;
    let (count, begin, begin_cpu) = (chunks.len(), Instant::now(), processor_time(ClockId::ProcessCPUTime));
    let made = model.embed_chunks(chunks.clone()).await?;
    let (took, took_cpu) =
        (begin.elapsed(), processor_time(ClockId::ProcessCPUTime).saturating_sub(begin_cpu));
    println!(
        "vectors: {:.1} chunks a second, {:.1} a second of one core; {count} chunks of {DIFFERENT_PAGES} pages",
        rate(count, took),
        rate(count, took_cpu)
    );
    let vectors = chunks.into_iter().zip(made).map(|(chunk, made)| (chunk.text, made.vectors)).collect();
    Ok(Content { pages, vectors, questions, model, model_id: Model::bundled()?.id().to_owned() })
}

async fn measure(database: &'static str, url: &str, content: &Content) -> Result<()> {
    let chatbots: usize =
        std::env::var("FRONTDESK_BENCH_CHATBOTS").ok().map_or(Ok(1_000), |number| number.parse())?;
    let store = Store::open(url).await?;
    let now = Timestamp::now();
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "bench".into(),
        plan: Plan::Scale,
        monthly_credits: None,
    };
    let scope = store.accounts().create(&new, now).await?.scope();
    let search = |model| -> Result<ContentSearch> { Ok(ContentSearch::new(store.clone(), model)) };
    let by_words = || search(EmbeddingModel::open(&settings(SearchModel::None))?);

    let mut filled = Vec::new();
    let (mut chunks, mut time) = (0, Duration::ZERO);
    for at in [10.min(chatbots), chatbots] {
        while filled.len() < at {
            let chatbot = chatbot(&store, &scope).await?;
            let begin = Instant::now();
            chunks += fill(&store, &scope, &chatbot, PAGES_OF_A_CHATBOT, content).await?;
            time += begin.elapsed();
            embed(&store, content).await?;
            filled.push(chatbot);
        }
        println!(
            "{database}: {at} chatbots of {PAGES_OF_A_CHATBOT} pages, {chunks} chunks, {:.0} of them a second",
            rate(chunks, time)
        );
        tidy(url).await?;
        // Each chatbot is asked once, as if its visitors came by now and then; then some of them again.
        let step = (filled.len() / QUESTIONS).max(1);
        let asked: Vec<&Chatbot> = filled.iter().step_by(step).cycle().take(QUESTIONS).collect();
        let again: Vec<&Chatbot> = filled.iter().take(10).cycle().take(QUESTIONS).collect();
        plain(database, url, &asked, content).await?;
        // A service has one search, and each keeps what it has read.
        for (name, search) in [("words", by_words()?), ("words and meaning", search(content.model.clone())?)]
        {
            questions(&format!("{database}: by {name}, first visit"), &search, &asked, content).await?;
            questions(&format!("{database}: by {name}, later visits"), &search, &again, content).await?;
            memory();
        }
    }
    let large = chatbot(&store, &scope).await?;
    let begin = Instant::now();
    let chunks = fill(&store, &scope, &large, PAGES_OF_THE_LARGE_CHATBOT, content).await?;
    let chunk_rate = rate(chunks, begin.elapsed());
    embed(&store, content).await?;
    println!(
        "{database}: one chatbot of {PAGES_OF_THE_LARGE_CHATBOT} pages, {chunks} chunks, {chunk_rate:.0} of them a second"
    );
    tidy(url).await?;
    let asked = vec![&large; QUESTIONS];
    plain(database, url, &asked, content).await?;
    for (name, search) in [("words", by_words()?), ("words and meaning", search(content.model.clone())?)] {
        questions(&format!("{database}: by {name}, first visit"), &search, &asked[..1], content).await?;
        questions(&format!("{database}: by {name}, later visits"), &search, &asked, content).await?;
        memory();
    }
    store.close().await;
    Ok(())
}

/// Prints how long questions take; with a model, without the time that it takes to embed them.
async fn questions(name: &str, search: &ContentSearch, asked: &[&Chatbot], content: &Content) -> Result<()> {
    let (mut times, mut embedding) = (Times::default(), Times::default());
    let mut found = 0;
    for (chatbot, question) in asked.iter().zip(&content.questions) {
        let begin = Instant::now();
        search.embedding.embed(question, chatbot.language.as_deref()).await?;
        let alone = begin.elapsed();
        let begin = Instant::now();
        found += usize::from(!search.find(chatbot, question, None, &[]).await?.passages.is_empty());
        times.0.push(begin.elapsed().saturating_sub(alone));
        embedding.0.push(alone);
    }
    println!("{name}: {times}; {found} found something; the questions' vectors: {embedding}");
    Ok(())
}

/// Prints how long the database's own search takes for the same words: 20 rows in its order, without their text.
async fn plain(database: &str, url: &str, asked: &[&Chatbot], content: &Content) -> Result<()> {
    let pool = AnyPool::connect(url).await?;
    let mut times = Times::default();
    for (chatbot, question) in asked.iter().zip(&content.questions) {
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
    println!("{database}: the database's own search: {times}");
    Ok(())
}

async fn chatbot(store: &Store, scope: &Scope) -> Result<Chatbot> {
    let new = NewChatbot {
        name: "Help".into(),
        language: Some("en".into()),
        settings: serde_json::json!({ "business_name": "Shop", "language": "en" }),
        pages: Vec::new(),
        job: frontdesk_store::NewJob {
            queue: "none".into(),
            kind: "none".into(),
            subject: None,
            payload: serde_json::json!({}),
            run_at: None,
            max_attempts: 1,
            time_limit: jiff::SignedDuration::from_hours(1),
            dedupe_key: None,
        },
    };
    Ok(store.chatbots().create(scope, &new, Timestamp::now()).await?)
}

/// Stores pages as a crawl does, and returns the number of their chunks.
async fn fill(
    store: &Store,
    scope: &Scope,
    chatbot: &Chatbot,
    count: usize,
    content: &Content,
) -> Result<usize> {
    let now = Timestamp::now();
    let mut written = 0;
    let numbers: Vec<usize> = (0..count).collect();
    for some in numbers.chunks(PAGES_OF_A_CHATBOT) {
        let new: Vec<NewPage> =
            some.iter().map(|number| NewPage::root(format!("https://shop.example/{number}"))).collect();
        store.webpages().add(scope, chatbot.chatbot_id, &new, 1_000_000, now).await?;
        for number in some {
            let pending = store.webpages().next_pending(scope, chatbot.chatbot_id).await?;
            let pending = pending.ok_or("a page that was added is pending")?;
            let page = &content.pages[number % content.pages.len()];
            let chunks: Vec<NewChunk> = page
                .chunks()
                .into_iter()
                .map(|chunk| NewChunk {
                    source_type: SourceType::Webpage,
                    title: chunk.title,
                    headings: chunk.headings,
                    text: chunk.text,
                    url: pending.url.clone(),
                    language: page.language.clone(),
                    terms_title: chunk.terms.title.into(),
                    terms_headings: chunk.terms.headings.into(),
                    terms_body: chunk.terms.body.into(),
                })
                .collect();
            written += chunks.len();
            let outcome = PageOutcome {
                status: PageStatus::Ready,
                reason: None,
                http_status: Some(200),
                final_url: Some(pending.url.clone()),
                title: Some(page.title.clone()),
                content_hash: Some(pending.url.clone()),
                language: page.language.clone(),
                chunks: Some(chunks),
                links: Vec::new(),
                max_pages: 1_000_000,
            };
            store.webpages().finish(scope, pending.webpage_id, &outcome, now).await?;
        }
    }
    Ok(written)
}

/// Stores the vectors of all new chunks.
async fn embed(store: &Store, content: &Content) -> Result<()> {
    loop {
        let chunks = store.vectors().unembedded(&content.model_id, 500).await?;
        if chunks.is_empty() {
            return Ok(());
        }
        let made: Vec<NewVectors> = chunks
            .into_iter()
            .map(|chunk| NewVectors {
                chunk_id: chunk.chunk_id,
                vectors: content.vectors.get(&chunk.text).cloned().flatten(),
            })
            .collect();
        store.vectors().save(&content.model_id, &made).await?;
    }
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

fn rate(count: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / time.as_secs_f64()
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
