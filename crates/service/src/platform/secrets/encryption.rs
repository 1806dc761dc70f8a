//! Encryption of secrets that have to be read again, such as the identity secrets of domains:
//! [`SecretCipher`].

use std::fmt;

use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use chacha20poly1305::{
    KeyInit, XChaCha20Poly1305, XNonce,
    aead::{Aead, Payload},
};
use frontdesk_store::{
    Domain, IdentityEnforcement, NewDomain, Redacted, ReencryptedSecret, Scope, SecretOwner, Store,
    StoreError,
};
use hmac::Mac;
use jiff::Timestamp;

use crate::platform::{
    config::Keys,
    secrets::{
        keys::{self, KeyError},
        pepper::{Pepper, Peppers},
    },
};

/// Prefix of an encrypted secret, followed by the id of its pepper, a dot, and nonce and ciphertext in
/// Base64.
const FORM: &str = "x2.";

/// Prefix of the form that does not name the pepper, written by version 1.0.
const FIRST_FORM: &str = "x1.";

/// Distinguishes the key of the cipher from other values that are derived from the pepper. Part of the stored
/// form.
const DERIVATION: &[u8] = b"frontdesk: sealed secrets";

/// Bytes of a nonce; random ones of this length do not repeat in practice.
const NONCE_LENGTH: usize = 24;

/// Characters of an identity secret; 43 out of an alphabet of 62 carry 256 bits.
const IDENTITY_SECRET_LENGTH: usize = 43;

/// The most domains of an account.
pub(crate) const MAX_DOMAINS: u64 = 50;

/// Encrypts and decrypts with keys derived from the peppers. If the pepper is configured outside the
/// database, a copy of the database does not reveal the secrets.
#[derive(Clone)]
pub struct SecretCipher {
    /// The cipher of each accepted pepper, with the id of the pepper.
    ciphers: Vec<(String, XChaCha20Poly1305)>,
    current: usize,
}

impl SecretCipher {
    /// Derives the keys of all accepted peppers.
    pub(crate) fn new(peppers: &Peppers) -> Self {
        let ciphers: Vec<_> =
            peppers.accepted().iter().map(|pepper| (pepper.id().to_owned(), cipher(pepper))).collect();
        let current = ciphers.iter().position(|(id, _)| id == peppers.current().id()).unwrap_or_default();
        Self { ciphers, current }
    }

    /// Encrypts a secret with the current pepper. It can be decrypted for the same purpose only, so that rows
    /// cannot be exchanged.
    pub(crate) fn encrypt(&self, secret: &str, purpose: &str) -> Result<Redacted<String>, getrandom::Error> {
        let mut nonce = [0; NONCE_LENGTH];
        getrandom::fill(&mut nonce)?;
        let (id, cipher) = &self.ciphers[self.current];
        let payload = Payload { msg: secret.as_bytes(), aad: purpose.as_bytes() };
        let encrypted = cipher
            .encrypt(&XNonce::from(nonce), payload)
            .expect("a secret is far shorter than the limit of the cipher");
        let bytes = [&nonce[..], &encrypted].concat();
        Ok(Redacted::new(format!("{FORM}{id}.{}", BASE64_STANDARD_NO_PAD.encode(bytes))))
    }

    /// Decrypts a secret that was encrypted for this purpose. Returns `None` for anything else, and if its
    /// pepper is not accepted.
    pub(crate) fn decrypt(&self, encrypted: &Redacted<String>, purpose: &str) -> Option<Redacted<String>> {
        let (id, encoded) = match encrypted.expose().strip_prefix(FORM) {
            Some(rest) => rest.split_once('.').map(|(id, encoded)| (Some(id), encoded))?,
            None => (None, encrypted.expose().strip_prefix(FIRST_FORM)?),
        };
        let bytes = BASE64_STANDARD_NO_PAD.decode(encoded).ok()?;
        let (nonce, ciphertext) = bytes.split_first_chunk::<NONCE_LENGTH>()?;
        let payload = || Payload { msg: ciphertext, aad: purpose.as_bytes() };
        let candidates = self.ciphers.iter().filter(|(known, _)| id.is_none_or(|id| id == known));
        let secret = candidates
            .map(|(_, cipher)| cipher)
            .find_map(|cipher| cipher.decrypt(&XNonce::from(*nonce), payload()).ok())?;
        String::from_utf8(secret).ok().map(Redacted::new)
    }
}

/// Whether a stored text has the form of an encrypted one, whether it can be decrypted or not.
pub(crate) fn is_encrypted(stored: &Redacted<String>) -> bool {
    [FORM, FIRST_FORM].iter().any(|form| stored.expose().starts_with(form))
}

fn cipher(pepper: &Pepper) -> XChaCha20Poly1305 {
    let mut derivation = pepper.hmac();
    derivation.update(DERIVATION);
    let key: [u8; 32] = derivation.finalize().into_bytes().into();
    XChaCha20Poly1305::new(&key.into())
}

impl fmt::Debug for SecretCipher {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretCipher(…)")
    }
}

/// A new secret of a domain.
#[derive(Debug)]
pub(crate) struct NewIdentitySecret {
    /// The secret, to be shown once.
    pub(crate) secret: Redacted<String>,
    /// The same, encrypted for the host name of the domain.
    pub(crate) encrypted: Redacted<String>,
}

/// Makes a secret for the domain with this host name.
pub(crate) fn new_identity_secret(
    cipher: &SecretCipher,
    hostname: &str,
) -> Result<NewIdentitySecret, getrandom::Error> {
    let secret = keys::random_text(IDENTITY_SECRET_LENGTH)?;
    let encrypted = cipher.encrypt(&secret, hostname)?;
    Ok(NewIdentitySecret { secret: Redacted::new(secret), encrypted })
}

/// A new domain, and the secret that its owner signs identities with.
#[derive(Debug)]
pub struct IssuedDomain {
    /// The stored domain.
    pub domain: Domain,
    /// The secret, to be shown once.
    pub identity_secret: Redacted<String>,
}

/// Adds a domain with a new identity secret, and stores the secret encrypted. `keys` is the configuration of
/// the service that will verify the identities.
pub async fn issue_domain(
    store: &Store,
    keys: &Keys,
    scope: &Scope,
    hostname: &str,
    now: Timestamp,
) -> Result<IssuedDomain, KeyError> {
    let cipher = SecretCipher::new(&Peppers::open(store, keys).await?);
    let issued = new_identity_secret(&cipher, hostname)?;
    let new = NewDomain {
        hostname: hostname.to_owned(),
        identity_enforcement: IdentityEnforcement::Optional,
        public_keys: Vec::new(),
        identity_secret: issued.encrypted,
    };
    let domain = store.domains().create(scope, &new, MAX_DOMAINS, now).await?;
    Ok(IssuedDomain { domain, identity_secret: issued.secret })
}

/// Returns the decrypted identity secrets of a domain that are valid at this moment, the newest first.
pub(crate) fn identity_secrets(
    cipher: &SecretCipher,
    domain: &Domain,
    now: Timestamp,
) -> Result<Vec<Redacted<String>>, StoreError> {
    let previous = domain.previous_secret.as_ref();
    let previous = previous.filter(|_| domain.previous_secret_until.is_some_and(|until| now < until));
    let encrypted = std::iter::once(&domain.identity_secret).chain(previous);
    let decrypted = encrypted.map(|secret| {
        cipher.decrypt(secret, &domain.hostname).ok_or_else(|| StoreError::InvalidValue {
            field: "identity_secret",
            problem: format!(
                "of the domain {} cannot be decrypted; was the pepper changed?",
                domain.domain_id
            ),
        })
    });
    decrypted.collect()
}

/// Encrypts the secrets of a domain again that the new cipher cannot decrypt. Returns `None` if none of the
/// peppers of `cipher` fits.
pub(crate) fn reencrypted(
    cipher: &SecretCipher,
    new_cipher: &SecretCipher,
    domain: &Domain,
) -> Result<Option<Vec<ReencryptedSecret>>, getrandom::Error> {
    let (id, purpose) = (domain.domain_id, &domain.hostname);
    let previous = domain.previous_secret.as_ref();
    let secrets = std::iter::once((SecretOwner::Domain(id), &domain.identity_secret))
        .chain(previous.map(|secret| (SecretOwner::PreviousOfDomain(id), secret)));
    let mut again = Vec::new();
    for (owner, before) in secrets {
        if new_cipher.decrypt(before, purpose).is_some() {
            continue;
        }
        let Some(plain) = cipher.decrypt(before, purpose) else { return Ok(None) };
        let after = new_cipher.encrypt(plain.expose(), purpose)?;
        again.push(ReencryptedSecret { owner, before: before.clone(), after });
    }
    Ok(Some(again))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cipher(pepper: &str) -> SecretCipher {
        SecretCipher::new(&Peppers::of(pepper))
    }

    #[test]
    fn a_secret_is_decrypted_for_its_purpose_and_pepper_only() {
        let cipher = cipher("pepper");
        let encrypted = cipher.encrypt("hunter2", "www.example.com").unwrap();
        assert!(!encrypted.expose().contains("hunter2"));
        assert_eq!(cipher.decrypt(&encrypted, "www.example.com").unwrap().expose(), "hunter2");
        assert!(cipher.decrypt(&encrypted, "shop.example.com").is_none());
        assert!(self::cipher("salt").decrypt(&encrypted, "www.example.com").is_none());
        let shortened = &encrypted.expose()[..encrypted.expose().len() - 2];
        for damaged in ["", "hunter2", "x1.", "x1.AAAA", "x2.", "x2.AAAA", "x2..AAAA", shortened] {
            assert!(cipher.decrypt(&Redacted::new(damaged.to_owned()), "www.example.com").is_none());
        }
        assert_ne!(
            cipher.encrypt("hunter2", "a").unwrap().expose(),
            cipher.encrypt("hunter2", "a").unwrap().expose()
        );
    }

    #[test]
    fn the_first_form_is_still_read() {
        let cipher = cipher("pepper");
        let encrypted = cipher.encrypt("hunter2", "www.example.com").unwrap();
        let bytes = encrypted.expose().rsplit('.').next().unwrap();
        let first = Redacted::new(format!("x1.{bytes}"));
        assert_eq!(cipher.decrypt(&first, "www.example.com").unwrap().expose(), "hunter2");
        assert!(self::cipher("salt").decrypt(&first, "www.example.com").is_none());
    }
}
