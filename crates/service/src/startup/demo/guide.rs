//! [`Guide`]: what is printed when everything is ready.

use std::io::{self, Write};

use frontdesk_store::Chatbot;

use super::CHATBOT;

/// The commands that are printed when everything is ready.
pub(super) struct Guide<'a> {
    /// Where the service listens.
    pub(super) base: String,
    /// The link that signs in to the console.
    pub(super) console: Option<String>,
    pub(super) site: String,
    pub(super) key: &'a str,
    pub(super) chatbot: &'a Chatbot,
    /// How many pages the chatbot has read.
    pub(super) pages: usize,
}

impl Guide<'_> {
    pub(super) fn print(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        let Self { base, console, site, key, chatbot, pages } = self;
        let id = chatbot.chatbot_id;
        if let Some(link) = console {
            writeln!(out, "The console, signed in as the owner of the shop: {link}")?;
        }
        writeln!(out, "The shop with its chat, to try in a browser: {site}/\n")?;
        writeln!(out, "{CHATBOT} is ready: it has read {pages} pages of {site}/")?;
        writeln!(out, "The key below is valid until the next start of the demonstration. Commands to try:")?;
        let keyed = format!("-H 'Authorization: Bearer {key}'");
        let json = "-H 'Content-Type: application/json'";
        for (meaning, command) in [
            ("the chatbots of the account", format!("curl -s '{base}/api/v1/chatbots' {keyed}")),
            ("one of them", format!("curl -s '{base}/api/v1/chatbots/{id}' {keyed}")),
            (
                "a visitor asks",
                format!(
                    "curl -s '{base}/api/v1/chatbots/{id}/messages' {keyed} {json} \\\n     \
                     -d '{{\"message\": \"Do you deliver on Sundays?\"}}'"
                ),
            ),
            (
                "a question that the website does not answer",
                format!(
                    "curl -s '{base}/api/v1/chatbots/{id}/messages' {keyed} {json} \\\n     \
                     -d '{{\"message\": \"Who won the chess championship?\"}}'"
                ),
            ),
            (
                "the draft of an email, without a key",
                format!(
                    "curl -s '{base}/api/v1/chatbots/{id}/reply' {json} \\\n     \
                     -d '{{\"subject\": \"Gift card\", \"messages\": [{{\"from\": \"jo@customer.example\", \
                     \"body\": \"Hello, how long is a gift card valid?\"}}]}}'"
                ),
            ),
        ] {
            writeln!(out, "\n# {meaning}\n{command}")?;
        }
        Ok(())
    }
}
