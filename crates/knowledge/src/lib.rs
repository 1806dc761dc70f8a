//! Training content: fetch, extract, chunk, index, search.
//!
//! A chatbot is trained on its owner's website. This crate turns addresses into pages, pages into chunks, and
//! a visitor's question into ranked passages with a decision whether they contain the answer. It stores
//! nothing: the memory of a crawl is a [`Frontier`], the memory of a search is an [`Index`], and both are
//! implemented by the caller.
//!
//! ```
//! use frontdesk_knowledge::{MemoryIndex, Page, Query, extract_html, search};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error + Send + Sync>> {
//! let url: url::Url = "https://acme.example/delivery".parse()?;
//! let html = b"<title>Delivery</title><main><h1>Delivery</h1><p>We deliver within three days.</p></main>";
//! let content = extract_html(html, None, &url, "frontdesk");
//! let page = Page::new(url, content);
//! let mut index = MemoryIndex::new();
//! index.insert_page(&page);
//!
//! let query = Query { question: "How fast do you deliver?".to_owned(), ..Query::default() };
//! let found = search(&index, None, &query).await?;
//! assert_eq!(found.passages[0].text, "We deliver within three days.");
//! # Ok(())
//! # }
//! ```
//!
//! Reading order: `crawl` (which pages to visit), `extract` (bytes to text), `page`, `boilerplate` and
//! `chunk` (text to indexed units), `analyze` (text to terms), `search` (question to passages), `passage`
//! (the result of a search), `outline` (its segments, for a writer).

#![cfg_attr(
    not(feature = "search"),
    expect(dead_code, unused_imports, reason = "only the search analyses questions")
)]

mod analyze;
mod antecedent;
mod attributes;
mod boilerplate;
mod chunk;
#[cfg(feature = "crawl")]
mod crawl;
mod extract;
mod outline;
mod page;
mod passage;
#[cfg(feature = "search")]
mod search;
mod segments;
mod sentences;
#[cfg(feature = "search")]
mod several;
mod source_type;
mod table_row;
mod terms;
mod text_source;
mod topics;
mod words;

pub use analyze::{Language, UnsupportedLanguage, analyze, detect_language, topic_terms};
pub use attributes::{
    Attribute, Attributes, Days, Period, asked, given, names_holidays, names_opening, periods, says_when,
    speaks_of_past_year,
};
pub use boilerplate::{Placement, RepeatedText};
pub use chunk::{Chunk, FieldTerms, chunks};
#[cfg(feature = "crawl")]
pub use crawl::{
    CrawlBounds, CrawlEnd, Crawler, FileReader, FileText, Found, Frontier, FrontierError, Hosts,
    InvalidPattern, LinkedFiles, PageOutcome, PathRules, Pending, Progress, Reason, Root, UnreadableFile,
    Validators, Visit, normalize, read_page,
};
pub use extract::{
    Block, BlockKind, Directives, Extracted, Obstacle, Place, extract_html, extract_text, parse_html,
};
pub use outline::{Outline, OutlineCell, OutlinedSegment};
pub use page::Page;
pub use passage::{Cosines, Part, Passage, QuestionWord, Relevance, Retrieval, Support};
#[cfg(feature = "search")]
pub use search::{
    Candidate, Index, IndexError, IndexStats, IndexTerm, MemoryIndex, Query, QueryEmbedder, SegmentVector,
    search, search_up_to,
};
pub use segments::segments;
pub use sentences::sentences;
pub use source_type::{SourceType, UnknownSourceType};
pub use table_row::table_row;
pub use terms::Terms;
pub use text_source::TextSource;
pub use words::{Words, fold_text, strip_invisible};
