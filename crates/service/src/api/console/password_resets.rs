//! Password resets: a new password with a link.

use frontdesk_console_model::{Message, NotFound, RedeemPasswordResetCreated, RedeemPasswordResetError};
use frontdesk_console_server::{PasswordResets, RedeemPasswordReset};
use frontdesk_runtime::Failure;
use frontdesk_store::{AuditAction, LinkKind, Session};

use super::{Console, LINK_INVALID, attempts::Attempt, browser, refused_password, shown};
use crate::{
    edge::authorization::console::validation_failed,
    platform::secrets::people_tokens::{PersonToken, Purpose},
};

impl PasswordResets for Console {
    type Caller = Session;

    async fn redeem_password_reset(
        &self,
        request: RedeemPasswordReset,
    ) -> Result<RedeemPasswordResetCreated, Failure<RedeemPasswordResetError>> {
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
        let hash = self.passwords.slot().await?.hash(password).await?;
        let token = PersonToken::generate(Purpose::Session)?;
        let session = (token.hash(), browser::name(&incoming));
        // Another request may have used the link meanwhile.
        let Some((_, session)) = links.reset_password(&link, &hash, session, now).await? else {
            return Err(not_found().into());
        };
        self.note(&session, &incoming, AuditAction::PasswordReset, None).await?;
        Ok(RedeemPasswordResetCreated { set_cookie: cookie.set(token.expose()), body: shown(&session) })
    }
}
