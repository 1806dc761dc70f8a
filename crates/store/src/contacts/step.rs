//! The contacts of a step of an import, in memory, as its rows leave them.

use std::collections::HashMap;

use uuid::Uuid;

use super::key::ContactKey;
use super::record::Contact;

/// The contacts of a step, as its rows leave them.
#[derive(Debug, Default)]
pub(super) struct Step {
    contacts: HashMap<Uuid, Contact>,
    /// The contacts of each value that was read, at most a proven and an unproven one.
    by_value: HashMap<(ContactKey, String), Vec<Uuid>>,
    /// Contacts without an identifying value, by their phone numbers as they are written.
    by_written_phone: HashMap<String, Uuid>,
    /// Contacts that are to be written at the end, with the numbers that identify them.
    new: Vec<(Uuid, Option<String>)>,
}

impl Step {
    /// Notes a value that was read, and so has the contacts that follow, or none.
    pub(super) fn expect(&mut self, key: ContactKey, value: String) {
        self.by_value.insert((key, value), Vec::new());
    }

    /// Notes a contact that was read by one of its values.
    pub(super) fn add(&mut self, key: ContactKey, contact: Contact) {
        // The number that identifies a contact is made of the one that it has.
        let value = match key {
            ContactKey::Email => &contact.email,
            ContactKey::Phone => &contact.phone,
            ContactKey::ExternalId => &contact.external_id,
        };
        if let Some(ids) = self.ids(key, value.as_deref()) {
            ids.push(contact.contact_id);
        }
        self.contacts.insert(contact.contact_id, contact);
    }

    /// Returns the contacts that a value identifies, the proven one first, and then those that have it in
    /// this form. `None` if the value was not read.
    pub(super) fn find(&self, key: ContactKey, value: &str) -> Option<Vec<Contact>> {
        let ids = self.by_value.get(&(key, value.to_owned()))?;
        let mut found: Vec<Contact> = ids.iter().filter_map(|id| self.contacts.get(id)).cloned().collect();
        let is_older =
            |contact: &Contact| key == ContactKey::Email && contact.email.as_deref() != Some(value);
        found.sort_by_key(|contact| (!contact.is_verified, is_older(contact)));
        Some(found)
    }

    /// Notes a contact that only has a phone number without its country code.
    pub(super) fn add_by_written_phone(&mut self, contact: Contact) {
        if let Some(phone) = &contact.phone {
            self.by_written_phone.entry(phone.clone()).or_insert(contact.contact_id);
            self.contacts.insert(contact.contact_id, contact);
        }
    }

    /// Returns the contact that only has a phone number, written like this.
    pub(super) fn find_by_written_phone(&self, phone: &str) -> Option<Contact> {
        self.contacts.get(self.by_written_phone.get(phone)?).cloned()
    }

    /// Returns whether a contact is to be written at the end.
    pub(super) fn is_new(&self, contact_id: Uuid) -> bool {
        self.new.iter().any(|(id, _)| *id == contact_id)
    }

    /// Returns the contacts that are to be written at the end, with the numbers that identify them.
    pub(super) fn new_contacts(&self) -> impl Iterator<Item = (&Contact, Option<&str>)> {
        self.new.iter().filter_map(|(id, number)| Some((self.contacts.get(id)?, number.as_deref())))
    }

    /// Keeps a contact that is to be written at the end, or its change.
    pub(super) fn keep(&mut self, contact: &Contact, phone_key: Option<String>) {
        self.note(contact, phone_key.as_deref());
        self.new.retain(|(id, _)| *id != contact.contact_id);
        self.new.push((contact.contact_id, phone_key));
    }

    /// Notes a contact as it is from now on, with the number that identifies it.
    pub(super) fn note(&mut self, contact: &Contact, phone_key: Option<&str>) {
        let id = contact.contact_id;
        if let Some(before) = self.contacts.insert(id, contact.clone()) {
            self.each_value(&before, before.phone.as_deref(), |ids| ids.retain(|known| *known != id));
        }
        self.each_value(contact, phone_key, |ids| ids.push(id));
    }

    /// Changes the lists of the values of a contact.
    fn each_value(&mut self, contact: &Contact, number: Option<&str>, change: impl Fn(&mut Vec<Uuid>)) {
        for (key, value) in [
            (ContactKey::Email, contact.email.as_deref()),
            (ContactKey::Phone, number),
            (ContactKey::ExternalId, contact.external_id.as_deref()),
        ] {
            if let Some(ids) = self.ids(key, value) {
                change(ids);
            }
        }
    }

    /// Returns the list of a value in any of its forms. Values that were not read have none: it would look as
    /// if no other contact had them.
    fn ids(&mut self, key: ContactKey, value: Option<&str>) -> Option<&mut Vec<Uuid>> {
        self.by_value.get_mut(&(key, key.normal(value?)?))
    }
}
