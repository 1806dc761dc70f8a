//! The storage of uploaded files, and the extractor that reads them.

mod bucket;
mod deletion;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use frontdesk_documents::{Extractor, Limits};
use futures_util::TryStreamExt;
use object_store::{ObjectStore, ObjectStoreExt, local::LocalFileSystem, path::Path};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use uuid::Uuid;

pub(crate) use self::deletion::{
    OBJECTS_PER_RUN, Undeleted, delete_erased_objects, delete_object, delete_objects,
};
use crate::platform::{
    config::{Config, S3},
    sqlite_file::sqlite_file,
};

/// The name of the hidden command that reads a file.
const EXTRACT_COMMAND: &str = "extract-document";

/// How long a bucket may take to respond before the start of the service warns of it.
const REACHING: Duration = Duration::from_secs(10);

/// The program of this process, even if its file was replaced by a newer version meanwhile.
const THIS_PROGRAM: &str = "/proc/self/exe";

/// The content of uploaded files, by keys of the form `account/chatbot/file/revision`. Clones share it.
#[derive(Clone, Debug)]
pub struct FileStorage {
    place: Place,
    store: Arc<OnceCell<Arc<dyn ObjectStore>>>,
}

#[derive(Clone, Debug)]
enum Place {
    Folder(PathBuf),
    Bucket(Box<S3>),
}

/// The storage of files failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StorageError {
    /// The folder cannot be made.
    #[error("the folder {} for uploaded files cannot be created; check files.directory", folder.display())]
    Folder {
        folder: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// An object cannot be written, read or deleted.
    #[error("the storage of uploaded files failed")]
    Store(#[from] object_store::Error),
}

impl FileStorage {
    /// Returns the storage in the bucket or the folder of the configuration.
    pub(crate) fn open(config: &Config) -> Self {
        if config.files.s3.bucket.is_some() {
            return Self { place: Place::Bucket(Box::new(config.files.s3.clone())), store: Arc::default() };
        }
        let folder = chosen_folder(config);
        Self::in_folder(folder.unwrap_or_else(|| PathBuf::from("frontdesk-data/files")))
    }

    /// Looks into the bucket, if the storage is one, and warns when it cannot be reached: it may be reachable
    /// by the time somebody uploads a file.
    pub(crate) async fn warn_if_unreachable(self) {
        let Place::Bucket(s3) = &self.place else { return };
        let problem = match timeout(REACHING, self.occupied()).await {
            Ok(Ok(_)) => return,
            Ok(Err(error)) => chain(&error),
            Err(_) => "it did not respond in time".to_owned(),
        };
        let bucket = s3.bucket.as_deref().unwrap_or_default();
        tracing::warn!(bucket, problem, "the bucket for uploaded files cannot be reached");
    }

    /// Returns the storage in a folder, which is created by the first use.
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self { place: Place::Folder(folder), store: Arc::default() }
    }

    /// Returns a key for the next content of a file.
    pub(crate) fn key(account_id: Uuid, chatbot_id: Uuid, file_id: Uuid) -> String {
        format!("{account_id}/{chatbot_id}/{file_id}/{}", Uuid::now_v7())
    }

    /// Returns a key for the content of an attachment.
    pub(crate) fn attachment_key(account_id: Uuid, attachment_id: Uuid) -> String {
        format!("{account_id}/attachments/{attachment_id}")
    }

    /// Writes an object. It is on the disk, or the bucket's service has confirmed it, when this returns.
    pub(crate) async fn put(&self, key: &str, content: Bytes) -> Result<(), StorageError> {
        self.store().await?.put(&Path::from(key), content.into()).await?;
        Ok(())
    }

    /// Reads an object; `None` if it does not exist.
    pub(crate) async fn get(&self, key: &str) -> Result<Option<Bytes>, StorageError> {
        match self.store().await?.get(&Path::from(key)).await {
            Ok(found) => Ok(Some(found.bytes().await?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes an object. It is not an error if there is none.
    pub(crate) async fn delete(&self, key: &str) -> Result<(), StorageError> {
        match self.store().await?.delete(&Path::from(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the name of the folder or bucket if there is anything in it. A folder that does not exist is
    /// not created.
    pub(crate) async fn occupied(&self) -> Result<Option<String>, StorageError> {
        match &self.place {
            Place::Folder(folder) => {
                let failed = |source| StorageError::Folder { folder: folder.clone(), source };
                match std::fs::read_dir(folder) {
                    Ok(mut entries) => {
                        let first = entries.next().transpose().map_err(failed)?;
                        Ok(first.map(|_| format!("the folder {}", folder.display())))
                    }
                    Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
                    Err(error) => Err(failed(error)),
                }
            }
            Place::Bucket(s3) => {
                let first = self.store().await?.list(None).try_next().await?;
                Ok(first.map(|_| format!("the bucket {}", s3.bucket.as_deref().unwrap_or_default())))
            }
        }
    }

    async fn store(&self) -> Result<&Arc<dyn ObjectStore>, StorageError> {
        self.store
            .get_or_try_init(|| async {
                let folder = match &self.place {
                    Place::Folder(folder) => folder,
                    Place::Bucket(s3) => return Ok(bucket::open(s3)?),
                };
                tokio::fs::create_dir_all(folder)
                    .await
                    .map_err(|source| StorageError::Folder { folder: folder.clone(), source })?;
                let local = LocalFileSystem::new_with_prefix(folder)?;
                // What was acknowledged is durable, and deleted files leave no empty folders.
                let local = local.with_fsync(true).with_automatic_cleanup(true);
                Ok(Arc::new(local) as Arc<dyn ObjectStore>)
            })
            .await
    }
}

/// Returns the folder for uploaded files that the configuration names, or that is beside its database;
/// `None` for a bucket, and for the folder that nobody has chosen.
pub(crate) fn chosen_folder(config: &Config) -> Option<PathBuf> {
    if config.files.s3.bucket.is_some() {
        return None;
    }
    let beside_database =
        || sqlite_file(config.database.expose()).and_then(|file| Some(file.parent()?.join("files")));
    config.files.directory.clone().or_else(beside_database)
}

/// Returns an error with everything that has caused it.
fn chain(error: &StorageError) -> String {
    let mut text = error.to_string();
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// Returns the extractor of the configuration.
pub(crate) fn extractor(config: &Config) -> Extractor {
    let program = config.files.extractor.clone().unwrap_or_else(|| PathBuf::from(THIS_PROGRAM));
    Extractor::new(program, [EXTRACT_COMMAND], Limits::default(), config.files.workers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn objects_are_kept_until_they_are_deleted() {
        let folder = tempfile::tempdir().unwrap();
        let storage = FileStorage::in_folder(folder.path().join("deep/files"));
        let key = FileStorage::key(Uuid::nil(), Uuid::nil(), Uuid::nil());
        assert_eq!(storage.occupied().await.unwrap(), None);
        assert!(!folder.path().join("deep").exists(), "looking creates nothing");
        assert_eq!(storage.get(&key).await.unwrap(), None);
        storage.put(&key, Bytes::from_static(b"text")).await.unwrap();
        assert!(storage.occupied().await.unwrap().is_some_and(|place| place.contains("deep/files")));
        let again = FileStorage::in_folder(folder.path().join("deep/files"));
        assert_eq!(again.get(&key).await.unwrap(), Some(Bytes::from_static(b"text")));
        storage.delete(&key).await.unwrap();
        storage.delete(&key).await.unwrap();
        assert_eq!(storage.get(&key).await.unwrap(), None);
        assert_eq!(std::fs::read_dir(folder.path().join("deep/files")).unwrap().count(), 0);
    }
}
