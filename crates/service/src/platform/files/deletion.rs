//! Deletion of content whose file, chatbot or account is gone.
//!
//! One object that cannot be deleted does not keep the others: its note stays, and the next cleaning tries
//! again. A storage that fails several times in a row is left alone until then.

use frontdesk_store::{Store, StoreError};
use jiff::Timestamp;

use super::{FileStorage, StorageError};
use crate::platform::Platform;

/// How many objects one run deletes.
pub(crate) const OBJECTS_PER_RUN: u32 = 500;

/// How many times as many objects are deleted at once, after an erasure.
const ERASED_RUNS: usize = 10;

/// After so many failures in a row, the storage itself is taken to be down.
const FAILURES_IN_A_ROW: usize = 5;

/// Deletes objects whose rows were deleted with the data of a person, at most some thousand. What is left, or
/// cannot be deleted, is the work of the recurring job.
pub(crate) async fn delete_erased_objects(platform: &Platform) {
    for _ in 0..ERASED_RUNS {
        let erased = match platform.store.stored_objects().erased(OBJECTS_PER_RUN).await {
            Ok(erased) => erased,
            Err(error) => {
                tracing::warn!(%error, "erased files stay until the next cleaning");
                return;
            }
        };
        if let Err(error) = delete_objects(&platform.store, &platform.files, &erased, platform.now()).await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "erased files stay until the next cleaning"
            );
            return;
        }
        if erased.len() < OBJECTS_PER_RUN as usize {
            return;
        }
    }
}

/// Deletes an object that no file names any more. If this fails, the recurring job deletes it later.
pub(crate) async fn delete_object(platform: &Platform, key: &str) {
    if let Err(error) = delete(&platform.store, &platform.files, key).await {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the content of a deleted file stays until the next cleaning"
        );
    }
}

/// Objects that could not be deleted.
#[derive(Debug, thiserror::Error)]
#[error("{failed} of {all} objects could not be deleted, and {untried} were not tried")]
pub(crate) struct Undeleted {
    failed: usize,
    untried: usize,
    all: usize,
    /// Why the last of them could not.
    #[source]
    last: DeletionError,
}

/// Why an object could not be deleted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DeletionError {
    /// The storage failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The database failed.
    #[error("the object was deleted, but its note could not be removed")]
    Note(#[from] StoreError),
}

/// Deletes objects and their notes. Goes on after a failure, but not after several in a row. Objects that
/// failed are tried after the others the next time.
pub(crate) async fn delete_objects(
    store: &Store,
    files: &FileStorage,
    keys: &[String],
    now: Timestamp,
) -> Result<(), Undeleted> {
    let (mut failed, mut in_a_row, mut last) = (0, 0, None);
    let mut rest = keys.iter();
    while in_a_row < FAILURES_IN_A_ROW
        && let Some(key) = rest.next()
    {
        match delete(store, files, key).await {
            Ok(()) => in_a_row = 0,
            Err(error) => {
                failed += 1;
                in_a_row += 1;
                if let Err(error) = store.stored_objects().postpone(key, now).await {
                    tracing::warn!(
                        error = &error as &dyn std::error::Error,
                        "a failed deletion could not be recorded, so the object is tried first again"
                    );
                }
                last = Some(error);
            }
        }
    }
    match last {
        None => Ok(()),
        Some(last) => Err(Undeleted { failed, untried: rest.len(), all: keys.len(), last }),
    }
}

/// Deletes an object, then its note.
async fn delete(store: &Store, files: &FileStorage, key: &str) -> Result<(), DeletionError> {
    files.delete(key).await?;
    Ok(store.stored_objects().forget(key).await?)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// Writes objects with these keys. One whose key begins with `stuck` cannot be deleted, because a folder
    /// has its name.
    async fn written(keys: &[String]) -> (tempfile::TempDir, Store, FileStorage) {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open("sqlite::memory:").await.unwrap();
        let files = FileStorage::in_folder(folder.path().to_owned());
        for key in keys {
            store.stored_objects().register(key, Timestamp::UNIX_EPOCH).await.unwrap();
            if key.starts_with("stuck") {
                std::fs::create_dir(folder.path().join(key)).unwrap();
            } else {
                files.put(key, Bytes::from_static(b"text")).await.unwrap();
            }
        }
        (folder, store, files)
    }

    async fn noted(store: &Store) -> Vec<String> {
        store.stored_objects().orphans(Timestamp::MAX, 100).await.unwrap()
    }

    #[tokio::test]
    async fn one_object_that_cannot_be_deleted_does_not_keep_the_others() {
        let keys = ["a", "stuck", "b"].map(str::to_owned);
        let (folder, store, files) = written(&keys).await;
        let error = delete_objects(&store, &files, &keys, Timestamp::UNIX_EPOCH).await.unwrap_err();
        assert_eq!((error.failed, error.untried), (1, 0), "{error}");
        assert_eq!(noted(&store).await, ["stuck"]);
        assert!(!folder.path().join("a").exists() && !folder.path().join("b").exists());
        assert!(delete_objects(&store, &files, &["a".to_owned()], Timestamp::UNIX_EPOCH).await.is_ok());
    }

    #[tokio::test]
    async fn a_storage_that_only_fails_is_left_alone() {
        let mut keys: Vec<String> = (0..FAILURES_IN_A_ROW).map(|number| format!("stuck-{number}")).collect();
        keys.push("later".to_owned());
        let (folder, store, files) = written(&keys).await;
        let error = delete_objects(&store, &files, &keys, Timestamp::UNIX_EPOCH).await.unwrap_err();
        assert_eq!((error.failed, error.untried), (FAILURES_IN_A_ROW, 1), "{error}");
        assert!(folder.path().join("later").exists());
        assert_eq!(noted(&store).await.len(), keys.len());
    }

    #[tokio::test]
    async fn objects_that_cannot_be_deleted_come_last_the_next_time() {
        let mut keys: Vec<String> = (0..FAILURES_IN_A_ROW).map(|number| format!("stuck-{number}")).collect();
        keys.push("later".to_owned());
        let (folder, store, files) = written(&keys).await;
        for _ in 0..2 {
            let orphans = noted(&store).await;
            let now = Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_secs(1);
            delete_objects(&store, &files, &orphans, now).await.unwrap_err();
        }
        assert!(!folder.path().join("later").exists());
        assert_eq!(noted(&store).await, keys[..FAILURES_IN_A_ROW]);
    }
}
