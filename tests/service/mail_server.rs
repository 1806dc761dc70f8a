//! The server's side of SMTP, for the mail servers of tests.

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};

/// A connection on which a client speaks SMTP.
pub(crate) struct Conversation<S> {
    stream: BufReader<S>,
}

/// What a client says.
pub(crate) enum Said {
    /// A command, except `DATA`.
    Command(String),
    /// A whole e-mail, each line of which ends in a line feed.
    Text(String),
}

impl<S: AsyncRead + AsyncWrite + Unpin> Conversation<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream: BufReader::new(stream) }
    }

    /// Returns what the client says next, which has to be replied to. `DATA` is replied to here. Returns
    /// `None` once the client has left.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Said>> {
        let Some(line) = self.line().await? else { return Ok(None) };
        if line != "DATA" {
            return Ok(Some(Said::Command(line)));
        }
        self.reply("354 go on").await?;
        let mut text = String::new();
        while let Some(line) = self.line().await? {
            if line == "." {
                return Ok(Some(Said::Text(text)));
            }
            text.push_str(&line);
            text.push('\n');
        }
        Ok(None)
    }

    /// Sends a reply, without the end of its line.
    pub(crate) async fn reply(&mut self, text: &str) -> std::io::Result<()> {
        self.stream.get_mut().write_all(format!("{text}\r\n").as_bytes()).await
    }

    async fn line(&mut self) -> std::io::Result<Option<String>> {
        let mut line = String::new();
        let count = self.stream.read_line(&mut line).await?;
        let end = line.trim_end_matches(['\r', '\n']).len();
        line.truncate(end);
        Ok((count > 0).then_some(line))
    }
}

/// Returns the first word of a command, in capitals.
pub(crate) fn verb(command: &str) -> String {
    command.split(' ').next().unwrap_or_default().to_ascii_uppercase()
}
