//! The visitor of a message: unproven claims, and a proven identity if the assertion is valid.

use frontdesk_model::ContactInfo;
use frontdesk_store::{
    Chatbot, ContactFields, ContactInput, Conversation, Domain, Identity, IdentityEnforcement, Scope, Store,
    StoreError, VisitorSession, VisitorSubject, replace_nul,
};
use jiff::Timestamp;
use uuid::Uuid;

use super::identity::{self, IdentityError, TrustedKeys};
use super::own_words;
use crate::platform::secrets::encryption::{self, SecretCipher};

/// The `source` of conversations that begin with a message of a program.
pub(super) const SOURCE: &str = "api";
/// The `source` of conversations that begin with a message of a widget.
pub(super) const WIDGET: &str = "widget";

/// The claimed and the proven identity of a visitor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Visitor {
    claimed: ContactFields,
    verified: Option<Identity>,
    /// The contact of a conversation that has none yet.
    known: Option<Uuid>,
}

/// The reason why what a message says about its visitor is refused.
#[derive(Debug)]
pub(super) enum VisitorError {
    /// `domain_id` is missing or names no acceptable domain; the text completes "The field …".
    Domain(&'static str),
    /// The assertion is not trusted.
    Identity(IdentityError),
}

impl Visitor {
    /// Reads the contact information of a message that the account `caller` sends, and verifies its assertion
    /// under the domain that signed it.
    ///
    /// `domain_id` may name a domain of the account that owns the chatbot, or of the caller's own: an agency
    /// may sign for the chatbots of its sub-accounts, and no sub-account for those of another. Without
    /// `domain_id` the only domain of the owner is used, or the only domain of the caller's own account if
    /// the owner has none.
    pub(super) async fn read(
        store: &Store,
        cipher: &SecretCipher,
        caller: Uuid,
        chatbot: &Chatbot,
        contact: Option<&ContactInfo>,
        domain_id: Option<i64>,
        now: Timestamp,
    ) -> Result<Result<Self, VisitorError>, StoreError> {
        let named = match domain_id {
            None => None,
            Some(domain_id) => match usable_domain(store, caller, chatbot, domain_id).await? {
                Some(domain) => Some(domain),
                None => return Ok(Err(VisitorError::Domain("is not a domain of this account"))),
            },
        };
        let claimed = contact.map(claims).unwrap_or_default();
        let Some(token) = contact.and_then(|contact| contact.jwt.value()) else {
            return Ok(match requiring_domain(store, caller, chatbot, named).await? {
                Some(domain) => Err(VisitorError::Identity(IdentityError::Missing(domain.hostname))),
                None => Ok(Self { claimed, ..Self::default() }),
            });
        };
        let domain = match named {
            Some(domain) => domain,
            None => match default_domain(store, caller, chatbot).await? {
                Ok(domain) => domain,
                Err(error) => return Ok(Err(error)),
            },
        };
        if domain.identity_enforcement == IdentityEnforcement::Off {
            return Ok(Err(VisitorError::Identity(IdentityError::SwitchedOff(domain.hostname))));
        }
        let trusted = TrustedKeys {
            hostname: &domain.hostname,
            secrets: encryption::identity_secrets(cipher, &domain, now)?,
            public_keys: &domain.public_keys,
        };
        let assertion = identity::verify(token.expose(), &trusted, now);
        Ok(match assertion {
            Ok(assertion) => Ok(Self { claimed, verified: Some(proven(assertion)), known: None }),
            Err(error) => Err(VisitorError::Identity(error)),
        })
    }

    /// Returns the visitor of a session, with what is claimed now.
    pub(super) fn of_session(session: &VisitorSession, claimed: ContactFields) -> Self {
        let identity = |subject| Identity { subject, fields: ContactFields::default() };
        Self { claimed, verified: session.subject().map(identity), known: session.contact_id }
    }

    /// Returns the subject of the proven identity, or `None` if the identity is only claimed.
    pub(super) fn subject(&self) -> Option<&VisitorSubject> {
        self.verified.as_ref().map(|identity| &identity.subject)
    }

    /// Adds the address and the phone number that the visitor's own words contain, if the conversation asks
    /// for them and the message does not state them. They are claims.
    pub(super) fn add_own_words(&mut self, conversation: Option<&Conversation>, text: &str) {
        if !conversation.is_some_and(own_words::is_asked) {
            return;
        }
        self.claimed.email = self.claimed.email.take().or_else(|| own_words::email(text));
        self.claimed.phone = self.claimed.phone.take().or_else(|| own_words::phone(text));
    }

    /// Creates or updates the contact of the visitor, and returns its id, or `None` if nothing is known.
    /// `conversation_id` is that of the conversation, or of the one that the message begins, if there is a
    /// message.
    pub(super) async fn store(
        self,
        store: &Store,
        chatbot: &Chatbot,
        conversation: Option<&Conversation>,
        conversation_id: Option<Uuid>,
        now: Timestamp,
    ) -> Result<Option<Uuid>, StoreError> {
        if self == Self::default() {
            return Ok(None);
        }
        let input = ContactInput {
            claimed: self.claimed,
            verified: self.verified,
            conversation_contact: conversation
                .and_then(|conversation| conversation.contact_id)
                .or(self.known),
            chatbot_id: Some(chatbot.chatbot_id),
            conversation_id,
        };
        let contact = store.contacts().upsert(&chatbot.scope(), &input, now).await?;
        Ok(contact.map(|contact| contact.contact_id))
    }
}

/// Returns a domain of the chatbot's owner or of the caller's own account.
async fn usable_domain(
    store: &Store,
    caller: Uuid,
    chatbot: &Chatbot,
    domain_id: i64,
) -> Result<Option<Domain>, StoreError> {
    match store.domains().find(&chatbot.scope(), domain_id).await? {
        Some(domain) => Ok(Some(domain)),
        None => store.domains().find(&Scope::of_account(caller), domain_id).await,
    }
}

/// Returns the domain that is used if none is named: the only one of the chatbot's owner, else, if the owner
/// has none, the only one of the caller's own account. Several domains are ambiguous.
async fn default_domain(
    store: &Store,
    caller: Uuid,
    chatbot: &Chatbot,
) -> Result<Result<Domain, VisitorError>, StoreError> {
    let mut domains = usual_domains(store, caller, chatbot).await?.into_iter();
    Ok(match (domains.next(), domains.next()) {
        (Some(domain), None) => Ok(domain),
        (Some(_), Some(_)) => {
            Err(VisitorError::Domain("is required, because the account has several domains"))
        }
        (None, _) => Err(VisitorError::Identity(IdentityError::NoDomain)),
    })
}

/// Returns the domains that a message without `domain_id` may be about: those of the chatbot's owner, or
/// those of the caller's own account if the owner has none.
async fn usual_domains(store: &Store, caller: Uuid, chatbot: &Chatbot) -> Result<Vec<Domain>, StoreError> {
    let domains = store.domains().list(&chatbot.scope()).await?;
    if domains.is_empty() && caller != chatbot.account_id {
        return store.domains().list(&Scope::of_account(caller)).await;
    }
    Ok(domains)
}

/// Returns a domain that refuses a message without an assertion: the named one if it belongs to the chatbot's
/// owner and does. Otherwise nobody has said on which of the owner's domains the visitor is, so each of them
/// counts, whatever the others accept.
async fn requiring_domain(
    store: &Store,
    caller: Uuid,
    chatbot: &Chatbot,
    named: Option<Domain>,
) -> Result<Option<Domain>, StoreError> {
    let candidates = match named {
        Some(domain) if domain.account_id == chatbot.account_id => vec![domain],
        named => named.into_iter().chain(usual_domains(store, caller, chatbot).await?).collect(),
    };
    let requires = |domain: &Domain| domain.identity_enforcement == IdentityEnforcement::Required;
    Ok(candidates.into_iter().find(requires))
}

fn claims(contact: &ContactInfo) -> ContactFields {
    let custom = contact.custom.iter().flatten();
    let is_filled = custom.clone().flatten().any(|value| !value.trim().is_empty());
    ContactFields {
        email: contact.email.value().cloned(),
        name: contact.name.value().cloned(),
        phone: contact.phone.value().cloned(),
        company: contact.company.value().cloned(),
        custom: is_filled
            .then(|| custom.map(|value| value.as_deref().map(replace_nul)).collect::<Vec<_>>().into()),
    }
}

fn proven(assertion: identity::Assertion) -> Identity {
    let identity::Assertion { subject, email, name, phone, company } = assertion;
    Identity { subject, fields: ContactFields { email, name, phone, company, custom: None } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn contact(value: Value) -> ContactInfo {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn positions_of_custom_values_are_kept() {
        let fields = claims(&contact(json!({ "custom": ["Lawn mower", null, "4711\u{0}"], "email": null })));
        assert_eq!(fields.custom, Some(json!(["Lawn mower", null, "4711\u{fffd}"])));
        assert_eq!(fields.email, None);
    }

    #[test]
    fn blank_custom_values_are_ignored() {
        for custom in [json!([]), json!([null, " "])] {
            assert_eq!(claims(&contact(json!({ "custom": custom }))), ContactFields::default());
        }
        assert_eq!(claims(&contact(json!({}))), ContactFields::default());
    }
}
