//! Files of a chatbot.

mod upload;

pub(in crate::api) use self::upload::visible_name;

use frontdesk_model::{
    DeleteFileError, DownloadFileError, DownloadFileOk, File, FileChunk, FileKind, FileList, FileProblem,
    FileProblemRequired, FileRequired, FileText, FileWarning, FileWarningRequired, GetFileContentError,
    GetFileError, ListFilesError, ReplaceFileContentError, TrainingStatus, UpdateFileError, UploadFileError,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{
    DeleteFile, DownloadFile, Files, GetFile, GetFileContent, ListFiles, ReplaceFileContent, UpdateFile,
    UploadFile,
};
use frontdesk_store::{self as store, Chatbot, FileUpdate, FilesFilter, Scope, StoreError};
use http::Extensions;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

use super::{
    addresses::web_address_patch, changed::changed, count, filters::check_known, tags,
    text_snippets::numbered,
};
use crate::{
    api::{Service, converted_ids},
    background::training::{file_job, file_queue},
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, gone, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
    platform::files::delete_object,
};

/// The bytes of a file name that a header field carries as they are (RFC 8187).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

impl Resource for store::File {
    const PARAMETER: &'static str = "file_id";
    const NOT_FOUND: &'static str = "File not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        parents: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let (Some(scope), Some(chatbot)) = (scope, parents.get::<Chatbot>()) else { return Ok(None) };
        service.store.files().find(scope, chatbot.chatbot_id, id).await
    }
}

impl Files for Service {
    type Caller = Caller;

    async fn list_files(&self, request: ListFiles<Caller>) -> Result<FileList, Failure<ListFilesError>> {
        let ListFiles { caller, chatbot_id, kind, status, tag_id, q, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        let chatbot: Chatbot = loaded(&incoming)?;
        let ids: Vec<_> = tag_id.iter().map(|id| ("tag_id".to_owned(), *id)).collect();
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        check_known("kind", kind.as_ref().map(FileKind::as_str), FileKind::KNOWN, &mut failures);
        check_known(
            "status",
            status.as_ref().map(TrainingStatus::as_str),
            TrainingStatus::KNOWN,
            &mut failures,
        );
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let filter = FilesFilter {
            kind: kind.map(|kind| kind.as_str().parse()).transpose()?,
            status: status.map(|status| status.as_str().parse()).transpose()?,
            tag_id: tag_id.map(Into::into),
            text: q,
        };
        let page = self.store.files().page(&caller.scope, chatbot_id.uuid(), &filter, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(FileList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn upload_file(&self, request: UploadFile<Caller>) -> Result<File, Failure<UploadFileError>> {
        upload::upload(self, request).await
    }

    async fn get_file(&self, request: GetFile<Caller>) -> Result<File, Failure<GetFileError>> {
        Ok(shown(loaded(&request.incoming)?))
    }

    async fn update_file(&self, request: UpdateFile<Caller>) -> Result<File, Failure<UpdateFileError>> {
        let UpdateFile { caller, chatbot_id, file_id, body, incoming, .. } = request;
        let chatbot: Chatbot = loaded(&incoming)?;
        let ids = numbered(body.tag_ids.as_deref().unwrap_or_default());
        let mut failures = tags::check_ids(self, &caller.scope, &chatbot, &ids).await?;
        let url = web_address_patch(body.url, "url", &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let file: store::File = loaded(&incoming)?;
        let update = FileUpdate {
            title: body.title,
            url: changed(url),
            enabled: body.enabled,
            tag_ids: body.tag_ids.map(converted_ids),
            job: file_job(file_id.uuid(), file.kind),
        };
        let updated = self
            .store
            .files()
            .update(&caller.scope, chatbot_id.into(), file_id.into(), &update, self.now())
            .await?;
        self.job_signals.enqueued(file_queue(file.kind));
        Ok(shown(updated.ok_or_else(gone::<store::File>)?))
    }

    async fn delete_file(&self, request: DeleteFile<Caller>) -> Result<(), Failure<DeleteFileError>> {
        let deleted = self.store.files().delete(&request.caller.scope, request.file_id.uuid()).await?;
        delete_object(self, &deleted.ok_or_else(gone::<store::File>)?).await;
        Ok(())
    }

    async fn get_file_content(
        &self,
        request: GetFileContent<Caller>,
    ) -> Result<FileText, Failure<GetFileContentError>> {
        let chunks = self.store.chunks().of_file(&request.caller.scope, request.file_id.uuid()).await?;
        let texts: Vec<&str> = chunks.iter().map(|chunk| chunk.text.as_str()).collect();
        let text = texts.join("\n\n");
        let chunks = chunks
            .into_iter()
            .map(|chunk| FileChunk::new(chunk.chunk_id.into(), i64::from(chunk.position), chunk.text));
        Ok(FileText::new(text, chunks))
    }

    async fn replace_file_content(
        &self,
        request: ReplaceFileContent<Caller>,
    ) -> Result<File, Failure<ReplaceFileContentError>> {
        upload::replace(self, request).await
    }

    async fn download_file(
        &self,
        request: DownloadFile<Caller>,
    ) -> Result<DownloadFileOk, Failure<DownloadFileError>> {
        let file: store::File = loaded(&request.incoming)?;
        // Without its object the file was deleted, or its content replaced, after the row was loaded.
        let content = self.files.get(&file.object_key).await?.ok_or_else(gone::<store::File>)?;
        Ok(DownloadFileOk {
            content_disposition: attachment(&file.file_name),
            x_content_type_options: "nosniff".to_owned(),
            body: content.into(),
        })
    }
}

/// Returns the header of a download (RFC 6266): the name in ASCII for old clients, and in full.
pub(in crate::api) fn attachment(file_name: &str) -> String {
    let plain = |character: char| match character {
        ' '..='~' if !matches!(character, '"' | '\\' | '%') => character,
        _ => '_',
    };
    let ascii: String = file_name.chars().map(plain).collect();
    let encoded = utf8_percent_encode(file_name, ENCODED);
    format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{encoded}")
}

fn shown(stored: store::File) -> File {
    let problem = match (stored.error_code, stored.error_message, stored.error_at) {
        (Some(code), Some(message), Some(at)) => {
            Some(FileProblem::new(FileProblemRequired { code, message, at: timestamp(at) }))
        }
        _ => None,
    };
    let warnings: Vec<FileWarning> = stored
        .warnings
        .0
        .into_iter()
        .map(|warning| FileWarning::new(FileWarningRequired { code: warning.code, message: warning.message }))
        .collect();
    File::new(FileRequired {
        file_id: stored.file_id.into(),
        title: stored.title,
        file_name: stored.file_name,
        url: stored.url,
        kind: match stored.kind {
            store::FileKind::Document => FileKind::Document,
            store::FileKind::Spreadsheet => FileKind::Spreadsheet,
            store::FileKind::Image => FileKind::Image,
            store::FileKind::Audio => FileKind::Audio,
        },
        mime_type: stored.mime_type,
        size_bytes: count(stored.size_bytes),
        sha256: stored.sha256,
        page_count: stored.page_count.map(i64::from),
        language: stored.language,
        status: match stored.status {
            store::FileStatus::Pending => TrainingStatus::Pending,
            store::FileStatus::Processing => TrainingStatus::Processing,
            store::FileStatus::Ready => TrainingStatus::Ready,
            store::FileStatus::Failed => TrainingStatus::Failed,
            store::FileStatus::Skipped => TrainingStatus::Skipped,
        },
        last_error: problem,
        enabled: stored.enabled,
        char_count: count(stored.char_count),
        chunk_count: count(stored.chunk_count),
        tag_ids: converted_ids(stored.tag_ids),
        hit_count: count(stored.hit_count),
        created_at: timestamp(stored.created_at),
        updated_at: timestamp(stored.updated_at),
    })
    .warnings(warnings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_downloads_cannot_break_the_header() {
        for (name, expected) in [
            ("menu.pdf", "attachment; filename=\"menu.pdf\"; filename*=UTF-8''menu.pdf"),
            ("a\"b\\\r\n.txt", "attachment; filename=\"a_b___.txt\"; filename*=UTF-8''a%22b%5C%0D%0A.txt"),
            ("café 50%.md", "attachment; filename=\"caf_ 50_.md\"; filename*=UTF-8''caf%C3%A9%2050%25.md"),
        ] {
            assert_eq!(attachment(name), expected);
        }
    }
}
