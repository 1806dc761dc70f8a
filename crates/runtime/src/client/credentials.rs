//! [`Credentials`]: the credentials of a client, and their use by operation.

use super::{SendError, Token, token::Source};
use crate::{Credential, Operation, Requirement, Scheme, Secret};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::sync::Arc;
use url::Url;

/// The credentials of a client; of several for one scheme, the last counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Credentials {
    given: Vec<(Purpose, Given)>,
}

/// The scope of a credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// One scheme of the document, by name.
    Scheme(&'static str),
    /// Every scheme with a bearer token.
    Bearer,
    /// Every scheme with basic authentication.
    Basic,
    /// Every scheme with a key of this name.
    Key(String),
}

#[derive(Clone, Debug)]
pub(super) enum Given {
    Token(Token),
    Password(String, Secret),
}

/// The tokens of a request that came from sources, which are informed if the service refuses them.
pub(super) type Obtained = Vec<(Arc<Source>, Secret)>;

/// Marks a request that lacks the credentials its operation requires, with the names of the schemes.
/// Middleware may still add them.
#[derive(Clone, Debug)]
pub(super) struct Unmet(&'static Operation);

impl Purpose {
    fn fits(&self, scheme: &Scheme) -> bool {
        match (self, scheme.credential) {
            (Self::Scheme(name), _) => *name == scheme.name,
            (Self::Bearer, Credential::Bearer) | (Self::Basic, Credential::Basic) => true,
            (
                Self::Key(key),
                Credential::Http(name)
                | Credential::Header(name)
                | Credential::Query(name)
                | Credential::Cookie(name),
            ) => key.eq_ignore_ascii_case(name),
            _ => false,
        }
    }

    /// Returns the scheme that sends the credential if the document describes none.
    fn assumed(&self) -> Option<(HeaderName, &'static str)> {
        match self {
            Self::Bearer => Some((header::AUTHORIZATION, "Bearer ")),
            Self::Basic => Some((header::AUTHORIZATION, "Basic ")),
            Self::Key(name) => name.parse().ok().map(|name| (name, "")),
            Self::Scheme(_) => None,
        }
    }
}

impl Given {
    async fn text(&self, scheme: &Scheme, obtained: &mut Obtained) -> Result<String, SendError> {
        match self {
            Self::Token(token) => {
                let (secret, source) = token.resolve(scheme).await?;
                let text = secret.expose().to_owned();
                obtained.extend(source.map(|source| (source, secret)));
                Ok(text)
            }
            Self::Password(user, password) => {
                Ok(BASE64_STANDARD.encode(format!("{user}:{}", password.expose())))
            }
        }
    }
}

impl Credentials {
    pub(super) fn set(&mut self, purpose: Purpose, given: Given) {
        self.given.retain(|(known, _)| *known != purpose);
        self.given.push((purpose, given));
    }

    /// Returns what describes a credential that none of these schemes uses, so that it would never be sent.
    pub(super) fn unused(&self, schemes: &[Scheme]) -> Option<String> {
        let mut purposes = self.given.iter().map(|(purpose, _)| purpose);
        let unused = purposes.find(|purpose| !schemes.iter().any(|scheme| purpose.fits(scheme)));
        unused.map(|purpose| match purpose {
            Purpose::Scheme(name) => format!("a credential for `{name}`"),
            Purpose::Bearer => "a bearer token".to_owned(),
            Purpose::Basic => "a user name and a password".to_owned(),
            Purpose::Key(name) => format!("a key `{name}`"),
        })
    }

    fn find(&self, scheme: &Scheme) -> Option<&Given> {
        self.given.iter().rev().find(|(purpose, _)| purpose.fits(scheme)).map(|(_, given)| given)
    }

    /// Adds the credentials of the first requirement that can be met. An empty requirement is only used if no
    /// other one can be met. What the caller has set, such as a header, stays.
    pub(super) async fn authorize(
        &self,
        operation: &'static Operation,
        described: bool,
        url: &mut Url,
        headers: &mut HeaderMap,
    ) -> Result<(Obtained, Option<Unmet>), SendError> {
        let mut obtained = Obtained::new();
        if operation.security.is_empty() && !described {
            self.present_all(headers, &mut obtained).await?;
            return Ok((obtained, None));
        }
        let has = |scheme: &Scheme| self.find(scheme).is_some() || is_set(scheme.credential, url, headers);
        let Some(requirement) = first_met(operation, has) else {
            return Ok((obtained, (!operation.allows_anonymous()).then_some(Unmet(operation))));
        };
        for scheme in requirement.schemes {
            if let Some(given) = self.find(scheme).filter(|_| !is_set(scheme.credential, url, headers)) {
                let text = given.text(scheme, &mut obtained).await?;
                present(scheme, &text, url, headers)?;
            }
        }
        Ok((obtained, None))
    }

    /// Adds the credential for each of the schemes, for a request that the document does not describe. What
    /// the caller has set, such as a header, stays.
    pub(super) async fn present_known(
        &self,
        schemes: &[Scheme],
        url: &mut Url,
        headers: &mut HeaderMap,
    ) -> Result<Obtained, SendError> {
        let mut obtained = Obtained::new();
        for scheme in schemes {
            if let Some(given) = self.find(scheme).filter(|_| !is_set(scheme.credential, url, headers)) {
                let text = given.text(scheme, &mut obtained).await?;
                present(scheme, &text, url, headers)?;
            }
        }
        Ok(obtained)
    }

    /// Adds every credential, for a document that describes none.
    async fn present_all(&self, headers: &mut HeaderMap, obtained: &mut Obtained) -> Result<(), SendError> {
        const UNDESCRIBED: Scheme = Scheme { name: "", credential: Credential::Bearer, scopes: &[] };

        for (purpose, given) in &self.given {
            let Some((name, prefix)) = purpose.assumed() else { continue };
            if !headers.contains_key(&name) {
                let text = given.text(&UNDESCRIBED, obtained).await?;
                headers.insert(name, sensitive(&UNDESCRIBED, format!("{prefix}{text}"))?);
            }
        }
        Ok(())
    }
}

impl Unmet {
    /// Returns a description of the missing credentials, unless middleware has added one of the alternatives.
    pub(super) fn problem(&self, url: &Url, headers: &HeaderMap) -> Option<String> {
        let Self(operation) = self;
        if first_met(operation, |scheme| is_set(scheme.credential, url, headers)).is_some() {
            return None;
        }
        let alternatives: Vec<String> = operation
            .security
            .iter()
            .map(|requirement| {
                let names: Vec<String> =
                    requirement.schemes.iter().map(|scheme| format!("`{}`", scheme.name)).collect();
                names.join(" and ")
            })
            .collect();
        Some(format!(
            "`{}` requires the credential {}, which the client does not have",
            operation.id,
            alternatives.join(", or ")
        ))
    }
}

/// Returns the first requirement that names schemes and has all of them.
fn first_met(operation: &Operation, has: impl Fn(&Scheme) -> bool) -> Option<&'static Requirement> {
    operation
        .security
        .iter()
        .find(|requirement| !requirement.schemes.is_empty() && requirement.schemes.iter().all(&has))
}

/// Whether the request has a credential in this place already.
fn is_set(credential: Credential, url: &Url, headers: &HeaderMap) -> bool {
    match credential {
        Credential::Bearer | Credential::Basic | Credential::Http(_) => {
            headers.contains_key(header::AUTHORIZATION)
        }
        Credential::Header(name) => headers.contains_key(name),
        Credential::Query(name) => url.query_pairs().any(|(key, _)| key == name),
        Credential::Cookie(name) => headers
            .get_all(header::COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .any(|pair| pair.trim().split_once('=').is_some_and(|(key, _)| key == name)),
        // The HTTP client has the certificate or not; only the service can tell.
        Credential::Connection => true,
    }
}

fn present(scheme: &Scheme, text: &str, url: &mut Url, headers: &mut HeaderMap) -> Result<(), SendError> {
    let (name, value) = match scheme.credential {
        Credential::Bearer => (header::AUTHORIZATION, format!("Bearer {text}")),
        Credential::Basic => (header::AUTHORIZATION, format!("Basic {text}")),
        Credential::Http(name) => (header::AUTHORIZATION, format!("{name} {text}")),
        Credential::Header(name) => match name.parse() {
            Ok(name) => (name, text.to_owned()),
            Err(_) => return Err(unwritable(scheme)),
        },
        Credential::Cookie(name) => {
            let cookie = format!("{name}={text}");
            // A request has only one cookie header (RFC 6265, section 5.4).
            let before = headers.get(header::COOKIE).and_then(|before| before.to_str().ok());
            (header::COOKIE, before.map_or(cookie.clone(), |before| format!("{before}; {cookie}")))
        }
        Credential::Query(name) => {
            url.query_pairs_mut().append_pair(name, text);
            return Ok(());
        }
        Credential::Connection => return Ok(()),
    };
    headers.insert(name, sensitive(scheme, value)?);
    Ok(())
}

fn sensitive(scheme: &Scheme, value: String) -> Result<HeaderValue, SendError> {
    let mut value = HeaderValue::try_from(value).map_err(|_| unwritable(scheme))?;
    value.set_sensitive(true);
    Ok(value)
}

fn unwritable(scheme: &Scheme) -> SendError {
    SendError::unmet(format!("the credential for `{}` cannot be sent in a header", scheme.name))
}
