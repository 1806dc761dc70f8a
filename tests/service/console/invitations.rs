//! Invitations: who joins which account with which link.

use frontdesk_store::{Actor, KeyHash, NewInvitation, Plan, Role, UserStatus};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{Browser, OTHER_PASSWORD, PASSWORD, mail, signed_in};
use crate::{
    database::Database,
    installation::Installation,
    on_both_databases,
    patience::until,
    webhooks::mail::{Manner, sink},
};

on_both_databases!(
    somebody_new_joins,
    a_person_who_exists_joins_as_themselves,
    a_link_does_not_say_who_is_known,
    links_of_invitations_end,
    an_invitation_ends_with_the_right_of_its_inviter,
    one_of_many_who_have_the_link_joins,
    guessing_is_slow,
    invitations_have_limits,
    invitations_are_mailed_with_a_link_of_their_own,
    people_go_from_account_to_account,
);

fn new(email: &str, role: &str) -> Value {
    json!({ "email": email, "name": "Jo Marsh", "role": role })
}

/// The token of a link.
fn token_of(made: &Value) -> String {
    made["link"].as_str().unwrap().split_once("/console#invite=").unwrap().1.to_owned()
}

fn path_of(made: &Value) -> String {
    format!("/invitations/{}", made["invitation_id"].as_str().unwrap())
}

/// Invites somebody, and returns the invitation with its link.
async fn invited(browser: &mut Browser, email: &str, role: &str) -> Value {
    let (status, made) = browser.call("POST", "/invitations", new(email, role)).await;
    assert_eq!(status, 201, "{made}");
    made
}

async fn preview(service: &Installation, token: &str) -> (u16, Value) {
    Browser::new(service).call("POST", "/invitations/preview", json!({ "token": token })).await
}

fn joining(token: &str) -> Value {
    json!({ "token": token, "name": "Jo Marsh", "password": PASSWORD })
}

async fn join(browser: &mut Browser, body: Value) -> (u16, Value) {
    browser.call("POST", "/invitations/redeem", body).await
}

async fn somebody_new_joins(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let made = invited(&mut owner, "Jo@Acme.example", "collaborator").await;
    assert_eq!((&made["email"], &made["is_mailed"]), (&json!("jo@acme.example"), &json!(false)));
    assert!(made["link"].as_str().unwrap().starts_with("http://frontdesk.example/console#invite="), "{made}");
    let token = token_of(&made);
    for email in ["jo@acme.example", "JO@ACME.EXAMPLE", &customer.owner.email] {
        let (status, refused) = owner.call("POST", "/invitations", new(email, "admin")).await;
        assert_eq!((status, &refused["error"]), (409, &json!("already_exists")), "{email}");
    }
    let (_, list) = owner.call("GET", "/invitations", Value::Null).await;
    assert_eq!(list["invitations"][0]["inviter_name"], "owner");
    assert!(!list.to_string().contains(&token), "the link is shown once");

    let (status, open) = preview(&service, &token).await;
    assert_eq!(status, 200, "{open}");
    assert_eq!(
        (&open["account_name"], &open["email"], &open["name"]),
        (&json!("acme"), &json!("jo@acme.example"), &json!("Jo Marsh"))
    );
    let mut browser = Browser::new(&service);
    let words = "seven tulips and eight lilies stand in a jar beside a vase; ".repeat(3);
    for password in [&words[..11], &words[..129], "jo marsh jo marsh", "password12345"] {
        let mut body = joining(&token);
        body["password"] = json!(password);
        let (status, refused) = join(&mut browser, body).await;
        assert_eq!((status, refused["errors"]["password"].is_array()), (422, true), "{password}");
    }
    let (status, session) = join(&mut browser, joining(&token)).await;
    assert_eq!(status, 201, "{session}");
    assert_eq!(
        (&session["role"], &session["person"]["email"], &session["account"]["name"]),
        (&json!("collaborator"), &json!("jo@acme.example"), &json!("acme"))
    );
    assert_eq!(browser.interface("GET", "/chatbots").await, 200);
    assert_eq!(join(&mut Browser::new(&service), joining(&token)).await.0, 404, "once");
    assert_eq!(preview(&service, &token).await.0, 404);
    assert_eq!(Browser::new(&service).sign_in("jo@acme.example", PASSWORD).await.0, 201);
    for length in [12, 128] {
        let made = invited(&mut owner, &format!("person{length}@acme.example"), "admin").await;
        let body = json!({ "token": token_of(&made), "name": "Kim", "password": &words[..length] });
        assert_eq!(join(&mut Browser::new(&service), body).await.0, 201, "{length} characters");
    }
    let (_, list) = owner.call("GET", "/invitations", Value::Null).await;
    assert_eq!(list["invitations"], json!([]));
    let (_, members) = owner.call("GET", "/members", Value::Null).await;
    assert!(members["members"][1]["last_seen_at"].is_string(), "{members}");
    let (_, log) = owner.call("GET", "/audit-entries", Value::Null).await;
    let noted = log.to_string();
    for action in ["invitation.created", "invitation.accepted"] {
        assert!(noted.contains(action), "{noted}");
    }
    assert!(!noted.contains(&token));
    service.stop().await;
}

async fn a_person_who_exists_joins_as_themselves(database: Database) {
    let service = Installation::start(database).await;
    let one = service.database.customer("one", Plan::Growth).await;
    let two = service.database.customer("two", Plan::Growth).await;
    let mut victim = signed_in(&service, &one.owner).await;
    let mut attacker = signed_in(&service, &two.owner).await;
    // Whoever invites has the link, and must not become the person by it.
    let made = invited(&mut attacker, &one.owner.email, "admin").await;
    let token = token_of(&made);
    let mut taken = joining(&token);
    taken["password"] = json!(OTHER_PASSWORD);
    let mut browser = Browser::new(&service);
    let (status, refused) = join(&mut browser, taken.clone()).await;
    assert_eq!((status, &refused["error"]), (409, &json!("already_exists")));
    taken.as_object_mut().unwrap().remove("name");
    let (status, refused) = join(&mut browser, taken.clone()).await;
    assert_eq!((status, refused["errors"]["password"].is_array()), (422, true));
    // Nor does it help to be signed in as somebody else.
    assert_eq!(join(&mut attacker, taken).await.0, 422);
    assert_eq!(victim.call("GET", "/session", Value::Null).await.0, 200, "nothing has changed");
    assert_eq!(Browser::new(&service).sign_in(&one.owner.email, PASSWORD).await.0, 201);

    let known = json!({ "token": token, "password": PASSWORD });
    let (status, session) = join(&mut browser, known.clone()).await;
    assert_eq!(status, 201, "{session}");
    let (_, before) = victim.call("GET", "/session", Value::Null).await;
    assert_eq!(session["person"], before["person"], "one person");
    assert_eq!((&session["account"]["name"], &session["role"]), (&json!("two"), &json!("admin")));
    assert_eq!((&before["account"]["name"], &before["role"]), (&json!("one"), &json!("owner")));
    assert_eq!(join(&mut browser, known).await.0, 404, "once");
    service.stop().await;
}

async fn a_link_does_not_say_who_is_known(database: Database) {
    let service = Installation::start(database).await;
    let one = service.database.customer("one", Plan::Growth).await;
    let two = service.database.customer("two", Plan::Growth).await;
    signed_in(&service, &one.owner).await;
    let mut browser = signed_in(&service, &two.owner).await;
    let mut seen = Vec::new();
    for email in [&one.owner.email, "nobody@one.example"] {
        let made = invited(&mut browser, email, "admin").await;
        let (status, mut open) = preview(&service, &token_of(&made)).await;
        assert_eq!(status, 200);
        for field in ["email", "expires_at"] {
            open[field] = Value::Null;
        }
        // Somebody unknown has no password that could be right.
        let wrong = json!({ "token": token_of(&made), "password": OTHER_PASSWORD });
        seen.push((open, join(&mut Browser::new(&service), wrong).await));
    }
    assert_eq!(seen[0], seen[1]);
    service.stop().await;
}

async fn links_of_invitations_end(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let made = invited(&mut owner, "jo@acme.example", "admin").await;
    let first = token_of(&made);
    let mut browser = Browser::new(&service);
    for (path, body) in [
        ("/session/link", json!({ "token": first })),
        ("/password-resets/redeem", json!({ "token": first, "password": PASSWORD })),
        ("/invitations/redeem", joining(&super::link(&service, &customer.owner).await)),
        ("/invitations/redeem", joining(&"a".repeat(43))),
        ("/invitations/preview", json!({ "token": "short" })),
    ] {
        assert_eq!(browser.call("POST", path, body).await.0, 404, "{path}");
    }
    let (status, renewed) = owner.call("POST", &format!("{}/renew", path_of(&made)), Value::Null).await;
    assert_eq!(status, 200, "{renewed}");
    assert_eq!(join(&mut browser, joining(&first)).await.0, 404, "a new link ends the earlier one");
    assert_eq!(preview(&service, &token_of(&renewed)).await.0, 200);

    service.database.run("UPDATE invitations SET expires_at = created_at").await;
    assert_eq!(preview(&service, &token_of(&renewed)).await.0, 404);
    assert_eq!(join(&mut browser, joining(&token_of(&renewed))).await.0, 404, "it has expired");
    // Whoever has not come in time is invited again.
    let (_, list) = owner.call("GET", "/invitations", Value::Null).await;
    assert_eq!(list["invitations"].as_array().unwrap().len(), 1);
    let again = invited(&mut owner, "jo@acme.example", "collaborator").await;
    assert_eq!(owner.call("POST", &format!("{}/renew", path_of(&made)), Value::Null).await.0, 404);
    assert_eq!(owner.call("DELETE", &path_of(&again), Value::Null).await.0, 204);
    assert_eq!(owner.call("DELETE", &path_of(&again), Value::Null).await.0, 404);
    assert_eq!(join(&mut browser, joining(&token_of(&again))).await.0, 404, "it was revoked");
    let (_, log) = owner.call("GET", "/audit-entries", Value::Null).await;
    let entries = log["audit_entries"].as_array().unwrap();
    let actions: Vec<_> = entries.iter().take(4).map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(
        actions,
        ["invitation.revoked", "invitation.created", "invitation.renewed", "invitation.created"]
    );
    service.stop().await;
}

async fn an_invitation_ends_with_the_right_of_its_inviter(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let admin = service.database.user(&customer.account, "admin", Role::Admin).await;
    let second = service.database.user(&customer.account, "second", Role::Owner).await;
    let scope = customer.scope();
    let mut owner = signed_in(&service, &customer.owner).await;
    let made = invited(&mut signed_in(&service, &admin).await, "jo@acme.example", "admin").await;
    let of_owner = invited(&mut signed_in(&service, &second).await, "kim@acme.example", "owner").await;
    let status = async |made: &Value| preview(&service, &token_of(made)).await.0;
    assert_eq!((status(&made).await, status(&of_owner).await), (200, 200));

    service.database.set_role(&scope, admin.user_id, Role::Collaborator).await;
    service.database.set_role(&scope, second.user_id, Role::Admin).await;
    assert_eq!((status(&made).await, status(&of_owner).await), (404, 404));
    assert_eq!(join(&mut Browser::new(&service), joining(&token_of(&made))).await.0, 404);
    let (_, list) = owner.call("GET", "/invitations", Value::Null).await;
    assert_eq!(list["invitations"], json!([]));
    service.database.set_role(&scope, admin.user_id, Role::Admin).await;
    assert_eq!(status(&made).await, 200);
    let users = service.database.store.users();
    users.set_status(&scope, admin.user_id, UserStatus::Disabled).await.unwrap();
    assert_eq!(status(&made).await, 404);
    users.set_status(&scope, admin.user_id, UserStatus::Active).await.unwrap();
    assert_eq!(status(&made).await, 200);
    let path = format!("/members/{}", admin.user_id);
    assert_eq!(owner.call("DELETE", &path, Value::Null).await.0, 204);
    assert_eq!(join(&mut Browser::new(&service), joining(&token_of(&made))).await.0, 404);
    service.stop().await;
}

async fn one_of_many_who_have_the_link_joins(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let token = token_of(&invited(&mut owner, "jo@acme.example", "admin").await);
    let (mut one, mut two) = (Browser::new(&service), Browser::new(&service));
    let (first, last) = tokio::join!(join(&mut one, joining(&token)), join(&mut two, joining(&token)));
    let mut statuses = [first.0, last.0];
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201, "{first:?} {last:?}");
    assert!([404, 409].contains(&statuses[1]), "{first:?} {last:?}");
    assert_eq!(service.database.store.users().list(&customer.scope()).await.unwrap().len(), 2);
    service.stop().await;
}

async fn guessing_is_slow(database: Database) {
    let service = Installation::start(database).await;
    let one = service.database.customer("one", Plan::Growth).await;
    let two = service.database.customer("two", Plan::Growth).await;
    signed_in(&service, &one.owner).await;
    let mut browser = signed_in(&service, &two.owner).await;
    let token = token_of(&invited(&mut browser, &one.owner.email, "admin").await);
    for _ in 0..5 {
        let wrong = json!({ "token": token, "password": OTHER_PASSWORD });
        assert_eq!(join(&mut Browser::new(&service), wrong).await.0, 422);
    }
    let right = json!({ "token": token, "password": PASSWORD });
    assert_eq!(join(&mut Browser::new(&service), right).await.0, 429, "it does not say that it is right");
    let guess = json!({ "token": "b".repeat(43) });
    for number in 0..15 {
        let (status, _) = Browser::new(&service).call("POST", "/invitations/preview", guess.clone()).await;
        assert_eq!(status, 404, "guess {number}");
    }
    assert_eq!(preview(&service, &token).await.0, 429, "20 failures of one address");
    service.stop().await;
}

async fn invitations_have_limits(database: Database) {
    let service = Installation::start(database).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    for (name, expected) in [("n".repeat(255), 201), ("n".repeat(256), 422)] {
        let body = json!({ "email": format!("{expected}@acme.example"), "name": name, "role": "admin" });
        assert_eq!(owner.call("POST", "/invitations", body).await.0, expected);
    }
    for email in ["no address", "@acme.example", ""] {
        let (status, refused) = owner.call("POST", "/invitations", new(email, "admin")).await;
        assert_eq!((status, refused["errors"]["email"].is_array()), (422, true), "{email:?}");
    }
    let (status, _) = owner.call("POST", "/invitations", new("king@acme.example", "king")).await;
    assert_eq!(status, 422);

    let store = &service.database.store;
    let person = store.people().find_by_email(&customer.owner.email).await.unwrap().unwrap();
    let actor = Actor {
        user_id: customer.owner.user_id,
        person_id: person.person_id,
        person_name: person.name,
        ip_address: None,
    };
    let (scope, invitations) = (customer.scope(), store.invitations());
    let mailed = async |number: u8| {
        let new = NewInvitation {
            email: format!("person{number}@acme.example"),
            name: String::new(),
            role: Role::Admin,
            hash: KeyHash::new([number; 32]),
            is_mailed: true,
        };
        invitations.create(&scope, &actor, &new, Timestamp::now()).await.unwrap()
    };
    for number in 2..100 {
        assert!(mailed(number).await.1, "e-mail {number}");
    }
    let hundredth = invited(&mut owner, "hundredth@acme.example", "admin").await;
    let (status, refused) = owner.call("POST", "/invitations", new("more@acme.example", "admin")).await;
    assert_eq!((status, &refused["error"]), (409, &json!("limit_reached")));
    assert_eq!(owner.call("DELETE", &path_of(&hundredth), Value::Null).await.0, 204);
    invited(&mut owner, "more@acme.example", "admin").await;
    // 98 were mailed; the next ones are invited again and again.
    for (number, is_mailed) in [(2, true), (3, true), (4, false)] {
        let list = invitations.list(&scope).await.unwrap();
        let known = list.iter().find(|one| one.email == format!("person{number}@acme.example")).unwrap();
        invitations.revoke(&scope, &actor, known.invitation_id, Timestamp::now()).await.unwrap();
        assert_eq!(mailed(number).await.1, is_mailed, "100 e-mails a day");
    }

    let other = service.database.customer("other", Plan::Growth).await;
    let mut browser = signed_in(&service, &other.owner).await;
    let made = invited(&mut browser, "jo@other.example", "admin").await;
    let renew = format!("{}/renew", path_of(&made));
    for _ in 0..19 {
        assert_eq!(browser.call("POST", &renew, Value::Null).await.0, 200);
    }
    assert_eq!(browser.call("POST", &renew, Value::Null).await.0, 429, "20 links a minute");
    assert_eq!(browser.call("POST", "/invitations", new("kim@other.example", "admin")).await.0, 429);
    service.stop().await;
}

async fn invitations_are_mailed_with_a_link_of_their_own(database: Database) {
    let (url, mails) = sink(Manner::FirstLater).await;
    let service = Installation::start_with(database, move |config| mail(config, &url)).await;
    let customer = service.database.customer("acme", Plan::Growth).await;
    let mut owner = signed_in(&service, &customer.owner).await;
    let made = invited(&mut owner, "jo@home.example", "collaborator").await;
    assert_eq!(made["is_mailed"], true);
    assert!(made["link"].as_str().unwrap().starts_with("https://desk.example/console#invite="), "{made}");
    let sent = until("the invitation is sent", async || {
        service.database.run("UPDATE notices SET due_at = 0").await;
        service.database.make_due(&["send_notices"]).await;
        let sent = mails.lock().unwrap().clone();
        // The server has refused the first attempt.
        (sent.len() == 2).then_some(sent)
    })
    .await;
    assert!(sent[1].contains("To: \"Jo Marsh\" <jo@home.example>\n"), "{}", sent[1]);
    assert!(sent[1].contains("Subject: owner invites you to acme\n"), "{}", sent[1]);
    let of_mail = super::token_in(&sent[1], "invite");
    assert_ne!(of_mail, token_of(&made));
    assert_eq!(preview(&service, &token_of(&made)).await.0, 200, "both work");
    assert_eq!(preview(&service, &super::token_in(&sent[0], "invite")).await.0, 404, "it was not delivered");
    assert_eq!(join(&mut Browser::new(&service), joining(&of_mail)).await.0, 201);
    assert_eq!(join(&mut Browser::new(&service), joining(&token_of(&made))).await.0, 404, "once in all");
    service.stop().await;
}

async fn people_go_from_account_to_account(database: Database) {
    let service = Installation::start(database).await;
    let one = service.database.customer("one", Plan::Growth).await;
    let two = service.database.customer("two", Plan::Growth).await;
    let three = service.database.customer("three", Plan::Growth).await;
    let mut browser = signed_in(&service, &one.owner).await;
    let mut inviter = signed_in(&service, &two.owner).await;
    let (_, accounts) = browser.call("GET", "/session/accounts", Value::Null).await;
    assert_eq!(accounts["accounts"].as_array().unwrap().len(), 1);
    let made = invited(&mut inviter, &one.owner.email, "collaborator").await;
    let known = json!({ "token": token_of(&made), "password": PASSWORD });
    assert_eq!(join(&mut browser, known).await.0, 201);

    let (_, accounts) = browser.call("GET", "/session/accounts", Value::Null).await;
    let named: Vec<_> = accounts["accounts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|account| (account["name"].as_str().unwrap(), account["is_current"] == true))
        .collect();
    assert_eq!(named, [("one", false), ("two", true)]);
    let choice = |account_id: uuid::Uuid| json!({ "account_id": account_id });
    assert_eq!(browser.call("GET", "/keys", Value::Null).await.0, 403, "a collaborator there");
    let (status, session) = browser.call("PUT", "/session/account", choice(one.account.account_id)).await;
    assert_eq!((status, &session["role"]), (200, &json!("owner")), "{session}");
    let (_, keys) = browser.call("GET", "/keys", Value::Null).await;
    assert!(keys.to_string().contains(&one.key.key_id.to_string()), "{keys}");
    for foreign in [three.account.account_id, uuid::Uuid::nil()] {
        assert_eq!(browser.call("PUT", "/session/account", choice(foreign)).await.0, 404);
    }
    // The next sign-in enters the account that was used last.
    let mut again = Browser::new(&service);
    assert_eq!(again.sign_in(&one.owner.email, PASSWORD).await.1["account"]["name"], "one");
    assert_eq!(again.call("PUT", "/session/account", choice(two.account.account_id)).await.0, 200);
    assert_eq!(again.sign_in(&one.owner.email, PASSWORD).await.1["account"]["name"], "two");
    let (_, log) = inviter.call("GET", "/audit-entries", Value::Null).await;
    assert!(log.to_string().contains("session.switched"), "{log}");

    // A disabled member has no way in, and their sessions in other accounts stay.
    let member = again.call("GET", "/session", Value::Null).await.1["member_id"].clone();
    let path = format!("/members/{}", member.as_str().unwrap());
    assert_eq!(inviter.call("PUT", &path, json!({ "status": "disabled" })).await.0, 200);
    assert_eq!(again.call("GET", "/session", Value::Null).await.0, 401);
    assert_eq!(browser.call("PUT", "/session/account", choice(two.account.account_id)).await.0, 404);
    assert_eq!(browser.call("GET", "/session", Value::Null).await.1["account"]["name"], "one");
    assert_eq!(again.sign_in(&one.owner.email, PASSWORD).await.1["account"]["name"], "one");
    service.stop().await;
}
