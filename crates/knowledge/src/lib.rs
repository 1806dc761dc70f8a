//! Training content: fetch, extract, chunk, index, search.
//!
//! A chatbot is trained on its owner's website. This crate turns addresses into pages, pages into chunks, and a visitor's
//! question into ranked passages with a decision whether they contain the answer. It stores nothing: the memory of a
//! crawl is a [`Frontier`], the memory of a search is an [`Index`], and both are implemented by the caller.
//!
//! ```
//! use frontdesk_knowledge::{MemoryIndex, Page, Query, extract_html, search};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let url = "https://acme.example/delivery".parse()?;
//! let html = b"<title>Delivery</title><main><h1>Delivery</h1><p>We deliver within three days.</p></main>";
//! let page = Page::new(url, extract_html(html, None, &"https://acme.example/delivery".parse()?, "frontdesk"));
//! let mut index = MemoryIndex::new();
//! index.insert_page(&page);
//!
//! let query = Query { question: "How fast do you deliver?".to_owned(), ..Query::default() };
//! let found = search(&index, &query).await?;
//! assert_eq!(found.passages[0].text, "We deliver within three days.");
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: `crawl` (which pages to visit), `extract` (bytes to text), `page`, `boilerplate` and `chunk` (text to
//! indexed units), `analyze` (text to terms), `search` (question to passages), `passage` (the result of a search).

mod analyze;
mod boilerplate;
mod chunk;
mod crawl;
mod extract;
mod page;
mod passage;
mod search;
mod source_type;
mod text_source;

pub use analyze::{Language, UnsupportedLanguage, analyze, detect_language};
pub use boilerplate::repeated_blocks;
pub use chunk::{Chunk, FieldTerms};
pub use crawl::{
    CrawlBounds, CrawlEnd, Crawler, Found, Frontier, FrontierError, Hosts, InvalidPattern, PageOutcome,
    PathRules, Pending, Progress, Reason, Root, Validators, Visit, normalize,
};
pub use extract::{Block, BlockKind, Directives, Extracted, Obstacle, extract_html, extract_text};
pub use page::{BlockHash, Page};
pub use passage::{Passage, Retrieval, Support};
pub use search::{Candidate, Index, IndexError, IndexStats, MemoryIndex, Query, search};
pub use source_type::{SourceType, UnknownSourceType};
pub use text_source::TextSource;
