//! Loader of documents from a folder.

use std::path::PathBuf;

use frontdesk_document::{LoadError, Loader};

/// The files below a folder.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Loader for Folder {
    fn load(&self, path: &str) -> Result<String, LoadError> {
        fs_err::read_to_string(self.0.join(path)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => LoadError::NotFound,
            _ => LoadError::Failed(error.to_string()),
        })
    }
}
