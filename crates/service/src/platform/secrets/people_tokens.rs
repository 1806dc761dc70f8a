//! Tokens of people as text: those of sessions, which are in cookies, of links, and of challenges.

use std::fmt;

use frontdesk_store::{KeyHash, LinkKind, NewLink, Store, StoreError, User};
use jiff::Timestamp;
use sha2::{Digest, Sha256};

use super::keys::random_text;

/// Characters of a token; 43 out of an alphabet of 62 carry 256 bits.
const LENGTH: usize = 43;

/// What a token is for. A token of one kind is not found as one of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The session of a person.
    Session,
    /// A link.
    Link,
    /// A challenge for a passkey.
    Challenge,
}

impl Purpose {
    const fn domain(self) -> &'static [u8] {
        match self {
            Self::Session => b"session",
            Self::Link => b"link",
            Self::Challenge => b"challenge",
        }
    }

    /// Returns the hash of a token, or `None` if the text does not have the form of one.
    pub(crate) fn hash(self, text: &str) -> Option<KeyHash> {
        let has_form = text.len() == LENGTH && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        has_form.then(|| self.digest(text))
    }

    /// A token has 256 random bits, so a fast hash without a pepper is sufficient.
    fn digest(self, token: &str) -> KeyHash {
        let hash = Sha256::new().chain_update(self.domain()).chain_update(token.as_bytes());
        KeyHash::new(hash.finalize().into())
    }
}

/// A newly generated token. This is the only moment at which the token itself is known.
pub(crate) struct PersonToken {
    text: String,
    purpose: Purpose,
}

impl PersonToken {
    /// Generates a token from the random numbers of the operating system.
    pub(crate) fn generate(purpose: Purpose) -> Result<Self, getrandom::Error> {
        Ok(Self { text: random_text(LENGTH)?, purpose })
    }

    /// Returns the token itself, to be sent once.
    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// Returns the hash under which it is stored.
    pub(crate) fn hash(&self) -> KeyHash {
        self.purpose.digest(&self.text)
    }
}

impl fmt::Debug for PersonToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PersonToken(…)")
    }
}

/// Why a link cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum LinkError {
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Creates a link, for a user unless it is for set-up, and returns its token. Another one of the kind for the
/// same user ends.
pub async fn issue_link(
    store: &Store,
    kind: LinkKind,
    user: Option<User>,
    now: Timestamp,
) -> Result<String, LinkError> {
    let token = PersonToken::generate(Purpose::Link)?;
    store.links().create(&NewLink { kind, hash: token.hash(), user }, now).await?;
    Ok(token.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_for_its_purpose_only() {
        let token = PersonToken::generate(Purpose::Session).unwrap();
        assert_eq!(Purpose::Session.hash(token.expose()), Some(token.hash()));
        assert_ne!(Purpose::Link.hash(token.expose()), Some(token.hash()));
        assert_eq!(Purpose::Session.hash(&token.expose()[1..]), None);
        assert_eq!(Purpose::Session.hash(&"é".repeat(LENGTH)), None);
        assert_eq!(format!("{token:?}"), "PersonToken(…)");
    }
}
