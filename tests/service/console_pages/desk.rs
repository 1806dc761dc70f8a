//! [`Desk`]: a service with its console, and its owner.

use std::net::SocketAddr;

use serde_json::json;

use super::hands::{ENTER, Hands};
use crate::{
    browser::Tab,
    database::Database,
    patience::until,
    process::{Process, administer},
    wire::{Request, json as body_of},
};

pub(super) const PASSWORD: &str = "a fern among the fables";
pub(super) const EMAIL: &str = "imogen@fern.example";

pub(super) struct Desk {
    service: Process,
    database: Database,
    /// The link for set-up.
    link: String,
    /// The name by which the browser calls this machine.
    host: &'static str,
}

impl Desk {
    /// A service without people.
    pub(super) async fn start() -> Self {
        let database = Database::sqlite().await;
        let service = Process::start(&database, &[]);
        let file = database.folder().join("setup-link.txt");
        let link = until("the link for set-up is there", async || {
            std::fs::read_to_string(&file).ok().filter(|link| link.ends_with('\n'))
        })
        .await;
        Self { service, database, link: link.trim().to_owned(), host: "127.0.0.1" }
    }

    /// A service with an owner.
    pub(super) async fn set_up() -> Self {
        let desk = Self::start().await;
        let (_, token) = desk.link.split_once("#setup=").unwrap();
        let owner = json!({
            "token": token, "name": "Imogen Hart", "email": EMAIL, "password": PASSWORD, "account_name": "Fern & Fable",
        });
        let request = Request::new("POST", "/console/v1/setup").header("sec-fetch-site", "same-origin");
        let response = request.json(owner.to_string()).send(desk.address()).await;
        assert_eq!(response.status.as_u16(), 201, "{}", body_of(&response));
        desk
    }

    /// The link for set-up, which works once.
    pub(super) fn set_up_link(&self) -> &str {
        &self.link
    }

    /// A link with which the owner chooses a new password.
    pub(super) async fn reset_link(&self) -> String {
        let user = administer(&self.database, &["user", "link", EMAIL]).await;
        // The command does not know on which port this service listens.
        let (_, token) = user["link"].as_str().unwrap().split_once("#reset=").unwrap();
        self.page(&format!("#reset={token}"))
    }

    /// A second account, and the link with which its owner chooses a password.
    pub(super) async fn other_account(&self, name: &str, owner: &str) -> String {
        let create = ["account", "create", "--name", name, "--plan", "growth", "--owner-email", owner];
        administer(&self.database, &create).await;
        let user = administer(&self.database, &["user", "link", owner]).await;
        let (_, token) = user["link"].as_str().unwrap().split_once("#reset=").unwrap();
        self.page(&format!("#reset={token}"))
    }

    /// Lets everybody be a collaborator, who may see less.
    pub(super) async fn demote(&self) {
        self.database.run("UPDATE users SET role = 'collaborator'").await;
    }

    /// Lets every channel of the inbox fail.
    pub(super) async fn break_channels(&self, reason: &str) {
        let error = format!("UPDATE inbox_channels SET last_error = '{reason}', error_at = created_at");
        self.database.run(&error).await;
    }

    /// Lets ten minutes pass since everybody has signed in.
    pub(super) async fn let_confirmations_end(&self) {
        self.database.run("UPDATE sessions SET confirmed_at = confirmed_at - 601000000").await;
    }

    /// Lets the codes of authenticator apps be accepted again that were used.
    pub(super) async fn let_codes_be_new(&self) {
        self.database.run("UPDATE authenticators SET last_step = 0").await;
    }

    /// Lets ten minutes pass since everybody has entered their password.
    pub(super) async fn let_sign_ins_end(&self) {
        self.database.run("UPDATE pending_sign_ins SET expires_at = expires_at - 600000001").await;
    }

    /// Removes all second factors, as the operator does for people who have lost them.
    pub(super) async fn lose_factors(&self) {
        self.database.run("DELETE FROM authenticators").await;
    }

    /// Leaves the owner two recovery codes.
    pub(super) async fn leave_few_codes(&self) {
        let few = "DELETE FROM recovery_codes WHERE code_hash NOT IN (SELECT code_hash FROM recovery_codes LIMIT 2)";
        self.database.run(few).await;
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.service.address
    }

    /// Has the browser call the service `localhost`, the only name at which passkeys work without HTTPS.
    pub(super) const fn at_localhost(mut self) -> Self {
        self.host = "localhost";
        self
    }

    pub(super) fn origin(&self) -> String {
        format!("http://{}:{}", self.host, self.service.address.port())
    }

    /// The address of a page.
    pub(super) fn page(&self, path: &str) -> String {
        format!("{}/console{path}", self.origin())
    }

    /// Opens a page and signs in where it asks for that.
    pub(super) async fn sign_in(&self, tab: &Tab, path: &str) {
        tab.open(&self.page(path)).await;
        let hands = Hands(tab);
        hands.fill("Email address", EMAIL).await;
        hands.fill("Password", PASSWORD).await;
        tab.press(ENTER).await;
        let is_inside = "return document.querySelector('nav') !== null";
        until("the sign-in succeeds", async || {
            (tab.ask(is_inside, vec![]).await == json!(true)).then_some(())
        })
        .await;
    }

    /// Checks that nothing was asked of others, and that the browser complained of nothing but refusals that
    /// the test meant, which contain one of these texts.
    pub(super) async fn is_clean(&self, tab: Tab, refused: &[&str]) {
        let requests = tab.requests().await;
        assert!(requests.iter().any(|address| address.contains("/console/main.js")), "{requests:?}");
        let origin = format!("{}/", self.origin());
        let is_foreign = |address: &&String| !address.starts_with(&origin) && *address != "about:blank";
        let foreign: Vec<_> = requests.iter().filter(is_foreign).collect();
        assert!(foreign.is_empty(), "{foreign:?}");
        let is_meant = |error: &&String| {
            let is_refusal = error.contains("the server responded with a status of 4");
            is_refusal && refused.iter().any(|path| error.contains(path))
        };
        let errors = tab.errors().await;
        let errors: Vec<_> = errors.iter().filter(|error| !is_meant(error)).collect();
        assert!(errors.is_empty(), "{errors:?}");
        tab.close().await;
    }
}
