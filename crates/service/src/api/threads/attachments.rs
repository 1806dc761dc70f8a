//! Attachments that come in and go out.

use bytes::Bytes;
use frontdesk_documents::sniff;
use frontdesk_model::{
    Attachment, DownloadAttachmentError, DownloadAttachmentOk, Message, PayloadTooLarge,
    UnsupportedMediaType, UploadAttachmentError,
};
use frontdesk_runtime::Failure;
use frontdesk_server::{DownloadAttachment, UploadAttachment};
use frontdesk_store::{self as store, AttachmentError, NewAttachment, Scope};
use uuid::Uuid;

use super::shown;
use crate::{
    api::{
        Service,
        account::acting,
        files::{attachment as disposition, visible_name},
    },
    edge::{
        Caller,
        authorization::resources::{gone, loaded},
        responses,
    },
    platform::files::{FileStorage, delete_object},
};

/// The size of the largest attachment, in bytes.
const MOST_BYTES: usize = 10 * 1024 * 1024;

/// Endings of names of programs for the computers of recipients.
const PROGRAMS: [&str; 17] = [
    "apk", "app", "bat", "cmd", "com", "dmg", "exe", "hta", "jar", "js", "lnk", "msi", "ps1", "scr", "sh",
    "vbs", "wsf",
];

/// The beginnings of programs: Windows, Linux, macOS (three forms), and scripts.
const PROGRAM_BEGINNINGS: [&[u8]; 6] =
    [b"MZ", b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\xfe\xed\xfa\xcf", b"\xca\xfe\xba\xbe", b"#!"];

pub(super) async fn upload(
    service: &Service,
    request: UploadAttachment<Caller>,
) -> Result<Attachment, Failure<UploadAttachmentError>> {
    let UploadAttachment { caller, body, .. } = request;
    let caller = acting(service, caller, body.account_id.map(Into::into)).await??;
    let Ok(content) = body.file.content.bytes(MOST_BYTES).await else {
        let message =
            format!("The file is larger than {} MB, the most that an attachment may have.", MOST_BYTES >> 20);
        return Err(PayloadTooLarge { body: Message::new(message) }.into());
    };
    let file_name = visible_name(body.file.name.as_deref().unwrap_or_default());
    let recognized = tokio::task::spawn_blocking({
        let (content, file_name) = (content.clone(), file_name.clone());
        move || media_type(&content, &file_name)
    });
    let Some(mime_type) = recognized.await? else {
        let message = "Programs are not accepted as attachments.";
        return Err(UnsupportedMediaType { body: Message::new(message) }.into());
    };
    let attachment_id = Uuid::now_v7();
    let object_key = FileStorage::attachment_key(caller.account_id, attachment_id);
    service.store.stored_objects().register(&object_key, service.now()).await?;
    let size_bytes = content.len() as u64;
    service.files.put(&object_key, content).await?;
    let new = NewAttachment { attachment_id, file_name, mime_type, size_bytes, object_key };
    let account = Scope::of_account(caller.account_id);
    match service.store.threads().add_attachment(&account, &new, service.now()).await {
        Ok(stored) => Ok(shown::attachment(stored)),
        Err(error) => {
            delete_object(service, &new.object_key).await;
            Err(match error {
                AttachmentError::PlanLimit(reached) => responses::plan_limit_reached(reached).into(),
                AttachmentError::Store(error) => error.into(),
            })
        }
    }
}

pub(super) async fn download(
    service: &Service,
    request: DownloadAttachment<Caller>,
) -> Result<DownloadAttachmentOk, Failure<DownloadAttachmentError>> {
    let attachment: store::Attachment = loaded(&request.incoming)?;
    let content = service.files.get(&attachment.object_key).await?.ok_or_else(gone::<store::Attachment>)?;
    Ok(DownloadAttachmentOk {
        content_disposition: disposition(&attachment.file_name),
        x_content_type_options: "nosniff".to_owned(),
        body: content.into(),
    })
}

/// Returns the media type of a content, or `None` if it is a program.
fn media_type(content: &Bytes, file_name: &str) -> Option<String> {
    let ending = file_name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    let is_named_so = ending.is_some_and(|ending| PROGRAMS.contains(&ending.as_str()));
    if is_named_so || PROGRAM_BEGINNINGS.iter().any(|beginning| content.starts_with(beginning)) {
        return None;
    }
    let known = sniff(content, file_name).map(|found| found.mime_type().to_owned());
    Some(known.unwrap_or_else(|_| frontdesk_mail::media_type(content, None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_recognized_by_name_and_content() {
        let type_of = |content: &'static [u8], name: &str| media_type(&Bytes::from_static(content), name);
        assert_eq!(type_of(b"Hello", "note.txt").as_deref(), Some("text/plain"));
        assert_eq!(type_of(b"\x00\x01\x02", "data.bin").as_deref(), Some("application/octet-stream"));
        assert_eq!(type_of(b"\x89PNG\r\n\x1a\n\0\0", "photo.png").as_deref(), Some("image/png"));
        assert_eq!(type_of(b"Hello", "note.EXE"), None);
        assert_eq!(type_of(b"MZ\x90\x00", "photo.png"), None);
        assert_eq!(type_of(b"#!/bin/sh\n", "readme.txt"), None);
    }
}
