//! [`Shop`]: the demonstration, running, with what it prints.

use std::{
    io::{BufRead, BufReader, Lines},
    net::SocketAddr,
    process::{ChildStdout, Stdio},
};

use tempfile::TempDir;

use crate::{
    process::{Guard, Process, command},
    wire::{Request, json},
};

/// A running demonstration.
pub(super) struct Shop {
    /// The service.
    pub(super) service: SocketAddr,
    /// The origin of the website, which has the widget.
    pub(super) site: String,
    /// An API key of the account.
    pub(super) key: String,
    /// The key of the widget.
    pub(super) widget: String,
    chatbot: String,
    process: Guard,
    /// The service that was started in place of the demonstration.
    restarted: Option<Process>,
    /// Reads what the process prints, so that printing never fails.
    _output: Lines<BufReader<ChildStdout>>,
    folder: TempDir,
}

impl Shop {
    /// Starts the demonstration, and waits until the chatbot has learned the website.
    pub(super) async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["serve", "--demo", "--listen", "127.0.0.1:0", "--search-model", "none"];
        let url = format!("sqlite:{}/shop.db", folder.path().display());
        let mut command = command(&url, folder.path(), &arguments);
        let mut process = Guard(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
        let mut output = BufReader::new(process.0.stdout.take().unwrap()).lines();
        let mut printed = String::new();
        while !printed.contains("/messages'") {
            let line = output.next().expect("the demonstration starts").unwrap();
            printed.push_str(&line);
            printed.push('\n');
        }
        let key = between(&printed, "Bearer ", "'");
        let service = between(&printed, "curl -s 'http://", "/api").parse().unwrap();
        let site = between(&printed, "in a browser: ", "/\n");
        let list = Request::new("GET", "/api/v1/chatbots").key(&key).send(service).await;
        let chatbot = json(&list)["chatbots"][0]["chatbot_id"].as_str().unwrap().to_owned();
        let path = format!("/api/v1/chatbots/{chatbot}/widget");
        let widget = json(&Request::new("GET", &path).key(&key).send(service).await);
        let widget = widget["widget_key"].as_str().unwrap().to_owned();
        Self { service, site, key, widget, chatbot, process, restarted: None, _output: output, folder }
    }

    /// `kill -9`, of the website too, which is in the same process.
    pub(super) fn kill(&mut self) {
        match self.restarted.take() {
            Some(process) => process.kill(),
            None => {
                self.process.0.kill().unwrap();
                self.process.0.wait().unwrap();
            }
        }
    }

    /// Starts the service that was killed, at the same address and with the same data.
    pub(super) fn restart(&mut self, more: &[&str]) {
        let address = self.service.to_string();
        let serve = ["serve", "--listen", &address, "--log-format", "json", "--search-model", "none"];
        let url = format!("sqlite:{}/demo.db", self.folder.path().display());
        let mut command = command(&url, self.folder.path(), &serve);
        command.args(more);
        self.restarted = Some(Process::listening(command));
    }

    /// The origin of the service.
    pub(super) fn origin(&self) -> String {
        format!("http://{}", self.service)
    }

    /// The path of an operation on the chatbot.
    pub(super) fn path(&self, rest: &str) -> String {
        format!("/api/v1/chatbots/{}{rest}", self.chatbot)
    }
}

fn between(text: &str, before: &str, after: &str) -> String {
    let (_, rest) = text.split_once(before).unwrap_or_else(|| panic!("`{before}` is missing in {text}"));
    rest.split_once(after).unwrap_or_else(|| panic!("`{after}` is missing in {rest}")).0.to_owned()
}
