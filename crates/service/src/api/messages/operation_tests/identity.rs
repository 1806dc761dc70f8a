//! Contacts and identity assertions of visitors.

use frontdesk_store::{AccountKind, DomainUpdate, IdentityEnforcement, Scope};
use jiff::SignedDuration;
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use super::{NOW, Shop, named, refused, service};
use crate::edge::Caller;

fn assertion(hostname: &str, subject: &str) -> String {
    let claims = json!({
        "sub": subject, "aud": hostname, "iat": NOW, "exp": NOW + 600, "email": format!("{subject}@customer.example")
    });
    let secret = format!("secret of {hostname}");
    jsonwebtoken::encode(&Header::default(), &claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap()
}

#[tokio::test]
async fn claims_make_unproven_contacts() {
    let shop = Shop::open().await;
    let contact = json!({ "email": "Jo@Customer.example", "name": "Jo", "custom": ["Mower", null] });
    let first = shop.send(json!({ "message": "Hello", "contact": contact })).await.unwrap();
    let more = json!({ "phone": "+44 20 7946 0123" });
    shop.send(json!({ "message": "Hi", "conversation_id": first.conversation_id, "contact": more }))
        .await
        .unwrap();
    shop.send(json!({ "message": "Hi", "contact": { "email": " ", "jwt": null } })).await.unwrap();
    shop.send(json!({ "message": "Hi", "contact": null })).await.unwrap();

    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 1, "{contacts:?}");
    let jo = &contacts[0];
    assert_eq!(jo.email.as_deref(), Some("jo@customer.example"));
    assert_eq!((jo.name.as_deref(), jo.phone.as_deref()), (Some("Jo"), Some("+442079460123")));
    assert_eq!(jo.custom, Some(json!(["Mower", null])));
    assert!(!jo.is_verified);
    let conversation = shop
        .service
        .store
        .conversations()
        .find(&shop.scope(), first.conversation_id.uuid())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(conversation.contact_id, Some(jo.contact_id));
}

#[tokio::test]
async fn an_assertion_is_verified_under_the_only_domain() {
    let shop = Shop::open().await;
    let unverifiable = json!({ "message": "Hi", "contact": { "jwt": assertion("shop.example", "seven") } });
    assert_eq!(refused(shop.send(unverifiable.clone()).await), named(&["invalid_identity"]));

    shop.domain("shop.example").await;
    shop.send(unverifiable).await.unwrap();
    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 1);
    assert_eq!(contacts[0].external_id.as_deref(), Some("seven"));
    assert_eq!(contacts[0].email.as_deref(), Some("seven@customer.example"));
    assert!(contacts[0].is_verified);

    // A claim about the same address neither changes nor becomes the proven contact.
    let claim = json!({ "email": "seven@customer.example", "name": "Mallory" });
    shop.send(json!({ "message": "Hi", "contact": claim })).await.unwrap();
    let contacts = shop.contacts().await;
    assert_eq!(contacts.len(), 2);
    assert!(contacts.iter().all(|contact| !(contact.is_verified && contact.name.is_some())));
}

#[tokio::test]
async fn a_domain_can_require_or_refuse_assertions() {
    let shop = Shop::open().await;
    let domain_id = shop.domain("shop.example").await;
    let enforce = async |enforcement| {
        let update = DomainUpdate { identity_enforcement: Some(enforcement), public_keys: None };
        let now = shop.service.now();
        shop.service.store.domains().update(&shop.scope(), domain_id, &update, now).await.unwrap().unwrap();
    };
    let anonymous = json!({ "message": "Hi", "contact": { "email": "jo@customer.example" } });
    let proven = json!({ "message": "Hi", "contact": { "jwt": assertion("shop.example", "seven") } });

    enforce(IdentityEnforcement::Required).await;
    for message in
        [json!({ "message": "Hi" }), anonymous.clone(), json!({ "message": "Hi", "domain_id": domain_id })]
    {
        assert_eq!(refused(shop.send(message).await), named(&["invalid_identity"]));
    }
    shop.send(proven.clone()).await.unwrap();
    // A second domain that does not changes nothing, unless the message says that the visitor is there.
    let blog = shop.domain("blog.example").await;
    assert_eq!(refused(shop.send(anonymous.clone()).await), named(&["invalid_identity"]));
    shop.send(json!({ "message": "Hi", "domain_id": blog })).await.unwrap();
    // A token that one domain has signed proves nothing on another.
    let elsewhere = json!({ "jwt": assertion("blog.example", "seven") });
    let elsewhere = json!({ "message": "Hi", "domain_id": domain_id, "contact": elsewhere });
    assert_eq!(refused(shop.send(elsewhere).await), named(&["invalid_identity"]));
    assert_eq!(
        refused(shop.send(json!({ "message": "Hi", "domain_id": domain_id })).await),
        named(&["invalid_identity"])
    );

    enforce(IdentityEnforcement::Off).await;
    let named_domain = json!({
        "message": "Hi", "domain_id": domain_id, "contact": { "jwt": assertion("shop.example", "seven") }
    });
    assert_eq!(refused(shop.send(named_domain).await), named(&["invalid_identity"]));
    shop.send(json!({ "message": "Hi", "domain_id": domain_id })).await.unwrap();
}

#[tokio::test]
async fn a_rotated_secret_is_accepted_for_a_day() {
    let shop = Shop::open().await;
    let domain_id = shop.domain("shop.example").await;
    let now = shop.service.now();
    let rotate = async |until| {
        let secret = shop.service.cipher.encrypt("another secret", "shop.example").unwrap();
        let domains = shop.service.store.domains();
        domains.rotate_secret(&shop.scope(), domain_id, &secret, until, now).await.unwrap().unwrap();
    };
    let message = json!({ "message": "Hi", "contact": { "jwt": assertion("shop.example", "seven") } });
    rotate(now + SignedDuration::from_hours(24)).await;
    shop.send(message.clone()).await.unwrap();
    // Now the one that signed is neither the present nor the previous secret.
    rotate(now + SignedDuration::from_hours(24)).await;
    assert_eq!(refused(shop.send(message).await), named(&["invalid_identity"]));
}

#[tokio::test]
async fn bad_assertions_are_refused_and_leave_nothing_behind() {
    let shop = Shop::open().await;
    let own = shop.domain("shop.example").await;
    let other = Shop::untrained(&shop.service, None).await;
    let foreign = other.domain("other.example").await;
    let good = assertion("shop.example", "seven");
    for (contact, domain_id, expected) in [
        (json!({ "jwt": assertion("other.example", "seven") }), json!(null), "invalid_identity"),
        (json!({ "jwt": assertion("other.example", "seven") }), json!(own), "invalid_identity"),
        (json!({ "jwt": "" }), json!(null), "invalid_identity"),
        (json!({ "jwt": "not a token" }), json!(own), "invalid_identity"),
        (json!({ "jwt": assertion("other.example", "seven") }), json!(foreign), "domain_id"),
        (json!({ "jwt": good }), json!(own + 1_000), "domain_id"),
        (json!({ "name": "Jo" }), json!(foreign), "domain_id"),
    ] {
        let body = json!({ "message": "Hi", "contact": contact, "domain_id": domain_id });
        assert_eq!(refused(shop.send(body.clone()).await), named(&[expected]), "{body}");
    }
    shop.domain("second.example").await;
    let ambiguous = json!({ "message": "Hi", "contact": { "jwt": good } });
    assert_eq!(refused(shop.send(ambiguous).await), named(&["domain_id"]));
    assert!(shop.contacts().await.is_empty());
    assert_eq!(shop.used().await, 0);

    shop.send(json!({ "message": "Hi", "contact": { "jwt": good }, "domain_id": own })).await.unwrap();
    assert_eq!(shop.contacts().await.len(), 1);
}

/// An agency, and a chatbot of its sub-account.
async fn agency_with_sub_account() -> (Shop, Shop) {
    let service = service().await;
    let agency = Shop::of_account(&service, AccountKind::Agency, None, None).await;
    let parent = Some(agency.account.account_id);
    let mut below = Shop::of_account(&service, AccountKind::Standard, parent, None).await;
    below.caller = Caller {
        scope: Scope { account_id: agency.account.account_id, includes_sub_accounts: true },
        account_id: agency.account.account_id,
        ..below.caller
    };
    (agency, below)
}

#[tokio::test]
async fn an_agency_signs_for_the_chatbots_of_its_sub_accounts() {
    let (agency, below) = agency_with_sub_account().await;
    let stranger = Shop::untrained(&below.service, None).await;
    let foreign = stranger.domain("stranger.example").await;
    let parent = Some(agency.account.account_id);
    let sibling = Shop::of_account(&below.service, AccountKind::Standard, parent, None).await;
    let of_sibling = sibling.domain("sibling.example").await;
    let message = |hostname: &str, domain_id: Option<i64>| {
        let contact = json!({ "jwt": assertion(hostname, "seven") });
        json!({ "message": "Hi", "contact": contact, "domain_id": domain_id })
    };
    let by_agency = message("agency.example", None);
    assert_eq!(refused(below.send(by_agency.clone()).await), named(&["invalid_identity"]));

    // The owner of the chatbot has no domain, so the only one of the caller is the default.
    let of_agency = agency.domain("agency.example").await;
    below.send(by_agency.clone()).await.unwrap();
    below.send(message("agency.example", Some(of_agency))).await.unwrap();
    assert_eq!(refused(below.send(message("stranger.example", Some(foreign))).await), named(&["domain_id"]));
    // The caller reaches the other sub-account, whose word counts for its own visitors only.
    assert_eq!(
        refused(below.send(message("sibling.example", Some(of_sibling))).await),
        named(&["domain_id"])
    );

    // The owner's own domain is the default as soon as there is one.
    let own = below.domain("below.example").await;
    assert_eq!(refused(below.send(by_agency).await), named(&["invalid_identity"]));
    below.send(message("below.example", None)).await.unwrap();
    below.send(message("below.example", Some(own))).await.unwrap();
    below.send(message("agency.example", Some(of_agency))).await.unwrap();
    below.domain("second.example").await;
    assert_eq!(refused(below.send(message("below.example", None)).await), named(&["domain_id"]));
    // What the owner's domain requires, the agency's cannot waive.
    let update =
        DomainUpdate { identity_enforcement: Some(IdentityEnforcement::Required), public_keys: None };
    let (domains, now) = (below.service.store.domains(), below.service.now());
    domains.update(&below.scope(), own, &update, now).await.unwrap().unwrap();
    let anonymous = json!({ "message": "Hi", "domain_id": of_agency });
    assert_eq!(refused(below.send(anonymous).await), named(&["invalid_identity"]));
    below.send(message("agency.example", Some(of_agency))).await.unwrap();

    // The contact belongs to the owner of the chatbot. Its own keys do not reach the agency's domains.
    assert_eq!(below.contacts().await.len(), 1);
    assert!(agency.contacts().await.is_empty());
    let mut own_key = below;
    own_key.caller =
        Caller { scope: own_key.account.scope(), account_id: own_key.account.account_id, ..own_key.caller };
    let reached = own_key.send(message("agency.example", Some(of_agency))).await;
    assert_eq!(refused(reached), named(&["domain_id"]));
}

#[tokio::test]
async fn the_conversation_of_a_proven_visitor_goes_on_for_nobody_else() {
    let shop = Shop::open().await;
    shop.domain("shop.example").await;
    let seven = json!({ "jwt": assertion("shop.example", "seven") });
    let eight = json!({ "jwt": assertion("shop.example", "eight") });
    let first = shop.send(json!({ "message": "Hi", "contact": seven })).await.unwrap();
    let go_on = |contact: Value| json!({ "message": "Hi", "conversation_id": first.conversation_id, "contact": contact });
    assert_eq!(shop.send(go_on(seven)).await.unwrap().conversation_id, first.conversation_id);
    for contact in [eight, json!(null), json!({ "email": "seven@customer.example" })] {
        assert_ne!(shop.send(go_on(contact)).await.unwrap().conversation_id, first.conversation_id);
    }
}
