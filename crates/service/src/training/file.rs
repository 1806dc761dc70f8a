//! The job that reads an uploaded file.

use async_trait::async_trait;
use frontdesk_documents::{Document, ExtractError};
use frontdesk_knowledge::chunks;
use frontdesk_store::{File, FileOutcome, FileStatus, Job, NewChunk, NewJob, SourceType};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::{
    jobs::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, Outcome, Queue},
    service::Service,
};

static SPEC: JobSpec = JobSpec {
    name: "read_file",
    queue: Queue::Files,
    // The child process bears crashes of parsers, so a failure is one of the installation.
    max_attempts: 4,
    backoff: Backoff { first: SignedDuration::from_secs(5), longest: SignedDuration::from_mins(2) },
    time_limit: SignedDuration::from_hours(24),
    every: None,
};

/// Returns the job that reads the present content of a file; its subject is the chatbot.
pub(crate) fn file_job(file_id: Uuid) -> NewJob {
    SPEC.new_job(&FileToRead { file_id })
}

/// Which file to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileToRead {
    file_id: Uuid,
}

/// Reads files.
#[derive(Debug)]
pub(crate) struct ReadFile(pub(crate) Service);

#[async_trait]
impl JobKind for ReadFile {
    type Payload = FileToRead;

    fn spec(&self) -> &JobSpec {
        &SPEC
    }

    async fn run(&self, job: &Job, payload: FileToRead) -> Result<Outcome, JobError> {
        let Some(file) = self.file(job, &payload).await? else { return Ok(Outcome::Done) };
        let scope = job.scope().ok_or("the job names no account")?;
        let files = self.0.store.files();
        if !files.begin_reading(&scope, &file).await? {
            return Ok(Outcome::Done);
        }
        let Some(content) = self.0.files.get(&file.object_key).await? else {
            return Err(JobError::GiveUp("the content of the file is not in the storage".into()));
        };
        let outcome = match self.0.extractor.extract(&content, &file.file_name).await {
            Ok(document) => self.indexed(&file, document).await?,
            // The file is not to blame, so another attempt may succeed.
            Err(ExtractError::System { detail }) => return Err(JobError::Retry(detail.into())),
            Err(error) => unread(&error),
        };
        files.finish_reading(&scope, &file, &outcome, self.0.now()).await?;
        Ok(Outcome::Done)
    }

    async fn give_up(&self, job: &Job, _: &GiveUpReason) -> Result<(), BoxError> {
        let payload: FileToRead = serde_json::from_value(job.payload.clone())?;
        let (Some(scope), Some(file)) = (job.scope(), self.file(job, &payload).await?) else { return Ok(()) };
        let outcome = unread(&ExtractError::System { detail: String::new() });
        self.0.store.files().finish_reading(&scope, &file, &outcome, self.0.now()).await?;
        Ok(())
    }
}

impl ReadFile {
    async fn file(&self, job: &Job, payload: &FileToRead) -> Result<Option<File>, BoxError> {
        let (Some(scope), Some(chatbot)) = (job.scope(), job.subject) else {
            return Err("the job names no chatbot".into());
        };
        Ok(self.0.store.files().find(&scope, chatbot.id, payload.file_id).await?)
    }

    /// Splits the text into passages and analyses their words, on a thread for such work.
    async fn indexed(&self, file: &File, document: Document) -> Result<FileOutcome, tokio::task::JoinError> {
        let url = file.url.clone().unwrap_or_default();
        let own_title = file.has_own_title.then(|| file.title.clone());
        tokio::task::spawn_blocking(move || {
            let Document { title, language, page_count, blocks, .. } = document;
            let shown_title = own_title.unwrap_or_else(|| title.clone());
            let char_count = blocks.iter().map(|block| block.text.chars().count() as u64).sum();
            let chunks =
                chunks(&blocks, &shown_title, language.as_deref()).into_iter().map(|chunk| NewChunk {
                    source_type: SourceType::File,
                    title: chunk.title,
                    headings: chunk.headings,
                    text: chunk.text,
                    url: url.clone(),
                    language: language.clone(),
                    terms_title: chunk.terms.title.into(),
                    terms_headings: chunk.terms.headings.into(),
                    terms_body: chunk.terms.body.into(),
                });
            let chunks = chunks.collect();
            FileOutcome {
                status: FileStatus::Ready,
                error: None,
                title: Some(title),
                language,
                page_count,
                char_count,
                chunks,
            }
        })
        .await
    }
}

/// Returns the outcome of a file that has no text.
fn unread(error: &ExtractError) -> FileOutcome {
    let status = match error {
        ExtractError::NoExtractor { .. } => FileStatus::Skipped,
        _ => FileStatus::Failed,
    };
    FileOutcome {
        status,
        error: Some((error.code().to_owned(), error.to_string())),
        title: None,
        language: None,
        page_count: None,
        char_count: 0,
        chunks: Vec::new(),
    }
}
