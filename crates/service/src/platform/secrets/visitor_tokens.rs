//! Tokens of visitors as text: how they are generated, recognized and hashed.

use std::fmt;

use frontdesk_store::KeyHash;
use sha2::{Digest, Sha256};

use super::keys::random_text;

/// Prefix of every token, by which it is told from an API key.
const PREFIX: &str = "vis_";

/// Characters after the prefix; 43 out of an alphabet of 62 carry 256 bits.
const LENGTH: usize = 43;

/// A newly generated token. This is the only moment at which the token itself is known.
pub(crate) struct FreshToken(String);

impl FreshToken {
    /// Generates a token from the random numbers of the operating system.
    pub(crate) fn generate() -> Result<Self, getrandom::Error> {
        Ok(Self(format!("{PREFIX}{}", random_text(LENGTH)?)))
    }

    /// Returns the token itself, to be sent once.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// Returns the hash under which it is stored.
    pub(crate) fn hash(&self) -> KeyHash {
        digest(&self.0)
    }
}

impl fmt::Debug for FreshToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("FreshToken(…)")
    }
}

/// Returns the hash of a token, or `None` if the text does not have the form of one.
pub(crate) fn hash(text: &str) -> Option<KeyHash> {
    let random = text.strip_prefix(PREFIX)?;
    let has_form = random.len() == LENGTH && random.bytes().all(|byte| byte.is_ascii_alphanumeric());
    has_form.then(|| digest(text))
}

/// A token has 256 random bits and is valid for some weeks, so a fast hash without a pepper is sufficient.
fn digest(token: &str) -> KeyHash {
    KeyHash::new(Sha256::new().chain_update(b"visitor").chain_update(token.as_bytes()).finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_texts_with_the_form_of_a_token_are_looked_up() {
        let token = FreshToken::generate().unwrap();
        assert_eq!(hash(token.expose()), Some(token.hash()));
        assert_ne!(token.hash(), FreshToken::generate().unwrap().hash());
        let key = format!("sk_live_{}", "a".repeat(LENGTH));
        let long = format!("{}a", token.expose());
        for other in ["", "vis_", &*key, &*long, "vis_abc", &*format!("vis_{}", "é".repeat(LENGTH))] {
            assert_eq!(hash(other), None, "{other}");
        }
        assert_eq!(format!("{token:?}"), "FreshToken(…)");
    }
}
