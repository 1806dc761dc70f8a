//! Passkeys (Web Authentication, Level 3): where they can be used, challenges for browsers, and the check of
//! what browsers respond.
//!
//! Every passkey is found without an e-mail address and verifies the person, so it stands for two factors.
//! What the authenticator says of its maker is not asked for, and not checked.

mod site;

use std::collections::BTreeMap;

use data_encoding::BASE64URL_NOPAD;
use frontdesk_store::Passkey;
use serde_json::{Map, Value};
use uuid::Uuid;
use webauthn_rp::{
    AuthenticatedCredential, DiscoverableAuthentication, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions, NonDiscoverableAuthentication,
    NonDiscoverableAuthenticationServerState, NonDiscoverableCredentialRequestOptions,
    PublicKeyCredentialCreationOptions, Registration, RegistrationServerState,
    bin::{Decode, Encode},
    request::{
        Credentials, ExtensionInfo, PublicKeyCredentialDescriptor, UserVerificationRequirement,
        auth::{AllowedCredentials, AuthenticationVerificationOptions},
        register::{CredProtect, RegistrationVerificationOptions, UserHandle16},
    },
    response::{
        AuthTransports, AuthenticatorAttachment, Backup, CredentialId,
        auth::error::AuthCeremonyErr,
        register::{CompressedPubKey, DynamicState, StaticState},
    },
};

pub(crate) use self::site::{Site, Unusable};

/// The public key of a passkey as it is stored.
type StoredKey = StaticState<CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>>;

/// Why a challenge cannot be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PasskeyError {
    /// A passkey that is stored cannot be read.
    #[error("a passkey that is stored cannot be read")]
    Unreadable,
    /// What a browser is asked for cannot be written.
    #[error("a challenge for a passkey cannot be written: {0}")]
    Unwritable(String),
}

impl PasskeyError {
    fn unwritable(error: impl std::fmt::Display) -> Self {
        Self::Unwritable(error.to_string())
    }
}

/// A challenge that was made.
pub(crate) struct Begun {
    /// What the browser is asked for, as JSON.
    pub(crate) options: BTreeMap<String, Value>,
    /// What is needed to check the response.
    pub(crate) state: String,
}

/// A passkey that a browser has made.
pub(crate) struct Made {
    pub(crate) credential_id: String,
    pub(crate) public_key: String,
    pub(crate) transports: u32,
    pub(crate) is_backup_eligible: bool,
    pub(crate) sign_count: u32,
}

/// Why the response of a browser is refused.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The counter of the passkey has not advanced, so there may be a copy of it.
    Counter,
    /// Anything else, such as another origin, another challenge or a wrong signature.
    Otherwise,
}

/// The person who adds a passkey, as authenticators show it.
pub(crate) struct Owner<'a> {
    pub(crate) person_id: Uuid,
    pub(crate) email: &'a str,
    pub(crate) name: &'a str,
}

/// Makes a challenge for a new passkey. Authenticators that have one of `known` are not offered.
pub(crate) fn begin_addition(
    site: &Site,
    owner: &Owner<'_>,
    known: &[Passkey],
) -> Result<Begun, PasskeyError> {
    let handle = handle(owner.person_id);
    let rp_id = site.rp_id();
    let mut options = PublicKeyCredentialCreationOptions::first_passkey_with_blank_user_info(&rp_id, &handle);
    options.exclude_credentials =
        known.iter().map(descriptor).collect::<Option<_>>().ok_or(PasskeyError::Unreadable)?;
    // Where the authenticator can, it keeps the passkey from whoever has stolen it and cannot unlock it.
    options.extensions.cred_protect =
        CredProtect::UserVerificationRequired(ExtensionInfo::AllowDontEnforceValue);
    let (server, client) = options.start_ceremony().map_err(PasskeyError::unwritable)?;
    let state = server.encode().map_err(PasskeyError::unwritable)?;
    let mut options = object(&client)?;
    // The library accepts only names of certain alphabets; authenticators show any.
    for (member, key, text) in
        [("user", "name", owner.email), ("user", "displayName", owner.name), ("rp", "name", "Frontdesk")]
    {
        if let Some(Value::Object(member)) = options.get_mut(member) {
            member.insert(key.to_owned(), text.into());
        }
    }
    Ok(Begun { options: options.into_iter().collect(), state: BASE64URL_NOPAD.encode(&state) })
}

/// Checks the passkey that a browser has made for a challenge of a person.
pub(crate) fn check_addition(
    site: &Site,
    state: &str,
    person_id: Uuid,
    credential: &BTreeMap<String, Value>,
) -> Result<Made, Refused> {
    let state = BASE64URL_NOPAD.decode(state.as_bytes()).map_err(|_| Refused::Otherwise)?;
    let state = RegistrationServerState::<16>::decode(&state).map_err(|_| Refused::Otherwise)?;
    let response = Registration::from_json_relaxed(&json(credential)?).map_err(logged)?;
    let options = RegistrationVerificationOptions::<_, &str> {
        allowed_origins: &[site.origin()],
        // Some managers of passwords send more than they were asked for.
        error_on_unsolicited_extensions: false,
        ..Default::default()
    };
    let made = state.verify(&site.rp_id(), &response, &options).map_err(logged)?;
    if *made.user_id() != handle(person_id) {
        return Err(Refused::Otherwise);
    }
    let dynamic = made.dynamic_state();
    let Ok(public_key) = made.static_state().encode();
    let Ok(transports) = made.transports().encode();
    Ok(Made {
        credential_id: BASE64URL_NOPAD.encode(made.id().inner()),
        public_key: BASE64URL_NOPAD.encode(&public_key),
        transports: transports.into(),
        is_backup_eligible: !matches!(dynamic.backup, Backup::NotEligible),
        sign_count: dynamic.sign_count,
    })
}

/// Makes a challenge to sign in with any passkey that the browser has for the site.
pub(crate) fn begin_sign_in(site: &Site) -> Result<Begun, PasskeyError> {
    let rp_id = site.rp_id();
    let (server, client) = DiscoverableCredentialRequestOptions::passkey(&rp_id)
        .start_ceremony()
        .map_err(PasskeyError::unwritable)?;
    let state = server.encode().map_err(PasskeyError::unwritable)?;
    Ok(Begun { options: object(&client)?.into_iter().collect(), state: BASE64URL_NOPAD.encode(&state) })
}

/// Makes a challenge to complete a sign-in with one of the passkeys of its person, of which there is one at
/// least.
pub(crate) fn begin_second_step(site: &Site, known: &[Passkey]) -> Result<Begun, PasskeyError> {
    let mut allowed = AllowedCredentials::with_capacity(known.len());
    for passkey in known {
        allowed.push(descriptor(passkey).ok_or(PasskeyError::Unreadable)?.into());
    }
    let rp_id = site.rp_id();
    let mut options = NonDiscoverableCredentialRequestOptions::second_factor(&rp_id, allowed)
        .map_err(PasskeyError::unwritable)?;
    options.options().user_verification = UserVerificationRequirement::Required;
    let (server, client) = options.start_ceremony().map_err(PasskeyError::unwritable)?;
    let state = server.encode().map_err(PasskeyError::unwritable)?;
    Ok(Begun { options: object(&client)?.into_iter().collect(), state: BASE64URL_NOPAD.encode(&state) })
}

/// Returns the id of the passkey that a browser says to have used.
pub(crate) fn credential_id(credential: &BTreeMap<String, Value>) -> Option<&str> {
    credential.get("id")?.as_str()
}

/// Checks what a browser has signed with a passkey for a challenge of [`begin_sign_in`], or of
/// [`begin_second_step`]. Returns the counter of the passkey.
pub(crate) fn check_sign_in(
    site: &Site,
    state: &str,
    is_second_step: bool,
    passkey: &Passkey,
    credential: &BTreeMap<String, Value>,
) -> Result<u32, Refused> {
    let state = BASE64URL_NOPAD.decode(state.as_bytes()).map_err(|_| Refused::Otherwise)?;
    let id = BASE64URL_NOPAD.decode(passkey.credential_id.as_bytes()).map_err(|_| Refused::Otherwise)?;
    let key = BASE64URL_NOPAD.decode(passkey.public_key.as_bytes()).map_err(|_| Refused::Otherwise)?;
    let handle = handle(passkey.person_id);
    let dynamic = DynamicState {
        user_verified: true,
        backup: if passkey.is_backup_eligible { Backup::Eligible } else { Backup::NotEligible },
        sign_count: passkey.sign_count,
        authenticator_attachment: AuthenticatorAttachment::None,
    };
    let id = CredentialId::<&[u8]>::decode(&id).map_err(logged)?;
    let key = StoredKey::decode(&key).map_err(logged)?;
    let mut stored = AuthenticatedCredential::new(id, &handle, key, dynamic).map_err(logged)?;
    let options = AuthenticationVerificationOptions::<_, &str> {
        allowed_origins: &[site.origin()],
        error_on_unsolicited_extensions: false,
        ..Default::default()
    };
    let json = json(credential)?;
    let verified = if is_second_step {
        let state = NonDiscoverableAuthenticationServerState::decode(&state).map_err(logged)?;
        let response = NonDiscoverableAuthentication::<16>::from_json_relaxed(&json).map_err(logged)?;
        state.verify(&site.rp_id(), &response, &mut stored, &options)
    } else {
        let state = DiscoverableAuthenticationServerState::decode(&state).map_err(logged)?;
        let response = DiscoverableAuthentication::<16>::from_json_relaxed(&json).map_err(logged)?;
        state.verify(&site.rp_id(), &response, &mut stored, &options)
    };
    match verified {
        Ok(_) => Ok(stored.dynamic_state().sign_count),
        Err(AuthCeremonyErr::SignatureCounter) => Err(Refused::Counter),
        Err(error) => Err(logged(error)),
    }
}

/// The id of a person as authenticators keep it. Part of the stored form: of theirs.
fn handle(person_id: Uuid) -> UserHandle16 {
    let Ok(handle) = UserHandle16::decode(*person_id.as_bytes());
    handle
}

/// Returns what browsers find a passkey by; `None` if it cannot be read.
fn descriptor(passkey: &Passkey) -> Option<PublicKeyCredentialDescriptor<Vec<u8>>> {
    let id = BASE64URL_NOPAD.decode(passkey.credential_id.as_bytes()).ok()?;
    let transports = AuthTransports::decode(u8::try_from(passkey.transports).ok()?).ok()?;
    Some(PublicKeyCredentialDescriptor { id: CredentialId::<Vec<u8>>::decode(id).ok()?, transports })
}

/// Returns what a browser is asked for as the members of an object.
fn object(client: &impl serde::Serialize) -> Result<Map<String, Value>, PasskeyError> {
    match serde_json::to_value(client) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(_) => Err(PasskeyError::unwritable("it is not an object")),
        Err(error) => Err(PasskeyError::unwritable(error)),
    }
}

fn json(credential: &BTreeMap<String, Value>) -> Result<Vec<u8>, Refused> {
    serde_json::to_vec(credential).map_err(logged)
}

/// Notes why a response is refused, for operators whose public address is wrong. Whoever sent it is not told.
fn logged(error: impl std::fmt::Debug) -> Refused {
    tracing::debug!(?error, "the response of a passkey is refused");
    Refused::Otherwise
}
