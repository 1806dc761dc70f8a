//! `POST /api/v1/contacts/import`: contacts from a CSV file.

use std::collections::BTreeMap;

use frontdesk_model::{ContactImport, ImportContactsError, ImportOutcome, ImportedLine};
use frontdesk_runtime::Failure;
use frontdesk_server::ImportContacts;
use frontdesk_store::{
    ContactError, ContactKey, ContactKind, ContactUpdate, ImportedContact, NewConsent, phone_number,
};
use serde_json::Value;

use super::problems::{AccountGone, FIELD_NAME_RULE, failure, field, is_field_name};
use crate::answers;
use crate::api::count;
use crate::api::csv::{self, Row, unguarded};
use crate::service::{Caller, Service};

/// The limits of fields in characters, as the contract has them for contacts that are written one by one.
const MAX_EMAIL: usize = 320;
const MAX_TEXT: usize = 255;
const MAX_CUSTOM_VALUES: usize = 1000;
const MAX_CUSTOM_VALUE: usize = 500;
const MAX_TAGS: usize = 50;
const MAX_TAG: usize = 50;
const MAX_CUSTOM_FIELDS: usize = 50;

/// Rows that are written in one transaction, so that messages of visitors do not wait for a large file.
const BATCH: usize = 200;

/// A row that can be used, or why it cannot.
type Read = (u32, Result<ImportedContact, String>);

pub(super) async fn import(
    service: &Service,
    request: ImportContacts<Caller>,
) -> Result<ContactImport, Failure<ImportContactsError>> {
    let ImportContacts { caller, body, .. } = request;
    let mut rows = csv::rows(&body).into_iter();
    let columns = rows.next().map_or(Err("The file is empty."), |first| Columns::of(&first));
    let columns = columns.map_err(|problem| {
        let message = format!("{problem} The first line must name the columns, such as email,name,phone");
        answers::validation_failed([failure("body", &message)])
    })?;
    let read: Vec<Read> = rows
        .map(|row| {
            let line = row.line;
            (line, row.fields.map_err(str::to_owned).and_then(|fields| columns.contact(&fields)))
        })
        .collect();
    let mut lines = Vec::with_capacity(read.len());
    for batch in read.chunks(BATCH) {
        write(service, &caller, batch, &mut lines).await?;
    }
    let number = |outcome: ImportOutcome| {
        count(lines.iter().filter(|line: &&ImportedLine| line.outcome == outcome).count() as u64)
    };
    let (created, updated) = (number(ImportOutcome::Created), number(ImportOutcome::Updated));
    let rejected = number(ImportOutcome::Rejected);
    Ok(ContactImport::new(created, updated, rejected, lines))
}

/// Writes the usable rows of a batch, and reports on all of them in their order.
async fn write(
    service: &Service,
    caller: &Caller,
    batch: &[Read],
    lines: &mut Vec<ImportedLine>,
) -> Result<(), Failure<ImportContactsError>> {
    let usable: Vec<ImportedContact> = batch.iter().filter_map(|(_, row)| row.clone().ok()).collect();
    let written = service.store.contacts().import(&caller.scope, &usable, service.now()).await?;
    let mut written = written.ok_or(AccountGone)?.into_iter();
    for (line, row) in batch {
        let outcome = match row {
            Ok(_) => match written.next() {
                Some(Ok(written)) => Ok(written),
                Some(Err(refused)) => Err(refusal(refused)?),
                None => continue,
            },
            Err(problem) => Err(problem.clone()),
        };
        let line = i64::from(*line);
        lines.push(match outcome {
            Ok((id, true)) => ImportedLine::new(line, ImportOutcome::Created, id, None),
            Ok((id, false)) => ImportedLine::new(line, ImportOutcome::Updated, id, None),
            Err(problem) => ImportedLine::new(line, ImportOutcome::Rejected, None, problem),
        });
    }
    Ok(())
}

/// Says why a row was refused, in words that repeat nothing of it.
fn refusal(refused: ContactError) -> Result<String, ContactError> {
    match refused {
        ContactError::AlreadyExists { contact_id, key } => {
            Ok(format!("The {} belongs to another contact ({contact_id}).", field(key)))
        }
        ContactError::ProvenIdentity => {
            Ok("The external_id of a contact whose identity is proven cannot be changed.".to_owned())
        }
        ContactError::NoKey(_) => {
            Ok("There is neither an email, nor a phone, nor an external_id.".to_owned())
        }
        ContactError::PlanLimit(reached) => Ok(answers::plan_limit_message(reached)),
        error @ ContactError::Store(_) => Err(error),
    }
}

/// The places of the columns in each row.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    email: Option<usize>,
    name: Option<usize>,
    phone: Option<usize>,
    company: Option<usize>,
    external_id: Option<usize>,
    kind: Option<usize>,
    custom: Option<usize>,
    tags: Option<usize>,
    custom_fields: Option<usize>,
    marketing_consent: Option<usize>,
}

impl Columns {
    fn of(first: &Row) -> Result<Self, &'static str> {
        let names = first.fields.as_ref().map_err(|problem| *problem)?;
        let place = |name: &str| names.iter().position(|found| found.eq_ignore_ascii_case(name));
        let columns = Self {
            email: place("email"),
            name: place("name"),
            phone: place("phone"),
            company: place("company"),
            external_id: place("external_id"),
            kind: place("type"),
            custom: place("custom"),
            tags: place("tags"),
            custom_fields: place("custom_fields"),
            marketing_consent: place("marketing_consent"),
        };
        if [columns.email, columns.phone, columns.external_id].iter().all(Option::is_none) {
            return Err("There is no column `email`, `phone` or `external_id`.");
        }
        Ok(columns)
    }

    /// Returns the contact of a row, or why it cannot be one. Empty cells keep what is stored.
    fn contact(&self, fields: &[String]) -> Result<ImportedContact, String> {
        let cell = |place: Option<usize>| {
            let cell = place.and_then(|place| fields.get(place)).map(|cell| unguarded(cell));
            cell.filter(|cell| !cell.is_empty())
        };
        let text =
            |place: Option<usize>, name: &str, longest: usize| -> Result<Option<Option<String>>, String> {
                let Some(text) = cell(place) else { return Ok(None) };
                let length = text.chars().count();
                if length > longest {
                    return Err(format!("The {name} must have at most {longest} characters (has {length})."));
                }
                Ok(Some(Some(text.to_owned())))
            };
        let update = ContactUpdate {
            email: text(self.email, "email", MAX_EMAIL)?,
            name: text(self.name, "name", MAX_TEXT)?,
            phone: text(self.phone, "phone", MAX_TEXT)?,
            company: text(self.company, "company", MAX_TEXT)?,
            external_id: text(self.external_id, "external_id", MAX_TEXT)?,
            custom: cell(self.custom).map(custom).transpose()?,
            kind: None,
            owner_id: None,
            tags: cell(self.tags).map(tags).transpose()?,
            custom_fields: cell(self.custom_fields).map(custom_fields).transpose()?,
            consent: cell(self.marketing_consent).map(consent).transpose()?.map(Some),
            archived: None,
        };
        if cell(self.email).is_some_and(|email| frontdesk_address::email(email).is_none()) {
            return Err("The email is not an email address.".to_owned());
        }
        if cell(self.phone).is_some_and(|phone| phone_number(phone).is_none()) {
            return Err(
                "The phone is not a phone number with its country code, such as +44 20 7946 0018.".to_owned()
            );
        }
        if [self.email, self.phone, self.external_id].into_iter().all(|place| cell(place).is_none()) {
            return Err(refusal(ContactError::NoKey(ContactKey::Email)).unwrap_or_default());
        }
        let (kind, is_customer) = match cell(self.kind).map(str::to_lowercase).as_deref() {
            None => (None, false),
            Some("lead") => (Some(ContactKind::Lead), false),
            Some("subscriber") => (Some(ContactKind::Subscriber), false),
            Some("customer") => (None, true),
            Some(_) => return Err("The type must be lead, subscriber or customer.".to_owned()),
        };
        Ok(ImportedContact { update: ContactUpdate { kind, ..update }, is_customer })
    }
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

/// Reads a JSON array of labels, or labels with semicolons between them.
fn tags(cell: &str) -> Result<Vec<String>, String> {
    let tags: Vec<String> = if cell.starts_with('[') {
        let problem =
            "The tags must be a JSON array of texts, such as [\"vip\"], or be separated by semicolons.";
        serde_json::from_str(cell).map_err(|_| problem.to_owned())?
    } else {
        cell.split(';').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
    };
    if tags.len() > MAX_TAGS || tags.iter().any(|tag| tag.is_empty() || tag.chars().count() > MAX_TAG) {
        return Err(format!("The tags must be at most {MAX_TAGS} texts of 1 to {MAX_TAG} characters."));
    }
    Ok(tags)
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

/// Reads whether the person wants news and offers.
fn consent(cell: &str) -> Result<NewConsent, String> {
    let marketing = match cell.to_lowercase().as_str() {
        "true" | "yes" | "1" => true,
        "false" | "no" | "0" => false,
        _ => return Err("The marketing_consent must be true or false.".to_owned()),
    };
    Ok(NewConsent { marketing, at: None, source: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contacts(text: &str) -> Vec<Result<ImportedContact, String>> {
        let mut rows = csv::rows(text).into_iter();
        let columns = Columns::of(&rows.next().unwrap()).unwrap();
        rows.map(|row| columns.contact(&row.fields.unwrap())).collect()
    }

    #[test]
    fn columns_are_found_by_name_and_cells_are_checked() {
        let text = "Name;EMAIL;phone;type;custom;other\n\
            Ann;ann@a.example;'+44 20 7946 0018;customer;\"[\"\"a\"\",null]\";x\n\
            Bob;bob;;;;\nCleo;;020 7946 0018;;;\nDora;;;;;\nEve;e@a.example;;boss;;\nFay;f@a.example;;;{};\n";
        let read = contacts(text);
        let ann = read[0].clone().unwrap();
        assert_eq!(ann.update.phone, Some(Some("+44 20 7946 0018".to_owned())));
        assert_eq!((ann.is_customer, ann.update.custom), (true, Some(serde_json::json!(["a", null]))));
        for (read, expected) in read[1..].iter().zip([
            "The email is not an email address.",
            "The phone is not a phone number with its country code",
            "There is neither an email",
            "The type must be",
            "The custom must be a JSON array",
        ]) {
            let problem = read.as_ref().unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
        }
        let header = |text: &str| Columns::of(&csv::rows(text)[0]).unwrap_err();
        assert_eq!(header("name,company"), "There is no column `email`, `phone` or `external_id`.");
    }

    #[test]
    fn labels_further_fields_and_consent_are_read() {
        let read = contacts(
            "email,tags,custom_fields,marketing_consent\n\
             a@a.example,vip; wholesale,\"{\"\"Size\"\":\"\"L\"\"}\",yes\n\
             b@a.example,\"[\"\"a;b\"\"]\",,false\n\
             c@a.example,,[],\nd@a.example,,,maybe\n",
        );
        let first = read[0].clone().unwrap().update;
        assert_eq!(first.tags, Some(vec!["vip".to_owned(), "wholesale".to_owned()]));
        assert_eq!(first.custom_fields, Some(BTreeMap::from([("Size".to_owned(), "L".to_owned())])));
        assert_eq!(first.consent, Some(Some(NewConsent { marketing: true, at: None, source: None })));
        let second = read[1].clone().unwrap().update;
        assert_eq!((second.tags, second.custom_fields), (Some(vec!["a;b".to_owned()]), None));
        assert_eq!(second.consent.flatten().map(|consent| consent.marketing), Some(false));
        for (read, expected) in
            read[2..].iter().zip(["The custom_fields must be a JSON object", "The marketing_consent must be"])
        {
            let problem = read.as_ref().unwrap_err();
            assert!(problem.starts_with(expected), "{problem}");
        }
    }

    #[test]
    fn empty_cells_change_nothing() {
        let read = contacts("email,name,company\nann@a.example,,\n")[0].clone().unwrap();
        let email = Some(Some("ann@a.example".to_owned()));
        assert_eq!(read.update, ContactUpdate { email, ..ContactUpdate::default() });
    }
}
