//! Owns [`Transport`]: the connection that all calls of a client share.

use super::RetryPolicy;
use crate::{Credential, Operation, Secret};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderValue, header};
use std::{sync::Arc, time::Duration};
use url::Url;

/// The connection that all calls of a client share; cheap to clone.
#[derive(Clone, Debug)]
pub struct Transport {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    engine: reqwest::Client,
    base_url: Url,
    credentials: Credentials,
    timeout: Duration,
    retry: RetryPolicy,
}

/// What a client may present.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    pub(super) bearer: Option<Secret>,
    pub(super) basic: Option<(String, Secret)>,
    pub(super) keys: Vec<(String, Secret)>,
}

impl Transport {
    pub(super) fn new(
        engine: reqwest::Client,
        base_url: Url,
        credentials: Credentials,
        timeout: Duration,
        retry: RetryPolicy,
    ) -> Self {
        Self { shared: Arc::new(Shared { engine, base_url, credentials, timeout, retry }) }
    }

    pub(super) fn engine(&self) -> &reqwest::Client {
        &self.shared.engine
    }

    pub(super) fn timeout(&self) -> Duration {
        self.shared.timeout
    }

    pub(super) fn retry(&self) -> &RetryPolicy {
        &self.shared.retry
    }

    /// The address of a path that begins with a slash and is already percent-encoded.
    pub(super) fn address(&self, path: &str) -> Result<Url, url::ParseError> {
        Url::parse(&format!("{}{path}", self.shared.base_url.as_str().trim_end_matches('/')))
    }

    /// Adds the credentials of the first requirement that this client can meet, and none where nothing is asked for.
    pub(super) fn authorize(&self, operation: &Operation, request: &mut reqwest::Request) {
        let requirement = operation
            .security
            .iter()
            .find(|requirement| requirement.schemes.iter().all(|scheme| self.holds(scheme.credential)));
        for scheme in requirement.map_or(&[][..], |requirement| requirement.schemes) {
            self.present(scheme.credential, request);
        }
    }

    fn holds(&self, credential: Credential) -> bool {
        match credential {
            Credential::Bearer => self.shared.credentials.bearer.is_some(),
            Credential::Basic => self.shared.credentials.basic.is_some(),
            Credential::Header(name) | Credential::Query(name) | Credential::Cookie(name) => {
                self.key(name).is_some()
            }
        }
    }

    fn key(&self, name: &str) -> Option<&str> {
        let keys = &self.shared.credentials.keys;
        keys.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, secret)| secret.expose())
    }

    fn present(&self, credential: Credential, request: &mut reqwest::Request) {
        let credentials = &self.shared.credentials;
        let (name, value) = match credential {
            Credential::Bearer => match &credentials.bearer {
                Some(token) => (header::AUTHORIZATION, format!("Bearer {}", token.expose())),
                None => return,
            },
            Credential::Basic => match &credentials.basic {
                Some((user, password)) => {
                    let pair = BASE64_STANDARD.encode(format!("{user}:{}", password.expose()));
                    (header::AUTHORIZATION, format!("Basic {pair}"))
                }
                None => return,
            },
            Credential::Header(name) => match (name.parse(), self.key(name)) {
                (Ok(header), Some(key)) => (header, key.to_owned()),
                _ => return,
            },
            Credential::Cookie(name) => {
                (header::COOKIE, format!("{name}={}", self.key(name).unwrap_or_default()))
            }
            Credential::Query(name) => {
                let key = self.key(name).unwrap_or_default().to_owned();
                request.url_mut().query_pairs_mut().append_pair(name, &key);
                return;
            }
        };
        if let Ok(mut value) = HeaderValue::try_from(value) {
            value.set_sensitive(true);
            request.headers_mut().append(name, value);
        }
    }
}
