//! [`Credentials`]: the credentials of a client, and their use by operation.

use crate::{Credential, Operation, Secret};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderValue, header};
use url::Url;

/// The credentials of a client.
#[derive(Debug, Default)]
pub(super) struct Credentials {
    pub(super) bearer: Option<Secret>,
    pub(super) basic: Option<(String, Secret)>,
    pub(super) keys: Vec<(String, Secret)>,
}

impl Credentials {
    /// Adds the credentials of the first requirement that can be met; none if the operation requires none.
    pub(super) fn authorize(&self, operation: &Operation, url: &mut Url, headers: &mut HeaderMap) {
        let requirement = operation
            .security
            .iter()
            .find(|requirement| requirement.schemes.iter().all(|scheme| self.holds(scheme.credential)));
        for scheme in requirement.map_or(&[][..], |requirement| requirement.schemes) {
            self.present(scheme.credential, url, headers);
        }
    }

    fn holds(&self, credential: Credential) -> bool {
        match credential {
            Credential::Bearer => self.bearer.is_some(),
            Credential::Basic => self.basic.is_some(),
            Credential::Http(name)
            | Credential::Header(name)
            | Credential::Query(name)
            | Credential::Cookie(name) => self.key(name).is_some(),
        }
    }

    fn key(&self, name: &str) -> Option<&str> {
        self.keys.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, secret)| secret.expose())
    }

    fn present(&self, credential: Credential, url: &mut Url, headers: &mut HeaderMap) {
        let (name, value) = match credential {
            Credential::Bearer => match &self.bearer {
                Some(token) => (header::AUTHORIZATION, format!("Bearer {}", token.expose())),
                None => return,
            },
            Credential::Basic => match &self.basic {
                Some((user, password)) => {
                    let pair = BASE64_STANDARD.encode(format!("{user}:{}", password.expose()));
                    (header::AUTHORIZATION, format!("Basic {pair}"))
                }
                None => return,
            },
            Credential::Http(scheme) => match self.key(scheme) {
                Some(rest) => (header::AUTHORIZATION, format!("{scheme} {rest}")),
                None => return,
            },
            Credential::Header(name) => match (name.parse(), self.key(name)) {
                (Ok(header), Some(key)) => (header, key.to_owned()),
                _ => return,
            },
            Credential::Cookie(name) => {
                let cookie = format!("{name}={}", self.key(name).unwrap_or_default());
                // A request has only one cookie header (RFC 6265, section 5.4).
                let before = headers.get(header::COOKIE).and_then(|before| before.to_str().ok());
                (header::COOKIE, before.map_or(cookie.clone(), |before| format!("{before}; {cookie}")))
            }
            Credential::Query(name) => {
                url.query_pairs_mut().append_pair(name, self.key(name).unwrap_or_default());
                return;
            }
        };
        if let Ok(mut value) = HeaderValue::try_from(value) {
            value.set_sensitive(true);
            headers.insert(name, value);
        }
    }
}
