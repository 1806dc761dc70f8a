//! Secrets of channels: JSON of each kind, encrypted for its channel.

use frontdesk_store::{InboxChannel, Redacted, ReencryptedSecret, SecretOwner};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::platform::secrets::encryption::SecretCipher;

/// Returns the purpose for which the secrets of a channel are encrypted. Part of the stored form.
fn purpose(channel_id: Uuid) -> String {
    format!("inbox channel {channel_id}")
}

/// Encrypts the secrets of a channel, to be stored.
pub(crate) fn encrypted(
    cipher: &SecretCipher,
    channel_id: Uuid,
    secrets: &impl Serialize,
) -> Result<Redacted<String>, getrandom::Error> {
    let text = serde_json::to_string(secrets).expect("secrets are structs of texts");
    cipher.encrypt(&text, &purpose(channel_id))
}

/// Returns the secrets of a channel; `None` if it has none, or if they cannot be decrypted.
pub(crate) fn decrypted<T: DeserializeOwned>(cipher: &SecretCipher, channel: &InboxChannel) -> Option<T> {
    let plain = cipher.decrypt(channel.secrets.as_ref()?, &purpose(channel.channel_id))?;
    serde_json::from_str(plain.expose()).ok()
}

/// Encrypts the secrets of a channel again, unless the new cipher decrypts them already. Returns `None` if
/// none of the peppers of `cipher` fits.
pub(crate) fn reencrypted(
    cipher: &SecretCipher,
    new_cipher: &SecretCipher,
    channel: &InboxChannel,
) -> Result<Option<Vec<ReencryptedSecret>>, getrandom::Error> {
    let purpose = purpose(channel.channel_id);
    let Some(before) = &channel.secrets else { return Ok(Some(Vec::new())) };
    if new_cipher.decrypt(before, &purpose).is_some() {
        return Ok(Some(Vec::new()));
    }
    let Some(plain) = cipher.decrypt(before, &purpose) else { return Ok(None) };
    let after = new_cipher.encrypt(plain.expose(), &purpose)?;
    let owner = SecretOwner::InboxChannel(channel.channel_id);
    Ok(Some(vec![ReencryptedSecret { owner, before: before.clone(), after }]))
}

#[cfg(test)]
mod tests {
    use frontdesk_store::ChannelKind;
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::platform::secrets::pepper::Peppers;

    #[test]
    fn secrets_belong_to_their_channel() {
        let cipher = SecretCipher::new(&Peppers::of("pepper"));
        let channel_id = Uuid::new_v4();
        let secrets = json!({ "password": "hedge" });
        let stored = encrypted(&cipher, channel_id, &secrets).unwrap();
        assert!(!stored.expose().contains("hedge"));
        let now = Timestamp::UNIX_EPOCH;
        let channel = InboxChannel {
            channel_id,
            account_id: Uuid::nil(),
            kind: ChannelKind::Email,
            name: "Mail".to_owned(),
            enabled: true,
            settings: json!({}),
            secrets: Some(stored),
            public_key: Uuid::nil(),
            progress: None,
            last_error: None,
            error_at: None,
            created_at: now,
            updated_at: now,
        };
        assert_eq!(decrypted::<Value>(&cipher, &channel), Some(secrets));
        let other = InboxChannel { channel_id: Uuid::new_v4(), ..channel };
        assert_eq!(decrypted::<Value>(&cipher, &other), None);
    }
}
