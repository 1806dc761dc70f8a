//! Set-up: the first person of an installation.

use frontdesk_console_model::{
    Conflict, ConflictError, ConflictErrorKind, Message, NotFound, SetUpCreated, SetUpError,
};
use frontdesk_console_server::{SetUp, Setup};
use frontdesk_runtime::Failure;
use frontdesk_store::{AuditAction, FirstOwner, NewInstallation, NewPerson, Session};

use super::{Console, LINK_INVALID, attempts::Attempt, browser, refused_password, shown};
use crate::{
    edge::{authorization::console::validation_failed, responses::failure},
    platform::secrets::people_tokens::{PersonToken, Purpose},
};

impl Setup for Console {
    type Caller = Session;

    async fn set_up(&self, request: SetUp) -> Result<SetUpCreated, Failure<SetUpError>> {
        let SetUp { body, incoming } = request;
        let attempt = Attempt::with_link(&incoming);
        attempt.check(self).await?;
        let password = body.password.expose();
        let mut failures = Vec::from_iter(refused_password("password", password, &body.name, &body.email));
        if frontdesk_address::email(&body.email).is_none() {
            failures.push(failure("email", "must be an email address"));
        }
        if !failures.is_empty() {
            return Err(validation_failed(failures).into());
        }
        let not_found = || NotFound { body: Message::new(LINK_INVALID) };
        // Before the hash is computed, which is work that nobody without a link can ask for.
        let now = self.service.now();
        let link = match Purpose::Link.hash(body.token.expose()) {
            Some(link) if self.service.store.links().is_setup_valid(&link, now).await? => link,
            _ => {
                attempt.failed(self).await;
                return Err(not_found().into());
            }
        };
        let cookie = browser::cookie(&incoming)?;
        let token = PersonToken::generate(Purpose::Session)?;
        let new = NewInstallation {
            link,
            account_name: body.account_name,
            owner: NewPerson {
                email: body.email,
                name: body.name,
                password_hash: self.passwords.slot().await?.hash(password).await?,
            },
            session: token.hash(),
            user_agent: browser::name(&incoming),
        };
        match self.service.store.accounts().set_up(&new, now).await? {
            FirstOwner::SignedIn(session) => {
                self.note(&session, &incoming, AuditAction::SetupCompleted, None).await?;
                Ok(SetUpCreated { set_cookie: cookie.set(token.expose()), body: shown(&session) })
            }
            FirstOwner::LinkInvalid => {
                attempt.failed(self).await;
                Err(not_found().into())
            }
            FirstOwner::Exists => {
                let message = "This installation has been set up already. Sign in.";
                Err(Conflict { body: ConflictError::new(ConflictErrorKind::Conflict, message) }.into())
            }
        }
    }
}
