//! `POST /api/v1/faqs/{faq_id}/import`: items from a CSV file.

use frontdesk_model::{FaqImport, FaqImportRequired, ImportFaqItemsError, RejectedRow};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::ImportFaqItems;
use frontdesk_store::{self as store, FaqItemContent, FaqItemStatus, ImportedItem, MAX_FAQ_ITEMS};

use super::{chunk, count, status_or_published};
use crate::api::csv::{self, Table};
use crate::api::filters::check_known;
use crate::edge::authorization::resources::gone;
use crate::edge::responses;
use crate::{
    api::{Service, converted_ids},
    edge::Caller,
};

/// The limits of an item in characters, as the contract has them for items that are written by hand.
const MAX_QUESTION: usize = 500;
const MAX_ANSWER: usize = 5000;
const MAX_URL: usize = 2048;

pub(super) async fn import(
    service: &Service,
    request: ImportFaqItems<Caller>,
) -> Result<FaqImport, Failure<ImportFaqItemsError>> {
    let ImportFaqItems { caller, faq_id, status, body, .. } = request;
    let mut failures = Vec::new();
    check_known(
        "status",
        status.as_ref().map(frontdesk_model::FaqItemStatus::as_str),
        frontdesk_model::FaqItemStatus::KNOWN,
        &mut failures,
    );
    if !failures.is_empty() {
        return Err(responses::validation_failed(failures).into());
    }
    let status = status_or_published(status.as_ref());
    // Reading a large file takes a while.
    let file = tokio::task::spawn_blocking(move || read(&body, status)).await?;
    let File { lines, items, mut rejected, ignored_columns } = file.map_err(|message| {
        responses::validation_failed([check::Failure { path: "body".to_owned(), message }])
    })?;
    let imported =
        service.store.faq_items().import(&caller.scope, faq_id.uuid(), &items, &chunk, service.now()).await?;
    let outcomes = imported.ok_or_else(gone::<store::Faq>)?;
    let mut created = Vec::new();
    for (line, outcome) in lines.into_iter().zip(outcomes) {
        match outcome {
            ImportedItem::PlanLimit(reached) => rejected.push((line, responses::plan_limit_message(reached))),
            ImportedItem::Created(faq_item_id) => created.push(faq_item_id),
            ImportedItem::Duplicate => rejected.push((line, "The FAQ has this question already.".to_owned())),
            ImportedItem::Full => {
                rejected.push((line, format!("The FAQ has {MAX_FAQ_ITEMS} items already; use another FAQ.")));
            }
        }
    }
    rejected.sort_unstable();
    let rejected =
        rejected.into_iter().map(|(line, message)| RejectedRow::new(i64::from(line), message)).collect();
    Ok(FaqImport::new(FaqImportRequired {
        created: count(created.len() as u64),
        faq_item_ids: converted_ids(created),
        rejected,
        ignored_columns,
    }))
}

/// What a file contains.
struct File {
    /// The lines of the items.
    lines: Vec<u32>,
    items: Vec<FaqItemContent>,
    /// The lines that cannot be items, and why.
    rejected: Vec<(u32, String)>,
    ignored_columns: Vec<String>,
}

/// Reads a file. The error says why none of it can be imported.
fn read(text: &str, status: FaqItemStatus) -> Result<File, String> {
    let table = csv::table(text).and_then(|table| Ok((Columns::of(&table)?, table)));
    let (columns, table) = table
        .map_err(|problem| format!("{problem} The first line must name the columns: question,answer"))?;
    let ignored_columns = columns.ignored(&table);
    let (mut lines, mut items, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    for row in table.rows {
        match row.fields.and_then(|fields| columns.item(&fields, status)) {
            Ok(item) => {
                lines.push(row.line);
                items.push(item);
            }
            Err(problem) => rejected.push((row.line, problem)),
        }
    }
    Ok(File { lines, items, rejected, ignored_columns })
}

/// The places of the columns in each row.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    question: usize,
    answer: usize,
    url: Option<usize>,
}

impl Columns {
    fn of(table: &Table) -> Result<Self, String> {
        let required =
            |name: &str| table.column(name)?.ok_or_else(|| format!("There is no column `{name}`."));
        Ok(Self { question: required("question")?, answer: required("answer")?, url: table.column("url")? })
    }

    /// Returns the names of the columns that are not read.
    fn ignored(&self, table: &Table) -> Vec<String> {
        table.columns_beside(&[self.question, self.answer].into_iter().chain(self.url).collect())
    }

    /// Returns the item of a row, or why it cannot be one.
    fn item(&self, fields: &[String], status: FaqItemStatus) -> Result<FaqItemContent, String> {
        let field = |place: usize| fields.get(place).map(String::as_str).unwrap_or_default();
        let text = |place: usize, name: &str, longest: usize| -> Result<String, String> {
            let (text, length) = (field(place), field(place).chars().count());
            match length {
                0 => Err(format!("The {name} is empty.")),
                _ if length > longest => {
                    Err(format!("The {name} must have at most {longest} characters (has {length})."))
                }
                _ => Ok(text.to_owned()),
            }
        };
        let written = self.url.map(field).filter(|url| !url.is_empty());
        let url =
            written.filter(|url| url.chars().count() <= MAX_URL).and_then(frontdesk_address::web_address);
        if written.is_some() && url.is_none() {
            return Err("The url is not a web address with http or https.".to_owned());
        }
        Ok(FaqItemContent {
            question: text(self.question, "question", MAX_QUESTION)?,
            alternative_questions: Vec::new(),
            answer: text(self.answer, "answer", MAX_ANSWER)?,
            url,
            status,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(text: &str) -> Vec<Result<(String, String), String>> {
        let table = csv::table(text).unwrap();
        let columns = Columns::of(&table).unwrap();
        let item = |row: csv::Row| {
            let item = columns.item(&row.fields?, FaqItemStatus::Draft)?;
            Ok((item.question, item.answer))
        };
        table.rows.into_iter().map(item).collect()
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = "id;Answer;QUESTION;url\n1;a;q;https://a.example/\n2;a;q;ftp://a.example/\n";
        assert_eq!(
            items(text),
            [
                Ok(("q".to_owned(), "a".to_owned())),
                Err("The url is not a web address with http or https.".to_owned())
            ]
        );
        let table = csv::table(text).unwrap();
        assert_eq!(Columns::of(&table).unwrap().ignored(&table), ["id"]);
        let header = |text: &str| Columns::of(&csv::table(text).unwrap()).unwrap_err();
        assert_eq!(header("question,reply"), "There is no column `answer`.");
        assert_eq!(header("Do you deliver?,Yes."), "There is no column `question`.");
        assert_eq!(header("question,answer,Answer"), "There are several columns `answer`.");
    }

    #[test]
    fn an_answer_with_a_comma_needs_quotes() {
        let text = "question,answer\nDo you deliver?,Yes, to every country\nAnd to me?,\"Yes, to you\",\n";
        let read = items(text);
        let problem = read[0].as_ref().unwrap_err();
        assert!(
            problem.starts_with("The line has 3 fields, but the first line names 2 columns."),
            "{problem}"
        );
        assert!(problem.contains("a comma in quotes"), "{problem}");
        assert_eq!(read[1], Ok(("And to me?".to_owned(), "Yes, to you".to_owned())));
    }

    #[test]
    fn texts_have_the_limits_of_the_contract() {
        let long = "x".repeat(MAX_QUESTION + 1);
        let text = format!("question,answer\n,a\nq\n{long},a\n");
        assert_eq!(
            items(&text),
            [
                Err("The question is empty.".to_owned()),
                Err("The answer is empty.".to_owned()),
                Err("The question must have at most 500 characters (has 501).".to_owned())
            ]
        );
    }
}
