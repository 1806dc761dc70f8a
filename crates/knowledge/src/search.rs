//! Search: from a question to ranked passages and a verdict whether they hold the answer.
//!
//! The database finds candidates by single words; everything that decides is done here in plain Rust, so that every
//! database gives the same answer: [`concepts`] turns the question into weighted words with their variants,
//! [`rank`] scores candidates by BM25F, [`support`] decides between answering and refusing.

mod concepts;
mod faq;
mod index;
mod memory;
mod rank;
mod spelling;
mod support;
mod synonyms;

use std::collections::HashMap;

use crate::analyze::{Language, detect_language};
use crate::passage::{Passage, Retrieval};
use concepts::Concepts;
use rank::Scored;

pub use index::{Candidate, Index, IndexError, IndexStats};
pub use memory::MemoryIndex;

/// Most passages of one retrieval.
const MAX_PASSAGES: usize = 6;

/// Most passages of one page, so that a long page does not crowd out the others.
const MAX_PER_PAGE: usize = 2;

/// Candidates asked of the index.
const CANDIDATES: usize = 400;

/// A question to search for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// What the visitor asks.
    pub question: String,
    /// What the visitor asked before, in the same conversation.
    pub previous: Option<String>,
    /// BCP 47 language of the training content, where it has mainly one.
    pub language: Option<String>,
    /// Only content with one of these tags; empty for all content.
    pub tags: Vec<String>,
}

/// Searches an index.
pub async fn search(index: &dyn Index, query: &Query) -> Result<Retrieval, IndexError> {
    let languages = languages(query);
    let stats = index.stats().await?;
    let concepts = Concepts::of(index, query, &languages, &stats).await?;
    let terms = concepts.index_terms();
    if terms.is_empty() || stats.chunks == 0 {
        return Ok(Retrieval { passages: Vec::new(), support: support::none(&concepts) });
    }
    let candidates = index.candidates(&terms, &query.tags, CANDIDATES).await?;
    let mut ranked = rank::rank(candidates, &concepts, &stats);
    faq::promote(&mut ranked, &query.question, &languages);
    let support = support::judge(&ranked, &concepts, &stats);
    Ok(Retrieval { passages: select(ranked), support })
}

/// The languages to read a question in, its own first.
fn languages(query: &Query) -> Vec<Language> {
    let content = Language::of(query.language.as_deref().unwrap_or("en"));
    let own = detect_language(&query.question).map_or(content, Language::of);
    if own == content { vec![own] } else { vec![own, content] }
}

/// The best passages, a few of each page.
fn select(ranked: Vec<Scored>) -> Vec<Passage> {
    let mut per_page: HashMap<String, usize> = HashMap::new();
    let mut passages = Vec::new();
    for scored in ranked {
        let taken = per_page.entry(scored.candidate.url.clone()).or_default();
        if *taken < MAX_PER_PAGE {
            *taken += 1;
            passages.push(scored.into_passage());
        }
        if passages.len() == MAX_PASSAGES {
            break;
        }
    }
    passages
}
