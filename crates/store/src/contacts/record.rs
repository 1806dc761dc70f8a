//! A contact as it is stored.

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::any::AnyRow;
use uuid::Uuid;

use super::phone::phone_number;
use crate::sql::nul::replace_nul;
use crate::sql::record::Column;
use crate::sql::row::{Columns, email_key, email_spellings, new_id};

named_values! {
    /// What a person who is not a paying customer is to the business.
    pub enum ContactKind as "kind of contact" {
        /// Somebody who may become a customer.
        Lead = "lead",
        /// Somebody who gets news.
        Subscriber = "subscriber",
    }
}

named_values! {
    /// How a contact came about.
    pub enum ContactSource as "source of contacts" {
        /// In a chat.
        Chatbot = "chatbot",
        /// By a call of the interface.
        Api = "api",
        /// By an import.
        Import = "import",
        /// By a form of a website.
        ContactForm = "contact_form",
        /// By e-mail.
        Email = "email",
        /// By a messaging service.
        Messaging = "messaging",
    }
}

/// What a person has agreed to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    /// Whether the person wants news and offers.
    pub marketing: bool,
    /// When the person agreed or refused.
    pub at: Timestamp,
    /// Where, such as the name of a form.
    pub source: Option<String>,
}

impl Column for Option<Consent> {
    fn read(row: &AnyRow, _: &str) -> sqlx::Result<Self> {
        let Some(marketing) = row.int_opt("consent_marketing")? else { return Ok(None) };
        Ok(Some(Consent {
            marketing: marketing != 0,
            at: row.time("consent_at")?,
            source: row.text_opt("consent_source")?,
        }))
    }
}

record! {
    /// A person that the account knows.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Contact, columns contact_columns {
        /// Identifier.
        pub contact_id: Uuid,
        /// The account that knows it.
        pub account_id: Uuid,
        /// E-mail address in lower case.
        pub email: Option<String>,
        /// Name.
        pub name: Option<String>,
        /// Phone number, in the format E.164 if it was given with its country code.
        pub phone: Option<String>,
        /// Company.
        pub company: Option<String>,
        /// Further values, unchanged.
        pub custom: Option<Value>,
        /// The account's own id of the person, in the form of a [`VisitorSubject`](crate::VisitorSubject).
        pub external_id: Option<String>,
        /// Whether the identity is proven; `external_id` is then the subject of the signed identity.
        pub is_verified: bool,
        /// Whether the account itself has written the contact. Claims then fill only what is empty.
        pub is_managed: bool,
        /// What the person is to the business, apart from being a customer.
        pub kind: ContactKind,
        /// When it became a paying customer; `None` for all others.
        pub became_customer_at: Option<Timestamp>,
        /// When the last payment was made.
        pub paid_at: Option<Timestamp>,
        /// The amount of the last payment, as a decimal number.
        pub payment_amount: Option<String>,
        /// Its currency.
        pub payment_currency: Option<String>,
        /// The account's reference for it.
        pub payment_reference: Option<String>,
        /// The team member who takes care of it.
        pub owner_id: Option<Uuid>,
        /// Labels, as a JSON array of texts.
        pub tags: Value,
        /// Further values by name, as a JSON object of texts.
        pub custom_fields: Value,
        /// What the person has agreed to, if that is known.
        pub consent: Option<Consent> = ["consent_marketing, consent_at, consent_source"],
        /// How it came about.
        pub source: ContactSource,
        /// When it was archived; `None` for an active one.
        pub archived_at: Option<Timestamp>,
        /// When it was first met.
        pub first_seen_at: Timestamp,
        /// When it was last met.
        pub last_seen_at: Timestamp,
        /// When it was last changed.
        pub updated_at: Timestamp,
    }
}
#[expect(clippy::single_component_path_imports, reason = "a macro has no path without it")]
pub(crate) use contact_columns;

impl Contact {
    /// Returns a contact about which nothing is known.
    pub(crate) fn unknown(account_id: Uuid, source: ContactSource, now: Timestamp) -> Self {
        Self {
            contact_id: new_id(),
            account_id,
            email: None,
            name: None,
            phone: None,
            company: None,
            custom: None,
            external_id: None,
            is_verified: false,
            is_managed: false,
            kind: ContactKind::Lead,
            became_customer_at: None,
            paid_at: None,
            payment_amount: None,
            payment_currency: None,
            payment_reference: None,
            owner_id: None,
            tags: json!([]),
            custom_fields: json!({}),
            consent: None,
            source,
            archived_at: None,
            first_seen_at: now,
            last_seen_at: now,
            updated_at: now,
        }
    }

    /// Replaces the fields that are given.
    pub(crate) fn replace(&mut self, fields: ContactFields) {
        let ContactFields { email, name, phone, company, custom } = fields;
        self.email = email.or(self.email.take());
        self.name = name.or(self.name.take());
        self.phone = phone.or(self.phone.take());
        self.company = company.or(self.company.take());
        self.custom = custom.or(self.custom.take());
    }

    /// Fills the fields that are empty.
    pub(crate) fn fill(&mut self, fields: ContactFields) {
        let ContactFields { email, name, phone, company, custom } = fields;
        self.email = self.email.take().or(email);
        self.name = self.name.take().or(name);
        self.phone = self.phone.take().or(phone);
        self.company = self.company.take().or(company);
        self.custom = self.custom.take().or(custom);
    }

    /// Notes that the person was met: an archived contact becomes active again.
    pub(crate) fn met(&mut self, now: Timestamp) {
        self.last_seen_at = now;
        self.updated_at = now;
        self.archived_at = None;
    }
}

/// Details about a visitor. Missing and blank fields are ignored.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ContactFields {
    /// E-mail address, in any case.
    pub email: Option<String>,
    /// Name.
    pub name: Option<String>,
    /// Phone number, in any form.
    pub phone: Option<String>,
    /// Company.
    pub company: Option<String>,
    /// Further values.
    pub custom: Option<Value>,
}

impl ContactFields {
    /// Returns the fields as they are stored, without blank ones.
    pub(crate) fn cleaned(&self) -> Self {
        Self {
            email: cleaned(self.email.as_deref()).map(|email| email_key(&email)),
            name: cleaned(self.name.as_deref()),
            phone: cleaned(self.phone.as_deref()).map(|phone| phone_number(&phone).unwrap_or(phone)),
            company: cleaned(self.company.as_deref()),
            custom: self.custom.clone().filter(|value| !value.is_null()),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Contact {
    /// Whether it has other data of the person than before, apart from when it was met.
    pub(crate) fn differs(&self, before: &Self) -> bool {
        let data = |contact: &Self| {
            (
                [&contact.email, &contact.name, &contact.phone, &contact.company, &contact.external_id]
                    .map(Option::clone),
                contact.custom.clone(),
                (
                    contact.owner_id,
                    contact.tags.clone(),
                    contact.custom_fields.clone(),
                    contact.consent.clone(),
                ),
                contact.kind,
                (contact.is_verified, contact.became_customer_at.is_some(), contact.archived_at.is_some()),
            )
        };
        data(self) != data(before)
    }

    pub(crate) fn is_reachable(&self) -> bool {
        self.email.is_some() || self.phone.is_some()
    }

    /// Returns what the contact is found by, in lower case.
    pub(crate) fn search_text(&self) -> String {
        let parts = [&self.name, &self.email, &self.phone, &self.company];
        let mut text = parts.map(|part| part.as_deref().unwrap_or_default()).join(" ").to_lowercase();
        // People look for an address as they write it.
        if let Some([key, written]) = self.email.as_deref().map(email_spellings)
            && key != written
        {
            text = format!("{text} {written}");
        }
        text
    }
}

/// Returns a text as it is stored, or `None` if it is blank.
pub(crate) fn cleaned(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(replace_nul)
}
