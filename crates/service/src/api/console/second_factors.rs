//! Second factors: adding the authenticator app of the person who is signed in, removing it, recovery codes,
//! and judging codes.

use frontdesk_console_model::{
    ConfirmSecondFactorError, Conflict, ConflictErrorKind, CreateSecondFactorError, GetSecondFactorError,
    NewSecondFactor, NewSecondFactorRequired, RateLimited, RecoveryCodes, RemoveSecondFactorError,
    RenewRecoveryCodesError, SecondFactor, ValidationFailed,
};
use frontdesk_console_server::{
    ConfirmSecondFactor, CreateSecondFactor, GetSecondFactor, RemoveSecondFactor, RenewRecoveryCodes,
    SecondFactors,
};
use frontdesk_runtime::Failure;
use frontdesk_store::{
    CodeAttempt, ConfirmedSecret, FREE_ATTEMPTS, FactorRemoval, Proof, Scope, Session, StoreError,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::{Console, actor, attempts::Attempt, conflict};
use crate::{
    edge::{
        authorization::console::{too_many, validation_failed},
        rate_limit::Exceeded,
        responses::{failure, timestamp},
    },
    platform::secrets::second_factors::{Code, NewSecret, recovery_codes, step_of},
};

/// What a code was found to be.
pub(super) struct Judged {
    /// What it proves; `None` for a wrong code. Using it up finds out whether it was used before.
    pub(super) proof: Option<Proof>,
    /// Whether the person should know that somebody tries codes with their password.
    pub(super) is_warning: bool,
}

/// 422 for a code that is wrong or was used.
pub(super) fn wrong_code(text: &str) -> ValidationFailed {
    let is_of_app = matches!(Code::read(text, Uuid::nil()), Some(Code::OfApp(_)));
    let problem = if is_of_app {
        "is wrong, or was used already; the app shows the next one within 30 seconds"
    } else {
        "is wrong, or was used already"
    };
    validation_failed([failure("code", problem)])
}

/// 409 for what needs a second factor.
fn missing() -> Conflict {
    conflict(ConflictErrorKind::Conflict, "You have no second factor.")
}

/// 409 for the last second factor, if an account requires one.
pub(super) fn required(account: &str) -> Conflict {
    let text = format!("The account “{account}” requires a second factor, so you cannot remove yours.");
    conflict(ConflictErrorKind::Conflict, &text)
}

impl Console {
    /// Judges a code of a person, which is counted before if it is one of an app.
    pub(super) async fn judge(
        &self,
        person_id: Uuid,
        text: &str,
    ) -> Result<Result<Judged, RateLimited>, StoreError> {
        let wrong = Judged { proof: None, is_warning: false };
        let digits = match Code::read(text, person_id) {
            None => return Ok(Ok(wrong)),
            Some(Code::Recovery(hash)) => {
                return Ok(Ok(Judged { proof: Some(Proof::RecoveryCode(hash)), is_warning: false }));
            }
            Some(Code::OfApp(digits)) => digits,
        };
        let now = self.service.now();
        let app = match self.service.store.second_factors().attempt(person_id, now).await? {
            CodeAttempt::Allowed(app) => app,
            CodeAttempt::Missing => return Ok(Ok(wrong)),
            CodeAttempt::Blocked(until) => {
                let seconds = until.duration_since(now).as_secs().saturating_add(1);
                let retry_after = u64::try_from(seconds).unwrap_or(1).max(1);
                return Ok(Err(too_many(Exceeded { retry_after })));
            }
        };
        let step = step_of(&self.service.cipher, &app, &digits, now);
        // A code that was used is refused when it is used up, which two requests cannot do at the same time.
        let proof = step.map(|step| Proof::Code { step, secret: app.secret });
        let is_warning = proof.is_none() && app.failures == FREE_ATTEMPTS;
        Ok(Ok(Judged { proof, is_warning }))
    }

    /// Judges a code of the person who is signed in, who needs a second factor for that.
    async fn proof(
        &self,
        session: &Session,
        attempt: &Attempt,
        code: &str,
    ) -> Result<Proof, Failure<RemoveSecondFactorError>> {
        if !self.service.store.second_factors().is_needed(session.person_id).await? {
            return Err(missing().into());
        }
        attempt.check(self).await?;
        match self.judge(session.person_id, code).await??.proof {
            Some(proof) => Ok(proof),
            None => Err(self.refused(attempt, code).await.into()),
        }
    }

    /// Counts a wrong code, and returns the refusal.
    async fn refused(&self, attempt: &Attempt, code: &str) -> ValidationFailed {
        attempt.failed(self).await;
        wrong_code(code)
    }

    /// Returns since when a person has a second factor.
    async fn enabled(&self, person_id: Uuid) -> Result<Option<Timestamp>, StoreError> {
        let app = self.service.store.second_factors().find(person_id).await?;
        Ok(app.and_then(|app| app.confirmed_at))
    }
}

impl SecondFactors for Console {
    type Caller = Session;

    async fn get_second_factor(
        &self,
        request: GetSecondFactor<Session>,
    ) -> Result<SecondFactor, Failure<GetSecondFactorError>> {
        let person_id = request.caller.person_id;
        let left = self.service.store.second_factors().recovery_codes_left(person_id).await?;
        let enabled_at = self.enabled(person_id).await?;
        Ok(SecondFactor::new(enabled_at.map(timestamp), i64::try_from(left).unwrap_or(i64::MAX)))
    }

    async fn create_second_factor(
        &self,
        request: CreateSecondFactor<Session>,
    ) -> Result<NewSecondFactor, Failure<CreateSecondFactorError>> {
        let session = request.caller;
        let store = &self.service.store;
        let person = store.people().find(session.person_id).await?;
        if person.is_none_or(|person| person.password_hash.expose().is_empty()) {
            let text =
                "You sign in without a password, so there is nothing that a second factor could protect.";
            return Err(conflict(ConflictErrorKind::Conflict, text).into());
        }
        let new = NewSecret::generate(&session.email)?;
        let secret = new.encrypted(&self.service.cipher, session.person_id)?;
        if !store.second_factors().propose(session.person_id, &secret, self.service.now()).await? {
            let text = "You have a second factor already. Remove it first.";
            return Err(conflict(ConflictErrorKind::AlreadyExists, text).into());
        }
        let NewSecret { text: secret, uri, qr_code } = new;
        Ok(NewSecondFactor::new(NewSecondFactorRequired { secret, uri, qr_code }))
    }

    async fn confirm_second_factor(
        &self,
        request: ConfirmSecondFactor<Session>,
    ) -> Result<RecoveryCodes, Failure<ConfirmSecondFactorError>> {
        let ConfirmSecondFactor { caller: session, body, incoming } = request;
        let (factors, now) = (self.service.store.second_factors(), self.service.now());
        let nothing = || {
            let text = "There is no second factor to confirm. Begin to add one first.";
            conflict(ConflictErrorKind::Conflict, text)
        };
        let waiting = factors.find(session.person_id).await?.filter(|app| app.confirmed_at.is_none());
        let app = waiting.ok_or_else(nothing)?;
        let attempt = Attempt::with_password(&incoming, &session.email);
        attempt.check(self).await?;
        let step = match Code::read(body.code.expose(), session.person_id) {
            Some(Code::OfApp(digits)) => step_of(&self.service.cipher, &app, &digits, now),
            _ => None,
        };
        let Some(step) = step else { return Err(self.refused(&attempt, body.code.expose()).await.into()) };
        let (codes, hashes) = recovery_codes(session.person_id)?;
        let confirmed = ConfirmedSecret { secret: app.secret, step, recovery_codes: hashes };
        let (scope, actor) = (Scope::of_account(session.account_id), actor(&session, &incoming));
        if !factors.confirm(&scope, &actor, session.session_id, &confirmed, now).await? {
            return Err(nothing().into());
        }
        Ok(RecoveryCodes::new(codes))
    }

    async fn remove_second_factor(
        &self,
        request: RemoveSecondFactor<Session>,
    ) -> Result<(), Failure<RemoveSecondFactorError>> {
        let RemoveSecondFactor { caller: session, body, incoming } = request;
        let (factors, now) = (self.service.store.second_factors(), self.service.now());
        if self.enabled(session.person_id).await?.is_none() {
            return Err(missing().into());
        }
        // Before the code is judged, which would count.
        if let Some(account) = factors.app_required_by(session.person_id).await? {
            return Err(required(&account).into());
        }
        let attempt = Attempt::with_password(&incoming, &session.email);
        let proof = self.proof(&session, &attempt, body.code.expose()).await?;
        let (scope, actor) = (Scope::of_account(session.account_id), actor(&session, &incoming));
        match factors.remove(&scope, &actor, &proof, now).await? {
            FactorRemoval::Removed => Ok(()),
            FactorRemoval::Required(account) => Err(required(&account).into()),
            FactorRemoval::Refused => Err(self.refused(&attempt, body.code.expose()).await.into()),
        }
    }

    async fn renew_recovery_codes(
        &self,
        request: RenewRecoveryCodes<Session>,
    ) -> Result<RecoveryCodes, Failure<RenewRecoveryCodesError>> {
        let RenewRecoveryCodes { caller: session, body, incoming } = request;
        let attempt = Attempt::with_password(&incoming, &session.email);
        let proof = self.proof(&session, &attempt, body.code.expose()).await?;
        let (codes, hashes) = recovery_codes(session.person_id)?;
        let (scope, actor) = (Scope::of_account(session.account_id), actor(&session, &incoming));
        let (factors, now) = (self.service.store.second_factors(), self.service.now());
        if !factors.renew_codes(&scope, &actor, &proof, &hashes, now).await? {
            return Err(self.refused(&attempt, body.code.expose()).await.into());
        }
        Ok(RecoveryCodes::new(codes))
    }
}
