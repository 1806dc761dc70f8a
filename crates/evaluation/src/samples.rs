//! Labeled sites in memory: their questions with everything that was found for each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use frontdesk_assistant::{Assistant, Kind, Offer, Settings, Task, Turn, find_passages};
use frontdesk_embedding::{Model, Vector};
use frontdesk_knowledge::{IndexError, Query, QueryEmbedder, Retrieval, search};
use futures_util::future::BoxFuture;

use crate::corpus::{Content, CorpusError, read_pages};
use crate::judge::states_fact;
use crate::questions::{Question, QuestionsError, read_questions};

/// The error of reading or searching labeled sites.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SamplesError {
    /// A site could not be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Questions could not be read.
    #[error(transparent)]
    Questions(#[from] QuestionsError),
    /// A search failed.
    #[error("a search failed: {0}")]
    Search(IndexError),
}

/// Where the question of a sample is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// From the labeled questions of the site.
    Labeled,
    /// From these too, but the chunks with the answer were removed from the site before the search. The
    /// question is then a near miss.
    Removed,
    /// Written to train on, and not part of the figures of a site.
    Training,
}

/// A question with everything that was found for it.
#[derive(Debug)]
pub struct Sample {
    /// The site's name.
    pub site: String,
    /// The label.
    pub question: Question,
    /// The task of the writer.
    pub task: Task,
    /// Where the question is from.
    pub origin: Origin,
}

/// How samples are searched for.
#[derive(Debug, Clone, Copy)]
pub struct Searching<'a> {
    /// The embedding model.
    pub model: &'a Model,
    /// Whether the content has vectors. Without them, as in the first minute of a chatbot, only the
    /// vocabulary of the model is used.
    pub has_vectors: bool,
    /// The folder for vectors that are kept between runs.
    pub cache: &'a Path,
    /// The folder with further questions that were written to train on, a file for each of some sites.
    pub training: Option<&'a Path>,
    /// An assistant whose model first rewrites questions that refer to earlier ones.
    pub assistant: Option<&'a Assistant>,
}

/// The embedding model in this process. A question is searched for with and without its answer, and embedded
/// once.
struct InProcess<'m> {
    model: &'m Model,
    has_vectors: bool,
    known: Mutex<HashMap<(String, Option<String>), Vector>>,
}

impl InProcess<'_> {
    fn vector(&self, question: &str, content: Option<&str>) -> Result<Option<Vector>, IndexError> {
        if !self.has_vectors {
            return Ok(None);
        }
        let key = (question.to_owned(), content.map(str::to_owned));
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(vector) = known().get(&key) {
            return Ok(Some(vector.clone()));
        }
        let vector = self.model.embed_query(question, content)?;
        known().insert(key, vector.clone());
        Ok(Some(vector))
    }
}

impl QueryEmbedder for InProcess<'_> {
    fn embed<'a>(
        &'a self,
        question: &'a str,
        content: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Option<Vector>, IndexError>> {
        Box::pin(std::future::ready(self.vector(question, content)))
    }

    fn knows(&self, word: &str) -> bool {
        self.model.knows(word)
    }
}

/// Reads labeled sites and searches for all their questions, and once more for each answerable one after the
/// chunks with its answer were removed.
pub async fn samples(sites: &[PathBuf], searching: Searching<'_>) -> Result<Vec<Sample>, SamplesError> {
    let mut samples = Vec::new();
    let mut others = Vec::new();
    for folder in sites {
        let site = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let pages = read_pages(&folder.join("site"))?;
        let content =
            Content::of(&pages, Some(searching.model).filter(|_| searching.has_vectors), searching.cache)?;
        let index = content.index(|_| true);
        let mut languages: Vec<&str> = pages.iter().filter_map(|page| page.language.as_deref()).collect();
        languages.sort_unstable();
        let most = languages.chunk_by(|left, right| left == right).max_by_key(|run| run.len());
        let language = most.map(|run| run[0].to_owned());
        let embedder =
            InProcess { model: searching.model, has_vectors: searching.has_vectors, known: Mutex::default() };
        let embedder: Option<&dyn QueryEmbedder> = Some(&embedder);
        let questions = read_questions(&folder.join("questions.jsonl"))?;
        for question in &questions {
            let (mut task, mut query) = asked(question, &questions, language.clone());
            if let Some(assistant) = searching.assistant {
                assistant.resolve(&mut task, &mut query).await;
            }
            if question.answerable {
                let rest = content.index(|chunk| !states_fact(question, &chunk.url, &chunk.text));
                let retrieval = search(&rest, embedder, &query).await.map_err(SamplesError::Search)?;
                others.push(Sample {
                    site: site.clone(),
                    question: Question { answerable: false, kind: REMOVED.to_owned(), ..question.clone() },
                    task: Task { retrieval, ..task.clone() },
                    origin: Origin::Removed,
                });
            }
            let index = &index;
            find_passages(&mut task, query, |query| async move { search(index, embedder, &query).await })
                .await
                .map_err(SamplesError::Search)?;
            samples.push(Sample {
                site: site.clone(),
                question: question.clone(),
                task,
                origin: Origin::Labeled,
            });
        }
        let further = searching.training.map(|folder| folder.join(format!("{site}.jsonl")));
        let further = further.filter(|file| file.exists()).map(|file| read_questions(&file)).transpose()?;
        for question in further.into_iter().flatten() {
            let (mut task, query) = asked(&question, &[], language.clone());
            task.retrieval = search(&index, embedder, &query).await.map_err(SamplesError::Search)?;
            let kind = format!("{}{TRAINING}", question.kind);
            let question = Question { kind, ..question };
            others.push(Sample { site: site.clone(), question, task, origin: Origin::Training });
        }
    }
    samples.append(&mut others);
    Ok(samples)
}

/// The kind of questions whose answers were removed.
pub const REMOVED: &str = "answer removed";

/// The end of the kind of questions that were written to train on.
pub const TRAINING: &str = ", to train on";

/// Returns the task of answering a question, without its passages, and the query for them.
fn asked(question: &Question, all: &[Question], language: Option<String>) -> (Task, Query) {
    let before = question.after.as_ref().and_then(|after| all.iter().find(|other| other.id == *after));
    let previous = before.map(|before| before.text.clone());
    let query = Query {
        question: question.text.clone(),
        previous: previous.clone(),
        language: language.clone(),
        tags: Vec::new(),
    };
    let task = Task {
        question: question.text.clone(),
        stand_alone: None,
        history: previous.into_iter().map(Turn::visitor).collect(),
        offer: Offer::NotMade,
        retrieval: Retrieval::default(),
        settings: Settings { language, ..Settings::default() },
        kind: Kind::Chat,
    };
    (task, query)
}
