//! What messages do with contacts: they say who their author is, with or without a proof.

use jiff::Timestamp;
use uuid::Uuid;

use super::account::AccountContacts;
use super::key::ContactKey;
use super::phone::phone_number;
use super::record::{Contact, ContactFields, ContactSource};
use super::reports;
use crate::contacts::visitor_subject::VisitorSubject;
use crate::sql::error::StoreError;
use crate::sql::scope::{Scope, find_by_id, in_scope, row_by_id, scoped_as};

/// A proven identity, from a signature that the service has checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The account's own id of the visitor.
    pub subject: VisitorSubject,
    /// The details that were signed with it.
    pub fields: ContactFields,
}

/// Everything that a message says about its visitor.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactInput {
    /// The claimed details.
    pub claimed: ContactFields,
    /// The proven identity.
    pub verified: Option<Identity>,
    /// The present contact of the conversation. Claims update it, unless it is proven.
    pub conversation_contact: Option<Uuid>,
    /// The chatbot that the visitor talks to, for the event that reports a new lead.
    pub chatbot_id: Option<Uuid>,
    /// The conversation of the message, for the same event.
    pub conversation_id: Option<Uuid>,
}

group! {
    /// Contacts: the people that an account knows.
    pub Contacts, contacts
}

impl Contacts<'_> {
    /// Finds or creates the contact of a message in the account of the scope, and updates it. Returns `None`
    /// if the message has no details about its visitor and the conversation has no contact.
    ///
    /// - With a proven identity: the contact with that subject, created if there is none. Signed fields
    ///   replace stored ones. Claims are ignored, except that a new contact takes over a claimed name,
    ///   company and further values that were not signed. An e-mail address of another proven contact stays
    ///   with that contact. A contact to which the account itself has given the subject as its id becomes
    ///   proven.
    /// - With claims only: the unproven contact with that e-mail address, else the one with that phone number
    ///   or that of the conversation if it has no other address, else a new contact. Claimed fields replace
    ///   stored ones, or fill the empty ones of a contact that the account itself has written.
    pub async fn upsert(
        self,
        scope: &Scope,
        input: &ContactInput,
        now: Timestamp,
    ) -> Result<Option<Contact>, StoreError> {
        let mut transaction = self.store.begin().await?;
        let dialect = self.store.dialect();
        let Some(mut contacts) =
            AccountContacts::lock(&mut transaction, dialect, scope.account_id, now).await?
        else {
            return Ok(None);
        };
        let claimed = input.claimed.cleaned();
        let contact = match &input.verified {
            Some(identity) => Some(contacts.proven(identity, claimed).await?),
            None => contacts.claimed(claimed, input.conversation_contact, ContactSource::Chatbot).await?,
        };
        let (has_new_lead, updated) = (contacts.has_new_lead, contacts.updated.take());
        if let Some(lead) = contact.as_ref().filter(|_| has_new_lead) {
            reports::lead_created(&mut transaction, lead, input.chatbot_id, input.conversation_id, now)
                .await?;
        } else if let Some(updated) = updated {
            reports::contact_updated(&mut transaction, &updated, now).await?;
        }
        transaction.commit().await?;
        Ok(contact)
    }

    /// Returns a contact.
    pub async fn find(self, scope: &Scope, contact_id: Uuid) -> Result<Option<Contact>, StoreError> {
        find_by_id(self.store, row_by_id!(contact_columns of "contacts", "contact_id"), scope, contact_id)
            .await
    }

    /// Returns up to `limit` contacts of the scope in the order of their ids, after the id `after`.
    pub async fn list(
        self,
        scope: &Scope,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<Contact>, StoreError> {
        let some = scoped_as(
            concat!(
                "SELECT ",
                contact_columns!(),
                " FROM contacts WHERE ",
                in_scope!(),
                " AND contact_id > $3 ORDER BY contact_id LIMIT $4"
            ),
            scope,
        )
        .bind(after.map(|id| id.to_string()).unwrap_or_default())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }
}

impl AccountContacts<'_> {
    async fn proven(&mut self, identity: &Identity, claimed: ContactFields) -> Result<Contact, StoreError> {
        let subject = identity.subject.as_str();
        let fields = identity.fields.cleaned();
        let known = self.find_any(ContactKey::ExternalId, subject).await?;
        let known_before = known.clone();
        let is_new = known.is_none();
        let was_reachable = known.as_ref().is_some_and(Contact::is_reachable);
        let mut contact =
            known.unwrap_or_else(|| Contact::unknown(self.account_id, ContactSource::Chatbot, self.now));
        let before = contact.email.clone().filter(|_| contact.is_verified);
        contact.replace(fields);
        if is_new {
            contact.fill(ContactFields { email: None, phone: None, ..claimed });
        }
        contact.external_id = Some(subject.to_owned());
        contact.is_verified = true;
        contact.met(self.now);
        if let Some(email) = &contact.email {
            let holder = self.find(ContactKey::Email, email, true).await?;
            if holder.is_some_and(|holder| holder.contact_id != contact.contact_id) {
                contact.email = before;
            }
        }
        let contact = match known_before {
            None => self.insert(contact).await?,
            Some(before) => self.save_changed(&before, contact).await?,
        };
        self.has_new_lead = !was_reachable && contact.is_reachable();
        Ok(contact)
    }

    pub(super) async fn claimed(
        &mut self,
        fields: ContactFields,
        conversation_contact: Option<Uuid>,
        source: ContactSource,
    ) -> Result<Option<Contact>, StoreError> {
        let current = match conversation_contact {
            Some(id) => self.get(id).await?.filter(|contact| !contact.is_verified),
            None => None,
        };
        if fields.is_empty() {
            return Ok(current);
        }
        let by_email = match &fields.email {
            Some(email) => self.find(ContactKey::Email, email, false).await?,
            None => None,
        };
        let by_phone = match fields.phone.as_deref().and_then(phone_number) {
            Some(number) => self.find(ContactKey::Phone, &number, false).await?,
            None => None,
        };
        let same_person = |contact: &Contact| {
            fields.email.is_none() || contact.email.is_none() || contact.email == fields.email
        };
        let known = by_email.or(by_phone.filter(same_person)).or(current.filter(same_person));
        let Some(mut contact) = known else {
            let mut contact = Contact::unknown(self.account_id, source, self.now);
            contact.replace(fields);
            self.has_new_lead = contact.is_reachable();
            return self.insert(contact).await.map(Some);
        };
        let (was_reachable, before) = (contact.is_reachable(), contact.clone());
        if contact.is_managed {
            contact.fill(fields);
        } else {
            contact.replace(fields);
        }
        contact.met(self.now);
        self.has_new_lead = !was_reachable && contact.is_reachable();
        self.save_changed(&before, contact).await.map(Some)
    }
}
