//! `frontdesk account export` and `account erase`: all data of an account as one archive, and its removal.

use std::{
    io::{self, BufWriter},
    path::Path,
};

use uuid::Uuid;
use zip::ZipWriter;

use super::{Admin, CliError, new_file::NewFile};
use crate::platform::{
    account_archive::{self, ArchiveError, RemovalError},
    files::FileStorage,
};

/// Writes the archive, and returns the number of rows in it. It appears under its name when it is complete.
pub(super) async fn export(admin: &Admin, account_id: Uuid, path: &Path) -> Result<u64, CliError> {
    let new = NewFile::create("--output", path)?;
    let mut archive = ZipWriter::new(BufWriter::new(new.file()));
    let storage = FileStorage::open(&admin.loaded.config);
    let rows =
        account_archive::write(&admin.store, &storage, account_id, &mut archive, async || Ok(())).await?;
    let buffer = archive.finish().map_err(ArchiveError::from)?;
    buffer.into_inner().map_err(|error| unwritten(error.into_error()))?;
    new.finish()?;
    Ok(rows)
}

/// Removes an account with everything that belongs to it, uploaded files included. Returns whether there was
/// such an account.
pub(super) async fn erase(admin: &Admin, account_id: Uuid) -> Result<bool, CliError> {
    let sub_accounts = admin.store.account_data().sub_accounts(account_id).await?;
    if sub_accounts > 0 {
        return Err(CliError::Value {
            flag: "the account",
            problem: format!("it has {sub_accounts} sub-accounts; erase them first"),
        });
    }
    let storage = FileStorage::open(&admin.loaded.config);
    match account_archive::erase(&admin.store, &storage, account_id, admin.now).await {
        Ok(erased) => Ok(erased),
        Err(RemovalError::Store(error)) => Err(error.into()),
        Err(RemovalError::Files(error)) => Err(CliError::Files(Box::new(error))),
    }
}

impl From<ArchiveError> for CliError {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Store(error) => error.into(),
            ArchiveError::Files(error) => Self::Files(Box::new(error)),
            ArchiveError::Write(source) => unwritten(source),
        }
    }
}

fn unwritten(source: io::Error) -> CliError {
    CliError::System { what: "cannot write the archive", source }
}
