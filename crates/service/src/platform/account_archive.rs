//! All data of an account as one archive, and its removal.

use std::{
    io::{self, Seek, Write},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use frontdesk_store::{LEFT_OUT, Store, StoreError, TABLES};
use futures_util::{Stream, stream};
use jiff::Timestamp;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, mpsc},
    task::spawn_blocking,
    time::timeout,
};
use uuid::Uuid;
use zip::{ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::Platform;
use super::files::{FileStorage, StorageError, Undeleted, delete_objects};

/// The file of an archive that says which tables and columns it does not contain, and why.
const LEFT_OUT_FILE: &str = "left-out.jsonl";
/// The pieces of an archive that wait for a client that reads slowly. A piece is a page of rows or a file.
const PIECES: usize = 2;

/// Why an archive cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ArchiveError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The storage of uploaded files failed.
    #[error("the uploaded files cannot be read")]
    Files(#[from] StorageError),
    /// What takes the archive failed.
    #[error("cannot write the archive")]
    Write(#[source] io::Error),
}

impl From<io::Error> for ArchiveError {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

impl From<ZipError> for ArchiveError {
    fn from(error: ZipError) -> Self {
        Self::Write(error.into())
    }
}

/// Why an account cannot be removed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RemovalError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Uploaded files are left, which the recurring job deletes.
    #[error("the uploaded files cannot be deleted")]
    Files(#[from] Undeleted),
}

/// Writes the archive: for each table a file with one JSON object a line, a file that says what is left out,
/// and the content of uploaded files. Returns the number of rows. `written` is called after each page of
/// rows and after each file.
///
/// Rows are read in pages, so others who use the database meanwhile are not held up.
pub(crate) async fn write<W: Write + Seek>(
    store: &Store,
    files: &FileStorage,
    account_id: Uuid,
    archive: &mut ZipWriter<W>,
    mut written: impl AsyncFnMut() -> io::Result<()>,
) -> Result<u64, ArchiveError> {
    let options = SimpleFileOptions::default().large_file(true);
    let mut rows = 0;
    for table in TABLES {
        archive.start_file(format!("{}.jsonl", table.name), options)?;
        let mut after = Some(String::new());
        while let Some(key) = after {
            let (page, next) = store.account_data().rows(account_id, *table, &key).await?;
            for row in page {
                writeln!(archive, "{}", serde_json::Value::Object(row))?;
                rows += 1;
            }
            written().await?;
            after = next;
        }
    }
    archive.start_file(LEFT_OUT_FILE, options)?;
    for left_out in LEFT_OUT {
        let line = serde_json::json!({ "left_out": left_out.name, "reason": left_out.reason });
        writeln!(archive, "{line}")?;
    }
    for key in store.stored_objects().of_account(account_id).await? {
        let Some(content) = files.get(&key).await? else { continue };
        archive.start_file(format!("files/{key}"), options)?;
        archive.write_all(&content)?;
        written().await?;
    }
    Ok(rows)
}

/// What was written of an archive and not taken yet.
#[derive(Clone, Debug, Default)]
struct Pending(Arc<Mutex<Vec<u8>>>);

impl Pending {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the bytes of an archive while they are made. The permit is given back at the end. A failure is
/// logged and breaks the stream off, so that nobody takes a part for the whole.
pub(crate) fn stream(
    platform: &Platform,
    account_id: Uuid,
    permit: OwnedSemaphorePermit,
) -> impl Stream<Item = io::Result<Bytes>> + Send + use<> {
    let (sender, receiver) = mpsc::channel(PIECES);
    let (platform, runtime) = (platform.clone(), Handle::current());
    // Compressing keeps a thread busy, so it is not one of those that respond to requests.
    spawn_blocking(move || {
        let result = runtime.block_on(send(&platform, account_id, &sender));
        match result {
            Ok(rows) => tracing::info!(%account_id, rows, "the data of an account was exported"),
            Err(_) if sender.is_closed() => {
                tracing::info!(%account_id, "the client has ended the export of an account");
            }
            Err(error) => {
                tracing::error!(%account_id, error = &error as &dyn std::error::Error, "the export of an account failed");
                let broken = io::Error::other("the archive could not be completed");
                // A client that has gone meanwhile needs no error.
                let _ = runtime.block_on(sender.send(Err(broken)));
            }
        }
        drop(permit);
    });
    stream::unfold(receiver, |mut receiver| async move {
        let piece = receiver.recv().await?;
        Some((piece, receiver))
    })
}

async fn send(
    platform: &Platform,
    account_id: Uuid,
    sender: &mpsc::Sender<io::Result<Bytes>>,
) -> Result<u64, ArchiveError> {
    let pending = Pending::default();
    let mut archive = ZipWriter::new_stream(pending.clone());
    let pass_on = async || -> io::Result<()> {
        let piece = pending.take();
        if piece.is_empty() {
            return Ok(());
        }
        sender.send(Ok(piece)).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    };
    let rows = write(&platform.store, &platform.files, account_id, &mut archive, &pass_on).await?;
    archive.finish()?;
    pass_on().await?;
    Ok(rows)
}

/// Removes an account with everything that belongs to it, uploaded files included. Returns whether there was
/// such an account. A call that was interrupted is repeated.
pub(crate) async fn erase(
    store: &Store,
    files: &FileStorage,
    account_id: Uuid,
    now: Timestamp,
) -> Result<bool, RemovalError> {
    let objects = store.stored_objects().of_account(account_id).await?;
    let erased = store.account_data().erase(account_id, now).await?;
    delete_objects(store, files, &objects, now).await?;
    Ok(erased)
}

/// Removes an account whose erasure has begun, as far as there is time. The rest, and what failed, is the
/// work of the recurring job.
pub(crate) async fn erase_within(platform: &Platform, account_id: Uuid, time: Duration) {
    match timeout(time, erase(&platform.store, &platform.files, account_id, platform.now())).await {
        Ok(Ok(_)) => tracing::info!(%account_id, "an account was erased"),
        Ok(Err(error)) => {
            let error = &error as &dyn std::error::Error;
            tracing::warn!(%account_id, error, "the rest of an account is erased later");
        }
        Err(_) => tracing::info!(%account_id, "the rest of an account is erased in the background"),
    }
}
