//! The guarded client against real servers on the loopback interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot set up its scene has failed")]

mod addresses;
mod bodies;
mod handovers;
mod parts;
mod redirects;
mod server;
mod streams;
mod tls;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use frontdesk_outbound::{Limits, Lookup, Lookups, Outbound, Policy};
use url::Url;

/// Returns a policy that allows these networks.
pub(crate) fn policy(allow: &[&str]) -> Policy {
    let allow = allow.iter().map(|network| network.parse().unwrap()).collect();
    Policy { allow, ..Policy::new("Frontdesk-Test/1.0 (+https://frontdesk.example/bot)") }
}

/// Returns a client that may reach the servers of these tests and no other private address.
pub(crate) fn loopback() -> Outbound {
    Outbound::new(policy(&["127.0.0.1/32"])).unwrap()
}

/// Returns generous limits, which only a failing test exceeds.
pub(crate) fn limits() -> Limits {
    Limits {
        total: Duration::from_secs(30),
        connect: Duration::from_secs(10),
        max_bytes: 1 << 20,
        max_redirects: 5,
    }
}

pub(crate) fn url(text: &str) -> Url {
    text.parse().unwrap()
}

/// Fetches a URL, which must fail, and returns the code of the error.
pub(crate) async fn code_of(outbound: &Outbound, target: &str) -> &'static str {
    outbound.get(&url(target), &[], &limits()).await.expect_err(target).code()
}

/// A scripted name server: each name has a list of responses, and the last one repeats.
#[derive(Debug, Default)]
pub(crate) struct Names {
    answers: HashMap<String, Mutex<Vec<Vec<IpAddr>>>>,
}

impl Names {
    pub(crate) fn with(mut self, name: &str, answers: &[&[&str]]) -> Self {
        let answers = answers
            .iter()
            .rev()
            .map(|answer| answer.iter().map(|address| address.parse().unwrap()).collect())
            .collect();
        self.answers.insert(name.to_owned(), Mutex::new(answers));
        self
    }
}

impl Lookup for Names {
    fn lookup(&self, host: &str) -> Lookups {
        let answer = self.answers.get(host).map(|answers| {
            let mut answers = answers.lock().unwrap();
            if answers.len() > 1 { answers.pop().unwrap() } else { answers[0].clone() }
        });
        Box::pin(async move { answer.ok_or_else(|| std::io::Error::other("no such name")) })
    }
}
