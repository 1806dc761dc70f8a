//! Fills databases in a process of its own, so that the memory of the benchmark's process is that of search
//! alone.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use frontdesk_embedding::Model;
use frontdesk_knowledge::{Page, QueryEmbedder, extract_html};
use frontdesk_retrieval::EmbeddingModel;
use frontdesk_store::{
    AccountKind, Chatbot, ChunkVectors, NewAccount, NewChatbot, NewChunk, NewJob, NewPage, NewVectors,
    PageOutcome, PageStatus, Plan, Scope, SourceType, Store, UnembeddedChunk,
};
use jiff::Timestamp;
use rustix::time::ClockId;
use tokio::task::JoinSet;
use url::Url;
use uuid::Uuid;

use crate::Result;
use crate::content::Author;
use crate::times::processor_time;

/// Set in the process that fills.
const FILLS: &str = "FRONTDESK_BENCH_FILLS";
/// Different pages; chatbots share them.
pub(crate) const DIFFERENT_PAGES: usize = 300;
const PAGES_AT_ONCE: usize = 100;

/// A process that fills databases.
pub(crate) struct Filler {
    process: Child,
    /// Takes a line for each order: the number of chatbots, how many of them are filled at the same time, the
    /// number of pages of each, and the database.
    orders: ChildStdin,
    /// Gives the id of each chatbot on a line of its own, and an empty line when an order is done. Other
    /// lines are figures to print.
    replies: BufReader<ChildStdout>,
}

impl Filler {
    pub(crate) fn start() -> Result<Self> {
        let mut process = Command::new(std::env::current_exe()?)
            .arg(crate::search::NAME)
            .env(FILLS, "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let orders = process.stdin.take().ok_or("the process takes no orders")?;
        let replies = BufReader::new(process.stdout.take().ok_or("the process gives no replies")?);
        Ok(Self { process, orders, replies })
    }

    /// Makes chatbots, of which `at_once` are filled at the same time, and returns their ids.
    pub(crate) fn fill(
        &mut self,
        chatbots: usize,
        at_once: usize,
        pages: usize,
        database: &str,
    ) -> Result<Vec<Uuid>> {
        writeln!(self.orders, "{chatbots} {at_once} {pages} {database}")?;
        let mut made = Vec::new();
        loop {
            let mut line = String::new();
            if self.replies.read_line(&mut line)? == 0 {
                return Err("the process that fills the databases has ended; its error is above".into());
            }
            match line.trim_end() {
                "" => return Ok(made),
                text => match text.parse() {
                    Ok(id) => made.push(id),
                    Err(_) => println!("{text}"),
                },
            }
        }
    }
}

impl Drop for Filler {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Fills databases as it is told, if this is the process for that. Returns whether it is.
pub(crate) async fn fills() -> Result<bool> {
    if std::env::var_os(FILLS).is_none() {
        return Ok(false);
    }
    let content = Arc::new(content().await?);
    let mut opened: Option<(String, Store, Scope)> = None;
    for order in std::io::stdin().lines() {
        let order = order?;
        let mut words = order.splitn(4, ' ');
        let mut word = || words.next().ok_or("an order has four words");
        let [chatbots, at_once, pages]: [usize; 3] = [word()?.parse()?, word()?.parse()?, word()?.parse()?];
        let database = word()?;
        let (store, scope) = match &opened {
            Some((address, store, scope)) if address == database => (store, scope),
            _ => {
                let store = Store::open(database).await?;
                let scope = account(&store).await?;
                let (_, store, scope) = opened.insert((database.to_owned(), store, scope));
                (&*store, &*scope)
            }
        };
        let (mut chunks, mut time) = (0, Duration::ZERO);
        for first in (0..chatbots).step_by(at_once) {
            let mut filling = JoinSet::new();
            let begin = Instant::now();
            for _ in first..chatbots.min(first + at_once) {
                let (store, scope, content) = (store.clone(), *scope, Arc::clone(&content));
                filling.spawn(async move { filled_chatbot(&store, &scope, pages, &content).await });
            }
            let mut made = Vec::new();
            while let Some(filled) = filling.join_next().await {
                let (chatbot, written) = filled??;
                made.push(chatbot);
                chunks += written;
            }
            time += begin.elapsed();
            embed(store, &content).await?;
            for chatbot in made {
                println!("{}", chatbot.chatbot_id);
            }
        }
        println!(
            "stored {chunks} chunks of {chatbots} chatbots, {at_once} at once: {:.0} a second\n",
            rate(chunks, time)
        );
    }
    Ok(true)
}

async fn account(store: &Store) -> Result<Scope> {
    let new = NewAccount {
        parent_id: None,
        kind: AccountKind::Standard,
        name: "bench".into(),
        plan: Plan::Scale,
        monthly_credits: None,
    };
    Ok(store.accounts().create(&new, Timestamp::now()).await?.scope())
}

/// A page as it is stored, with the vectors of its chunks by their text.
struct Content {
    pages: Vec<Page>,
    vectors: HashMap<String, Option<ChunkVectors>>,
    model_id: String,
}

/// Writes and reads the pages, and embeds their chunks.
async fn content() -> Result<Content> {
    let mut author = Author::new();
    let mut pages = Vec::new();
    for number in 0..DIFFERENT_PAGES {
        let url: Url = format!("https://shop.example/{number}").parse()?;
        pages.push(Page::new(url.clone(), extract_html(author.page("").as_bytes(), None, &url, "frontdesk")));
    }
    let model = EmbeddingModel::bundled();
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
    Ok(Content { pages, vectors, model_id: Model::bundled()?.id().to_owned() })
}

async fn chatbot(store: &Store, scope: &Scope) -> Result<Chatbot> {
    let new = NewChatbot {
        name: "Help".into(),
        language: Some("en".into()),
        settings: serde_json::json!({ "business_name": "Shop", "language": "en" }),
        pages: Vec::new(),
        job: NewJob {
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

/// Makes a chatbot with this number of pages. Returns it and the number of its chunks.
async fn filled_chatbot(
    store: &Store,
    scope: &Scope,
    pages: usize,
    content: &Content,
) -> Result<(Chatbot, usize)> {
    let chatbot = chatbot(store, scope).await?;
    let chunks = fill(store, scope, &chatbot, pages, content).await?;
    Ok((chatbot, chunks))
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
    for some in numbers.chunks(PAGES_AT_ONCE) {
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

fn rate(count: usize, time: Duration) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX)) / time.as_secs_f64()
}
