//! The peppers of a database: which of them are accepted, and the rotation to another one.

use std::collections::BTreeSet;

use frontdesk_store::{BackupError, Redacted, Scope, Snapshot, Store, StoreError};

use super::{Pepper, PepperError, Peppers};
use crate::platform::{
    config::Keys,
    secrets::{
        encryption::{self, SecretCipher},
        of_channels, of_webhooks, second_factors,
    },
};

/// Name under which a generated pepper is stored in the database.
pub(crate) const STORED_PEPPER: &str = "api_key_pepper";

/// Name under which the id of the current pepper is stored in the database.
pub(crate) const CURRENT_PEPPER: &str = "current_pepper";

/// Bytes of a generated pepper.
const LENGTH: usize = 32;

/// What a rotation has done, and what is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rotation {
    /// Secrets that were encrypted again.
    pub(crate) reencrypted: usize,
    /// API keys that still depend on another pepper.
    pub(crate) unconverted: u64,
    /// API keys that were revoked because they depend on another pepper.
    pub(crate) revoked: u64,
    /// Domains that were deleted because their secret cannot be decrypted.
    pub(crate) deleted_domains: usize,
    /// Webhook endpoints that were deleted because their secret cannot be decrypted.
    pub(crate) deleted_endpoints: usize,
    /// Channels of the inbox that were deleted because their secrets cannot be decrypted.
    pub(crate) deleted_channels: usize,
    /// Second factors of people that cannot be decrypted. They stay: recovery codes are still accepted.
    pub(crate) lost_second_factors: usize,
}

impl Peppers {
    /// Reads the configured and stored peppers and checks them against the stored keys and secrets. Generates
    /// a pepper in the database if there is none at all.
    pub(crate) async fn open(store: &Store, keys: &Keys) -> Result<Self, PepperError> {
        let peppers = Self::find(store, keys).await?;
        let counts = store.api_keys().count_by_pepper().await?;
        let lost = counts.iter().filter(|(id, _)| id.as_deref().is_some_and(|id| !peppers.accepts(id)));
        let count: u64 = lost.map(|(_, count)| count).sum();
        if count > 0 { Err(PepperError::Unconverted { count }) } else { Ok(peppers) }
    }

    /// Like [`Peppers::open`], but without the check of the API keys.
    async fn find(store: &Store, keys: &Keys) -> Result<Self, PepperError> {
        let secrets = store.secrets();
        let mut accepted = configured(keys);
        if let Some(stored) = secrets.find(STORED_PEPPER).await? {
            accepted.push(Pepper::new(stored.expose()));
        }
        let recorded = secrets.find(CURRENT_PEPPER).await?;
        if accepted.is_empty() {
            if recorded.is_some() && has_dependents(store).await? {
                return Err(PepperError::Missing);
            }
            let mut candidate = [0; LENGTH];
            getrandom::fill(&mut candidate)?;
            accepted.push(Pepper::new(secrets.get_or_create(STORED_PEPPER, &candidate).await?.expose()));
        }
        let recorded_among = |recorded: &Redacted<Vec<u8>>| {
            accepted.iter().position(|pepper| pepper.id().as_bytes() == recorded.expose().as_slice())
        };
        let current = match &recorded {
            Some(recorded) => match recorded_among(recorded) {
                Some(current) => current,
                None if has_dependents(store).await? => {
                    let error = if keys.pepper.is_some() { PepperError::Wrong } else { PepperError::Missing };
                    return Err(error);
                }
                None => {
                    secrets.set(CURRENT_PEPPER, accepted[0].id().as_bytes()).await?;
                    0
                }
            },
            None => {
                let current = unrecorded(store, &accepted).await?.ok_or(PepperError::Wrong)?;
                let agreed = secrets.get_or_create(CURRENT_PEPPER, accepted[current].id().as_bytes()).await?;
                recorded_among(&agreed).ok_or(PepperError::Wrong)?
            }
        };
        Ok(Self { accepted, current })
    }

    /// Makes the configured pepper the current one and encrypts the stored secrets again. Can be repeated,
    /// and continues where an interrupted rotation stopped. `revoke_unconverted` revokes the API keys that
    /// still depend on another pepper, and deletes the domains whose secret cannot be decrypted; this is also
    /// the way out after the loss of a pepper.
    pub(crate) async fn rotate(
        store: &Store,
        keys: &Keys,
        revoke_unconverted: bool,
    ) -> Result<Rotation, PepperError> {
        if keys.pepper.is_none() {
            return Err(PepperError::NothingToRotate);
        }
        let peppers = match Self::find(store, keys).await {
            Err(PepperError::Wrong) if revoke_unconverted => Self { accepted: configured(keys), current: 0 },
            found => found?,
        };
        let target = peppers.preferred();
        let cipher = SecretCipher::new(&peppers);
        let new_cipher = SecretCipher::new(&Self { accepted: vec![target.clone()], current: 0 });
        let mut reencrypted = Vec::new();
        let mut deleted_domains = 0;
        for domain in store.domains().list_of_all_accounts().await? {
            match encryption::reencrypted(&cipher, &new_cipher, &domain)? {
                Some(secrets) => reencrypted.extend(secrets),
                None if revoke_unconverted => {
                    let scope = Scope::of_account(domain.account_id);
                    deleted_domains += usize::from(store.domains().delete(&scope, domain.domain_id).await?);
                }
                None => return Err(PepperError::Undecryptable { domain_id: domain.domain_id }),
            }
        }
        let mut deleted_endpoints = 0;
        for endpoint in store.webhooks().list_of_all_accounts().await? {
            match of_webhooks::reencrypted(&cipher, &new_cipher, &endpoint)? {
                Some(secrets) => reencrypted.extend(secrets),
                None if revoke_unconverted => {
                    let (scope, id) = (Scope::of_account(endpoint.account_id), endpoint.webhook_endpoint_id);
                    deleted_endpoints += usize::from(store.webhooks().delete(&scope, id).await?);
                }
                None => {
                    let webhook_endpoint_id = endpoint.webhook_endpoint_id;
                    return Err(PepperError::UndecryptableWebhook { webhook_endpoint_id });
                }
            }
        }
        let mut deleted_channels = 0;
        for channel in store.inbox_channels().with_secrets().await? {
            match of_channels::reencrypted(&cipher, &new_cipher, &channel)? {
                Some(secrets) => reencrypted.extend(secrets),
                None if revoke_unconverted => {
                    let scope = Scope::of_account(channel.account_id);
                    let is_deleted = store.inbox_channels().delete(&scope, channel.channel_id).await?;
                    deleted_channels += usize::from(is_deleted);
                }
                None => return Err(PepperError::UndecryptableChannel { channel_id: channel.channel_id }),
            }
        }
        let mut lost_second_factors = 0;
        for authenticator in store.second_factors().list_of_all_people().await? {
            match second_factors::reencrypted(&cipher, &new_cipher, &authenticator)? {
                Some(secret) => reencrypted.extend(secret),
                // Nobody may sign in with less than before because a pepper is lost.
                None if revoke_unconverted => lost_second_factors += 1,
                None => {
                    let person_id = authenticator.person_id;
                    return Err(PepperError::UndecryptableSecondFactor { person_id });
                }
            }
        }
        store.secrets().rotate(CURRENT_PEPPER, target.id().as_bytes(), &reencrypted).await?;
        let mut revoked = 0;
        if revoke_unconverted {
            revoked = store.api_keys().delete_of_other_peppers(target.id()).await?;
        }
        let counts = store.api_keys().count_by_pepper().await?;
        let others = counts.iter().filter(|(id, _)| id.as_deref() != Some(target.id()));
        let unconverted: u64 = others.map(|(_, count)| count).sum();
        if unconverted == 0 {
            // From now on a copy of the database does not contain any pepper.
            store.secrets().delete(STORED_PEPPER).await?;
        }
        let reencrypted = reencrypted.len();
        Ok(Rotation {
            reencrypted,
            unconverted,
            revoked,
            deleted_domains,
            deleted_endpoints,
            deleted_channels,
            lost_second_factors,
        })
    }

    /// Returns the ids of the peppers that API keys and secrets in a backup depend on and that are not in it.
    pub(crate) async fn needed_by(snapshot: &mut Snapshot) -> Result<Vec<String>, BackupError> {
        let stored = snapshot.secret(STORED_PEPPER).await?;
        let stored = stored.map(|stored| Pepper::new(stored.expose()).id().to_owned());
        let mut needed: BTreeSet<String> = snapshot.peppers_of_keys().await?.into_iter().collect();
        if let Some(current) = snapshot.secret(CURRENT_PEPPER).await? {
            needed.insert(String::from_utf8_lossy(current.expose()).into_owned());
        }
        needed.retain(|id| stored.as_ref() != Some(id));
        Ok(needed.into_iter().collect())
    }

    /// Returns whether one of these peppers, given by their ids, is not configured.
    pub(crate) fn lack(keys: &Keys, needed: &[String]) -> bool {
        let configured = configured(keys);
        needed.iter().any(|id| configured.iter().all(|pepper| pepper.id() != id))
    }

    /// Returns whether the database records the preferred pepper as the current one.
    pub(crate) async fn is_rotated(&self, store: &Store) -> Result<bool, StoreError> {
        let recorded = store.secrets().find(CURRENT_PEPPER).await?;
        Ok(recorded.is_some_and(|id| id.expose().as_slice() == self.preferred().id().as_bytes()))
    }
}

/// Returns the configured peppers, the preferred one first.
fn configured(keys: &Keys) -> Vec<Pepper> {
    let peppers = [&keys.pepper, &keys.previous_pepper].into_iter().flatten();
    peppers.map(|pepper| Pepper::new(pepper.expose().as_bytes())).collect()
}

/// Returns whether API keys or secrets exist, which depend on a pepper.
async fn has_dependents(store: &Store) -> Result<bool, StoreError> {
    Ok(!store.api_keys().count_by_pepper().await?.is_empty()
        || !store.domains().list_of_all_accounts().await?.is_empty()
        || !store.inbox_channels().with_secrets().await?.is_empty()
        || !store.second_factors().list_of_all_people().await?.is_empty())
}

/// Returns the index of the pepper of a database that was written before its id was recorded: the one that
/// decrypts its secrets, or the preferred one if there are none. Without secrets a wrong pepper cannot be
/// recognized.
async fn unrecorded(store: &Store, accepted: &[Pepper]) -> Result<Option<usize>, StoreError> {
    let domains = store.domains().list_of_all_accounts().await?;
    let Some(domain) = domains.first() else { return Ok(Some(0)) };
    Ok(accepted.iter().position(|pepper| {
        let cipher = SecretCipher::new(&Peppers { accepted: vec![pepper.clone()], current: 0 });
        cipher.decrypt(&domain.identity_secret, &domain.hostname).is_some()
    }))
}
