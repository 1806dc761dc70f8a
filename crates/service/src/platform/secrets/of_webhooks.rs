//! Secrets of webhook endpoints: issued once, stored encrypted, decrypted for each signature.

use base64::{Engine, prelude::BASE64_STANDARD};
use frontdesk_runtime::webhook::Signer;
use frontdesk_store::{Redacted, ReencryptedSecret, SecretOwner, WebhookEndpoint, WebhookTarget};
use jiff::Timestamp;
use uuid::Uuid;

use crate::platform::secrets::encryption::SecretCipher;

/// The length of a secret, in bytes.
const LENGTH: usize = 32;

/// A new secret.
#[derive(Debug)]
pub(crate) struct IssuedSecret {
    /// The secret, to be shown once.
    pub(crate) secret: Redacted<String>,
    /// The same, encrypted for its endpoint.
    pub(crate) encrypted: Redacted<String>,
}

/// Makes a secret for an endpoint.
pub(crate) fn issue(
    cipher: &SecretCipher,
    webhook_endpoint_id: Uuid,
) -> Result<IssuedSecret, getrandom::Error> {
    let mut bytes = [0; LENGTH];
    getrandom::fill(&mut bytes)?;
    let secret = Redacted::new(format!("whsec_{}", BASE64_STANDARD.encode(bytes)));
    let encrypted = cipher.encrypt(secret.expose(), &purpose(webhook_endpoint_id))?;
    Ok(IssuedSecret { secret, encrypted })
}

/// Returns the purpose for which the secret of an endpoint is encrypted. Part of the stored form.
fn purpose(webhook_endpoint_id: Uuid) -> String {
    format!("webhook endpoint {webhook_endpoint_id}")
}

/// Returns what signs the events of an endpoint at this moment, or `None` if its secret cannot be decrypted.
pub(crate) fn signer(cipher: &SecretCipher, target: &WebhookTarget, now: Timestamp) -> Option<Signer> {
    let purpose = purpose(target.webhook_endpoint_id);
    let signer = Signer::new(cipher.decrypt(&target.secret, &purpose)?.expose()).ok()?;
    let previous = target.previous_secret.as_ref();
    let previous = previous.filter(|_| target.previous_secret_until.is_some_and(|until| now < until));
    match previous.and_then(|previous| cipher.decrypt(previous, &purpose)) {
        Some(previous) => signer.also(previous.expose()).ok(),
        None => Some(signer),
    }
}

/// Encrypts the secrets of an endpoint again that the new cipher cannot decrypt. Returns `None` if none of
/// the peppers of `cipher` fits.
pub(crate) fn reencrypted(
    cipher: &SecretCipher,
    new_cipher: &SecretCipher,
    endpoint: &WebhookEndpoint,
) -> Result<Option<Vec<ReencryptedSecret>>, getrandom::Error> {
    let id = endpoint.webhook_endpoint_id;
    let previous = endpoint.previous_secret.as_ref();
    let secrets = std::iter::once((SecretOwner::WebhookEndpoint(id), &endpoint.secret))
        .chain(previous.map(|secret| (SecretOwner::PreviousOfWebhookEndpoint(id), secret)));
    let purpose = purpose(id);
    let mut again = Vec::new();
    for (owner, before) in secrets {
        if new_cipher.decrypt(before, &purpose).is_some() {
            continue;
        }
        let Some(plain) = cipher.decrypt(before, &purpose) else { return Ok(None) };
        let after = new_cipher.encrypt(plain.expose(), &purpose)?;
        again.push(ReencryptedSecret { owner, before: before.clone(), after });
    }
    Ok(Some(again))
}

#[cfg(test)]
mod tests {
    use frontdesk_runtime::webhook::Verifier;
    use jiff::SignedDuration;

    use super::*;
    use crate::platform::secrets::pepper::Peppers;

    #[test]
    fn the_previous_secret_signs_until_its_end() {
        let cipher = SecretCipher::new(&Peppers::of("pepper"));
        let id = Uuid::new_v4();
        let (old, new) = (issue(&cipher, id).unwrap(), issue(&cipher, id).unwrap());
        assert_ne!(old.secret, new.secret);
        let now = Timestamp::UNIX_EPOCH;
        let target = WebhookTarget {
            webhook_endpoint_id: id,
            url: "https://crm.example/".to_owned(),
            secret: new.encrypted,
            previous_secret: Some(old.encrypted),
            previous_secret_until: Some(now + SignedDuration::from_hours(24)),
            failing_since: None,
        };
        for (moment, old_is_valid) in [(now, true), (now + SignedDuration::from_hours(24), false)] {
            let headers = signer(&cipher, &target, moment).unwrap().headers("id", b"{}").unwrap();
            let verifies = |secret: &Redacted<String>| {
                Verifier::new(secret.expose()).unwrap().verify(&headers, b"{}").is_ok()
            };
            assert!(verifies(&new.secret));
            assert_eq!(verifies(&old.secret), old_is_valid);
        }
        // The secret of another endpoint cannot be put in its place.
        let other = WebhookTarget { webhook_endpoint_id: Uuid::new_v4(), ..target };
        assert!(signer(&cipher, &other, now).is_none());
    }
}
