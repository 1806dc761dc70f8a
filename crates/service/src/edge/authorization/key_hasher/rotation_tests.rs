//! Peppers on an embedded database: recognition of wrong ones, and the whole rotation.

use frontdesk_store::{
    AccountKind, ChannelKind, NewAccount, NewInboxChannel, NewUser, Plan, Redacted, Role, Scope, Store,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::KeyHasher;
use crate::platform::{
    config::Keys,
    secrets::{
        encryption::{SecretCipher, identity_secrets, issue_domain},
        keys::{WantedKey, issue_key},
        of_channels,
        pepper::{CURRENT_PEPPER, Pepper, PepperError, Peppers, Rotation, STORED_PEPPER},
        second_factors::{NewSecret, reencrypted},
    },
};

const OLD: &str = "the pepper before the rotation, 32 characters";
const NEW: &str = "the pepper after the rotation, 32 characters";
const THIRD: &str = "a pepper that nobody has ever used, 32 chars";

fn keys(pepper: Option<&str>, previous: Option<&str>) -> Keys {
    let redacted = |text: &str| Redacted::new(text.to_owned());
    Keys { pepper: pepper.map(redacted), previous_pepper: previous.map(redacted), allow_stored_pepper: false }
}

/// A database with an account and its owner.
struct Installation {
    store: Store,
    scope: Scope,
    owner: Uuid,
}

impl Installation {
    async fn new() -> Self {
        let store = Store::open("sqlite::memory:").await.unwrap();
        let new = NewAccount {
            parent_id: None,
            kind: AccountKind::Standard,
            name: "Shop".into(),
            plan: Plan::Growth,
            monthly_credits: None,
        };
        let now = Timestamp::now();
        let scope = store.accounts().create(&new, now).await.unwrap().scope();
        let owner = NewUser { email: "ann@shop.example".into(), name: "Ann".into(), role: Role::Owner };
        let owner = store.users().create(&scope, &owner, now).await.unwrap().user_id;
        Self { store, scope, owner }
    }

    async fn key(&self, keys: &Keys) -> String {
        let wanted = WantedKey { user_id: self.owner, name: "test".into(), rate_per_minute: None };
        let issued = issue_key(&self.store, keys, &self.scope, wanted, Timestamp::now()).await;
        issued.unwrap().unwrap().key.expose().to_owned()
    }

    async fn domain(&self, keys: &Keys, hostname: &str) -> String {
        let issued = issue_domain(&self.store, keys, &self.scope, hostname, Timestamp::now()).await.unwrap();
        issued.identity_secret.expose().clone()
    }

    async fn secret(&self, keys: &Keys, hostname: &str) -> Option<String> {
        let cipher = SecretCipher::new(&Peppers::open(&self.store, keys).await.unwrap());
        let domains = self.store.domains().list(&self.scope).await.unwrap();
        let domain = domains.into_iter().find(|domain| domain.hostname == hostname).unwrap();
        identity_secrets(&cipher, &domain, Timestamp::now()).ok().map(|secrets| secrets[0].expose().clone())
    }

    /// Whether a process with this configuration accepts a key.
    async fn accepts(&self, keys: &Keys, key: &str) -> bool {
        let hasher = KeyHasher::new(&Peppers::open(&self.store, keys).await.unwrap());
        hasher.authenticate(&self.store, key).await.unwrap().is_some()
    }

    async fn unconverted(&self, keys: &Keys) -> u64 {
        Peppers::rotate(&self.store, keys, false).await.unwrap().unconverted
    }
}

#[tokio::test]
async fn a_pepper_is_generated_once() {
    let installation = Installation::new().await;
    let none = keys(None, None);
    let key = installation.key(&none).await;
    let one = Peppers::open(&installation.store, &none).await.unwrap();
    let two = Peppers::open(&installation.store, &none).await.unwrap();
    assert_eq!(one.current().id(), two.current().id());
    assert!(installation.accepts(&none, &key).await);
    assert!(!format!("{one:?}").contains("secret"));
}

#[tokio::test]
async fn a_wrong_pepper_is_recognized() {
    let installation = Installation::new().await;
    // Without keys and secrets, any pepper will do.
    for pepper in [OLD, NEW, OLD] {
        Peppers::open(&installation.store, &keys(Some(pepper), None)).await.unwrap();
    }
    let key = installation.key(&keys(Some(OLD), None)).await;
    assert!(installation.accepts(&keys(Some(OLD), None), &key).await);
    for (wrong, expected) in [
        (keys(Some(NEW), None), "keys.previous_pepper"),
        (keys(Some(NEW), Some(THIRD)), "keys.previous_pepper"),
        (keys(None, None), "FRONTDESK_KEYS_PEPPER"),
    ] {
        let error = Peppers::open(&installation.store, &wrong).await.unwrap_err();
        assert!(matches!(error, PepperError::Wrong | PepperError::Missing), "{error:?}");
        assert!(error.to_string().contains(expected), "{error}");
        assert!(!error.to_string().contains(OLD) && !error.to_string().contains(NEW));
    }
    // Nothing was changed by the attempts.
    assert!(installation.accepts(&keys(Some(OLD), None), &key).await);
    assert!(!installation.store.secrets().names().await.unwrap().contains(&STORED_PEPPER.to_owned()));
}

#[tokio::test]
async fn a_rotation_keeps_every_key_and_secret_working() {
    let installation = Installation::new().await;
    let (before, during, after) = (keys(Some(OLD), None), keys(Some(NEW), Some(OLD)), keys(Some(NEW), None));
    let key = installation.key(&before).await;
    let unused = installation.key(&before).await;
    let secret = installation.domain(&before, "www.shop.example").await;

    // Before the rotation, processes of both configurations accept the same keys, also new ones.
    let between = installation.key(&during).await;
    for key in [&key, &between] {
        for keys in [&before, &during] {
            assert!(installation.accepts(keys, key).await);
        }
    }
    assert_eq!(installation.secret(&during, "www.shop.example").await.as_ref(), Some(&secret));

    let error = Peppers::rotate(&installation.store, &keys(None, None), false).await.unwrap_err();
    assert!(matches!(error, PepperError::NothingToRotate), "{error:?}");
    let rotation = Peppers::rotate(&installation.store, &during, false).await.unwrap();
    assert_eq!(
        rotation,
        Rotation {
            reencrypted: 1,
            unconverted: 3,
            revoked: 0,
            deleted_domains: 0,
            deleted_endpoints: 0,
            deleted_channels: 0,
            lost_second_factors: 0,
        }
    );
    assert_eq!(installation.secret(&during, "www.shop.example").await.as_ref(), Some(&secret));
    let fresh = installation.key(&during).await;

    // Without the old pepper, its keys would be lost, so the process does not start.
    let error = Peppers::open(&installation.store, &after).await.unwrap_err();
    assert!(matches!(error, PepperError::Unconverted { count: 3 }), "{error:?}");

    // A key is converted when it is used.
    for key in [&key, &between] {
        assert!(installation.accepts(&during, key).await);
    }
    while installation.unconverted(&during).await > 1 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    for key in [&key, &between, &unused, &fresh] {
        assert!(installation.accepts(&during, key).await);
    }
    while installation.unconverted(&during).await > 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    for key in [&key, &between, &unused, &fresh] {
        assert!(installation.accepts(&after, key).await);
    }
    assert_eq!(installation.secret(&after, "www.shop.example").await, Some(secret));
}

#[tokio::test]
async fn secrets_of_channels_are_encrypted_again() {
    let Installation { store, scope, .. } = Installation::new().await;
    let cipher = async |keys: &Keys| SecretCipher::new(&Peppers::open(&store, keys).await.unwrap());
    let (before, during, after) = (keys(Some(OLD), None), keys(Some(NEW), Some(OLD)), keys(Some(NEW), None));
    let secrets = serde_json::json!({ "imap_password": "hedge" });
    let mut new = NewInboxChannel::new(ChannelKind::Email, "Support");
    let encrypted = of_channels::encrypted(&cipher(&before).await, new.channel_id, &secrets);
    new.secrets = Some(encrypted.unwrap());
    store.inbox_channels().create(&scope, &new, 50, Timestamp::now()).await.unwrap();
    let error = Peppers::open(&store, &after).await.unwrap_err();
    assert!(matches!(error, PepperError::Wrong), "a channel depends on the pepper: {error:?}");

    let rotation = Peppers::rotate(&store, &during, false).await.unwrap();
    assert_eq!(rotation.reencrypted, 1);
    assert_eq!(Peppers::rotate(&store, &during, false).await.unwrap().reencrypted, 0);
    let channel = store.inbox_channels().find(&scope, new.channel_id).await.unwrap().unwrap();
    let plain: Option<serde_json::Value> = of_channels::decrypted(&cipher(&after).await, &channel);
    assert_eq!(plain, Some(secrets));

    // After the loss of a pepper, the channel goes with its secrets.
    let lost = Peppers::rotate(&store, &keys(Some(THIRD), None), true).await.unwrap();
    assert_eq!(lost.deleted_channels, 1);
}

#[tokio::test]
async fn secrets_of_authenticator_apps_are_encrypted_again() {
    let Installation { store, scope, owner } = Installation::new().await;
    let cipher = async |keys: &Keys| SecretCipher::new(&Peppers::open(&store, keys).await.unwrap());
    let (before, during, after) = (keys(Some(OLD), None), keys(Some(NEW), Some(OLD)), keys(Some(NEW), None));
    let user = store.users().find(&scope, owner).await.unwrap().unwrap();
    let person = store.people().without_password(&user, Timestamp::now()).await.unwrap();
    let secret = NewSecret::generate(&person.email).unwrap();
    let stored = secret.encrypted(&cipher(&before).await, person.person_id).unwrap();
    assert!(store.second_factors().propose(person.person_id, &stored, Timestamp::now()).await.unwrap());
    let error = Peppers::open(&store, &after).await.unwrap_err();
    assert!(matches!(error, PepperError::Wrong), "a second factor depends on the pepper: {error:?}");

    assert_eq!(Peppers::rotate(&store, &during, false).await.unwrap().reencrypted, 1);
    assert_eq!(Peppers::rotate(&store, &during, false).await.unwrap().reencrypted, 0);
    let app = store.second_factors().find(person.person_id).await.unwrap().unwrap();
    let new = cipher(&after).await;
    assert!(reencrypted(&new, &new, &app).unwrap().unwrap().is_empty(), "it can be decrypted");

    // After the loss of a pepper, the second factor stays: the password alone must not suffice.
    let third = keys(Some(THIRD), None);
    assert_eq!(Peppers::rotate(&store, &third, true).await.unwrap().lost_second_factors, 1);
    assert_eq!(store.second_factors().find(person.person_id).await.unwrap(), Some(app));
    let error = Peppers::rotate(&store, &third, false).await.unwrap_err();
    assert!(matches!(error, PepperError::UndecryptableSecondFactor { .. }), "{error:?}");
}

#[tokio::test]
async fn a_stored_pepper_is_replaced_by_a_configured_one() {
    let installation = Installation::new().await;
    let (stored, configured) = (keys(None, None), keys(Some(NEW), None));
    let key = installation.key(&stored).await;
    let lost = installation.key(&stored).await;
    let secret = installation.domain(&stored, "www.shop.example").await;
    // The stored pepper needs no setting to be accepted.
    assert!(installation.accepts(&configured, &key).await);
    let rotation = Peppers::rotate(&installation.store, &configured, false).await.unwrap();
    assert_eq!(
        rotation,
        Rotation {
            reencrypted: 1,
            unconverted: 2,
            revoked: 0,
            deleted_domains: 0,
            deleted_endpoints: 0,
            deleted_channels: 0,
            lost_second_factors: 0,
        }
    );
    assert!(installation.accepts(&configured, &key).await);
    while installation.unconverted(&configured).await > 1 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let rotation = Peppers::rotate(&installation.store, &configured, true).await.unwrap();
    assert_eq!(
        rotation,
        Rotation {
            reencrypted: 0,
            unconverted: 0,
            revoked: 1,
            deleted_domains: 0,
            deleted_endpoints: 0,
            deleted_channels: 0,
            lost_second_factors: 0,
        }
    );
    assert!(installation.accepts(&configured, &key).await);
    assert!(!installation.accepts(&configured, &lost).await);
    assert_eq!(installation.secret(&configured, "www.shop.example").await, Some(secret));
    // A copy of the database no longer contains the pepper.
    assert!(!installation.store.secrets().names().await.unwrap().contains(&STORED_PEPPER.to_owned()));
    let error = Peppers::open(&installation.store, &stored).await.unwrap_err();
    assert!(matches!(error, PepperError::Missing), "{error:?}");
}

#[tokio::test]
async fn the_pepper_of_an_older_database_is_found_by_its_secrets() {
    let installation = Installation::new().await;
    let old = keys(Some(OLD), None);
    installation.domain(&old, "www.shop.example").await;
    // Older versions recorded nothing.
    installation.store.secrets().delete(CURRENT_PEPPER).await.unwrap();
    let error = Peppers::open(&installation.store, &keys(Some(NEW), None)).await.unwrap_err();
    assert!(matches!(error, PepperError::Wrong), "{error:?}");
    let found = Peppers::open(&installation.store, &keys(Some(NEW), Some(OLD))).await.unwrap();
    assert_eq!(found.current().id(), Pepper::new(OLD.as_bytes()).id());
    Peppers::open(&installation.store, &old).await.unwrap();
}

#[tokio::test]
async fn a_lost_pepper_is_given_up_only_on_request() {
    let installation = Installation::new().await;
    let (lost, new) = (keys(Some(OLD), None), keys(Some(NEW), None));
    let key = installation.key(&lost).await;
    installation.domain(&lost, "www.shop.example").await;
    let error = Peppers::rotate(&installation.store, &new, false).await.unwrap_err();
    assert!(matches!(error, PepperError::Wrong), "{error:?}");
    assert!(error.to_string().contains("--revoke-unconverted"), "{error}");
    let rotation = Peppers::rotate(&installation.store, &new, true).await.unwrap();
    assert_eq!(
        rotation,
        Rotation {
            reencrypted: 0,
            unconverted: 0,
            revoked: 1,
            deleted_domains: 1,
            deleted_endpoints: 0,
            deleted_channels: 0,
            lost_second_factors: 0,
        }
    );
    assert!(!installation.accepts(&new, &key).await);
    let key = installation.key(&new).await;
    assert!(installation.accepts(&new, &key).await);
}
