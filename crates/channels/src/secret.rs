//! Passwords, tokens and signatures.

use std::fmt;

use data_encoding::HEXLOWER_PERMISSIVE;
use hmac::{Hmac, Mac};
use sha2::Sha256;

/// A secret text. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(value: impl Into<String>) -> Self {
        Self(value.into())
    }

    /// Returns the secret itself.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns whether a text is the secret. The time that it takes says nothing about the secret. An empty
    /// secret matches nothing.
    pub fn is(&self, text: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        // The library compares codes in constant time, and codes under the same key are equal only for equal
        // texts.
        let expected = code(self.0.as_bytes(), self.0.as_bytes()).finalize().into_bytes();
        code(self.0.as_bytes(), text.as_bytes()).verify_slice(&expected).is_ok()
    }

    /// Returns whether a hexadecimal signature of a body (HMAC-SHA-256) was made with the secret.
    pub fn has_signed(&self, body: &[u8], signature: &str) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let Ok(signature) = HEXLOWER_PERMISSIVE.decode(signature.as_bytes()) else { return false };
        code(self.0.as_bytes(), body).verify_slice(&signature).is_ok()
    }
}

fn code(key: &[u8], text: &[u8]) -> Hmac<Sha256> {
    let mut code = Hmac::<Sha256>::new_from_slice(key).expect("a key of any length is accepted");
    code.update(text);
    code
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("[redacted]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_secret_itself_is_equal() {
        let secret = Secret::new("s3cret");
        assert!(secret.is("s3cret"));
        for other in ["", "s3cre", "s3crett", "S3CRET"] {
            assert!(!secret.is(other), "{other}");
        }
        assert!(!Secret::new("").is(""));
        assert_eq!(format!("{secret:?}"), "[redacted]");
    }

    #[test]
    fn signatures_are_those_of_rfc_4231() {
        // Test case 2.
        let secret = Secret::new("Jefe");
        let signature = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        assert!(secret.has_signed(b"what do ya want for nothing?", signature));
        assert!(secret.has_signed(b"what do ya want for nothing?", &signature.to_uppercase()));
        assert!(!secret.has_signed(b"what do ya want for nothing!", signature));
        for wrong in ["", "5bdc", &signature.replace('5', "6"), &signature.replace('5', "ä")] {
            assert!(!secret.has_signed(b"what do ya want for nothing?", wrong), "{wrong}");
        }
        assert!(
            !Secret::new("")
                .has_signed(b"", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
        );
    }
}
