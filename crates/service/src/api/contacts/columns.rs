//! Columns of files with contacts: those of the export, and those that the address books of other programs
//! write.

use std::collections::{BTreeMap, HashSet};

use frontdesk_store::{ContactKind, ContactUpdate, ImportedContact, NewConsent, phone_number};
use serde_json::Value;

use super::problems::{FIELD_NAME_RULE, is_field_name};
use crate::api::csv::{Table, quoted_list, unguarded};

/// The limits of fields in characters, as the contract has them for contacts that are written one by one.
const MAX_EMAIL: usize = 320;
const MAX_TEXT: usize = 255;
const MAX_CUSTOM_VALUES: usize = 1000;
const MAX_CUSTOM_VALUE: usize = 500;
const MAX_TAGS: usize = 50;
const MAX_TAG: usize = 50;
const MAX_CUSTOM_FIELDS: usize = 50;

/// Why a row without email, phone and external id cannot be used.
pub(super) const NO_KEY: &str = "There is neither an email, nor a phone, nor an external_id.";

/// What Google Contacts writes between several values of a cell.
const BETWEEN_VALUES: &str = " ::: ";

// The names of columns, as `csv::plain` writes them, the best ones first: our own, then those of Outlook
// (English, German, French), Google Contacts (since 2024, before), Mailchimp, Pipedrive and HubSpot.
const EMAIL: &[&str] = &[
    "email",
    "email address",
    "email-adresse",
    "email 1 - value",
    "mail",
    "person - email",
    "person - email - work",
    "person - email - home",
    "person - email - other",
    "adresse de messagerie",
    "adresse email",
    "courriel",
    "email 2 address",
    "email 3 address",
    "email 2: adresse",
    "email 3: adresse",
    "email 2 - value",
    "email 3 - value",
];
const NAME: &[&str] =
    &["name", "full name", "display name", "file as", "person - name", "vollständiger name", "nom complet"];
const FIRST_NAME: &[&str] =
    &["first name", "given name", "firstname", "person - first name", "vorname", "prénom"];
const MIDDLE_NAME: &[&str] = &["middle name", "additional name", "weitere vornamen"];
const LAST_NAME: &[&str] = &[
    "last name",
    "family name",
    "surname",
    "lastname",
    "person - last name",
    "nachname",
    "familienname",
    "nom",
    "nom de famille",
];
const PHONE: &[&str] = &[
    "phone",
    "phone number",
    "telephone",
    "telefon",
    "telefonnummer",
    "mobile phone",
    "mobile phone number",
    "mobile number",
    "mobile",
    "mobil",
    "cell phone",
    "cell",
    "sms",
    "mobiltelefon",
    "handy",
    "phone 1 - value",
    "primary phone",
    "haupttelefon",
    "business phone",
    "telefon geschäftlich",
    "business phone 2",
    "telefon geschäftlich 2",
    "company main phone",
    "telefon firma",
    "home phone",
    "telefon (privat)",
    "telefon privat",
    "home phone 2",
    "telefon (privat 2)",
    "telefon privat 2",
    "other phone",
    "weiteres telefon",
    "phone 2 - value",
    "phone 3 - value",
    "person - phone",
    "person - phone - mobile",
    "person - phone - work",
    "person - phone - home",
    "person - phone - other",
    "tél. mobile",
    "téléphone",
    "téléphone mobile",
    "téléphone (bureau)",
    "téléphone (domicile)",
];
const COMPANY: &[&str] = &[
    "company",
    "company name",
    "firma",
    "unternehmen",
    "organization name",
    "organization 1 - name",
    "organization",
    "organisation",
    "organization - name",
    "account name",
    "person - organization",
    "associated company",
    "société",
];
const TAGS: &[&str] = &["tags", "labels", "categories", "kategorien", "group membership"];

/// The places of the columns in each row. Where there are several for a field, the first one that has a value
/// counts.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Columns {
    email: Vec<usize>,
    name: Vec<usize>,
    first_name: Vec<usize>,
    middle_name: Vec<usize>,
    last_name: Vec<usize>,
    phone: Vec<usize>,
    company: Vec<usize>,
    external_id: Vec<usize>,
    kind: Vec<usize>,
    custom: Vec<usize>,
    tags: Vec<usize>,
    custom_fields: Vec<usize>,
    marketing_consent: Vec<usize>,
}

impl Columns {
    /// Finds the columns of a file. The error says which are missing, or are there twice.
    pub(super) fn of(table: &Table) -> Result<Self, String> {
        let places = |names: &[&str]| -> Result<Vec<usize>, String> {
            let places = names.iter().map(|name| table.column(name)).collect::<Result<Vec<_>, _>>()?;
            Ok(places.into_iter().flatten().collect())
        };
        let columns = Self {
            email: places(EMAIL)?,
            name: places(NAME)?,
            first_name: places(FIRST_NAME)?,
            middle_name: places(MIDDLE_NAME)?,
            last_name: places(LAST_NAME)?,
            phone: places(PHONE)?,
            company: places(COMPANY)?,
            external_id: places(&["external id"])?,
            kind: places(&["type"])?,
            custom: places(&["custom"])?,
            tags: places(TAGS)?,
            custom_fields: places(&["custom fields"])?,
            marketing_consent: places(&["marketing consent"])?,
        };
        if [&columns.email, &columns.phone, &columns.external_id].into_iter().all(Vec::is_empty) {
            return Err("There is no column `email`, `phone` or `external_id`.".to_owned());
        }
        Ok(columns)
    }

    /// Returns the names of the columns that are not used: unknown ones, and those with a value in a row that
    /// has another one for the same field.
    pub(super) fn ignored(&self, table: &Table) -> Vec<String> {
        let rows = || table.rows.iter().filter_map(|row| row.fields.as_deref().ok());
        let mut used: HashSet<usize> = HashSet::new();
        for places in [&self.name, &self.first_name, &self.middle_name, &self.last_name] {
            used.extend(places);
        }
        for places in
            [&self.external_id, &self.kind, &self.custom, &self.custom_fields, &self.marketing_consent]
        {
            used.extend(places);
        }
        let mut choose = |places: &[usize], chosen: for<'a> fn(&'a [String], &[usize]) -> Option<&'a str>| {
            let is_lost = |place: usize| {
                rows().any(|row| cell(row, place).is_some_and(|value| chosen(row, places) != Some(value)))
            };
            used.extend(places.iter().filter(|place| !is_lost(**place)));
        };
        choose(&self.email, email);
        choose(&self.phone, phone);
        choose(&self.company, first);
        choose(&self.tags, first);
        table.columns_beside(&used)
    }

    /// Returns the contact of a row, or why it cannot be one. Empty cells keep what is stored.
    pub(super) fn contact(&self, fields: &[String]) -> Result<ImportedContact, String> {
        let text =
            |value: Option<&str>, name: &str, longest: usize| -> Result<Option<Option<String>>, String> {
                let Some(text) = value else { return Ok(None) };
                let length = text.chars().count();
                if length > longest {
                    return Err(format!("The {name} must have at most {longest} characters (has {length})."));
                }
                Ok(Some(Some(text.to_owned())))
            };
        let value = |places: &[usize]| first(fields, places);
        let (email, phone) = (email(fields, &self.email), phone(fields, &self.phone));
        let external_id = value(&self.external_id);
        let update = ContactUpdate {
            email: text(email, "email", MAX_EMAIL)?,
            name: text(self.name(fields).as_deref(), "name", MAX_TEXT)?,
            phone: text(phone, "phone", MAX_TEXT)?,
            company: text(value(&self.company), "company", MAX_TEXT)?,
            external_id: text(external_id, "external_id", MAX_TEXT)?,
            custom: value(&self.custom).map(custom).transpose()?,
            kind: None,
            owner_id: None,
            tags: value(&self.tags).map(tags).transpose()?.flatten(),
            custom_fields: value(&self.custom_fields).map(custom_fields).transpose()?,
            consent: value(&self.marketing_consent).map(consent).transpose()?.map(Some),
            archived: None,
        };
        if email.is_some_and(|email| frontdesk_address::email(email).is_none()) {
            return Err("The email is not an email address.".to_owned());
        }
        if phone.is_some_and(|phone| !may_be_called(phone)) {
            return Err("The phone is not a phone number.".to_owned());
        }
        if [email, phone, external_id].into_iter().all(|key| key.is_none()) {
            return Err(NO_KEY.to_owned());
        }
        let (kind, is_customer) = match value(&self.kind).map(str::to_lowercase).as_deref() {
            None => (None, false),
            Some("lead") => (Some(ContactKind::Lead), false),
            Some("subscriber") => (Some(ContactKind::Subscriber), false),
            Some("customer") => (None, true),
            Some(_) => return Err("The type must be lead, subscriber or customer.".to_owned()),
        };
        Ok(ImportedContact { update: ContactUpdate { kind, ..update }, is_customer })
    }

    /// Returns the name of the person in a row: the whole one, or its parts.
    fn name(&self, fields: &[String]) -> Option<String> {
        let whole = first(fields, &self.name);
        let parts =
            [&self.first_name, &self.middle_name, &self.last_name].map(|places| first(fields, places));
        match (whole, parts) {
            // In a file with the columns Vorname and Name, the second one has the family name.
            (Some(whole), [Some(given), _, None]) if self.last_name.is_empty() && !whole.contains(given) => {
                Some(format!("{given} {whole}"))
            }
            (Some(whole), _) => Some(whole.to_owned()),
            (None, parts) => {
                let parts: Vec<&str> = parts.into_iter().flatten().collect();
                (!parts.is_empty()).then(|| parts.join(" "))
            }
        }
    }
}

/// Returns the value of a cell, if it has one.
fn cell(fields: &[String], place: usize) -> Option<&str> {
    fields.get(place).map(|cell| unguarded(cell)).filter(|cell| !cell.is_empty())
}

/// Returns the value of the first cell that has one.
fn first<'a>(fields: &'a [String], places: &[usize]) -> Option<&'a str> {
    places.iter().find_map(|place| cell(fields, *place))
}

/// Returns the value of the first cell with a phone number that can be called from everywhere, else of the
/// first that has one.
fn phone<'a>(fields: &'a [String], places: &[usize]) -> Option<&'a str> {
    let mut cells = places.iter().filter_map(|place| cell(fields, *place)).flat_map(values);
    cells.find(|cell| phone_number(cell).is_some()).or_else(|| first(fields, places))
}

/// Returns whether a text can be a phone number, with its country code or as it is dialed at home.
fn may_be_called(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let is_part =
        |character: char| character.is_ascii_digit() || " \u{a0}\u{202f}+-–./()".contains(character);
    phone_number(text).is_some() || ((4..=20).contains(&digits) && text.chars().all(is_part))
}

/// Returns the first email address: that of the first cell that has one, else what is in the first cell.
fn email<'a>(fields: &'a [String], places: &[usize]) -> Option<&'a str> {
    let mut cells = places.iter().filter_map(|place| cell(fields, *place)).flat_map(addresses);
    cells.find(|address| frontdesk_address::email(address).is_some()).or_else(|| first(fields, places))
}

/// Returns the texts of a cell that may be email addresses: several with commas or semicolons between them,
/// each alone or in angle brackets behind a name.
fn addresses(cell: &str) -> impl Iterator<Item = &str> {
    let each = |value| {
        let parts = str::split(value, [',', ';']);
        // A comma may also be a slip within one address.
        let are_several = parts.clone().all(|part| part.contains('@'));
        let whole = (!are_several).then_some(value);
        whole.into_iter().chain(parts.filter(move |_| are_several))
    };
    values(cell).flat_map(each).map(|text| match text.trim().strip_suffix('>') {
        Some(named) => named.rsplit_once('<').map_or(text, |(_, address)| address).trim(),
        None => text.trim(),
    })
}

/// Returns the values of a cell that may have several.
fn values(cell: &str) -> impl Iterator<Item = &str> {
    cell.split(BETWEEN_VALUES).map(str::trim).filter(|value| !value.is_empty())
}

/// Reads a JSON array of texts.
fn custom(cell: &str) -> Result<Value, String> {
    let values: Vec<Option<String>> = serde_json::from_str(cell).map_err(|_| {
        "The custom must be a JSON array of texts, such as [\"Lawn mower\", null].".to_owned()
    })?;
    let is_too_long =
        |value: &Option<String>| value.as_ref().is_some_and(|value| value.chars().count() > MAX_CUSTOM_VALUE);
    if values.len() > MAX_CUSTOM_VALUES || values.iter().any(is_too_long) {
        return Err(format!(
            "The custom must have at most {MAX_CUSTOM_VALUES} texts of at most {MAX_CUSTOM_VALUE} characters."
        ));
    }
    Ok(values.into())
}

/// Reads labels: a JSON array; texts in quotes with commas between them, as Mailchimp writes them; texts with
/// `:::` between them, as Google does, whose own groups begin with an asterisk; or with semicolons between
/// them.
fn tags(cell: &str) -> Result<Option<Vec<String>>, String> {
    let is_list = cell.starts_with('[');
    let tags: Vec<String> = if is_list {
        let problem =
            "The tags must be a JSON array of texts, such as [\"vip\"], or be separated by semicolons.";
        serde_json::from_str(cell).map_err(|_| problem.to_owned())?
    } else if let Some(tags) = quoted_list(cell) {
        tags
    } else if cell.contains(BETWEEN_VALUES) || cell.starts_with("* ") {
        let groups = cell.split(BETWEEN_VALUES).map(str::trim);
        groups.filter(|group| !group.is_empty() && !group.starts_with("* ")).map(str::to_owned).collect()
    } else {
        cell.split(';').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
    };
    if tags.len() > MAX_TAGS || tags.iter().any(|tag| tag.is_empty() || tag.chars().count() > MAX_TAG) {
        return Err(format!("The tags must be at most {MAX_TAGS} texts of 1 to {MAX_TAG} characters."));
    }
    // A cell with nothing but groups of Google is as good as empty.
    Ok((is_list || !tags.is_empty()).then_some(tags))
}

/// Reads a JSON object of texts.
fn custom_fields(cell: &str) -> Result<BTreeMap<String, String>, String> {
    let fields: BTreeMap<String, String> = serde_json::from_str(cell).map_err(|_| {
        "The custom_fields must be a JSON object of texts, such as {\"Size\": \"L\"}.".to_owned()
    })?;
    let is_too_long = |value: &String| value.chars().count() > MAX_CUSTOM_VALUE;
    if fields.len() > MAX_CUSTOM_FIELDS || fields.values().any(is_too_long) {
        return Err(format!(
            "The custom_fields must be at most {MAX_CUSTOM_FIELDS} texts of at most {MAX_CUSTOM_VALUE} characters."
        ));
    }
    if !fields.keys().all(|name| is_field_name(name)) {
        return Err(format!("The custom_fields {FIELD_NAME_RULE}."));
    }
    Ok(fields)
}

/// Reads whether the person wants news and offers, also as spreadsheets write truth values in the languages
/// of the service.
fn consent(cell: &str) -> Result<NewConsent, String> {
    let marketing = match cell.to_lowercase().as_str() {
        "true" | "yes" | "1" | "wahr" | "vrai" | "verdadero" | "vero" | "waar" | "verdadeiro" | "prawda" => {
            true
        }
        "false" | "no" | "0" | "falsch" | "faux" | "falso" | "onwaar" | "fałsz" => false,
        _ => return Err("The marketing_consent must be true or false.".to_owned()),
    };
    Ok(NewConsent { marketing, at: None, source: None })
}

#[cfg(test)]
mod tests;
