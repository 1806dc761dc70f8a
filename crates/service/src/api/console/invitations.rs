//! Invitations: links with which people become members of an account.

use frontdesk_console_model::{
    self as model, ConflictErrorKind, CreateInvitationError, InvitationList, InvitationPreview,
    InvitationPreviewRequired, ListInvitationsError, Message, NewInvitationCreated,
    NewInvitationCreatedRequired, NotFound, PreviewInvitationError, RateLimited, RedeemInvitationAccepted,
    RedeemInvitationCreated, RedeemInvitationError, RedeemInvitationSuccess, RenewInvitationError,
    RevokeInvitationError,
};
use frontdesk_console_server::{
    CreateInvitation, Invitations, ListInvitations, PreviewInvitation, RedeemInvitation, RenewInvitation,
    RevokeInvitation,
};
use frontdesk_runtime::{Failure, server::Incoming};
use frontdesk_store::{
    Accepted, Entered, Invitation, InvitationError, Joining, KeyHash, NewInvitation, OpenInvitation, Scope,
    Session, StoreError,
};

use super::{
    Console, LINK_INVALID, actor, attempts::Attempt, browser, chosen, conflict, only_owners,
    refused_password, shown, shown_role, waiting,
};
use crate::{
    edge::{
        authorization::console::{too_many, validation_failed},
        links,
        rate_limit::Subject,
        responses::{failure, timestamp},
    },
    platform::secrets::people_tokens::{PersonToken, Purpose},
};

/// Links that an account makes in a minute. Each may send an e-mail to an address that somebody has typed.
const LINKS: u32 = 20;

/// The 403 for what only owners do.
const ONLY_OWNERS: &str = "Only owners invite an owner, or change such an invitation.";

/// Turns an error of the store into the response of an operation on an invitation.
macro_rules! refused {
    ($error:expr) => {
        match $error {
            InvitationError::NotFound => not_found().into(),
            InvitationError::NotAllowed => only_owners(ONLY_OWNERS).into(),
            error => error.into(),
        }
    };
}

impl Console {
    async fn take_link(&self, session: &Session) -> Result<(), RateLimited> {
        let subject = Subject::InvitationLinks(session.account_id);
        self.service.rate_limits.take(subject, LINKS).await.map_err(too_many)
    }

    /// An invitation with its link, which is known at this moment only.
    fn with_link(
        &self,
        (made, is_mailed): (Invitation, bool),
        token: &PersonToken,
        incoming: &Incoming,
    ) -> NewInvitationCreated {
        let public_url = self.service.config.mail.public_url.as_ref();
        let base = public_url.map_or_else(|| browser::origin(incoming), ToString::to_string);
        NewInvitationCreated::new(NewInvitationCreatedRequired {
            invitation_id: made.invitation_id.into(),
            email: made.email,
            name: made.name,
            role: shown_role(made.role),
            inviter_name: made.inviter_name,
            created_at: timestamp(made.created_at),
            expires_at: timestamp(made.expires_at),
            link: links::to_console(&base, "invite", token.expose()).into(),
            is_mailed,
        })
    }

    /// Returns the invitation of a token, and its hash.
    async fn opened(&self, token: &str) -> Result<Option<(KeyHash, OpenInvitation)>, StoreError> {
        let Some(link) = Purpose::Link.hash(token) else { return Ok(None) };
        let open = self.service.store.invitations().open(&link, self.service.now()).await?;
        Ok(open.map(|open| (link, open)))
    }
}

impl Invitations for Console {
    type Caller = Session;

    async fn list_invitations(
        &self,
        request: ListInvitations<Session>,
    ) -> Result<InvitationList, Failure<ListInvitationsError>> {
        let scope = Scope::of_account(request.caller.account_id);
        let invitations = self.service.store.invitations().list(&scope).await?;
        Ok(InvitationList::new(invitations.into_iter().map(|invitation| {
            model::Invitation::new(model::InvitationRequired {
                invitation_id: invitation.invitation_id.into(),
                email: invitation.email,
                name: invitation.name,
                role: shown_role(invitation.role),
                inviter_name: invitation.inviter_name,
                created_at: timestamp(invitation.created_at),
                expires_at: timestamp(invitation.expires_at),
            })
        })))
    }

    async fn create_invitation(
        &self,
        request: CreateInvitation<Session>,
    ) -> Result<NewInvitationCreated, Failure<CreateInvitationError>> {
        let CreateInvitation { caller: session, body, incoming } = request;
        let role = chosen("role", body.role.as_str())?;
        self.take_link(&session).await?;
        let token = PersonToken::generate(Purpose::Link)?;
        let new = NewInvitation {
            email: body.email,
            name: body.name.unwrap_or_default(),
            role,
            hash: token.hash(),
            is_mailed: self.sends_mail(),
        };
        let (invitations, scope) = (self.service.store.invitations(), Scope::of_account(session.account_id));
        let already = |text: &str| Err(conflict(ConflictErrorKind::AlreadyExists, text).into());
        match invitations.create(&scope, &actor(&session, &incoming), &new, self.service.now()).await {
            Ok(made) => Ok(self.with_link(made, &token, &incoming)),
            Err(InvitationError::InvalidEmail) => {
                Err(validation_failed([failure("email", "must be an email address")]).into())
            }
            Err(InvitationError::IsMember) => already("The account has a member with this email address."),
            Err(InvitationError::IsInvited) => {
                already("This person is invited already. Make a new link for the invitation.")
            }
            Err(InvitationError::LimitReached) => {
                let text = "An account has at most 100 invitations. Revoke one first.";
                Err(conflict(ConflictErrorKind::LimitReached, text).into())
            }
            Err(InvitationError::NotAllowed) => Err(only_owners(ONLY_OWNERS).into()),
            Err(error) => Err(error.into()),
        }
    }

    async fn renew_invitation(
        &self,
        request: RenewInvitation<Session>,
    ) -> Result<NewInvitationCreated, Failure<RenewInvitationError>> {
        let RenewInvitation { caller: session, invitation_id, incoming } = request;
        self.take_link(&session).await?;
        let token = PersonToken::generate(Purpose::Link)?;
        let (invitations, scope) = (self.service.store.invitations(), Scope::of_account(session.account_id));
        let (actor, hash, now) = (actor(&session, &incoming), token.hash(), self.service.now());
        match invitations.renew(&scope, &actor, invitation_id.uuid(), &hash, self.sends_mail(), now).await {
            Ok(made) => Ok(self.with_link(made, &token, &incoming)),
            Err(error) => Err(refused!(error)),
        }
    }

    async fn revoke_invitation(
        &self,
        request: RevokeInvitation<Session>,
    ) -> Result<(), Failure<RevokeInvitationError>> {
        let RevokeInvitation { caller: session, invitation_id, incoming } = request;
        let (invitations, scope) = (self.service.store.invitations(), Scope::of_account(session.account_id));
        let actor = actor(&session, &incoming);
        let revoked = invitations.revoke(&scope, &actor, invitation_id.uuid(), self.service.now()).await;
        revoked.map_err(|error| refused!(error))
    }

    async fn preview_invitation(
        &self,
        request: PreviewInvitation,
    ) -> Result<InvitationPreview, Failure<PreviewInvitationError>> {
        let PreviewInvitation { body, incoming } = request;
        let attempt = Attempt::with_link(&incoming);
        attempt.check(self).await?;
        let Some((_, open)) = self.opened(body.token.expose()).await? else {
            attempt.failed(self).await;
            return Err(invalid().into());
        };
        Ok(InvitationPreview::new(InvitationPreviewRequired {
            account_name: open.account_name,
            inviter_name: open.inviter_name,
            email: open.email,
            name: open.name,
            role: shown_role(open.role),
            expires_at: timestamp(open.expires_at),
        }))
    }

    async fn redeem_invitation(
        &self,
        request: RedeemInvitation,
    ) -> Result<RedeemInvitationSuccess, Failure<RedeemInvitationError>> {
        let RedeemInvitation { body, incoming } = request;
        let attempt = Attempt::with_link(&incoming);
        attempt.check(self).await?;
        let Some((link, open)) = self.opened(body.token.expose()).await? else {
            attempt.failed(self).await;
            return Err(invalid().into());
        };
        let exists = || {
            let text = "You have a password here already. Join with it.";
            conflict(ConflictErrorKind::AlreadyExists, text)
        };
        let wrong = || validation_failed([failure("password", "is wrong")]);
        let (password, cookie) = (body.password.expose(), browser::cookie(&incoming)?);
        let known = self.service.store.people().find_by_email(&open.email).await?;
        let joining = if let Some(name) = body.name {
            // The contract cannot say it, because the password of a person who exists may be shorter.
            let length = password.chars().count();
            let problem = match length {
                ..12 => Some(failure("password", format!("must have at least 12 characters (has {length})"))),
                129.. => {
                    Some(failure("password", format!("must have at most 128 characters (has {length})")))
                }
                _ => refused_password("password", password, &name, &open.email),
            };
            if let Some(problem) = problem {
                return Err(validation_failed([problem]).into());
            }
            // After the password is judged, so that a refused one says nothing about the address.
            if known.is_some() {
                // Whoever tries addresses in this way is slow.
                attempt.failed(self).await;
                return Err(exists().into());
            }
            Joining::New { name, password_hash: self.hash(password).await?? }
        } else {
            // An invitation proves nothing about who somebody is: whoever has made it has its link.
            let attempt = Attempt::with_password(&incoming, &open.email);
            let is_right = attempt.verify(self, known.as_ref(), password).await??;
            Joining::Known(known.filter(|_| is_right).ok_or_else(wrong)?)
        };
        let replaced = self.replaced(&cookie).await?;
        let token = PersonToken::generate(Purpose::Session)?;
        let session = (token.hash(), browser::name(&incoming), replaced);
        let (invitations, address) = (self.service.store.invitations(), browser::address(&incoming));
        match invitations.accept(&link, &joining, session, address, self.service.now()).await? {
            Accepted::Joined(Entered::SignedIn(session)) => Ok(RedeemInvitationSuccess::Created(
                RedeemInvitationCreated { set_cookie: cookie.set(token.expose()), body: shown(&session) }
                    .into(),
            )),
            Accepted::Joined(Entered::CodeNeeded(pending)) => Ok(RedeemInvitationSuccess::Accepted(
                RedeemInvitationAccepted {
                    set_cookie: cookie.set_pending(token.expose()),
                    body: waiting(&pending),
                }
                .into(),
            )),
            // Requests with the same link at the same time are attempts, too.
            Accepted::LinkInvalid => {
                attempt.failed(self).await;
                Err(invalid().into())
            }
            Accepted::PersonExists => {
                attempt.failed(self).await;
                Err(exists().into())
            }
            Accepted::NotProven => Err(wrong().into()),
            Accepted::IsMember => {
                let text = "You are a member of this account already. Sign in.";
                Err(conflict(ConflictErrorKind::AlreadyExists, text).into())
            }
        }
    }
}

fn not_found() -> NotFound {
    NotFound { body: Message::new("Invitation not found.") }
}

fn invalid() -> NotFound {
    NotFound { body: Message::new(LINK_INVALID) }
}
