//! Password resets: asking for a link, and choosing a new password with it.

use frontdesk_console_model::{
    GetPasswordResetWaysError, Message, NotFound, PasswordResetWays, RedeemPasswordResetAccepted,
    RedeemPasswordResetCreated, RedeemPasswordResetError, RedeemPasswordResetSuccess,
    RequestPasswordResetError,
};
use frontdesk_console_server::{
    GetPasswordResetWays, PasswordResets, RedeemPasswordReset, RequestPasswordReset,
};
use frontdesk_runtime::Failure;
use frontdesk_store::{AuditAction, Entered, LinkKind, Session};

use super::{
    Console, LINK_INVALID,
    attempts::{Attempt, take_reset},
    browser, refused_password, shown, waiting, whose,
};
use crate::{
    edge::authorization::console::validation_failed,
    platform::secrets::people_tokens::{PersonToken, Purpose},
};

impl PasswordResets for Console {
    type Caller = Session;

    async fn get_password_reset_ways(
        &self,
        _: GetPasswordResetWays,
    ) -> Result<PasswordResetWays, Failure<GetPasswordResetWaysError>> {
        Ok(PasswordResetWays::new(self.sends_mail()))
    }

    async fn request_password_reset(
        &self,
        request: RequestPasswordReset,
    ) -> Result<(), Failure<RequestPasswordResetError>> {
        let RequestPasswordReset { body, incoming } = request;
        take_reset(self, &incoming, &body.email).await?;
        if self.sends_mail() {
            // Nobody waits for it, so the time of the response does not reveal whether there is a person.
            let service = self.service.clone();
            tokio::spawn(async move {
                let people = service.store.people();
                if let Err(error) = people.request_reset(&body.email, service.now()).await {
                    tracing::error!(%error, "a request for a new password was lost");
                }
            });
        }
        Ok(())
    }

    async fn redeem_password_reset(
        &self,
        request: RedeemPasswordReset,
    ) -> Result<RedeemPasswordResetSuccess, Failure<RedeemPasswordResetError>> {
        let RedeemPasswordReset { body, incoming } = request;
        let attempt = Attempt::with_link(&incoming);
        attempt.check(self).await?;
        let not_found = || NotFound { body: Message::new(LINK_INVALID) };
        let (links, now) = (self.service.store.links(), self.service.now());
        let link = Purpose::Link.hash(body.token.expose());
        let user = match &link {
            Some(link) => links.user(LinkKind::Reset, link, now).await?,
            None => None,
        };
        let (Some(link), Some(user)) = (link, user) else {
            attempt.failed(self).await;
            return Err(not_found().into());
        };
        let password = body.password.expose();
        if let Some(failure) = refused_password("password", password, &user.name, &user.email) {
            return Err(validation_failed([failure]).into());
        }
        let cookie = browser::cookie(&incoming)?;
        let hash = self.hash(password).await??;
        let token = PersonToken::generate(Purpose::Session)?;
        let session = (token.hash(), browser::name(&incoming));
        // Another request may have used the link meanwhile.
        let Some((_, entered)) = links.reset_password(&link, &hash, session, now).await? else {
            attempt.failed(self).await;
            return Err(not_found().into());
        };
        self.note_of(whose(&entered), &incoming, AuditAction::PasswordReset, None).await?;
        Ok(match entered {
            Entered::SignedIn(session) => RedeemPasswordResetSuccess::Created(
                RedeemPasswordResetCreated { set_cookie: cookie.set(token.expose()), body: shown(&session) }
                    .into(),
            ),
            // The link replaces the password, not what the person has beside it.
            Entered::CodeNeeded(pending) => RedeemPasswordResetSuccess::Accepted(
                RedeemPasswordResetAccepted {
                    set_cookie: cookie.set_pending(token.expose()),
                    body: waiting(&pending),
                }
                .into(),
            ),
        })
    }
}
