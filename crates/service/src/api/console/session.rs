//! Session: signing in and out.

use frontdesk_console_model::{
    self as model, CancelSignInError, CancelSignInNoContent, CompleteSignInCreated, CompleteSignInError,
    ConfirmSessionError, GetPendingSignInError, GetSessionError, InvalidCredentials,
    ListSessionAccountsError, Message, NotFound, SignInAccepted, SignInCreated, SignInError, SignInSuccess,
    SignInWithLinkCreated, SignInWithLinkError, SignOutError, SignOutNoContent, SwitchAccountError,
    UnauthorizedError, UnauthorizedErrorKind,
};
use frontdesk_console_server::{
    CancelSignIn, CompleteSignIn, ConfirmSession, GetPendingSignIn, GetSession, ListSessionAccounts,
    Sessions, SignIn, SignInWithLink, SignOut, SwitchAccount,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_store::{AuditAction, Completed, Entered, NewSession, Person, Session, StoreError, User};
use jiff::Timestamp;
use uuid::Uuid;

use super::{
    Console, LINK_INVALID, attempts::Attempt, browser, second_factors::wrong_code, shown, shown_role, waiting,
};
use crate::{
    edge::{
        authorization::console::{self, validation_failed},
        console::SessionCookie,
        responses::failure,
    },
    platform::secrets::people_tokens::{PersonToken, Purpose},
};

/// Why a person cannot be signed in although they have proven who they are.
#[derive(Debug, thiserror::Error)]
pub(super) enum BeginError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the operating system provides no random numbers")]
    Random(#[from] getrandom::Error),
    #[error(transparent)]
    Cookie(#[from] browser::NoCookie),
}

impl Console {
    /// Returns the session of a browser, which a new one replaces.
    pub(super) async fn replaced(&self, cookie: &SessionCookie) -> Result<Option<Uuid>, StoreError> {
        let Some(token) = &cookie.token else { return Ok(None) };
        let session = console::session(&self.service, token).await?;
        Ok(session.map(|session| session.session_id))
    }

    /// Returns a session of a person that is to begin in the browser of a request, with its token. It always
    /// is a new one: a token that was known before means nothing.
    pub(super) async fn new_session(
        &self,
        incoming: &Incoming,
        person_id: Uuid,
    ) -> Result<(SessionCookie, PersonToken, NewSession), BeginError> {
        let cookie = browser::cookie(incoming)?;
        let replaced = self.replaced(&cookie).await?;
        let token = PersonToken::generate(Purpose::Session)?;
        let new = NewSession { person_id, hash: token.hash(), user_agent: browser::name(incoming), replaced };
        Ok((cookie, token, new))
    }

    /// Begins a session of a person as a user, whose password was verified, or a sign-in that waits for a
    /// code, and returns it with its `Set-Cookie`. `None` if the user may not act, or the password was
    /// changed meanwhile.
    async fn begin(
        &self,
        incoming: &Incoming,
        person: &Person,
        user: &User,
    ) -> Result<Option<SignInSuccess>, BeginError> {
        let (cookie, token, new) = self.new_session(incoming, person.person_id).await?;
        let (sessions, now) = (self.service.store.sessions(), self.service.now());
        Ok(match sessions.begin(user, &new, &person.password_hash, now).await? {
            Some(Entered::SignedIn(session)) => {
                self.note_sign_in(incoming, &session).await?;
                let set_cookie = cookie.set(token.expose());
                Some(SignInSuccess::Created(SignInCreated { set_cookie, body: shown(&session) }.into()))
            }
            Some(Entered::CodeNeeded(pending)) => {
                let set_cookie = cookie.set_pending(token.expose());
                Some(SignInSuccess::Accepted(SignInAccepted { set_cookie, body: waiting(&pending) }.into()))
            }
            None => None,
        })
    }

    async fn note_sign_in(&self, incoming: &Incoming, session: &Session) -> Result<(), StoreError> {
        let subject = Some((session.session_id, session.user_agent.as_str()));
        self.note(session, incoming, AuditAction::SessionCreated, subject).await
    }
}

impl Sessions for Console {
    type Caller = Session;

    async fn get_session(
        &self,
        request: GetSession<Session>,
    ) -> Result<model::Session, Failure<GetSessionError>> {
        Ok(shown(&request.caller))
    }

    async fn sign_in(&self, request: SignIn) -> Result<SignInSuccess, Failure<SignInError>> {
        let SignIn { body, incoming } = request;
        let invalid = || {
            let message = "The email address or the password is wrong.";
            let error = UnauthorizedError::new(UnauthorizedErrorKind::InvalidCredentials, message);
            Failure::from(InvalidCredentials { body: error })
        };
        let people = self.service.store.people();
        let person = people.find_by_email(&body.email).await?;
        let attempt = Attempt::with_password(&incoming, &body.email);
        let is_right = attempt.verify(self, person.as_ref(), body.password.expose()).await??;
        let Some(person) = person.filter(|_| is_right) else { return Err(invalid()) };
        let Some(user) = people.active_user(person.person_id).await? else { return Err(invalid()) };
        self.begin(&incoming, &person, &user).await?.ok_or_else(invalid)
    }

    async fn get_pending_sign_in(
        &self,
        request: GetPendingSignIn,
    ) -> Result<model::PendingSignIn, Failure<GetPendingSignInError>> {
        let ended = || model::Unauthorized { body: console::session_ended() };
        let sent = browser::cookie(&request.incoming)?.token.ok_or_else(ended)?;
        let pending = console::pending(&self.service, &sent).await?;
        Ok(waiting(&pending.ok_or_else(ended)?))
    }

    async fn complete_sign_in(
        &self,
        request: CompleteSignIn,
    ) -> Result<CompleteSignInCreated, Failure<CompleteSignInError>> {
        let CompleteSignIn { body, incoming } = request;
        let ended = || model::Unauthorized { body: console::session_ended() };
        let sent = browser::cookie(&incoming)?.token;
        let Some(sent) = sent else {
            return Err(model::Unauthorized { body: console::unauthorized() }.into());
        };
        let hash = Purpose::Session.hash(&sent).ok_or_else(ended)?;
        let pending_sign_ins = self.service.store.pending_sign_ins();
        let pending = pending_sign_ins.find(&hash, self.service.now()).await?.ok_or_else(ended)?;
        let attempt = Attempt::with_password(&incoming, &pending.email);
        attempt.check(self).await?;
        let judged = self.judge(pending.person_id, body.code.expose()).await??;
        let Some(proof) = judged.proof else {
            attempt.failed(self).await;
            if judged.is_warning {
                self.service.store.second_factors().warn(&pending, self.service.now()).await?;
            }
            return Err(wrong_code(body.code.expose()).into());
        };
        let (cookie, token, new) = self.new_session(&incoming, pending.person_id).await?;
        let (address, now) = (browser::address(&incoming), self.service.now());
        match pending_sign_ins.complete(&hash, &pending, &proof, &new, address, now).await? {
            Completed::SignedIn(session) => {
                Ok(CompleteSignInCreated { set_cookie: cookie.set(token.expose()), body: shown(&session) })
            }
            Completed::Ended => Err(ended().into()),
            Completed::Refused => {
                attempt.failed(self).await;
                Err(wrong_code(body.code.expose()).into())
            }
        }
    }

    async fn cancel_sign_in(
        &self,
        request: CancelSignIn,
    ) -> Result<CancelSignInNoContent, Failure<CancelSignInError>> {
        let cookie = browser::cookie(&request.incoming)?;
        if let Some(hash) = cookie.token.as_deref().and_then(|token| Purpose::Session.hash(token)) {
            self.service.store.pending_sign_ins().cancel(&hash).await?;
        }
        Ok(CancelSignInNoContent { set_cookie: cookie.forget() })
    }

    async fn sign_out(&self, request: SignOut<Session>) -> Result<SignOutNoContent, Failure<SignOutError>> {
        let session = request.caller;
        self.service.store.sessions().end(session.person_id, session.session_id).await?;
        Ok(SignOutNoContent { set_cookie: browser::cookie(&request.incoming)?.forget() })
    }

    async fn sign_in_with_link(
        &self,
        request: SignInWithLink,
    ) -> Result<SignInWithLinkCreated, Failure<SignInWithLinkError>> {
        let SignInWithLink { body, incoming } = request;
        let attempt = Attempt::with_link(&incoming);
        attempt.check(self).await?;
        let hash = Purpose::Link.hash(body.token.expose());
        let user = self.demonstration.get().filter(|(link, _)| Some(*link) == hash).map(|(_, user)| user);
        if let Some(user) = user {
            let person = self.service.store.people().without_password(user, self.service.now()).await?;
            let (cookie, token, new) = self.new_session(&incoming, person.person_id).await?;
            let (sessions, now) = (self.service.store.sessions(), self.service.now());
            if let Some(mut session) = sessions.begin_without_password(user, &new, now).await? {
                self.note_sign_in(&incoming, &session).await?;
                // Without a password, the owner of the demonstration could not confirm it later.
                session.confirmed_at = Timestamp::MAX;
                sessions.confirm(session.session_id, Timestamp::MAX, now).await?;
                let set_cookie = cookie.set(token.expose());
                return Ok(SignInWithLinkCreated { set_cookie, body: shown(&session) });
            }
        }
        attempt.failed(self).await;
        Err(NotFound { body: Message::new(LINK_INVALID) }.into())
    }

    async fn confirm_session(
        &self,
        request: ConfirmSession<Session>,
    ) -> Result<model::Session, Failure<ConfirmSessionError>> {
        let ConfirmSession { caller: mut session, body, incoming } = request;
        let person = self.service.store.people().find(session.person_id).await?;
        if person.as_ref().is_some_and(|person| person.password_hash.expose().is_empty()) {
            let problem = "does not exist for the owner of the demonstration; open the printed link again";
            return Err(validation_failed([failure("password", problem)]).into());
        }
        let attempt = Attempt::with_password(&incoming, &session.email);
        if !attempt.verify(self, person.as_ref(), body.password.expose()).await?? {
            return Err(validation_failed([failure("password", "is wrong")]).into());
        }
        let now = self.service.now();
        if !self.service.store.sessions().confirm(session.session_id, now, now).await? {
            return Err(model::Unauthorized { body: console::session_ended() }.into());
        }
        session.confirmed_at = now;
        session.last_used_at = now;
        Ok(shown(&session))
    }

    async fn list_session_accounts(
        &self,
        request: ListSessionAccounts<Session>,
    ) -> Result<model::SessionAccountList, Failure<ListSessionAccountsError>> {
        let session = request.caller;
        let accounts = self.service.store.people().accounts(session.person_id).await?;
        Ok(model::SessionAccountList::new(accounts.into_iter().map(|account| {
            let is_current = account.account_id == session.account_id;
            let role = shown_role(account.role);
            model::AccountOfPerson::new(model::AccountOfPersonRequired {
                account_id: account.account_id.into(),
                name: account.name,
                role,
                is_current,
            })
        })))
    }

    async fn switch_account(
        &self,
        request: SwitchAccount<Session>,
    ) -> Result<model::Session, Failure<SwitchAccountError>> {
        let SwitchAccount { caller: session, body, incoming } = request;
        let sessions = self.service.store.sessions();
        let address = browser::address(&incoming);
        let switched = sessions.switch(&session, body.account_id.uuid(), address, self.service.now()).await?;
        let not_found = || NotFound { body: Message::new("Account not found.") };
        Ok(shown(&switched.ok_or_else(not_found)?))
    }
}
