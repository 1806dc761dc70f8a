//! Members: the people of an account, and what they may do.

use frontdesk_console_model::{
    self as model, ConflictErrorKind, ListMembersError, MemberList, MemberStatus, Message, NotFound,
    Pagination, RemoveMemberError, UpdateMemberError,
};
use frontdesk_console_server::{ListMembers, Members, RemoveMember, UpdateMember};
use frontdesk_runtime::Failure;
use frontdesk_store::{Member, MemberChange, MemberError, Scope, Session, UserStatus};

use super::{Console, actor, chosen, conflict, only_owners, shown_role};
use crate::edge::{
    Caller,
    authorization::console::validation_failed,
    pages::Listing,
    responses::{self, timestamp},
};

/// Turns an error of the store into the response of an operation.
macro_rules! refused {
    ($error:expr) => {
        match $error {
            MemberError::NotFound => NotFound { body: Message::new("Member not found.") }.into(),
            MemberError::NotAllowed => {
                only_owners("Only owners make somebody an owner, and change or remove one.").into()
            }
            MemberError::LastOwner => {
                let text = "An account needs an owner. Make somebody else an owner first.";
                conflict(ConflictErrorKind::LastOwner, text).into()
            }
            MemberError::OwnMembership => {
                let text = "Nobody changes their own role. Ask another owner or admin.";
                conflict(ConflictErrorKind::OwnMembership, text).into()
            }
            error => error.into(),
        }
    };
}

impl Members for Console {
    type Caller = Session;

    async fn list_members(
        &self,
        request: ListMembers<Session>,
    ) -> Result<MemberList, Failure<ListMembersError>> {
        let ListMembers { caller: session, limit, cursor, incoming } = request;
        let listing = Listing::new(&self.service.cursors, &Caller::from(&session), &incoming);
        let Ok(page) = listing.page(limit, cursor.as_deref()) else {
            let problem = "is not a cursor of this list; send `pagination.next_cursor` of the page before";
            return Err(validation_failed([responses::failure("cursor", problem)]).into());
        };
        let page = self.service.store.members().page(&Scope::of_account(session.account_id), &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        let pagination = Pagination::new(pagination.next_cursor, pagination.has_more);
        Ok(MemberList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn update_member(
        &self,
        request: UpdateMember<Session>,
    ) -> Result<model::Member, Failure<UpdateMemberError>> {
        let UpdateMember { caller: session, member_id, body, incoming } = request;
        let role = body.role.map(|role| chosen("role", role.as_str())).transpose()?;
        let status = body.status.map(|status| chosen("status", status.as_str())).transpose()?;
        let (members, scope) = (self.service.store.members(), Scope::of_account(session.account_id));
        let (actor, change) = (actor(&session, &incoming), MemberChange { role, status });
        match members.update(&scope, &actor, member_id.uuid(), change, self.service.now()).await {
            Ok(member) => Ok(shown(member)),
            Err(error) => Err(refused!(error)),
        }
    }

    async fn remove_member(&self, request: RemoveMember<Session>) -> Result<(), Failure<RemoveMemberError>> {
        let RemoveMember { caller: session, member_id, incoming } = request;
        let (members, scope) = (self.service.store.members(), Scope::of_account(session.account_id));
        let removed =
            members.remove(&scope, &actor(&session, &incoming), member_id.uuid(), self.service.now()).await;
        removed.map_err(|error| refused!(error))
    }
}

/// A member as the contract shows it.
fn shown(member: Member) -> model::Member {
    let status = match member.status {
        UserStatus::Active => MemberStatus::Active,
        UserStatus::Disabled => MemberStatus::Disabled,
    };
    model::Member::new(model::MemberRequired {
        member_id: member.user_id.into(),
        name: member.name,
        email: member.email,
        role: shown_role(member.role),
        status,
        created_at: timestamp(member.created_at),
        last_seen_at: member.last_seen_at.map(timestamp),
        has_second_factor: member.has_second_factor,
    })
}
