//! What programs of users are given beside the service: a website, servers of mail, and a messenger.
//!
//! `tests/released/README.md` tells it to those who write a program.

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use frontdesk_service::config::Config;
use tempfile::TempDir;
use tokio::task::AbortHandle;

use crate::{
    channels::{Dovecot, telegram},
    contract::sales::with_mail,
    patience::INTERVAL,
    site::{Page, Site, bakery_page},
    webhooks::mail::{Mails, Manner, sink},
};

/// How long a page takes whose crawl is to be stopped.
const LATE: Duration = Duration::from_secs(3);

/// What is around the service while programs run.
pub(super) struct Surroundings {
    site: Site,
    smtp: String,
    /// Its folder `sent` has a file for each e-mail that the mail server has accepted.
    mails: TempDir,
    writer: AbortHandle,
    mailbox: Option<Dovecot>,
    telegram: url::Url,
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        self.writer.abort();
    }
}

impl Surroundings {
    pub(super) async fn start() -> Self {
        let (smtp, mails) = sink(Manner::Accept).await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("sent")).unwrap();
        let writer = tokio::spawn(write_mails(mails, folder.path().to_owned())).abort_handle();
        Self {
            site: Site::answering(page).await,
            smtp,
            mails: folder,
            writer,
            mailbox: Dovecot::start().await,
            telegram: telegram("Do you have gluten-free bread?").await,
        }
    }

    /// Makes a service use them.
    pub(super) fn configure(&self, config: &mut Config) {
        with_mail(config, &self.smtp);
        config.channels.telegram_url = self.telegram.clone();
        config.training.recrawl_pause = Duration::ZERO;
    }

    /// Removes the e-mails of earlier programs, which write to the same people.
    pub(super) fn forget_mails(&self) {
        for mail in std::fs::read_dir(self.mails.path().join("sent")).unwrap() {
            std::fs::remove_file(mail.unwrap().path()).unwrap();
        }
    }

    /// Returns the command that runs a program.
    pub(super) fn command(&self, binary: &Path, address: &str, key: &str) -> Command {
        let mut command = Command::new(binary);
        command.args([address, key, &self.site.origin()]);
        command.env("JOURNEY_SMTP", self.smtp.trim_start_matches("smtp://"));
        command.env("JOURNEY_SENT", self.mails.path().join("sent"));
        command.env_remove("JOURNEY_IMAP").env_remove("JOURNEY_MAILBOX");
        if let Some(mailbox) = &self.mailbox {
            command.env("JOURNEY_IMAP", mailbox.address()).env("JOURNEY_MAILBOX", mailbox.maildir());
        }
        command
    }
}

/// The website of the bakery, with pages that it does not link to.
fn page(path: &str) -> Page {
    match path {
        "/pages.xml" => Page::bytes(
            "text/xml",
            "<urlset><url><loc>/cakes/carrot</loc></url><url><loc>/cakes/lemon</loc></url><url><loc>/delivery</loc></url></urlset>",
        ),
        "/cakes/carrot" => {
            Page::html("Carrot cake", "<p>The carrot cake costs 28 pounds and serves twelve.</p>")
        }
        "/cakes/lemon" => Page::html("Lemon cake", "<p>The lemon cake has three layers and no nuts.</p>"),
        path if path.starts_with("/archive/") => {
            Page::html("Archive", "<p>Our newsletters of the last years.</p><a href=\"/archive/1\">1</a>")
                .late(LATE)
        }
        path => bakery_page(path),
    }
}

/// Writes what a mail server accepts to the folder `sent` of a folder.
async fn write_mails(mails: Mails, folder: PathBuf) {
    let mut written = 0;
    loop {
        let new: Vec<String> = mails.lock().unwrap()[written..].to_vec();
        for mail in new {
            // A reader never sees a part of it.
            let unfinished = folder.join("unfinished");
            std::fs::write(&unfinished, mail).unwrap();
            std::fs::rename(unfinished, folder.join(format!("sent/{written}.eml"))).unwrap();
            written += 1;
        }
        tokio::time::sleep(INTERVAL).await;
    }
}
