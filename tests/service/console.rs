//! The console: people who sign in with a browser.
//!
//! - `account`: the settings of an account, its archive, its end, and the second factor that it requires.
//! - `attacks`: requests of other websites, guessed passwords, stolen and planted tokens.
//! - `changes`: what others change, as open pages follow it.
//! - `device`: an authenticator with a passkey.
//! - `factors`: second factors, and whom they keep out.
//! - `invitations`: who joins which account with which link, and people with several accounts.
//! - `life`: set-up, sign-in, keys, sessions, passwords, and what is noted of them.
//! - `members`: what roles, accounts and disabled people may do.
//! - `membership`: who changes and removes whom.
//! - `passkeys`: signing in with a passkey, and what does not fit.
//! - `resets`: forgotten passwords.

mod account;
mod attacks;
mod changes;
mod device;
pub(crate) mod factors;
mod invitations;
mod life;
mod members;
mod membership;
mod passkeys;
mod resets;

use std::net::SocketAddr;

use frontdesk_client::Raw;
use frontdesk_console_model::operations::OPERATIONS;
use frontdesk_service::{config::Config, issue_link};
use frontdesk_store::{LinkKind, Redacted, User};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    installation::Installation,
    wire::{self, Request},
};

pub(crate) const PASSWORD: &str = "seven tulips in a jar";
const OTHER_PASSWORD: &str = "eight lilies in a vase";
/// What a browser says of requests of pages of the service.
pub(crate) const SAME_ORIGIN: (&str, &str) = ("Sec-Fetch-Site", "same-origin");

/// A browser, with its cookie.
#[derive(Clone, Debug)]
pub(crate) struct Browser {
    address: SocketAddr,
    cookie: Option<String>,
}

impl Browser {
    pub(crate) fn new(service: &Installation) -> Self {
        Self { address: service.address(), cookie: None }
    }

    /// Calls an operation of the console as one of its pages.
    async fn call(&mut self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let raw = self.send(method, &format!("/console/v1{path}"), &[SAME_ORIGIN], body).await;
        (raw.status.as_u16(), if raw.body.is_empty() { Value::Null } else { wire::json(&raw) })
    }

    /// Sends a request with headers, and keeps the cookie of the response.
    pub(crate) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Value,
    ) -> Raw {
        let mut request = Request::new(method, path);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        if let Some(cookie) = &self.cookie {
            request = request.header("Cookie", cookie);
        }
        if !body.is_null() {
            request = request.json(body.to_string());
        }
        let raw = request.send(self.address).await;
        declared(method, path, raw.status.as_u16());
        if let Some(set) = raw.headers.get("set-cookie") {
            let set = set.to_str().unwrap();
            assert!(
                set.contains("HttpOnly") && set.contains("SameSite=Strict") && set.contains("Path=/"),
                "{set}"
            );
            let (pair, _) = set.split_once(';').unwrap();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        raw
    }

    /// Adds the cookie to a request.
    pub(crate) fn signed(&self, request: Request) -> Request {
        self.cookie.iter().fold(request, |request, cookie| request.header("Cookie", cookie))
    }

    async fn sign_in(&mut self, email: &str, password: &str) -> (u16, Value) {
        self.call("POST", "/session", json!({ "email": email, "password": password })).await
    }

    /// Calls an operation of the interface through the gate.
    async fn interface(&mut self, method: &str, path: &str) -> u16 {
        self.send(method, &format!("/console/api/v1{path}"), &[SAME_ORIGIN], Value::Null)
            .await
            .status
            .as_u16()
    }
}

/// Checks that the contract declares a status of the operation that was called.
fn declared(method: &str, path: &str, status: u16) {
    let matches = |template: &str| {
        let (parts, names) = (path.split('?').next().unwrap().split('/'), template.split('/'));
        parts.clone().count() == names.clone().count()
            && parts.zip(names).all(|(part, name)| part == name || name.starts_with('{'))
    };
    let called =
        OPERATIONS.iter().find(|operation| operation.method.as_str() == method && matches(operation.path));
    if let Some(operation) = called {
        assert!(operation.statuses.contains(&status), "{} responded with {status}", operation.id);
    }
}

/// A browser in which a user has chosen a password with a link.
pub(crate) async fn signed_in(service: &Installation, user: &User) -> Browser {
    let mut browser = Browser::new(service);
    let token = link(service, user).await;
    let body = json!({ "token": token, "password": PASSWORD });
    let (status, session) = browser.call("POST", "/password-resets/redeem", body).await;
    assert_eq!(status, 201, "{session}");
    assert_eq!(session["member_id"], user.user_id.to_string());
    browser
}

/// The token of a link with which a user chooses a password.
async fn link(service: &Installation, user: &User) -> String {
    let store = &service.database.store;
    issue_link(store, LinkKind::Reset, Some(user.clone()), Timestamp::now()).await.unwrap()
}

/// Has a service send e-mails.
fn mail(config: &mut Config, url: &str) {
    config.mail.smtp_url = Some(Redacted::new(url.to_owned()));
    config.mail.from = Some("Frontdesk <desk@frontdesk.example>".to_owned());
    config.mail.public_url = Some("https://desk.example/".parse().unwrap());
}

/// The token of the link in an e-mail.
fn token_in(mail: &str, purpose: &str) -> String {
    // Long lines are folded, and `=` is encoded then.
    let text = mail.replace("=\n", "").replace("=3D", "=");
    let (_, rest) = text.split_once(&format!("https://desk.example/console#{purpose}=")).expect(mail);
    rest.chars().take_while(char::is_ascii_alphanumeric).collect()
}
