//! Members as owners and admins change them: roles, the last owner, and the end of a membership.

use frontdesk_store::{Plan, Role, UserStatus};
use serde_json::{Value, json};

use super::{Browser, PASSWORD, signed_in};
use crate::{
    database::{Customer, Database},
    installation::Installation,
    on_both_databases,
    wire::Request,
};

on_both_databases!(
    changes_count_with_the_next_request,
    a_removed_member_is_out_everywhere_in_the_account,
    admins_do_not_touch_owners,
    nobody_changes_themselves,
    an_account_keeps_an_owner_whatever_happens_at_once,
    only_managers_who_were_here_recently_change_members,
    members_of_other_accounts_are_unknown,
);

fn member(user_id: uuid::Uuid) -> String {
    format!("/members/{user_id}")
}

async fn actions(browser: &mut Browser) -> Vec<String> {
    let (_, log) = browser.call("GET", "/audit-entries?limit=100", Value::Null).await;
    let entries = log["audit_entries"].as_array().unwrap();
    entries.iter().map(|entry| entry["action"].as_str().unwrap().to_owned()).collect()
}

async fn status_of_key(service: &Installation, key: &str) -> u16 {
    Request::new("GET", "/api/v1/chatbots").key(key).send(service.address()).await.status.as_u16()
}

async fn changes_count_with_the_next_request(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let jo = service.database.user(&customer.account, "jo", Role::Collaborator).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let mut browser = signed_in(&service, &jo).await;
    assert_eq!(browser.call("GET", "/keys", Value::Null).await.0, 403);
    let path = member(jo.user_id);
    let (status, changed) = owner.call("PUT", &path, json!({ "role": "admin" })).await;
    assert_eq!((status, &changed["role"], &changed["status"]), (200, &json!("admin"), &json!("active")));
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["role"], "admin");
    let (status, key) = browser.call("POST", "/keys", json!({ "name": "of jo" })).await;
    assert_eq!(status, 201);
    let key = key["key"].as_str().unwrap();
    assert_eq!(status_of_key(&service, key).await, 200);

    let (status, disabled) = owner.call("PUT", &path, json!({ "status": "disabled" })).await;
    assert_eq!((status, &disabled["status"]), (200, &json!("disabled")));
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(status_of_key(&service, key).await, 401);
    assert_eq!(browser.sign_in(&jo.email, PASSWORD).await.0, 401);
    assert_eq!(owner.call("PUT", &path, json!({ "status": "active" })).await.0, 200);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401, "it has ended for good");
    assert_eq!(browser.sign_in(&jo.email, PASSWORD).await.0, 201);
    assert_eq!(owner.call("PUT", &path, json!({ "role": "collaborator" })).await.0, 200);
    assert_eq!(browser.call("GET", "/keys", Value::Null).await.0, 403);

    // What changes nothing is noted nowhere.
    let before = actions(&mut owner).await;
    assert_eq!(owner.call("PUT", &path, json!({})).await.0, 200);
    assert_eq!(owner.call("PUT", &path, json!({ "role": "collaborator", "status": "active" })).await.0, 200);
    assert_eq!(actions(&mut owner).await, before);
    let of_members: Vec<_> = before.iter().filter(|action| action.starts_with("member.")).collect();
    assert_eq!(
        of_members,
        ["member.role_changed", "member.enabled", "member.disabled", "member.role_changed"]
    );
    for body in [json!({ "role": "king" }), json!({ "status": "asleep" }), json!({ "role": 1 })] {
        assert_eq!(owner.call("PUT", &path, body).await.0, 422);
    }
    service.stop().await;
}

async fn a_removed_member_is_out_everywhere_in_the_account(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let jo = service.database.user(&customer.account, "jo", Role::Admin).await;
    let key = service.database.key(&jo, None).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let mut browser = signed_in(&service, &jo).await;
    let left = super::link(&service, &jo).await;
    assert_eq!(status_of_key(&service, &key.text).await, 200);
    assert_eq!(owner.call("DELETE", &member(jo.user_id), Value::Null).await.0, 204);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(browser.interface("GET", "/chatbots").await, 401);
    assert_eq!(status_of_key(&service, &key.text).await, 401);
    assert_eq!(browser.sign_in(&jo.email, PASSWORD).await.0, 401);
    let redeem = json!({ "token": left, "password": PASSWORD });
    assert_eq!(browser.call("POST", "/password-resets/redeem", redeem).await.0, 404);
    assert_eq!(owner.call("DELETE", &member(jo.user_id), Value::Null).await.0, 404);
    assert_eq!(actions(&mut owner).await[..2], ["member.removed", "key.deleted"]);
    let (_, members) = owner.call("GET", "/members", Value::Null).await;
    assert_eq!(members["members"].as_array().unwrap().len(), 1);
    assert_eq!(service.database.store.people().find_by_email(&jo.email).await.unwrap(), None);
    service.stop().await;
}

async fn admins_do_not_touch_owners(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let admin = service.database.user(&customer.account, "admin", Role::Admin).await;
    let jo = service.database.user(&customer.account, "jo", Role::Collaborator).await;
    let retired = service.database.user(&customer.account, "retired", Role::Owner).await;
    service
        .database
        .store
        .users()
        .set_status(&customer.scope(), retired.user_id, UserStatus::Disabled)
        .await
        .unwrap();
    let mut owner = signed_in(&service, &customer.owner).await;
    let mut browser = signed_in(&service, &admin).await;
    let new = json!({ "email": "kim@acme.example", "role": "owner" });
    let (status, invited) = owner.call("POST", "/invitations", new.clone()).await;
    assert_eq!(status, 201);
    let invitation = format!("/invitations/{}", invited["invitation_id"].as_str().unwrap());
    for (method, path, body) in [
        ("PUT", member(customer.owner.user_id), json!({ "role": "admin" })),
        ("PUT", member(customer.owner.user_id), json!({ "status": "disabled" })),
        ("DELETE", member(customer.owner.user_id), Value::Null),
        ("PUT", member(retired.user_id), json!({ "status": "active" })),
        ("DELETE", member(retired.user_id), Value::Null),
        ("PUT", member(jo.user_id), json!({ "role": "owner" })),
        ("PUT", member(admin.user_id), json!({ "role": "owner" })),
        ("POST", "/invitations".to_owned(), json!({ "email": "lee@acme.example", "role": "owner" })),
        ("POST", format!("{invitation}/renew"), Value::Null),
        ("DELETE", invitation.clone(), Value::Null),
    ] {
        let (status, refused) = browser.call(method, &path, body.clone()).await;
        assert_eq!((status, &refused["error"]), (403, &json!("forbidden")), "{method} {path} {body}");
    }
    assert_eq!(browser.call("PUT", &member(jo.user_id), json!({ "role": "admin" })).await.0, 200);
    assert_eq!(owner.call("PUT", &member(jo.user_id), json!({ "role": "owner" })).await.0, 200);
    service.stop().await;
}

async fn nobody_changes_themselves(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let own = member(customer.owner.user_id);
    for (method, body) in [
        ("PUT", json!({ "role": "admin" })),
        ("PUT", json!({ "status": "disabled" })),
        ("DELETE", Value::Null),
    ] {
        let (status, refused) = owner.call(method, &own, body.clone()).await;
        assert_eq!((status, &refused["error"]), (409, &json!("last_owner")), "{method} {body}");
    }
    let second = service.database.user(&customer.account, "second", Role::Owner).await;
    let mut other = signed_in(&service, &second).await;
    for body in [json!({ "role": "admin" }), json!({ "status": "disabled" })] {
        let (status, refused) = owner.call("PUT", &own, body.clone()).await;
        assert_eq!((status, &refused["error"]), (409, &json!("own_membership")), "{body}");
    }
    // Leaving is possible, and the other owner stays for good.
    assert_eq!(owner.call("DELETE", &own, Value::Null).await.0, 204);
    assert_eq!(owner.call("GET", "/session", Value::Null).await.0, 401);
    let (status, refused) = other.call("DELETE", &member(second.user_id), Value::Null).await;
    assert_eq!((status, &refused["error"]), (409, &json!("last_owner")));
    let (_, log) = other.call("GET", "/audit-entries", Value::Null).await;
    let newest = &log["audit_entries"][0];
    assert_eq!((&newest["action"], &newest["actor"]["name"]), (&json!("member.removed"), &json!("owner")));
    service.stop().await;
}

async fn two_owners(
    service: &Installation,
    name: &str,
) -> (Customer, frontdesk_store::User, Browser, Browser) {
    let customer = service.database.customer(name, Plan::Growth).await;
    let second = service.database.user(&customer.account, "second", Role::Owner).await;
    let browser = signed_in(service, &customer.owner).await;
    let other = signed_in(service, &second).await;
    (customer, second, browser, other)
}

async fn an_account_keeps_an_owner_whatever_happens_at_once(database: Database) {
    let service = Installation::start(database).await;
    for round in 0..4 {
        let (customer, second, mut one, mut two) = two_owners(&service, &format!("leave{round}")).await;
        let (own, its) = (member(customer.owner.user_id), member(second.user_id));
        let (first, last) =
            tokio::join!(one.call("DELETE", &own, Value::Null), two.call("DELETE", &its, Value::Null));
        let mut statuses = [first.0, last.0];
        statuses.sort_unstable();
        assert_eq!(statuses, [204, 409], "one of both leaves");
        for (status, body) in [first, last] {
            assert!(status == 204 || body["error"] == "last_owner", "{body}");
        }

        let (customer, second, mut one, mut two) = two_owners(&service, &format!("demote{round}")).await;
        let (own, its) = (member(customer.owner.user_id), member(second.user_id));
        let demoted = || json!({ "role": "admin" });
        let (first, last) = tokio::join!(one.call("PUT", &its, demoted()), two.call("PUT", &own, demoted()));
        let mut statuses = [first.0, last.0];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 403], "who is demoted first demotes nobody any more");
        let users = service.database.store.users().list(&customer.scope()).await.unwrap();
        assert_eq!(users.iter().filter(|user| user.role == Role::Owner).count(), 1);
    }
    service.stop().await;
}

async fn only_managers_who_were_here_recently_change_members(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let jo = service.database.user(&customer.account, "jo", Role::Collaborator).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let mut browser = signed_in(&service, &jo).await;
    let id = "9a4c7e02-6b1d-4f85-a3e9-0d7c5b2f8164";
    let changes = [
        ("PUT", member(jo.user_id), json!({ "role": "admin" })),
        ("DELETE", member(jo.user_id), Value::Null),
        ("POST", "/invitations".to_owned(), json!({ "email": "kim@acme.example", "role": "admin" })),
        ("POST", format!("/invitations/{id}/renew"), Value::Null),
        ("DELETE", format!("/invitations/{id}"), Value::Null),
    ];
    service.database.run("UPDATE sessions SET confirmed_at = 1").await;
    for (method, path, body) in changes {
        let (status, refused) = owner.call(method, &path, body.clone()).await;
        assert_eq!((status, &refused["error"]), (403, &json!("confirmation_required")), "{method} {path}");
        let (status, refused) = browser.call(method, &path, body).await;
        assert_eq!((status, &refused["error"]), (403, &json!("forbidden")), "{method} {path}");
        let mut anybody = Browser::new(&service);
        assert_eq!(anybody.call(method, &path, Value::Null).await.0, 401, "{method} {path}");
    }
    for path in ["/members", "/invitations"] {
        assert_eq!(owner.call("GET", path, Value::Null).await.0, 200);
        assert_eq!(browser.call("GET", path, Value::Null).await.0, 403);
    }
    service.stop().await;
}

async fn members_of_other_accounts_are_unknown(database: Database) {
    let service = Installation::start(database).await;
    let one = service.database.customer("one", Plan::Growth).await;
    let two = service.database.customer("two", Plan::Growth).await;
    let jo = service.database.user(&two.account, "jo", Role::Collaborator).await;
    let mut browser = signed_in(&service, &one.owner).await;
    let mut other = signed_in(&service, &two.owner).await;
    for user_id in [two.owner.user_id, jo.user_id] {
        assert_eq!(browser.call("PUT", &member(user_id), json!({ "role": "admin" })).await.0, 404);
        assert_eq!(browser.call("DELETE", &member(user_id), Value::Null).await.0, 404);
    }
    assert_eq!(browser.call("DELETE", "/members/none", Value::Null).await.0, 404);
    let new = json!({ "email": "kim@two.example", "role": "collaborator" });
    let (_, invited) = other.call("POST", "/invitations", new).await;
    let invitation = format!("/invitations/{}", invited["invitation_id"].as_str().unwrap());
    assert_eq!(browser.call("POST", &format!("{invitation}/renew"), Value::Null).await.0, 404);
    assert_eq!(browser.call("DELETE", &invitation, Value::Null).await.0, 404);
    for path in ["/members", "/invitations", "/audit-entries"] {
        let (_, listed) = browser.call("GET", path, Value::Null).await;
        assert!(!listed.to_string().contains("two"), "{path}: {listed}");
    }
    let (_, page) = other.call("GET", "/members?limit=1", Value::Null).await;
    assert_eq!(page["pagination"]["has_more"], true);
    let cursor = page["pagination"]["next_cursor"].as_str().unwrap();
    let path = format!("/members?limit=1&cursor={cursor}");
    let (_, next) = other.call("GET", &path, Value::Null).await;
    assert_eq!(next["members"][0]["email"], jo.email);
    assert_eq!(next["members"][0]["last_seen_at"], Value::Null);
    assert!(page["members"][0]["last_seen_at"].is_string());
    assert_eq!(browser.call("GET", &path, Value::Null).await.0, 422, "a cursor of another account");
    service.stop().await;
}
