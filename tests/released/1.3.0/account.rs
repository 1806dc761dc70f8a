//! The account: its people, what it has used, and the websites whose visitors it can prove.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{EncodingKey, Header};
use released_client::{
    model::{
        ContactInfo, DomainUpdate, IdentityEnforcement, IdentityKey, IdentityKeyAlgorithm,
        MessageRejectedBody, NewDomain, NewMessage, SendMessageError, TeamMemberRole, UsageKind,
    },
    runtime::Secret,
};
use serde_json::json;

use crate::{Bakery, Outcome};

/// A key of the bakery's server; its other half signs tokens there.
const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
";

pub async fn look(bakery: &Bakery) -> Outcome {
    let client = &bakery.client;
    let people = client.team_members().list().role(TeamMemberRole::Owner).await?.into_inner().team_members;
    let owner = client.team_members().get(people[0].team_member_id).await?;
    assert_eq!(*owner, people[0]);

    let usage = client.usage().get().await?;
    assert!(usage.credits_used > 10, "{usage:?}");
    assert_eq!(usage.monthly_remaining, usage.monthly_limit - usage.credits_used);
    assert_eq!(usage.days.iter().map(|day| day.credits_used).sum::<i64>(), usage.credits_used);
    assert!(usage.days.iter().any(|day| day.kind == UsageKind::Reply), "drafts of e-mails: {usage:?}");
    let same = client.usage().get().month(&usage.month).await?;
    assert_eq!(same.credits_used, usage.credits_used);
    domains(bakery).await
}

/// The server of a website states who a visitor is, with a token that it has signed.
async fn domains(bakery: &Bakery) -> Outcome {
    let (domains, contacts) = (bakery.client.domains(), bakery.client.contacts());
    let domain = domains.create(NewDomain::new("shop.bakery.example")).await?.into_inner();
    let id = domain.domain_id;
    let secret = domain.identity_secret.as_ref().ok_or("no secret")?;
    let visitor = |secret: &Secret, customer: &str| -> Outcome<NewMessage> {
        let contact = ContactInfo::new().jwt(Secret::from(token(secret, customer)?));
        Ok(NewMessage::new("What does delivery cost?").domain_id(id).contact(contact))
    };
    let messages = bakery.client.messages();
    messages.send(bakery.chatbot_id, visitor(secret, "customer-77")?).await?;
    let known = contacts.lookup().external_id("customer-77").await?;
    assert_eq!((known.is_verified, known.email.as_deref()), (true, Some("customer-77@customer.example")));

    // Other servers have a key of their own, and visitors without a token are refused.
    let key = IdentityKey::new(IdentityKeyAlgorithm::EdDsa, PUBLIC_KEY);
    let update = DomainUpdate::new().identity_enforcement(IdentityEnforcement::Required).public_keys([key]);
    let updated = domains.update(id, update).await?;
    assert_eq!(
        (&updated.identity_enforcement, updated.public_keys.len()),
        (&IdentityEnforcement::Required, 1)
    );
    let anonymous = NewMessage::new("What does delivery cost?").domain_id(id);
    let refused =
        messages.send(bakery.chatbot_id, anonymous).await.expect_err("there is no token").into_declared()?;
    let SendMessageError::UnprocessableEntity(body) = &refused else {
        return Err(format!("{refused:?}").into());
    };
    assert!(matches!(&**body, MessageRejectedBody::InvalidIdentityError(_)), "{refused:?}");

    // After a rotation, tokens of both secrets are accepted for a day.
    let rotated = domains.rotate_secret(id).await?.into_inner();
    let later = rotated.identity_secret.as_ref().ok_or("no secret")?;
    for (secret, customer) in [(secret, "customer-78"), (later, "customer-79")] {
        messages.send(bakery.chatbot_id, visitor(secret, customer)?).await?;
        assert!(contacts.lookup().external_id(customer).await?.is_verified);
    }
    let shown = domains.get(id).await?.into_inner();
    assert_eq!((&shown.identity_secret, shown.previous_secret_valid_until.is_some()), (&None, true));
    assert_eq!(domains.list().await?.domains, [shown]);
    domains.delete(id).await?;
    assert!(domains.get(id).await.is_err_and(|error| error.is_not_found()));
    Ok(())
}

/// Signs who a visitor is, for ten minutes.
fn token(secret: &Secret, customer: &str) -> Outcome<String> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let claims = json!({
        "sub": customer,
        "aud": "shop.bakery.example",
        "iat": now,
        "exp": now + 600,
        "email": format!("{customer}@customer.example"),
    });
    Ok(jsonwebtoken::encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(secret.expose().as_bytes()),
    )?)
}
