//! A mailbox of a real mail server, for as long as it exists.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use frontdesk_client::model::{ConnectionSecurity, EmailChannelSettings, MailServerSettings};
use tempfile::TempDir;

/// Dovecot in a folder of its own.
pub(crate) struct Dovecot {
    child: Child,
    folder: TempDir,
    port: u16,
    delivered: AtomicUsize,
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Dovecot {
    /// Starts it, unless it is not installed.
    #[expect(clippy::print_stderr, reason = "a skipped test must be visible")]
    pub(crate) async fn start() -> Option<Self> {
        let binary = ["/usr/sbin/dovecot", "/usr/local/sbin/dovecot"]
            .into_iter()
            .find(|path| Path::new(path).exists());
        let Some(binary) = binary else {
            eprintln!("skipped: Dovecot is not installed (apt-get install dovecot-imapd)");
            return None;
        };
        let folder = tempfile::tempdir().unwrap();
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let user = |flag: &str| {
            let output = Command::new("id").arg(flag).output().unwrap().stdout;
            String::from_utf8(output).unwrap().trim().to_owned()
        };
        let (name, group) = (user("-un"), user("-gn"));
        // Dovecot reads no mail as root.
        let is_root = name == "root";
        let (reader, readers) = if is_root { ("nobody", "nogroup") } else { (name.as_str(), group.as_str()) };
        let login = if is_root { "dovenull" } else { name.as_str() };
        let path = folder.path().display();
        let config = format!(
            "base_dir = {path}/run\nlog_path = {path}/log\nprotocols = imap\nlisten = 127.0.0.1\nssl = no\ndisable_plaintext_auth = no\n\
             default_internal_user = {name}\ndefault_login_user = {login}\ndefault_internal_group = {group}\nfirst_valid_uid = 1\n\
             last_valid_uid = 0\nfirst_valid_gid = 1\nmail_location = maildir:{path}/mail\n\
             passdb {{\n  driver = static\n  args = password=secret\n}}\nuserdb {{\n  driver = static\n  args = uid={reader} gid={readers} home={path}/home\n}}\n\
             service imap-login {{\n  chroot =\n  inet_listener imap {{\n    port = {port}\n  }}\n  inet_listener imaps {{\n    port = 0\n  }}\n}}\n\
             service anvil {{\n  chroot =\n}}\nservice imap {{\n  chroot =\n}}\n"
        );
        let file = folder.path().join("dovecot.conf");
        for sub in ["run", "mail", "mail/new", "mail/cur", "mail/tmp", "home"] {
            std::fs::create_dir_all(folder.path().join(sub)).unwrap();
        }
        std::fs::write(&file, config).unwrap();
        if is_root {
            let path = folder.path().to_str().unwrap();
            let run = |program: &str, arguments: &[&str]| {
                assert!(Command::new(program).args(arguments).status().unwrap().success(), "{program}");
            };
            run("chmod", &["755", path]);
            run("chown", &["-R", "nobody:nogroup", &format!("{path}/mail"), &format!("{path}/home")]);
        }
        let child = Command::new(binary).args(["-F", "-c"]).arg(&file).stdout(Stdio::null()).spawn().unwrap();
        let dovecot = Self { child, folder, port, delivered: AtomicUsize::new(0) };
        for _ in 0..100 {
            if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return Some(dovecot);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let log = std::fs::read_to_string(dovecot.folder.path().join("log")).unwrap_or_default();
        panic!("Dovecot did not start: {log}");
    }

    /// Settings of a channel that reads this mailbox and sends by a server at `smtp` (`smtp://HOST:PORT`).
    pub(crate) fn settings(&self, smtp: &str) -> EmailChannelSettings {
        let imap = MailServerSettings::new("127.0.0.1", i64::from(self.port), ConnectionSecurity::None)
            .user("support")
            .password("secret");
        EmailChannelSettings::new()
            .address("support@acme.example")
            .sender_name("Acme Support".to_owned())
            .imap(imap)
            .smtp(smtp_server(smtp))
    }

    /// Returns host and port of the server.
    pub(crate) fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the folder of the mailbox, in the format Maildir.
    pub(crate) fn maildir(&self) -> PathBuf {
        self.folder.path().join("mail")
    }

    /// Delivers an e-mail.
    pub(crate) fn deliver(&self, bytes: impl AsRef<[u8]>) {
        let number = self.delivered.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{number}.test", 1_700_000_000 + number);
        let mail = self.maildir();
        // A message appears as a whole.
        std::fs::write(mail.join("tmp").join(&name), bytes).unwrap();
        std::fs::rename(mail.join("tmp").join(&name), mail.join("new").join(&name)).unwrap();
    }
}

/// A server to send with.
pub(crate) fn smtp_server(url: &str) -> MailServerSettings {
    let url: url::Url = url.parse().unwrap();
    let port = i64::from(url.port().unwrap());
    MailServerSettings::new(url.host_str().unwrap(), port, ConnectionSecurity::None)
}
