//! Search: from a question to ranked passages and a decision whether they contain the answer.
//!
//! The database only finds candidates by single words. Ranking and decision are plain Rust, so that every
//! database leads to the same answer: [`question`] turns the question into weighted words with their
//! variants, [`meaning`] finds chunks with vectors near that of the question, [`rank`] scores candidates by
//! both, [`support`] measures how well the best ones cover the question.

mod concepts;
mod faq;
mod index;
mod meaning;
mod memory;
mod query;
mod question;
mod rank;
mod spelling;
mod support;
mod synonyms;

use std::collections::HashMap;

use uuid::Uuid;

use crate::analyze::{Morphology, detect_language};
use crate::passage::{Part, Passage, Retrieval};
use crate::several;
use rank::Scored;

pub use index::{Candidate, Index, IndexError, IndexStats, IndexTerm, SegmentVector};
pub use memory::MemoryIndex;
pub use query::{Query, QueryEmbedder};

/// Most passages of one retrieval.
const MAX_PASSAGES: usize = 6;

/// Most passages of one page, so that a long page does not crowd out the others.
const MAX_PER_PAGE: usize = 3;

/// Most candidates requested from the index by their words.
const CANDIDATES: usize = 150;

/// Most candidates added by their meaning.
const NEAREST: usize = 40;

/// Searches an index for passages that answer a question: by words, and with an embedder also by meaning. If
/// a message has several questions, each is also searched for by itself.
pub async fn search(
    index: &impl Index,
    embedder: Option<&dyn QueryEmbedder>,
    query: &Query,
) -> Result<Retrieval, IndexError> {
    search_up_to(index, embedder, query, MAX_PASSAGES).await
}

/// Searches like [`search`], for at most `limit` passages. The limit does not change the decision whether
/// they support an answer.
pub async fn search_up_to(
    index: &impl Index,
    embedder: Option<&dyn QueryEmbedder>,
    query: &Query,
    limit: usize,
) -> Result<Retrieval, IndexError> {
    let mut retrieval = search_for_one(index, embedder, query, limit).await?;
    for question in several::questions(&query.question) {
        let part = Query { question: question.to_owned(), previous: None, ..query.clone() };
        let found = search_for_one(index, embedder, &part, limit).await?;
        retrieval.parts.push(Part { question: question.to_owned(), retrieval: found });
    }
    Ok(retrieval)
}

async fn search_for_one(
    index: &impl Index,
    embedder: Option<&dyn QueryEmbedder>,
    query: &Query,
    limit: usize,
) -> Result<Retrieval, IndexError> {
    let languages = languages(query);
    let knows = |word: &str| embedder.is_some_and(|embedder| embedder.knows(word));
    let stats = index.stats().await?;
    let concepts = question::concepts(index, query, &languages, &stats, &knows).await?;
    if stats.chunks == 0 {
        let support = support::none(&concepts);
        return Ok(Retrieval { support, ..Retrieval::default() });
    }
    let terms = concepts.index_terms();
    let by_meaning = async {
        match embedder {
            Some(embedder) => meaning::of(index, embedder, query, &concepts).await,
            None => Ok(None),
        }
    };
    // Neither needs the other, and both wait: for the database, and for the model.
    let by_words = index.candidates(&terms, &query.tags, CANDIDATES);
    let (mut candidates, meaning) = tokio::try_join!(by_words, by_meaning)?;
    if let Some(meaning) = &meaning {
        let missing: Vec<Uuid> = meaning
            .nearest(NEAREST)
            .filter(|id| !candidates.iter().any(|candidate| candidate.chunk_id == *id))
            .collect();
        candidates.extend(index.chunks(&missing).await?);
    }
    let similarities = meaning.as_ref().map(|meaning| &meaning.similarities);
    let mut ranked = rank::rank(candidates, &concepts, similarities, &stats);
    faq::promote(&mut ranked, &query.question, &languages);
    let mut support = support::judge(&ranked, &concepts, &stats);
    support.cosines = meaning.as_ref().map(|meaning| meaning.cosines);
    support.accepted |= meaning.is_some();
    let mut passages = select(ranked, limit);
    if let (Some(meaning), Some(embedder)) = (&meaning, embedder) {
        meaning.add_segments(index, embedder, &mut passages).await?;
    }
    Ok(Retrieval { passages, support, parts: Vec::new() })
}

/// Returns the languages in which to analyze a question, its own first.
fn languages(query: &Query) -> Vec<Morphology> {
    let content = Morphology::of(query.language.as_deref().unwrap_or("en"));
    let own = detect_language(&query.question).map_or(content, Morphology::from);
    if own == content { vec![own] } else { vec![own, content] }
}

/// Returns the best passages, a few of each page. Sources without an address, such as FAQ items, are
/// distinguished by their titles.
fn select(ranked: Vec<Scored>, limit: usize) -> Vec<Passage> {
    let mut per_page: HashMap<String, usize> = HashMap::new();
    let mut passages = Vec::new();
    for scored in ranked {
        let Candidate { url, title, .. } = scored.candidate.as_ref();
        let taken = per_page.entry(if url.is_empty() { title.clone() } else { url.clone() }).or_default();
        if *taken < MAX_PER_PAGE {
            *taken += 1;
            passages.push(scored.into_passage());
        }
        if passages.len() == limit {
            break;
        }
    }
    passages
}
