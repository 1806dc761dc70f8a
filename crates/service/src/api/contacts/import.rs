//! `POST /api/v1/contacts/import`: contacts from a CSV file.

use std::sync::Arc;

use frontdesk_model::{
    ContactImport, ContactImportRequired, ImportContactsError, ImportOutcome, ImportedLine,
    ImportedLineRequired,
};
use frontdesk_runtime::Failure;
use frontdesk_server::ImportContacts;
use frontdesk_store::{ContactError, ImportedContact};

use super::columns::{Columns, NO_KEY};
use super::problems::{AccountGone, failure, field};
use crate::api::account::acting;
use crate::api::count;
use crate::api::csv;
use crate::edge::responses;
use crate::{api::Service, edge::Caller};

/// The most rows of a file, as the contract has it.
const MAX_ROWS: usize = 100_000;

/// Rows that are written in one transaction, so that messages of visitors do not wait for a large file.
const BATCH: usize = 200;

/// A row that can be used, or why it cannot.
type Read = (u32, Result<ImportedContact, String>);

pub(super) async fn import(
    service: &Service,
    request: ImportContacts<Caller>,
) -> Result<ContactImport, Failure<ImportContactsError>> {
    let ImportContacts { caller, account_id, body, .. } = request;
    let caller = acting(service, caller, account_id.map(Into::into)).await??;
    // Reading a large file takes a while.
    let file = tokio::task::spawn_blocking(move || read(&body)).await?;
    let File { columns, ignored_columns, rows } =
        file.map_err(|message| responses::validation_failed([failure("body", &message)]))?;
    let mut lines = Vec::with_capacity(rows.len());
    let mut rows = rows.into_iter();
    let columns = Arc::new(columns);
    while rows.len() > 0 {
        let batch: Vec<csv::Row> = rows.by_ref().take(BATCH).collect();
        let columns = columns.clone();
        let batch = tokio::task::spawn_blocking(move || contacts(&columns, batch)).await?;
        write(service, &caller, &batch, &mut lines).await?;
    }
    let number = |outcome: ImportOutcome| {
        count(lines.iter().filter(|line: &&ImportedLine| line.outcome == outcome).count() as u64)
    };
    let (created, updated) = (number(ImportOutcome::Created), number(ImportOutcome::Updated));
    let rejected = number(ImportOutcome::Rejected);
    Ok(ContactImport::new(ContactImportRequired { created, updated, rejected, lines, ignored_columns }))
}

/// A file that can be imported.
struct File {
    columns: Columns,
    ignored_columns: Vec<String>,
    rows: Vec<csv::Row>,
}

/// Splits a file into rows and finds its columns. The error says why none of it can be imported.
fn read(text: &str) -> Result<File, String> {
    let table = csv::table(text).and_then(|table| Ok((Columns::of(&table)?, table)));
    let (columns, table) = table.map_err(|problem| {
        format!("{problem} The first line must name the columns, such as email,name,phone")
    })?;
    let count = table.rows.len();
    if count > MAX_ROWS {
        return Err(format!("The file has {count} rows, and may have up to 100,000. Divide it."));
    }
    Ok(File { ignored_columns: columns.ignored(&table), columns, rows: table.rows })
}

/// Reads the contacts of some rows.
fn contacts(columns: &Columns, rows: Vec<csv::Row>) -> Vec<Read> {
    let contact = |row: csv::Row| (row.line, row.fields.and_then(|fields| columns.contact(&fields)));
    rows.into_iter().map(contact).collect()
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
            Ok((id, true)) => ImportedLine::new(ImportedLineRequired {
                line,
                outcome: ImportOutcome::Created,
                contact_id: Some(id.into()),
                message: None,
            }),
            Ok((id, false)) => ImportedLine::new(ImportedLineRequired {
                line,
                outcome: ImportOutcome::Updated,
                contact_id: Some(id.into()),
                message: None,
            }),
            Err(problem) => ImportedLine::new(ImportedLineRequired {
                line,
                outcome: ImportOutcome::Rejected,
                contact_id: None,
                message: Some(problem),
            }),
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
        ContactError::NoKey(_) => Ok(NO_KEY.to_owned()),
        ContactError::PlanLimit(reached) => Ok(responses::plan_limit_message(reached)),
        error @ ContactError::Store(_) => Err(error),
    }
}
