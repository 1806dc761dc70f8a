//! The pages of `docs`: the program accepts and runs their commands, and knows the settings, metrics and
//! files that they name.

mod page;
mod recorded;

use std::collections::BTreeSet;

use frontdesk_service::{
    cli,
    config::{self, SETTINGS, Setting, Sources},
};
use serde_json::json;

use self::{
    page::{Page, every_document, guide, sources_named},
    recorded::{Invocation, recorded},
};
use super::harness::{self, Database, Installation, text};
use crate::{
    process::Process,
    wire::{Request, json as read},
};

/// What commands of the guide refer to by variables, and the files that they read.
struct Scene {
    database: Database,
    variables: Vec<(&'static str, String)>,
}

impl Scene {
    /// An installation with an account, a chatbot, a contact and a conversation. The page that creates the
    /// account itself finds none.
    async fn of(page: &Page) -> Self {
        let database = Database::new();
        let mut variables = vec![("FRONTDESK_DATABASE", database.url())];
        if !page.text.contains("frontdesk account create") {
            variables.extend(inhabited(&database).await);
        }
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let mut files =
            vec![("fullchain.pem", made.cert.pem()), ("key.pem", made.signing_key.serialize_pem())];
        files.extend(page.blocks("csv").into_iter().map(|questions| ("questions.csv", questions)));
        for (name, content) in files {
            std::fs::write(database.folder().join(name), content).unwrap();
        }
        Self { database, variables }
    }

    /// Runs a command to completion, or a service until it listens.
    fn run(&self, page: &str, invocation: &Invocation) {
        if invocation.needs_another_server() {
            return;
        }
        let mut command = invocation.command(self.database.folder());
        if invocation.arguments[0] == "serve" {
            command.env("FRONTDESK_LOG_FORMAT", "json").env("FRONTDESK_SEARCH_MODEL", "none");
            let (status, log) = Process::listening(command).end("-TERM");
            assert!(status.success(), "{page}: {invocation} ended with {status}:\n{}", log.join("\n"));
        } else {
            let output = command.output().unwrap();
            let errors = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{page}: {invocation} failed: {errors}");
        }
    }
}

/// Fills a database through the program and the interface, and returns the variables that name what is in it.
async fn inhabited(database: &Database) -> Vec<(&'static str, String)> {
    let account =
        ["account", "create", "--name", "Acme", "--plan", "growth", "--owner-email", "jo@acme.example"];
    let account_id = text(&database.run(&account)["account_id"]);
    let key = database.run(&["key", "create", "--user", "jo@acme.example", "--name", "guide"]);
    let running = frontdesk_service::start(harness::config(database, |_| {})).await.unwrap();
    let service = Installation { running, database: Database::new() };
    let key = text(&key["key"]);
    let chatbot_id = service.chatbot(&key).await;
    let message = json!({"message": "Hello", "contact": {"email": "jo@customer.example", "name": "Jo"}});
    let path = format!("/api/v1/chatbots/{chatbot_id}/messages");
    let request = Request::new("POST", &path).key(&key).json(message.to_string());
    let response = read(&service.send(request).await);
    service.running.shutdown().await;
    let contacts = database.run(&["contact", "list", "--account", &account_id]);
    vec![
        ("ACCOUNT", account_id),
        ("CHATBOT", chatbot_id),
        ("CONVERSATION", text(&response["conversation_id"])),
        ("CONTACT", text(&contacts["contacts"][0]["contact_id"])),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn its_commands_are_accepted_and_run() {
    let mut run = 0;
    for page in guide().iter().filter(|page| page.has_commands()) {
        let scene = Scene::of(page).await;
        let invocations = recorded(page, scene.database.folder(), &scene.variables);
        for invocation in &invocations {
            let line = std::iter::once("frontdesk".to_owned()).chain(invocation.arguments.clone());
            assert_eq!(cli::check(line), Ok(()), "{}: {invocation}", page.name);
            scene.run(&page.name, invocation);
        }
        assert_eq!(invocations.len(), page.commands(), "{}: a command is not reached", page.name);
        run += invocations.len();
    }
    assert!(run >= 40, "only {run} commands were found");
}

#[test]
fn its_files_of_settings_are_read() {
    let folder = tempfile::tempdir().unwrap();
    for page in guide() {
        for (number, block) in page.blocks("toml").into_iter().enumerate() {
            let file = folder.path().join(format!("{number}.toml"));
            std::fs::write(&file, &block).unwrap();
            // A bucket needs its secret, which the page keeps out of the file.
            let secret = block.contains("s3_bucket").then_some("FRONTDESK_FILES_S3_SECRET_ACCESS_KEY");
            let environment = secret.map(|name| (name.to_owned(), "secret".to_owned())).into_iter().collect();
            let loaded = config::load(&Sources { file: Some(file), environment, ..Sources::default() });
            assert!(loaded.is_ok(), "{}: {}\n{block}", page.name, loaded.unwrap_err());
        }
    }
}

#[test]
fn its_settings_flags_variables_and_subcommands_exist() {
    let sections: BTreeSet<&str> = SETTINGS
        .iter()
        .filter_map(|setting| setting.key.rsplit_once('.'))
        .map(|(section, _)| section)
        .collect();
    let pages = guide();
    let commands: Vec<String> = pages.iter().flat_map(|page| page.blocks("sh")).collect();
    let commands: BTreeSet<&str> = commands.iter().flat_map(|block| block.split_ascii_whitespace()).collect();
    for page in &pages {
        for code in page.inline_code() {
            let word = code.split([' ', '=']).next().unwrap_or_default();
            let wrong =
                if let Some(variable) = word.strip_prefix("FRONTDESK_").filter(|name| !name.contains('*')) {
                    variable != "CONFIG" && SETTINGS.iter().all(|setting| setting.variable() != word)
                } else if let Some(flag) = word.strip_prefix("--") {
                    let global = ["config", "json"].contains(&flag);
                    !global && SETTINGS.iter().all(|setting| setting.flag != flag) && !commands.contains(word)
                } else if let Some((section, key)) = word.rsplit_once('.') {
                    key != "*"
                        && sections.contains(section)
                        && !sections.contains(word)
                        && Setting::by_key(word).is_none()
                } else if word == "frontdesk" {
                    let path = code.split(' ').take_while(|word| {
                        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
                    });
                    cli::check(path.chain(["--help"]).map(str::to_owned)).is_err()
                } else {
                    false
                };
            assert!(!wrong, "{}: the program does not know `{code}`", page.name);
        }
    }
}

/// A response of `/metrics` leaves out what has not been counted yet, so the names come from where they are
/// registered.
#[test]
fn its_metrics_exist() {
    let registrations = sources_named("metrics");
    let mut count = 0;
    for page in guide() {
        for name in page.inline_code().filter_map(|code| code.strip_prefix("frontdesk_")) {
            let registered = format!("\"{}\"", name.trim_end_matches("_total"));
            assert!(
                registrations.contains(&registered),
                "{}: there is no metric `frontdesk_{name}`",
                page.name
            );
            count += 1;
        }
    }
    assert!(count >= 10, "only {count} metrics were found");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let documents = every_document();
    let mut count = 0;
    for document in &documents {
        for link in document.links() {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { document.path.clone() } else { document.folder().join(path) };
            let target = target.canonicalize();
            assert!(target.is_ok(), "{}: {link} leads nowhere", document.name);
            let target = target.unwrap();
            if !anchor.is_empty() {
                let found = documents.iter().find(|other| other.path == target);
                let anchors = found.map(Page::anchors).unwrap_or_default();
                assert!(
                    anchors.iter().any(|known| known == anchor),
                    "{}: {link} names no heading",
                    document.name
                );
            }
            count += 1;
        }
    }
    assert!(count >= 100, "only {count} links were found");
}
