//! Signing in with a passkey, alone or after the password.
//!
//! Whatever is wrong has the same response, so nobody learns of a passkey or a person.

use frontdesk_console_model::{
    BeginPasskeySignInError, ConflictErrorKind, PasskeyChallenge, PasskeyProof, PasskeyRefused,
    SignInWithPasskeyCreated, SignInWithPasskeyError, UnauthorizedError, UnauthorizedErrorKind,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_store::{
    ChallengePurpose, Completed, KeyHash, Passkey, PasskeyChallenge as Challenge, PendingSignIn, StoreError,
    UsedPasskey, User,
};

use super::unusable;
use crate::{
    api::console::{Console, attempts::Attempt, attempts::take_challenge, browser, conflict, shown},
    edge::authorization::console,
    platform::secrets::{
        passkeys::{Refused, begin_second_step, begin_sign_in, check_sign_in, credential_id},
        people_tokens::Purpose,
    },
};

/// 401 for whatever is wrong with a passkey.
fn refused() -> PasskeyRefused {
    let text = "You cannot sign in with this passkey. Try again, or sign in with your password.";
    PasskeyRefused { body: UnauthorizedError::new(UnauthorizedErrorKind::InvalidCredentials, text) }
}

/// 401 for a sign-in that has ended before its second step.
fn ended() -> PasskeyRefused {
    PasskeyRefused { body: console::session_ended() }
}

/// A passkey that is used, with the user as whom its person signs in.
struct Use {
    passkey: Passkey,
    user: User,
}

impl Console {
    /// Returns the sign-in of a browser that waits for its second step, with the hash of its token.
    async fn waiting(&self, incoming: &Incoming) -> Result<Option<(KeyHash, PendingSignIn)>, StoreError> {
        let token = browser::cookie(incoming).ok().and_then(|cookie| cookie.token);
        let Some(hash) = token.and_then(|token| Purpose::Session.hash(&token)) else { return Ok(None) };
        let pending = self.service.store.pending_sign_ins().find(&hash, self.service.now()).await?;
        Ok(pending.map(|pending| (hash, pending)))
    }

    /// Makes a challenge for any passkey, or for those of the person whose sign-in waits.
    pub(super) async fn begin_sign_in(
        &self,
        incoming: &Incoming,
    ) -> Result<PasskeyChallenge, Failure<BeginPasskeySignInError>> {
        let site = self.site(incoming).map_err(unusable)?;
        take_challenge(self, incoming).await?;
        let waiting = self.waiting(incoming).await?;
        let begun = match &waiting {
            None => begin_sign_in(&site)?,
            Some((_, pending)) => {
                let known = self.service.store.passkeys().list(pending.person_id).await?;
                if known.is_empty() {
                    let text = "You have no passkey. Enter a code.";
                    return Err(conflict(ConflictErrorKind::Conflict, text).into());
                }
                begin_second_step(&site, &known)?
            }
        };
        let pending = waiting.map(|(hash, _)| hash);
        Ok(self.challenge(begun, ChallengePurpose::SignIn, (None, pending)).await?)
    }

    /// Signs in with what a browser has signed.
    pub(super) async fn sign_in_by(
        &self,
        incoming: &Incoming,
        body: &PasskeyProof,
    ) -> Result<SignInWithPasskeyCreated, Failure<SignInWithPasskeyError>> {
        let waiting = self.waiting(incoming).await?;
        let attempt = match &waiting {
            Some((_, pending)) => Attempt::with_password(incoming, &pending.email),
            None => Attempt::with_link(incoming),
        };
        attempt.check(self).await?;
        let (passkeys, now) = (self.service.store.passkeys(), self.service.now());
        let challenge = match Purpose::Challenge.hash(body.token.expose()) {
            Some(hash) => passkeys.take_challenge(&hash, now).await?,
            None => None,
        };
        let challenge = challenge.filter(|challenge| challenge.purpose == ChallengePurpose::SignIn);
        let Some(challenge) = challenge else {
            attempt.failed(self).await;
            return Err(refused().into());
        };
        let is_second_step = challenge.pending_hash.is_some();
        let waiting = waiting.filter(|(hash, _)| challenge.is_of_sign_in(hash));
        if is_second_step && waiting.is_none() {
            return Err(ended().into());
        }
        let pending = waiting.as_ref().map(|(_, pending)| pending);
        let Some(used) = self.used(body, pending).await? else {
            attempt.failed(self).await;
            return Err(refused().into());
        };
        let Some(sign_count) = self.verified(incoming, body, &challenge, &used).await? else {
            attempt.failed(self).await;
            return Err(refused().into());
        };
        let (cookie, token, new) = self.new_session(incoming, used.passkey.person_id).await?;
        let address = browser::address(incoming);
        let pending = waiting.map(|(hash, _)| hash);
        let Use { passkey, user } = used;
        let used = UsedPasskey { passkey, sign_count, pending };
        match passkeys.sign_in(user.user_id, &used, &new, address, self.service.now()).await? {
            Completed::SignedIn(session) => {
                Ok(SignInWithPasskeyCreated { set_cookie: cookie.set(token.expose()), body: shown(&session) })
            }
            Completed::Ended if is_second_step => Err(ended().into()),
            Completed::Ended | Completed::Refused => {
                attempt.failed(self).await;
                Err(refused().into())
            }
        }
    }

    /// Returns the passkey that a browser says to have used, and as whom its person signs in: as the user of
    /// the sign-in that waits, which is one of the same person, or as the one who was there last.
    async fn used(
        &self,
        body: &PasskeyProof,
        pending: Option<&PendingSignIn>,
    ) -> Result<Option<Use>, StoreError> {
        let Some(id) = credential_id(&body.credential) else { return Ok(None) };
        let Some(passkey) = self.service.store.passkeys().find_by_credential(id).await? else {
            return Ok(None);
        };
        let user = match pending {
            Some(pending) if pending.person_id != passkey.person_id => None,
            Some(pending) => {
                let scope = frontdesk_store::Scope::of_account(pending.account_id);
                self.service.store.users().find(&scope, pending.user_id).await?
            }
            None => self.service.store.people().active_user(passkey.person_id).await?,
        };
        Ok(user.map(|user| Use { passkey, user }))
    }

    /// Returns the counter of a passkey whose signature is right. One that has not advanced is noted, and its
    /// person is told.
    async fn verified(
        &self,
        incoming: &Incoming,
        body: &PasskeyProof,
        challenge: &Challenge,
        used: &Use,
    ) -> Result<Option<u32>, StoreError> {
        let Ok(site) = self.site(incoming) else { return Ok(None) };
        let is_second_step = challenge.pending_hash.is_some();
        match check_sign_in(&site, &challenge.state, is_second_step, &used.passkey, &body.credential) {
            Ok(sign_count) => Ok(Some(sign_count)),
            Err(Refused::Otherwise) => Ok(None),
            Err(Refused::Counter) => {
                let (passkeys, address) = (self.service.store.passkeys(), browser::address(incoming));
                passkeys.note_refused(&used.user, &used.passkey, address, self.service.now()).await?;
                Ok(None)
            }
        }
    }
}
