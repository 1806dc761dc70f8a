//! [`Token`]: a credential's text, fixed or obtained from a source that refreshes it.

use super::BoxFuture;
use crate::{Scheme, Secret, client::SendError};
use futures_util::lock::Mutex;
use std::{error, fmt, sync::Arc, time::Duration};

/// The text of a credential, such as a bearer token or an API key: fixed, or obtained from a source when a
/// request needs it.
///
/// Fixed tokens are made `From` text.
#[derive(Clone)]
pub struct Token(Origin);

#[derive(Clone)]
enum Origin {
    Fixed(Secret),
    Source(Arc<Source>),
}

/// A request of the client to the source of a token.
#[derive(Clone, Debug)]
pub struct TokenRequest {
    /// The scheme that the operation requires, with the scopes that it lists.
    pub scheme: Scheme,
    /// The token that the service refused with 401. The source must not return it again.
    pub refused: Option<Secret>,
}

/// A token that a source has obtained.
#[derive(Clone, Debug)]
pub struct ObtainedToken {
    secret: Secret,
    lifetime: Option<Duration>,
}

impl ObtainedToken {
    /// Wraps a token that stays in use until the service refuses it with 401.
    pub fn new(token: impl Into<Secret>) -> Self {
        Self { secret: token.into(), lifetime: None }
    }

    /// Limits the use of the token to this time, which is `expires_in` of OAuth 2.0. The client asks for
    /// another one 30 seconds earlier, or after half of a shorter time. On `wasm32`, which has no clock, only
    /// a 401 ends the use.
    #[must_use]
    pub fn expires_in(self, lifetime: Duration) -> Self {
        let margin = Duration::from_secs(30).min(lifetime / 2);
        Self { lifetime: Some(lifetime.saturating_sub(margin)), ..self }
    }
}

impl<T: Into<Secret>> From<T> for ObtainedToken {
    fn from(token: T) -> Self {
        Self::new(token)
    }
}

impl Token {
    /// Makes a token that `obtain` provides when the first operation needs it, and again when it has expired
    /// or the service has refused it with 401. A call that is refused is then sent a second time, unless its
    /// body is a stream.
    ///
    /// Calls at the same time wait for one result. An error of `obtain` ends the call with
    /// [`Error::Connection`](super::Error::Connection), and nothing is sent.
    ///
    /// ```
    /// use frontdesk_runtime::client::{ObtainedToken, Token};
    /// use std::{io, time::Duration};
    ///
    /// async fn log_in() -> io::Result<(String, u64)> {
    ///     Ok(("secret".to_owned(), 3600))
    /// }
    ///
    /// let token = Token::from_source(|_request| async {
    ///     let (token, seconds) = log_in().await?;
    ///     Ok::<_, io::Error>(ObtainedToken::new(token).expires_in(Duration::from_secs(seconds)))
    /// });
    /// ```
    #[cfg(not(target_arch = "wasm32"))]
    pub fn from_source<F, R, E>(obtain: F) -> Self
    where
        F: Fn(TokenRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ObtainedToken, E>> + Send + 'static,
        E: Into<Box<dyn error::Error + Send + Sync>>,
    {
        Self::of_source(move |request| {
            let obtained = obtain(request);
            Box::pin(async move { obtained.await.map_err(SendError::other) })
        })
    }

    /// Makes a token that `obtain` provides when the first operation needs it, and again when the service has
    /// refused it with 401.
    #[cfg(target_arch = "wasm32")]
    pub fn from_source<F, R, E>(obtain: F) -> Self
    where
        F: Fn(TokenRequest) -> R + Send + Sync + 'static,
        R: Future<Output = Result<ObtainedToken, E>> + 'static,
        E: Into<Box<dyn error::Error + Send + Sync>>,
    {
        Self::of_source(move |request| {
            let obtained = obtain(request);
            Box::pin(async move { obtained.await.map_err(SendError::other) })
        })
    }

    fn of_source(
        obtain: impl Fn(TokenRequest) -> BoxFuture<Result<ObtainedToken, SendError>> + Send + Sync + 'static,
    ) -> Self {
        Self(Origin::Source(Arc::new(Source { obtain: Box::new(obtain), kept: Mutex::new(Vec::new()) })))
    }

    /// Returns the text for a scheme, and its source if it has one.
    pub(super) async fn resolve(&self, scheme: &Scheme) -> Result<(Secret, Option<Arc<Source>>), SendError> {
        match &self.0 {
            Origin::Fixed(secret) => Ok((secret.clone(), None)),
            Origin::Source(source) => Ok((source.token(*scheme).await?, Some(source.clone()))),
        }
    }
}

impl<T: Into<Secret>> From<T> for Token {
    fn from(token: T) -> Self {
        Self(Origin::Fixed(token.into()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Origin::Fixed(secret) => write!(formatter, "{secret:?}"),
            Origin::Source(_) => formatter.write_str("Token(from a source)"),
        }
    }
}

type Obtain = dyn Fn(TokenRequest) -> BoxFuture<Result<ObtainedToken, SendError>> + Send + Sync;

/// A source of tokens, with those in use.
pub(super) struct Source {
    obtain: Box<Obtain>,
    /// One for each list of scopes. The lock is held while a token is obtained, so that calls at the same
    /// time ask once.
    kept: Mutex<Vec<Kept>>,
}

struct Kept {
    scopes: &'static [&'static str],
    secret: Secret,
    until: Option<Moment>,
    /// Whether the service has refused it.
    refused: bool,
}

impl Source {
    async fn token(&self, scheme: Scheme) -> Result<Secret, SendError> {
        let mut kept = self.kept.lock().await;
        let position = kept.iter().position(|token| token.scopes == scheme.scopes);
        let mut refused = None;
        if let Some(position) = position {
            let token = &kept[position];
            if token.refused {
                refused = Some(token.secret.clone());
            } else if !token.until.is_some_and(is_past) {
                return Ok(token.secret.clone());
            }
        }
        let obtained = (self.obtain)(TokenRequest { scheme, refused }).await?;
        let token = Kept {
            scopes: scheme.scopes,
            secret: obtained.secret.clone(),
            until: obtained.lifetime.and_then(after),
            refused: false,
        };
        match position {
            Some(position) => kept[position] = token,
            None => kept.push(token),
        }
        Ok(obtained.secret)
    }

    /// Notes that the service refused a token. Another one that has been obtained meanwhile stays in use.
    pub(super) async fn refuse(&self, secret: &Secret) {
        for token in self.kept.lock().await.iter_mut().filter(|token| token.secret == *secret) {
            token.refused = true;
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
type Moment = std::time::Instant;

#[cfg(not(target_arch = "wasm32"))]
fn after(lifetime: Duration) -> Option<Moment> {
    Moment::now().checked_add(lifetime)
}

#[cfg(not(target_arch = "wasm32"))]
fn is_past(moment: Moment) -> bool {
    moment <= Moment::now()
}

/// Without a clock, no token expires.
#[cfg(target_arch = "wasm32")]
type Moment = std::convert::Infallible;

#[cfg(target_arch = "wasm32")]
fn after(_lifetime: Duration) -> Option<Moment> {
    None
}

#[cfg(target_arch = "wasm32")]
fn is_past(moment: Moment) -> bool {
    match moment {}
}
