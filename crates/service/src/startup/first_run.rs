//! The first start: the link with which somebody sets the installation up.
//!
//! A page for set-up that anybody can open gets taken by whoever finds it first, so the link has a token. It
//! is printed where the operator looks: on the terminal, or else in a file that only the operator can read.

use std::{
    io::{self, IsTerminal, Write},
    path::PathBuf,
};

use frontdesk_store::LinkKind;

use crate::{
    platform::{
        secrets::people_tokens::{LinkError, issue_link},
        sqlite_file::sqlite_file,
    },
    startup::{Running, links},
};

/// The name of the file with the link.
const FILE: &str = "setup-link.txt";
/// The folder of the file if the database is not a file.
const FOLDER: &str = "frontdesk-data";

/// Shows the set-up link if there is nobody yet. The service works without it, so a file that cannot be
/// written is a warning.
pub(crate) async fn show_setup_link(running: &Running) -> Result<(), LinkError> {
    let service = running.service();
    if !running.store.people().are_missing().await? {
        return Ok(());
    }
    let token = issue_link(&running.store, LinkKind::Setup, None, service.now()).await?;
    let base = links::base(&service.config, running.address);
    let link = links::to_console(&base, LinkKind::Setup.as_str(), &token);
    let mut terminal = io::stderr();
    if terminal.is_terminal() {
        let text = format!("\nSet this installation up within an hour, in a browser:\n\n    {link}\n\n");
        if let Err(error) = terminal.write_all(text.as_bytes()) {
            tracing::warn!(%error, "the set-up link could not be printed");
        }
        return Ok(());
    }
    let database = sqlite_file(service.config.database.expose());
    let folder = database.and_then(|file| file.parent().map(PathBuf::from)).unwrap_or_else(|| FOLDER.into());
    let path = folder.join(FILE);
    let path_shown = path.display();
    if let Err(error) = write(&path, &format!("{link}\n")).await {
        tracing::warn!(%error, path = %path_shown, "the set-up link could not be written to this file");
        return Ok(());
    }
    tracing::info!(path = %path_shown, "the set-up link is in this file, valid for an hour");
    Ok(())
}

/// Writes a file that only its owner can read, in place of an earlier one.
async fn write(path: &std::path::Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        tokio::fs::create_dir_all(folder).await?;
    }
    match tokio::fs::remove_file(path).await {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    // A new file, so that it never has the permissions of an old one.
    let mut file = tokio::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).await?;
    tokio::io::AsyncWriteExt::write_all(&mut file, text.as_bytes()).await?;
    file.sync_all().await
}
