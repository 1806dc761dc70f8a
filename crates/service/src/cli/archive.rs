//! `frontdesk account export` and `account erase`: all data of an account as one archive, and its removal.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
};

use frontdesk_store::{LEFT_OUT, TABLES};
use uuid::Uuid;
use zip::{ZipWriter, result::ZipError, write::SimpleFileOptions};

use super::{Admin, CliError, new_file::NewFile};
use crate::platform::files::{FileStorage, delete_objects};

/// The file of an archive that says which tables and columns it does not contain, and why.
const LEFT_OUT_FILE: &str = "left-out.jsonl";

/// Writes the archive: for each table a file with one JSON object a line, a file that says what is left out,
/// and the content of uploaded files. Returns the number of rows.
///
/// Rows are read in pages, so a service that uses the database meanwhile is not held up.
///
/// The archive appears under its name when it is complete.
pub(super) async fn export(admin: &Admin, account_id: Uuid, path: &Path) -> Result<u64, CliError> {
    let new = NewFile::create("--output", path)?;
    let mut archive = ZipWriter::new(BufWriter::new(new.file()));
    let rows = write(admin, account_id, &mut archive).await?;
    let buffer = archive.finish().map_err(unwritten)?;
    buffer.into_inner().map_err(|error| cannot("cannot write the archive", error.into_error()))?;
    new.finish()?;
    Ok(rows)
}

async fn write(
    admin: &Admin,
    account_id: Uuid,
    archive: &mut ZipWriter<BufWriter<&File>>,
) -> Result<u64, CliError> {
    let options = SimpleFileOptions::default().large_file(true);
    let mut rows = 0;
    for table in TABLES {
        archive.start_file(format!("{}.jsonl", table.name), options).map_err(unwritten)?;
        let mut after = Some(String::new());
        while let Some(key) = after {
            let (page, next) = admin.store.account_data().rows(account_id, *table, &key).await?;
            for row in page {
                let line = serde_json::Value::Object(row);
                writeln!(archive, "{line}").map_err(|source| cannot("cannot write the archive", source))?;
                rows += 1;
            }
            after = next;
        }
    }
    archive.start_file(LEFT_OUT_FILE, options).map_err(unwritten)?;
    for left_out in LEFT_OUT {
        let line = serde_json::json!({ "left_out": left_out.name, "reason": left_out.reason });
        writeln!(archive, "{line}").map_err(|source| cannot("cannot write the archive", source))?;
    }
    let storage = FileStorage::open(&admin.loaded.config);
    for key in admin.store.stored_objects().of_account(account_id).await? {
        let content = storage.get(&key).await.map_err(|source| CliError::Files(Box::new(source)))?;
        let Some(content) = content else { continue };
        archive.start_file(format!("files/{key}"), options).map_err(unwritten)?;
        archive.write_all(&content).map_err(|source| cannot("cannot write the archive", source))?;
    }
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
    let objects = admin.store.stored_objects().of_account(account_id).await?;
    let erased = admin.store.account_data().erase(account_id, admin.now).await?;
    let storage = FileStorage::open(&admin.loaded.config);
    delete_objects(&admin.store, &storage, &objects, admin.now)
        .await
        .map_err(|source| CliError::Files(Box::new(source)))?;
    Ok(erased)
}

fn cannot(what: &'static str, source: io::Error) -> CliError {
    CliError::System { what, source }
}

fn unwritten(error: ZipError) -> CliError {
    cannot("cannot write the archive", error.into())
}
