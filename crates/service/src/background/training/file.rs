//! The jobs that read uploaded files: documents in a child process, images and recordings by models.

mod outcome;

pub(crate) use self::outcome::title_of;

use bytes::Bytes;
use frontdesk_documents::{DocumentKind, ExtractError};
use frontdesk_store::{File, FileKind, FileOutcome, FileStatus, Job, NewJob};
use jiff::SignedDuration;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::background::{
    Background,
    jobs::{Backoff, BoxError, GiveUpReason, JobError, JobKind, JobSpec, Outcome, Queue},
    media::MediaError,
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

static IMAGE_SPEC: JobSpec = media_spec("read_image", Queue::Images);

static RECORDING_SPEC: JobSpec = media_spec("read_recording", Queue::Recordings);

/// Returns the limits of a job that waits for a model. Its attempts are spread over about 40 minutes, because
/// providers have outages, and limit the requests of a minute.
const fn media_spec(name: &'static str, queue: Queue) -> JobSpec {
    JobSpec {
        name,
        queue,
        max_attempts: 9,
        backoff: Backoff { first: SignedDuration::from_secs(10), longest: SignedDuration::from_mins(20) },
        time_limit: SignedDuration::from_hours(24),
        every: None,
    }
}

fn spec_of(kind: FileKind) -> &'static JobSpec {
    match kind {
        FileKind::Document | FileKind::Spreadsheet => &SPEC,
        FileKind::Image => &IMAGE_SPEC,
        FileKind::Audio => &RECORDING_SPEC,
    }
}

/// Returns the job that reads the present content of a file of this kind; its subject is the chatbot.
pub(crate) fn file_job(file_id: Uuid, kind: FileKind) -> NewJob {
    spec_of(kind).new_job(&FileToRead { file_id })
}

/// Returns the queue of that job.
pub(crate) fn file_queue(kind: FileKind) -> Queue {
    spec_of(kind).queue
}

/// Which file to read.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FileToRead {
    file_id: Uuid,
}

/// Reads files. The kinds of jobs differ in their queues and limits only: each reads whatever it finds,
/// because the content may have been replaced by another kind since the job was enqueued.
#[derive(Debug)]
pub(crate) struct ReadFile {
    service: Background,
    spec: &'static JobSpec,
}

impl JobKind for ReadFile {
    type Payload = FileToRead;

    fn spec(&self) -> &JobSpec {
        self.spec
    }

    async fn run(&self, job: &Job, payload: FileToRead) -> Result<Outcome, JobError> {
        let Some(file) = self.file(job, &payload).await? else { return Ok(Outcome::Done) };
        let scope = job.scope().ok_or("the job names no account")?;
        let files = self.service.store.files();
        if !files.begin_reading(&scope, &file).await? {
            return Ok(Outcome::Done);
        }
        let Some(content) = self.service.files.get(&file.object_key).await? else {
            return Err(JobError::GiveUp("the content of the file is not in the storage".into()));
        };
        let outcome = match file.kind {
            FileKind::Document | FileKind::Spreadsheet => self.read_document(&file, content).await?,
            FileKind::Image | FileKind::Audio => self.read_media(&file, content).await?,
        };
        files.finish_reading(&scope, &file, &outcome, self.service.now()).await?;
        Ok(Outcome::Done)
    }

    async fn give_up(&self, job: &Job, reason: &GiveUpReason) -> Result<(), BoxError> {
        let payload: FileToRead = serde_json::from_value(job.payload.clone())?;
        let (Some(scope), Some(file)) = (job.scope(), self.file(job, &payload).await?) else { return Ok(()) };
        let kind = match file.kind {
            FileKind::Document | FileKind::Spreadsheet => None,
            FileKind::Image => Some(DocumentKind::Image),
            FileKind::Audio => Some(DocumentKind::Audio),
        };
        let detail = String::new();
        let outcome = match (reason, kind) {
            (GiveUpReason::LastAttempt(_), Some(kind)) => {
                without_media_text(&MediaError::Unavailable { kind, detail })
            }
            _ => without_document(&ExtractError::System { detail }),
        };
        self.service.store.files().finish_reading(&scope, &file, &outcome, self.service.now()).await?;
        Ok(())
    }
}

impl ReadFile {
    /// Returns the kind of job for documents and spreadsheets.
    pub(crate) const fn documents(service: Background) -> Self {
        Self { service, spec: &SPEC }
    }

    /// Returns the kind of job for images.
    pub(crate) const fn images(service: Background) -> Self {
        Self { service, spec: &IMAGE_SPEC }
    }

    /// Returns the kind of job for recordings.
    pub(crate) const fn recordings(service: Background) -> Self {
        Self { service, spec: &RECORDING_SPEC }
    }

    async fn file(&self, job: &Job, payload: &FileToRead) -> Result<Option<File>, BoxError> {
        let (Some(scope), Some(chatbot)) = (job.scope(), job.subject) else {
            return Err("the job names no chatbot".into());
        };
        Ok(self.service.store.files().find(&scope, chatbot.id, payload.file_id).await?)
    }

    async fn read_document(&self, file: &File, content: Bytes) -> Result<FileOutcome, JobError> {
        match self.service.extractor.extract(&content, &file.file_name).await {
            Ok(document) => Ok(outcome::of_document(file, document).await?),
            // The file is not to blame, so another attempt may succeed.
            Err(ExtractError::System { detail }) => Err(JobError::Retry(detail.into())),
            Err(error) => Ok(without_document(&error)),
        }
    }

    async fn read_media(&self, file: &File, content: Bytes) -> Result<FileOutcome, JobError> {
        match self.service.media.text(&file.file_name, content).await {
            Ok(text) => Ok(outcome::of_text(file, text).await?),
            Err(MediaError::Unavailable { detail, .. }) => Err(JobError::Retry(detail.into())),
            Err(error) => Ok(without_media_text(&error)),
        }
    }
}

fn without_document(error: &ExtractError) -> FileOutcome {
    outcome::without_text(FileStatus::Failed, error.code(), error.to_string())
}

fn without_media_text(error: &MediaError) -> FileOutcome {
    let status = if error.is_unread_type() { FileStatus::Skipped } else { FileStatus::Failed };
    outcome::without_text(status, error.code(), error.to_string())
}
