//! Owns [`Sealer`]: secrets that must be read again are kept encrypted, so that a copy of the database shows none of them.

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use frontdesk_store::{Domain, Redacted, Scope, Store, StoreError};
use hmac::{Hmac, Mac};
use jiff::Timestamp;
use sha2::Sha256;

use crate::keys::{self, KeyHasherError};

/// Names the form of what is stored, so that another can follow.
const FORM: &str = "x1.";

/// Bytes of a nonce; random ones of this length never meet.
const NONCE_LENGTH: usize = 24;

/// Characters of an identity secret; 43 of 62 kinds carry 256 bits.
const IDENTITY_SECRET_LENGTH: usize = 43;

/// Encrypts with a key derived from the pepper. With the pepper in the configuration, the database alone opens nothing.
#[derive(Clone)]
pub struct Sealer(XChaCha20Poly1305);

impl Sealer {
    /// A sealer with the pepper of the configuration, or else the one that the store keeps for all processes.
    pub async fn open(store: &Store, pepper: Option<&Redacted<String>>) -> Result<Self, KeyHasherError> {
        Ok(Self::new(&keys::pepper(store, pepper).await?))
    }

    fn new(pepper: &[u8]) -> Self {
        let mut derivation =
            <Hmac<Sha256> as Mac>::new_from_slice(pepper).expect("HMAC takes keys of any length");
        derivation.update(b"frontdesk: sealed secrets");
        let key: [u8; 32] = derivation.finalize().into_bytes().into();
        Self(XChaCha20Poly1305::new(&key.into()))
    }

    /// Encrypts a secret. It opens only for the same purpose, so that rows cannot be exchanged.
    pub fn seal(&self, secret: &str, purpose: &str) -> Result<Redacted<String>, KeyHasherError> {
        let mut nonce = [0; NONCE_LENGTH];
        getrandom::fill(&mut nonce)?;
        let payload = Payload { msg: secret.as_bytes(), aad: purpose.as_bytes() };
        let sealed =
            self.0.encrypt(&XNonce::from(nonce), payload).expect("a secret is far below the cipher's limit");
        let bytes = [&nonce[..], &sealed].concat();
        Ok(Redacted::new(format!("{FORM}{}", BASE64_STANDARD_NO_PAD.encode(bytes))))
    }

    /// Decrypts what was sealed for this purpose; `None` for anything else, and under another pepper.
    pub(crate) fn unseal(&self, sealed: &Redacted<String>, purpose: &str) -> Option<Redacted<String>> {
        let bytes = BASE64_STANDARD_NO_PAD.decode(sealed.expose().strip_prefix(FORM)?).ok()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_LENGTH>()?;
        let payload = Payload { msg: sealed, aad: purpose.as_bytes() };
        let secret = self.0.decrypt(&XNonce::from(*nonce), payload).ok()?;
        String::from_utf8(secret).ok().map(Redacted::new)
    }
}

impl fmt::Debug for Sealer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Sealer(…)")
    }
}

/// A domain that has been made, and the secret that its owner signs identities with.
#[derive(Debug)]
pub struct IssuedDomain {
    /// What is kept of it.
    pub domain: Domain,
    /// The secret, to be shown once.
    pub identity_secret: Redacted<String>,
}

/// Makes a domain with a fresh identity secret, and stores the secret sealed.
pub async fn issue_domain(
    store: &Store,
    pepper: Option<&Redacted<String>>,
    scope: &Scope,
    hostname: &str,
    now: Timestamp,
) -> Result<IssuedDomain, KeyHasherError> {
    let identity_secret = keys::random_text(IDENTITY_SECRET_LENGTH)?;
    let sealed = Sealer::open(store, pepper).await?.seal(&identity_secret, hostname)?;
    let domain = store.create_domain(scope, hostname, &sealed, now).await?;
    Ok(IssuedDomain { domain, identity_secret: Redacted::new(identity_secret) })
}

/// The identity secret of a domain.
pub(crate) fn identity_secret(sealer: &Sealer, domain: &Domain) -> Result<Redacted<String>, StoreError> {
    sealer.unseal(&domain.identity_secret, &domain.hostname).ok_or_else(|| StoreError::InvalidValue {
        field: "identity_secret",
        problem: format!("of the domain {} does not open; was the pepper changed?", domain.domain_id),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_opens_for_its_purpose_and_pepper_only() {
        let sealer = Sealer::new(b"pepper");
        let sealed = sealer.seal("hunter2", "www.example.com").unwrap();
        assert!(!sealed.expose().contains("hunter2"));
        assert_eq!(sealer.unseal(&sealed, "www.example.com").unwrap().expose(), "hunter2");
        assert!(sealer.unseal(&sealed, "shop.example.com").is_none());
        assert!(Sealer::new(b"salt").unseal(&sealed, "www.example.com").is_none());
        for damaged in ["", "hunter2", "x1.", "x1.AAAA", &sealed.expose()[..sealed.expose().len() - 2]] {
            assert!(sealer.unseal(&Redacted::new(damaged.to_owned()), "www.example.com").is_none());
        }
        assert_ne!(
            sealer.seal("hunter2", "a").unwrap().expose(),
            sealer.seal("hunter2", "a").unwrap().expose()
        );
    }
}
