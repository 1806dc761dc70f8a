//! Secrets of channels: JSON of each kind, encrypted for its channel.

use frontdesk_store::{InboxChannel, Redacted};
use serde::{Serialize, de::DeserializeOwned};
use uuid::Uuid;

use crate::encryption::SecretCipher;

/// Returns the purpose for which the secrets of a channel are encrypted. Part of the stored form.
fn purpose(channel_id: Uuid) -> String {
    format!("inbox channel {channel_id}")
}

/// Encrypts the secrets of a channel, to be stored.
#[cfg_attr(not(test), expect(dead_code, reason = "the kinds so far have no secrets"))]
pub(crate) fn encrypted(
    cipher: &SecretCipher,
    channel_id: Uuid,
    secrets: &impl Serialize,
) -> Result<Redacted<String>, getrandom::Error> {
    let text = serde_json::to_string(secrets).expect("secrets are structs of texts");
    cipher.encrypt(&text, &purpose(channel_id))
}

/// Returns the secrets of a channel; `None` if it has none, or if they cannot be decrypted.
#[cfg_attr(not(test), expect(dead_code, reason = "the kinds so far have no secrets"))]
pub(crate) fn decrypted<T: DeserializeOwned>(cipher: &SecretCipher, channel: &InboxChannel) -> Option<T> {
    let plain = cipher.decrypt(channel.secrets.as_ref()?, &purpose(channel.channel_id))?;
    serde_json::from_str(plain.expose()).ok()
}

#[cfg(test)]
mod tests {
    use frontdesk_store::ChannelKind;
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::pepper::Peppers;

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
