//! Access to resources of agencies and their sub-accounts, through every operation: the owner of an agency has access to its
//! sub-accounts, and nobody else has access to another account.

use frontdesk_store::{AccountKind, NewAccount, Plan, Role};

use super::{
    contract::contract,
    world::{World, each},
};
use crate::{
    database::{Database, account},
    on_both_databases,
};

on_both_databases!(only_the_owner_of_an_agency_reaches_sub_accounts);

async fn only_the_owner_of_an_agency_reaches_sub_accounts(database: Database) {
    let world = World::start(database).await;
    let new = NewAccount { kind: AccountKind::Agency, ..account("agency", Plan::Scale) };
    let agency = world.tenant_of(new).await;
    let parent_id = Some(agency.customer.account.account_id);
    let first = world.tenant_of(NewAccount { parent_id, ..account("first", Plan::Growth) }).await;
    let second = world.tenant_of(NewAccount { parent_id, ..account("second", Plan::Growth) }).await;
    let other = world.tenant("other", Plan::Growth).await;
    let admin = world.key_of(&agency, Role::Admin, None).await;
    let collaborator = world.key_of(&first, Role::Collaborator, None).await;
    let nested = contract()
        .operations
        .iter()
        .filter(|operation| operation.policy.keyed && !operation.path_parameters.is_empty());
    let nested: Vec<_> = nested.collect();
    assert!(nested.len() > 3, "the operations with path parameters were not found");
    each(nested, async |operation| {
        for (who, key, whose, reached) in [
            ("the agency's admin, a sub-account", &admin, &first, false),
            ("a sub-account, its agency", &first.key, &agency, false),
            ("a sub-account, its sibling", &second.key, &first, false),
            ("another account, a sub-account", &other.key, &first, false),
            ("another account, the agency", &other.key, &agency, false),
            ("a sub-account, another account", &first.key, &other, false),
            ("the agency's owner, another account", &agency.key, &other, false),
            ("the agency's admin, the agency", &admin, &agency, operation.policy.roles.contains(&"admin")),
            ("a collaborator", &collaborator, &first, operation.policy.roles.contains(&"collaborator")),
            (
                "the agency's owner, a sub-account",
                &agency.key,
                &first,
                operation.policy.roles.contains(&"owner"),
            ),
        ] {
            let call = if reached {
                world.valid_once(whose, operation).await
            } else {
                world.valid(whose, operation).await
            };
            let outcome = world.send_as(Some(key), &call).await;
            if reached {
                let status = outcome.status;
                assert!((200..300).contains(&status), "{} by {who}: {outcome:?}", operation.id);
            } else if outcome.status == 403 {
                // Roles are checked before resources, so the response reveals nothing about the resource.
                assert!(operation.policy.roles.len() < 3, "{} by {who}: {outcome:?}", operation.id);
            } else {
                assert_eq!(outcome.status, 404, "{} by {who}: {outcome:?}", operation.id);
            }
        }
    })
    .await;
    world.stop().await;
}
