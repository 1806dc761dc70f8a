//! Session: signing in and out.

use frontdesk_console_model::{
    self as model, ConfirmSessionError, GetSessionError, InvalidCredentials, ListSessionAccountsError,
    Message, NotFound, SignInCreated, SignInError, SignInWithLinkCreated, SignInWithLinkError, SignOutError,
    SignOutNoContent, SwitchAccountError, UnauthorizedError, UnauthorizedErrorKind,
};
use frontdesk_console_server::{
    ConfirmSession, GetSession, ListSessionAccounts, Sessions, SignIn, SignInWithLink, SignOut, SwitchAccount,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_store::{AuditAction, NewSession, Redacted, Session, StoreError, User};
use jiff::Timestamp;
use uuid::Uuid;

use super::{Console, LINK_INVALID, attempts::Attempt, browser, shown, shown_role};
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
enum BeginError {
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

    /// Begins a session of a person as a user, and returns it with its `Set-Cookie`. `None` if the user may
    /// not act, or the `verified` password was changed meanwhile. The session always has a new token: one
    /// that was known before means nothing.
    async fn begin(
        &self,
        incoming: &Incoming,
        person_id: Uuid,
        user: &User,
        verified: Option<&Redacted<String>>,
    ) -> Result<Option<(String, Session)>, BeginError> {
        let cookie = browser::cookie(incoming)?;
        let replaced = self.replaced(&cookie).await?;
        let token = PersonToken::generate(Purpose::Session)?;
        let new = NewSession { person_id, hash: token.hash(), user_agent: browser::name(incoming), replaced };
        let begun = self.service.store.sessions().begin(user, &new, verified, self.service.now()).await?;
        let Some(session) = begun else { return Ok(None) };
        let subject = Some((session.session_id, session.user_agent.as_str()));
        self.note(&session, incoming, AuditAction::SessionCreated, subject).await?;
        Ok(Some((cookie.set(token.expose()), session)))
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

    async fn sign_in(&self, request: SignIn) -> Result<SignInCreated, Failure<SignInError>> {
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
        match self.begin(&incoming, person.person_id, &user, Some(&person.password_hash)).await? {
            Some((set_cookie, session)) => Ok(SignInCreated { set_cookie, body: shown(&session) }),
            None => Err(invalid()),
        }
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
            if let Some((set_cookie, mut session)) =
                self.begin(&incoming, person.person_id, user, None).await?
            {
                // Without a password, the owner of the demonstration could not confirm it later.
                session.confirmed_at = Timestamp::MAX;
                self.service.store.sessions().confirm(session.session_id, Timestamp::MAX).await?;
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
        if !self.service.store.sessions().confirm(session.session_id, now).await? {
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
