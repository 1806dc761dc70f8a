//! Settings of the secrets that protect API keys and stored secrets.

use frontdesk_store::Redacted;

use super::{
    Kind, Setting,
    values::{one, redacted, shown},
};

pub(super) const PEPPER: Setting = Setting {
    key: "keys.pepper",
    flag: "key-pepper",
    value: "SECRET",
    meaning: "Secret that protects API keys and stored secrets, at least 32 characters; the same for all processes",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| pepper(texts).map(|pepper| config.keys.pepper = Some(pepper)),
    show: |config| redacted(config.keys.pepper.as_ref()),
};

pub(super) const PREVIOUS_PEPPER: Setting = Setting {
    key: "keys.previous_pepper",
    flag: "previous-key-pepper",
    value: "SECRET",
    meaning: "The pepper before a rotation, until `frontdesk key rotate-pepper` reports that no key depends on it",
    kind: Kind::Text,
    secret: true,
    read: |config, texts| pepper(texts).map(|pepper| config.keys.previous_pepper = Some(pepper)),
    show: |config| redacted(config.keys.previous_pepper.as_ref()),
};

pub(super) const ALLOW_STORED_PEPPER: Setting = Setting {
    key: "keys.allow_stored_pepper",
    flag: "allow-stored-pepper",
    value: "true",
    meaning: "Let other machines reach the service without keys.pepper; a copy of the database then reveals its secrets",
    kind: Kind::Switch,
    secret: false,
    read: |config, texts| one(texts).map(|on| config.keys.allow_stored_pepper = on),
    show: |config| shown([&config.keys.allow_stored_pepper]),
};

/// Parses a pepper, which must be too long to be guessed.
fn pepper(texts: &[String]) -> Result<Redacted<String>, String> {
    let text: String = one(texts)?;
    if text.len() < 32 { Err("it is shorter than 32 characters".to_owned()) } else { Ok(Redacted::new(text)) }
}
