//! Passkeys: those of the person who is signed in, and signing in with one.

mod sign_in;

use frontdesk_console_model::{
    self as model, BeginPasskeyError, BeginPasskeySignInError, Conflict, ConflictErrorKind,
    CreatePasskeyError, GetPasskeySupportError, ListPasskeysError, Message, NotFound, PasskeyAdded,
    PasskeyChallenge, PasskeyList, PasskeyRequired, PasskeySupport, PasskeySupportStatus, RemovePasskeyError,
    RenamePasskeyError, SignInWithPasskeyCreated, SignInWithPasskeyError,
};
use frontdesk_console_server::{
    BeginPasskey, BeginPasskeySignIn, CreatePasskey, GetPasskeySupport, ListPasskeys, Passkeys,
    RemovePasskey, RenamePasskey, SignInWithPasskey,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_store::{
    Addition, CHALLENGE_LIFETIME, ChallengePurpose, KeyHash, MAX_PASSKEYS, NewChallenge, NewPasskey, Passkey,
    PasskeyRemoval, Scope, Session, StoreError,
};
use uuid::Uuid;

use super::{Console, actor, attempts::Attempt, browser, conflict, second_factors::required};
use crate::{
    edge::{
        authorization::console::validation_failed,
        responses::{failure, timestamp},
    },
    platform::secrets::{
        passkeys::{Begun, Made, Owner, PasskeyError, Site, Unusable, begin_addition, check_addition},
        people_tokens::{PersonToken, Purpose},
        second_factors::recovery_codes,
    },
};

/// Why a challenge cannot be made.
#[derive(Debug, thiserror::Error)]
enum ChallengeError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    #[error(transparent)]
    Passkey(#[from] PasskeyError),
}

fn shown(passkey: Passkey) -> model::Passkey {
    model::Passkey::new(PasskeyRequired {
        passkey_id: passkey.passkey_id.into(),
        name: passkey.name,
        created_at: timestamp(passkey.created_at),
        last_used_at: passkey.last_used_at.map(timestamp),
    })
}

/// 409 where passkeys cannot be used.
fn unusable(reason: Unusable) -> Conflict {
    let text = match reason {
        Unusable::HttpsRequired => "Passkeys need HTTPS and the name of a host, or `localhost`.",
        Unusable::AddressRequired => "Passkeys need the public address of the service, `mail.public_url`.",
    };
    conflict(ConflictErrorKind::Conflict, text)
}

/// 409 for one passkey too many.
fn limit_reached() -> Conflict {
    let text = format!("You can have at most {MAX_PASSKEYS} passkeys. Remove one first.");
    conflict(ConflictErrorKind::LimitReached, &text)
}

/// 404 for a passkey that the person does not have.
fn not_found() -> NotFound {
    NotFound { body: Message::new("Passkey not found.") }
}

/// 422 for what the browser has made for another challenge, elsewhere, or wrongly.
fn unfit() -> model::ValidationFailed {
    validation_failed([failure("credential", "does not fit, or was made too long ago; try again")])
}

impl Console {
    /// Returns where passkeys can be used.
    fn site(&self, incoming: &Incoming) -> Result<Site, Unusable> {
        Site::new(self.service.config.mail.public_url.as_ref(), &browser::origin(incoming))
    }

    /// Keeps a challenge, and returns it as the contract shows it.
    async fn challenge(
        &self,
        begun: Begun,
        purpose: ChallengePurpose,
        (session_id, pending): (Option<Uuid>, Option<KeyHash>),
    ) -> Result<PasskeyChallenge, ChallengeError> {
        let (token, now) = (PersonToken::generate(Purpose::Challenge)?, self.service.now());
        let new = NewChallenge { hash: token.hash(), purpose, session_id, pending, state: begun.state };
        self.service.store.passkeys().challenge(&new, now).await?;
        let expires_at = now.saturating_add(CHALLENGE_LIFETIME).unwrap_or(now);
        Ok(PasskeyChallenge::new(token.expose(), begun.options, timestamp(expires_at)))
    }

    /// Returns the passkey that a browser has made for a challenge of the session. `None` if it does not fit.
    async fn made(
        &self,
        session: &Session,
        incoming: &Incoming,
        body: &model::NewPasskey,
    ) -> Result<Option<Made>, StoreError> {
        let Some(hash) = Purpose::Challenge.hash(body.token.expose()) else { return Ok(None) };
        let (passkeys, now) = (self.service.store.passkeys(), self.service.now());
        let Some(challenge) = passkeys.take_challenge(&hash, now).await? else { return Ok(None) };
        if challenge.purpose != ChallengePurpose::Addition || challenge.session_id != Some(session.session_id)
        {
            return Ok(None);
        }
        let Ok(site) = self.site(incoming) else { return Ok(None) };
        Ok(check_addition(&site, &challenge.state, session.person_id, &body.credential).ok())
    }
}

impl Passkeys for Console {
    type Caller = Session;

    async fn list_passkeys(
        &self,
        request: ListPasskeys<Session>,
    ) -> Result<PasskeyList, Failure<ListPasskeysError>> {
        let passkeys = self.service.store.passkeys().list(request.caller.person_id).await?;
        Ok(PasskeyList::new(passkeys.into_iter().map(shown)))
    }

    async fn begin_passkey(
        &self,
        request: BeginPasskey<Session>,
    ) -> Result<PasskeyChallenge, Failure<BeginPasskeyError>> {
        let BeginPasskey { caller: session, incoming } = request;
        let site = self.site(&incoming).map_err(unusable)?;
        let known = self.service.store.passkeys().list(session.person_id).await?;
        if known.len() >= usize::try_from(MAX_PASSKEYS).unwrap_or(usize::MAX) {
            return Err(limit_reached().into());
        }
        let owner = Owner { person_id: session.person_id, email: &session.email, name: &session.person_name };
        let begun = begin_addition(&site, &owner, &known)?;
        Ok(self.challenge(begun, ChallengePurpose::Addition, (Some(session.session_id), None)).await?)
    }

    async fn create_passkey(
        &self,
        request: CreatePasskey<Session>,
    ) -> Result<PasskeyAdded, Failure<CreatePasskeyError>> {
        let CreatePasskey { caller: session, body, incoming } = request;
        let attempt = Attempt::with_password(&incoming, &session.email);
        attempt.check(self).await?;
        let Some(made) = self.made(&session, &incoming, &body).await? else {
            attempt.failed(self).await;
            return Err(unfit().into());
        };
        let (codes, hashes) = recovery_codes(session.person_id)?;
        let new = NewPasskey {
            name: body.name,
            credential_id: made.credential_id,
            public_key: made.public_key,
            transports: made.transports,
            is_backup_eligible: made.is_backup_eligible,
            sign_count: made.sign_count,
            recovery_codes: hashes,
        };
        let (scope, actor) = (Scope::of_account(session.account_id), actor(&session, &incoming));
        let (passkeys, now) = (self.service.store.passkeys(), self.service.now());
        match passkeys.add(&scope, &actor, session.session_id, &new, now).await? {
            Addition::Added { passkey, is_first } => {
                Ok(PasskeyAdded::new(shown(passkey), if is_first { codes } else { Vec::new() }))
            }
            Addition::Known => {
                let text = "This passkey is in use already.";
                Err(conflict(ConflictErrorKind::AlreadyExists, text).into())
            }
            Addition::LimitReached => Err(limit_reached().into()),
        }
    }

    async fn rename_passkey(
        &self,
        request: RenamePasskey<Session>,
    ) -> Result<model::Passkey, Failure<RenamePasskeyError>> {
        let RenamePasskey { caller: session, passkey_id, body, .. } = request;
        let passkeys = self.service.store.passkeys();
        let renamed = passkeys.rename(session.person_id, passkey_id.uuid(), &body.name).await?;
        Ok(shown(renamed.ok_or_else(not_found)?))
    }

    async fn remove_passkey(
        &self,
        request: RemovePasskey<Session>,
    ) -> Result<(), Failure<RemovePasskeyError>> {
        let RemovePasskey { caller: session, passkey_id, incoming } = request;
        let (scope, actor) = (Scope::of_account(session.account_id), actor(&session, &incoming));
        let (passkeys, now) = (self.service.store.passkeys(), self.service.now());
        match passkeys.remove(&scope, &actor, passkey_id.uuid(), now).await? {
            PasskeyRemoval::Removed => Ok(()),
            PasskeyRemoval::Missing => Err(not_found().into()),
            PasskeyRemoval::Required(account) => Err(required(&account).into()),
        }
    }

    async fn get_passkey_support(
        &self,
        request: GetPasskeySupport,
    ) -> Result<PasskeySupport, Failure<GetPasskeySupportError>> {
        Ok(match self.site(&request.incoming) {
            Ok(site) => PasskeySupport::new(PasskeySupportStatus::Available, site.origin().to_owned()),
            Err(Unusable::HttpsRequired) => PasskeySupport::new(PasskeySupportStatus::HttpsRequired, None),
            Err(Unusable::AddressRequired) => {
                PasskeySupport::new(PasskeySupportStatus::AddressRequired, None)
            }
        })
    }

    async fn begin_passkey_sign_in(
        &self,
        request: BeginPasskeySignIn,
    ) -> Result<PasskeyChallenge, Failure<BeginPasskeySignInError>> {
        self.begin_sign_in(&request.incoming).await
    }

    async fn sign_in_with_passkey(
        &self,
        request: SignInWithPasskey,
    ) -> Result<SignInWithPasskeyCreated, Failure<SignInWithPasskeyError>> {
        let SignInWithPasskey { body, incoming } = request;
        self.sign_in_by(&incoming, &body).await
    }
}
