//! [`Surroundings`]: what the program is given, by its arguments and by variables of the environment.

use std::{env, fs, path::PathBuf};

use released_client::runtime::{Timestamp, Uuid};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::{Outcome, waiting::eventually};

/// What is around the service: the website of the bakery, and the servers of its mail.
pub struct Surroundings {
    /// The service, as the first argument: `http://HOST:PORT`.
    pub address: String,
    /// An API key of the owner of an account with the plan `growth`, as the second argument.
    pub key: String,
    /// The website of the bakery, as the third argument; its address ends in `/`. Nothing links to
    /// `pages.xml`, a sitemap of `cakes/carrot` and `cakes/lemon`, nor to `archive/`, whose pages take
    /// seconds to arrive.
    pub site: String,
    /// `JOURNEY_SMTP`: host and port of a mail server that accepts every message, for
    /// `support@bakery.example` and others. The service sends its own e-mails by it, too.
    pub smtp: (String, i64),
    /// `JOURNEY_SENT`: the folder in which that server stores each message as a file.
    sent: PathBuf,
    /// `JOURNEY_IMAP` and `JOURNEY_MAILBOX`: the mailbox of `support@bakery.example`. They are not set on
    /// machines without an IMAP server; e-mails are then posted to the service only.
    pub mailbox: Option<Mailbox>,
}

/// A mailbox that can be read by IMAP, of the user `support` with the password `secret`.
pub struct Mailbox {
    pub host: String,
    pub port: i64,
    /// A folder in the format Maildir: what is written to it has arrived in the mailbox.
    folder: PathBuf,
}

impl Surroundings {
    pub fn read() -> Outcome<Self> {
        let arguments: Vec<String> = env::args().skip(1).collect();
        let [address, key, site] = <[String; 3]>::try_from(arguments).map_err(|_| "ADDRESS KEY SITE")?;
        let mailbox = match env::var("JOURNEY_IMAP") {
            Ok(server) => {
                let (host, port) = host_and_port(&server)?;
                Some(Mailbox { host, port, folder: env::var("JOURNEY_MAILBOX")?.into() })
            }
            Err(_) => None,
        };
        let smtp = host_and_port(&env::var("JOURNEY_SMTP")?)?;
        Ok(Self { address, key, site, smtp, sent: env::var("JOURNEY_SENT")?.into(), mailbox })
    }

    /// Returns the address of a page of the website.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.site)
    }

    /// Posts an e-mail to a channel as the program of a mail server does, and returns the status of the
    /// response. The path is beside the interface that the client covers.
    pub async fn post_mail(&self, channel_key: Uuid, secret: &str, mail: &str) -> Outcome<String> {
        let host = self.address.trim_start_matches("http://");
        let head = format!(
            "POST /api/v1/public/channels/{channel_key}/mail HTTP/1.1\r\nHost: {host}\r\nX-Channel-Secret: {secret}\r\n\
             Content-Type: message/rfc822\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            mail.len()
        );
        let mut stream = TcpStream::connect(host).await?;
        stream.write_all(format!("{head}{mail}").as_bytes()).await?;
        let mut response = String::new();
        stream.read_to_string(&mut response).await?;
        Ok(response.split(' ').nth(1).ok_or("no status")?.to_owned())
    }

    /// Waits for an e-mail that contains all of these texts, and returns it with its header lines unfolded.
    pub async fn received_mail(&self, texts: &[&str]) -> Outcome<String> {
        eventually("the e-mail has arrived", async || {
            for entry in fs::read_dir(&self.sent)? {
                let mail = fs::read_to_string(entry?.path())?.replace("\n ", " ");
                if texts.iter().all(|text| mail.contains(text)) {
                    return Ok(Some(mail));
                }
            }
            Ok(None)
        })
        .await
    }
}

impl Mailbox {
    /// Delivers an e-mail (RFC 5322).
    pub fn deliver(&self, mail: &str) -> Outcome {
        let name = format!("{}.bakery", Timestamp::now().as_microseconds());
        // A message appears as a whole.
        let written = self.folder.join("tmp").join(&name);
        fs::write(&written, mail)?;
        Ok(fs::rename(written, self.folder.join("new").join(name))?)
    }
}

fn host_and_port(server: &str) -> Outcome<(String, i64)> {
    let (host, port) = server.rsplit_once(':').ok_or("HOST:PORT")?;
    Ok((host.to_owned(), port.parse()?))
}
