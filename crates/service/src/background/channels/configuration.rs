//! Settings and secrets of a channel, as requests change them: each kind has an object of its own.

use frontdesk_model::{
    ContactFormSettings, EmailChannelSettings, MetaChannelSettings, TelegramChannelSettings,
};
use frontdesk_runtime::check;
use frontdesk_store::{ChannelKind, InboxChannel, NewInboxChannel, Redacted};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use uuid::Uuid;

use super::{
    EmailSecrets, EmailSettings, FormSettings, MetaSecrets, MetaSettings, TelegramSecrets, TelegramSettings,
};
use crate::{
    edge::responses,
    platform::secrets::{encryption::SecretCipher, of_channels},
};

/// What a request says of the settings of a channel.
pub(crate) struct Configuration {
    /// For contact forms.
    pub(crate) contact_form: Option<ContactFormSettings>,
    /// For mailboxes.
    pub(crate) email: Option<EmailChannelSettings>,
    /// For bots of Telegram.
    pub(crate) telegram: Option<TelegramChannelSettings>,
    /// For numbers of WhatsApp.
    pub(crate) whatsapp: Option<MetaChannelSettings>,
    /// For pages of Messenger.
    pub(crate) messenger: Option<MetaChannelSettings>,
}

/// Settings and secrets to store.
pub(crate) struct Stored {
    /// What only the kind has.
    pub(crate) settings: Value,
    /// Its secrets, encrypted.
    pub(crate) secrets: Option<Redacted<String>>,
}

/// Why settings cannot be stored.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigurationError {
    /// The operating system provides no random numbers.
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    /// The settings cannot be written as JSON.
    #[error("the settings cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

/// The channel that is configured.
struct Present<'a> {
    channel_id: Uuid,
    kind: ChannelKind,
    /// `None` while the channel is created.
    channel: Option<&'a InboxChannel>,
}

impl Configuration {
    /// Returns the settings of a channel to be created; `None` if its kind has none.
    pub(crate) fn of_new(
        self,
        cipher: &SecretCipher,
        new: &NewInboxChannel,
        failures: &mut Vec<check::Failure>,
    ) -> Result<Option<Stored>, ConfigurationError> {
        self.apply(cipher, &Present { channel_id: new.channel_id, kind: new.kind, channel: None }, failures)
    }

    /// Returns the settings of a channel after a change; `None` if the request does not change them.
    pub(crate) fn of_present(
        self,
        cipher: &SecretCipher,
        channel: &InboxChannel,
        failures: &mut Vec<check::Failure>,
    ) -> Result<Option<Stored>, ConfigurationError> {
        let present = Present { channel_id: channel.channel_id, kind: channel.kind, channel: Some(channel) };
        self.apply(cipher, &present, failures)
    }

    fn apply(
        self,
        cipher: &SecretCipher,
        present: &Present<'_>,
        failures: &mut Vec<check::Failure>,
    ) -> Result<Option<Stored>, ConfigurationError> {
        let kind = present.kind;
        for (name, is_there, of) in [
            ("contact_form", self.contact_form.is_some(), ChannelKind::ContactForm),
            ("email", self.email.is_some(), ChannelKind::Email),
            ("telegram", self.telegram.is_some(), ChannelKind::Telegram),
            ("whatsapp", self.whatsapp.is_some(), ChannelKind::Whatsapp),
            ("messenger", self.messenger.is_some(), ChannelKind::Messenger),
        ] {
            if is_there && of != kind {
                failures.push(responses::failure(name, format!("is only for channels of the kind `{name}`")));
            }
        }
        let is_new = present.channel.is_none();
        Ok(match kind {
            ChannelKind::ContactForm if is_new || self.contact_form.is_some() => {
                let mut settings = present.channel.map(FormSettings::of).unwrap_or_default();
                settings.change(self.contact_form.unwrap_or_default(), failures);
                Some(Stored { settings: serde_json::to_value(settings)?, secrets: None })
            }
            ChannelKind::Email if is_new || self.email.is_some() => {
                let mut settings = present.channel.map(EmailSettings::of).unwrap_or_default();
                let mut secrets: EmailSecrets = present.secrets(cipher);
                settings.change(self.email.unwrap_or_default(), &mut secrets, failures);
                Some(present.stored(cipher, &settings, &secrets)?)
            }
            ChannelKind::Telegram if is_new || self.telegram.is_some() => {
                let mut settings = present.channel.map(TelegramSettings::of).unwrap_or_default();
                let mut secrets: TelegramSecrets = present.secrets(cipher);
                settings.change(self.telegram.unwrap_or_default(), &mut secrets, failures);
                Some(present.stored(cipher, &settings, &secrets)?)
            }
            ChannelKind::Whatsapp if is_new || self.whatsapp.is_some() => {
                Some(present.meta(cipher, self.whatsapp.unwrap_or_default(), "whatsapp", failures)?)
            }
            ChannelKind::Messenger if is_new || self.messenger.is_some() => {
                Some(present.meta(cipher, self.messenger.unwrap_or_default(), "messenger", failures)?)
            }
            _ => None,
        })
    }
}

impl Present<'_> {
    /// Returns the present secrets; none if they cannot be decrypted, so that they can be entered again.
    fn secrets<T: DeserializeOwned + Default>(&self, cipher: &SecretCipher) -> T {
        self.channel.and_then(|channel| of_channels::decrypted(cipher, channel)).unwrap_or_default()
    }

    fn stored(
        &self,
        cipher: &SecretCipher,
        settings: &impl Serialize,
        secrets: &impl Serialize,
    ) -> Result<Stored, ConfigurationError> {
        Ok(Stored {
            settings: serde_json::to_value(settings)?,
            secrets: Some(of_channels::encrypted(cipher, self.channel_id, secrets)?),
        })
    }

    fn meta(
        &self,
        cipher: &SecretCipher,
        change: MetaChannelSettings,
        name: &str,
        failures: &mut Vec<check::Failure>,
    ) -> Result<Stored, ConfigurationError> {
        let mut settings = self.channel.map(MetaSettings::of).unwrap_or_default();
        let mut secrets: MetaSecrets = self.secrets(cipher);
        settings.change(change, &mut secrets, name, failures);
        self.stored(cipher, &settings, &secrets)
    }
}
