//! `POST /files` and `PUT /files/{file_id}/content`: content that comes in.
//!
//! The object is noted, then written, then named by the row of its file. After a crash in between, the
//! recurring job deletes it.

use bytes::Bytes;
use data_encoding::HEXLOWER;
use frontdesk_documents::{DocumentKind, ExceededLimit, ExtractError, FileType, sniff};
use frontdesk_model::{
    Conflict, File, PayloadTooLarge, ReplaceFileContentError, UnsupportedFile, UnsupportedFileError,
    UnsupportedFileErrorKind, UploadFileError,
};
use frontdesk_runtime::{Failure, codec};
use frontdesk_server::{ReplaceFileContent, UploadFile};
use frontdesk_store::{self as store, Chatbot, FileContent, FileError, FileKind, NewFile, StoreError};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::shown;
use crate::{
    api::{Service, addresses, converted_ids, tags, text_snippets::numbered},
    background::training::{file_job, file_queue, title_of},
    edge::{
        Caller,
        authorization::resources::{gone, loaded},
        responses,
    },
    platform::files::{FileStorage, StorageError, delete_object},
};

/// The message of the 409 for content that the chatbot has.
const CONTENT_EXISTS: &str = "The chatbot has a file with this content already.";

/// Longest name that is kept, in characters. The end has the extension.
const MAX_NAME_CHARS: usize = 255;

pub(super) async fn upload(
    service: &Service,
    request: UploadFile<Caller>,
) -> Result<File, Failure<UploadFileError>> {
    let UploadFile { caller, body, incoming, .. } = request;
    let chatbot: Chatbot = loaded(&incoming)?;
    let tag_ids = body.tag_ids.unwrap_or_default();
    let mut failures = tags::check_ids(service, &caller.scope, &chatbot, &numbered(&tag_ids)).await?;
    let url = body.url.map(|url| addresses::web_address(&url, "url", &mut failures));
    if !failures.is_empty() {
        return Err(responses::validation_failed(failures).into());
    }
    let incoming = match Content::read(service, body.file).await? {
        Ok(content) => content,
        Err(Refused::TooLarge(error)) => return Err(error.into()),
        Err(Refused::Unsupported(error)) => return Err(error.into()),
    };
    let file_id = Uuid::now_v7();
    let content = incoming.store(service, &chatbot, file_id).await?;
    let (kind, object_key) = (content.kind, content.object_key.clone());
    let new = NewFile {
        file_id,
        title: body.title,
        title_for_now: title_of(&content.file_name),
        url,
        content,
        tag_ids: converted_ids(tag_ids),
        job: file_job(file_id, kind),
    };
    match service.store.files().create(&caller.scope, chatbot.chatbot_id, &new, service.now()).await {
        Ok(Some(file)) => {
            service.job_signals.enqueued(file_queue(kind));
            Ok(shown(file))
        }
        Ok(None) => {
            delete_object(service, &object_key).await;
            Err(gone::<Chatbot>().into())
        }
        Err(error) => {
            delete_object(service, &object_key).await;
            Err(conflict(error)?.into())
        }
    }
}

pub(super) async fn replace(
    service: &Service,
    request: ReplaceFileContent<Caller>,
) -> Result<File, Failure<ReplaceFileContentError>> {
    let ReplaceFileContent { caller, chatbot_id, file_id, body, incoming, .. } = request;
    let chatbot: Chatbot = loaded(&incoming)?;
    let incoming = match Content::read(service, body.file).await? {
        Ok(content) => content,
        Err(Refused::TooLarge(error)) => return Err(error.into()),
        Err(Refused::Unsupported(error)) => return Err(error.into()),
    };
    let content = incoming.store(service, &chatbot, file_id.uuid()).await?;
    let (files, job) = (service.store.files(), file_job(file_id.uuid(), content.kind));
    match files
        .replace_content(&caller.scope, chatbot_id.into(), file_id.into(), &content, &job, service.now())
        .await
    {
        Ok(Some(replaced)) => {
            service.job_signals.enqueued(file_queue(content.kind));
            delete_object(service, &replaced.former_object_key).await;
            Ok(shown(replaced.file))
        }
        Ok(None) => {
            delete_object(service, &content.object_key).await;
            Err(gone::<store::File>().into())
        }
        Err(error) => {
            delete_object(service, &content.object_key).await;
            Err(conflict(error)?.into())
        }
    }
}

/// Returns the 409 for content that exists or has no room, or the failure of the store.
fn conflict(error: FileError) -> Result<Conflict, StoreError> {
    match error {
        FileError::AlreadyExists { file_id } => Ok(responses::already_exists(CONTENT_EXISTS, file_id)),
        FileError::PlanLimit(reached) => Ok(responses::plan_limit_reached(reached)),
        FileError::Store(error) => Err(error),
    }
}

/// The content of a file before it is stored.
struct Content {
    file_name: String,
    file_type: FileType,
    sha256: String,
    bytes: Bytes,
}

/// Why the content of a file is not accepted.
enum Refused {
    TooLarge(PayloadTooLarge),
    Unsupported(UnsupportedFile),
}

impl Content {
    /// Reads the part with the file, and recognizes its type.
    async fn read(
        service: &Service,
        file: codec::File,
    ) -> Result<Result<Self, Refused>, tokio::task::JoinError> {
        let most = service.extractor.limits().input_bytes;
        let Ok(bytes) = file.content.bytes(usize::try_from(most).unwrap_or(usize::MAX)).await else {
            let message = ExceededLimit::InputBytes(most).to_string();
            return Ok(Err(Refused::TooLarge(responses::not_found(&message).into())));
        };
        let file_name = visible_name(file.name.as_deref().unwrap_or_default());
        // Both look at every byte.
        let recognized = tokio::task::spawn_blocking({
            let (bytes, file_name) = (bytes.clone(), file_name.clone());
            move || (sniff(&bytes, &file_name), sha256(&bytes))
        });
        Ok(match recognized.await? {
            (Ok(file_type), sha256) => Ok(Self { file_name, file_type, sha256, bytes }),
            (Err(error), _) => Err(Refused::Unsupported(unsupported(&error))),
        })
    }

    /// Writes the content, and returns what the row of the file says of it.
    async fn store(
        self,
        service: &Service,
        chatbot: &Chatbot,
        file_id: Uuid,
    ) -> Result<FileContent, StoreContentError> {
        let object_key = FileStorage::key(chatbot.account_id, chatbot.chatbot_id, file_id);
        service.store.stored_objects().register(&object_key, service.now()).await?;
        let size_bytes = self.bytes.len() as u64;
        service.files.put(&object_key, self.bytes).await?;
        Ok(FileContent {
            file_name: self.file_name,
            kind: match self.file_type.kind() {
                DocumentKind::Document => FileKind::Document,
                DocumentKind::Spreadsheet => FileKind::Spreadsheet,
                DocumentKind::Image => FileKind::Image,
                DocumentKind::Audio => FileKind::Audio,
            },
            mime_type: self.file_type.mime_type().to_owned(),
            size_bytes,
            sha256: self.sha256,
            object_key,
        })
    }
}

/// The content cannot be stored.
#[derive(Debug, thiserror::Error)]
enum StoreContentError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

fn unsupported(error: &ExtractError) -> UnsupportedFile {
    let body = UnsupportedFileError::new(error.to_string());
    UnsupportedFile { body: body.error(UnsupportedFileErrorKind::UnsupportedFileType) }
}

/// Returns a name to show. It is never used as a path.
pub(in crate::api) fn visible_name(stated: &str) -> String {
    let visible: String = stated.chars().filter(|character| !character.is_control()).collect();
    let visible = visible.trim();
    let skipped = visible.chars().count().saturating_sub(MAX_NAME_CHARS);
    if visible.is_empty() { "file".to_owned() } else { visible.chars().skip(skipped).collect() }
}

fn sha256(bytes: &[u8]) -> String {
    HEXLOWER.encode(&Sha256::digest(bytes))
}
