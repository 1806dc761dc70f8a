//! What a message says about its visitor: claims, and a proven identity if its assertion holds.

use frontdesk_model::ContactInfo;
use frontdesk_store::{
    Chatbot, ContactFields, ContactInput, Conversation, Domain, Identity, Store, StoreError,
};
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use super::identity::{self, Distrust};
use crate::sealing::{self, Sealer};

/// Where contacts and conversations come from that a message begins.
pub(super) const SOURCE: &str = "api";

/// Who a visitor says to be, and who a visitor is proven to be.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Visitor {
    claimed: ContactFields,
    verified: Option<Identity>,
}

/// Why a message about its visitor is refused.
#[derive(Debug)]
pub(super) enum Refused {
    /// `domain_id` does not say, or not correctly, which domain is meant.
    Domain(&'static str),
    /// The assertion is not trusted.
    Identity(Distrust),
}

impl Visitor {
    /// Reads what a message says, and verifies its assertion under the domain that it is signed for.
    ///
    /// Domains are those of the account that owns the chatbot, because there the contact will be.
    pub(super) async fn read(
        store: &Store,
        sealer: &Sealer,
        chatbot: &Chatbot,
        contact: Option<&ContactInfo>,
        domain_id: Option<i64>,
        now: Timestamp,
    ) -> Result<Result<Self, Refused>, StoreError> {
        let named = match domain_id {
            None => None,
            Some(domain_id) => match store.domain(&chatbot.scope(), domain_id).await? {
                Some(domain) => Some(domain),
                None => return Ok(Err(Refused::Domain("is not a domain of this account"))),
            },
        };
        let Some(contact) = contact else { return Ok(Ok(Self::default())) };
        let claimed = claims(contact);
        let Some(token) = contact.jwt.value() else { return Ok(Ok(Self { claimed, verified: None })) };
        let domain = match named {
            Some(domain) => domain,
            None => match only(store.domains(&chatbot.scope()).await?) {
                Ok(domain) => domain,
                Err(refused) => return Ok(Err(refused)),
            },
        };
        let secret = sealing::identity_secret(sealer, &domain)?;
        let assertion = identity::verify(token.expose(), &domain.hostname, secret.expose(), now);
        Ok(match assertion {
            Ok(assertion) => Ok(Self { claimed, verified: Some(proven(assertion)) }),
            Err(distrust) => Err(Refused::Identity(distrust)),
        })
    }

    /// The subject of the proven identity.
    pub(super) fn subject(&self) -> Option<&str> {
        self.verified.as_ref().map(|identity| identity.subject.as_str())
    }

    /// Writes down what is known about the visitor; the contact it is, if anything is known.
    pub(super) async fn keep(
        self,
        store: &Store,
        chatbot: &Chatbot,
        conversation: Option<&Conversation>,
        now: Timestamp,
    ) -> Result<Option<Uuid>, StoreError> {
        if self == Self::default() {
            return Ok(None);
        }
        let input = ContactInput {
            claimed: self.claimed,
            verified: self.verified,
            conversation_contact: conversation.and_then(|conversation| conversation.contact_id),
            source: SOURCE.to_owned(),
        };
        let contact = store.upsert_contact(&chatbot.scope(), &input, now).await?;
        Ok(contact.map(|contact| contact.contact_id))
    }
}

/// The domain that is meant when none is named.
fn only(domains: Vec<Domain>) -> Result<Domain, Refused> {
    let mut domains = domains.into_iter();
    match (domains.next(), domains.next()) {
        (Some(domain), None) => Ok(domain),
        (Some(_), Some(_)) => Err(Refused::Domain("is required, because the account has several domains")),
        (None, _) => Err(Refused::Identity(Distrust::NoDomain)),
    }
}

fn claims(contact: &ContactInfo) -> ContactFields {
    let custom = contact.custom.iter().flatten();
    let says_something = custom.clone().flatten().any(|value| !value.trim().is_empty());
    ContactFields {
        email: contact.email.value().cloned(),
        name: contact.name.value().cloned(),
        phone: contact.phone.value().cloned(),
        company: contact.company.value().cloned(),
        custom: says_something
            .then(|| custom.map(|value| value.as_deref().map(portable)).collect::<Vec<_>>().into()),
    }
}

/// PostgreSQL has no NUL character; in text columns the store replaces it, in documents we do.
fn portable(text: &str) -> Value {
    Value::String(text.replace('\0', "\u{fffd}"))
}

fn proven(assertion: identity::Assertion) -> Identity {
    let identity::Assertion { subject, email, name, phone, company } = assertion;
    Identity { subject, fields: ContactFields { email, name, phone, company, custom: None } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn contact(value: Value) -> ContactInfo {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn places_of_custom_values_are_kept() {
        let fields = claims(&contact(json!({ "custom": ["Lawn mower", null, "4711\u{0}"], "email": null })));
        assert_eq!(fields.custom, Some(json!(["Lawn mower", null, "4711\u{fffd}"])));
        assert_eq!(fields.email, None);
    }

    #[test]
    fn empty_custom_values_say_nothing() {
        for custom in [json!([]), json!([null, " "])] {
            assert_eq!(claims(&contact(json!({ "custom": custom }))), ContactFields::default());
        }
        assert_eq!(claims(&contact(json!({}))), ContactFields::default());
    }
}
