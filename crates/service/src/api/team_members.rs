//! Team members: the users of the caller's accounts.

use std::{fmt::Display, str::FromStr};

use frontdesk_model::{
    GetTeamMemberError, ListTeamMembersError, TeamMember as Shown, TeamMemberList, TeamMemberRequired,
    TeamMemberRole, TeamMemberStatus,
};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::{GetTeamMember, ListTeamMembers, TeamMembers};
use frontdesk_store::{Role, Scope, StoreError, User, UserStatus};
use http::Extensions;
use uuid::Uuid;

use super::account::acting;
use crate::{
    api::Service,
    edge::{
        Caller, Edge,
        authorization::resources::{Resource, loaded},
        pages::Listing,
        responses::{self, timestamp},
    },
};

/// A user that the path of a request names. A type of its own, because later operations name other users,
/// such as an owner.
#[derive(Clone, Debug)]
pub(super) struct TeamMember(User);

impl Resource for TeamMember {
    const PARAMETER: &'static str = "team_member_id";
    const NOT_FOUND: &'static str = "Team member not found.";

    async fn load(
        service: &Edge,
        scope: Option<&Scope>,
        _: &Extensions,
        id: Uuid,
    ) -> Result<Option<Self>, StoreError> {
        let Some(scope) = scope else { return Ok(None) };
        Ok(service.store.users().find(scope, id).await?.map(Self))
    }
}

impl TeamMembers for Service {
    type Caller = Caller;

    async fn list_team_members(
        &self,
        request: ListTeamMembers<Caller>,
    ) -> Result<TeamMemberList, Failure<ListTeamMembersError>> {
        let ListTeamMembers { caller, role, status, account_id, limit, cursor, incoming } = request;
        let caller = acting(self, caller, account_id.map(Into::into)).await??;
        let listing = Listing::new(&self.cursors, &caller, &incoming);
        let page = listing.page(limit, cursor.as_deref())?;
        // Later versions may add values, so the document lets unknown ones through; a filter must not ignore
        // them.
        let mut failures = Vec::new();
        let role = filter("role", role.as_ref().map(TeamMemberRole::as_str), Role::ALL, &mut failures);
        let status =
            filter("status", status.as_ref().map(TeamMemberStatus::as_str), UserStatus::ALL, &mut failures);
        if !failures.is_empty() {
            return Err(responses::validation_failed(failures).into());
        }
        let page = self.store.users().page(&caller.scope, role, status, &page).await?;
        let pagination = listing.pagination(page.next.as_ref());
        Ok(TeamMemberList::new(page.items.into_iter().map(shown), pagination))
    }

    async fn get_team_member(
        &self,
        request: GetTeamMember<Caller>,
    ) -> Result<Shown, Failure<GetTeamMemberError>> {
        let TeamMember(user) = loaded(&request.incoming)?;
        Ok(shown(user))
    }
}

/// Reads the value of a filter. An unknown one is a failing field.
fn filter<T: FromStr + Display>(
    name: &str,
    value: Option<&str>,
    known: &[T],
    failures: &mut Vec<check::Failure>,
) -> Option<T> {
    let value = value?;
    let parsed = value.parse().ok();
    if parsed.is_none() {
        let names: Vec<String> = known.iter().map(T::to_string).collect();
        let message = format!("must be one of {}", names.join(", "));
        failures.push(check::Failure { path: name.to_owned(), message });
    }
    parsed
}

fn shown(user: User) -> Shown {
    let role = match user.role {
        Role::Owner => TeamMemberRole::Owner,
        Role::Admin => TeamMemberRole::Admin,
        Role::Collaborator => TeamMemberRole::Collaborator,
    };
    let status = match user.status {
        UserStatus::Active => TeamMemberStatus::Active,
        UserStatus::Disabled => TeamMemberStatus::Disabled,
    };
    Shown::new(TeamMemberRequired {
        team_member_id: user.user_id.into(),
        name: user.name,
        email: user.email,
        role,
        status,
        created_at: timestamp(user.created_at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_is_not_known_is_a_failing_field() {
        let mut failures = Vec::new();
        assert_eq!(filter("role", Some("admin"), Role::ALL, &mut failures), Some(Role::Admin));
        assert_eq!(filter("role", None, Role::ALL, &mut failures), None);
        assert!(failures.is_empty());
        assert_eq!(filter("role", Some("boss"), Role::ALL, &mut failures), None);
        assert_eq!(failures[0].path, "role");
        assert_eq!(failures[0].message, "must be one of owner, admin, collaborator");
    }
}
