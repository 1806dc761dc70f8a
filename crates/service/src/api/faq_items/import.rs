//! `POST /api/v1/faqs/{faq_id}/import`: items from a CSV file.

use frontdesk_model::{FaqImport, ImportFaqItemsError, RejectedRow};
use frontdesk_runtime::{Failure, check};
use frontdesk_server::ImportFaqItems;
use frontdesk_store::{self as store, FaqItemContent, FaqItemStatus, ImportedItem, MAX_FAQ_ITEMS};

use super::{chunk, count, status_or_published};
use crate::answers;
use crate::api::csv::{self, Row};
use crate::api::filters::check_known;
use crate::authorization::resources::gone;
use crate::service::{Caller, Service};

/// The limits of an item in characters, as the contract has them for items that are written by hand.
const MAX_QUESTION: usize = 500;
const MAX_ANSWER: usize = 5000;
const MAX_URL: usize = 2048;

pub(super) async fn import(
    service: &Service,
    request: ImportFaqItems<Caller>,
) -> Result<FaqImport, Failure<ImportFaqItemsError>> {
    let ImportFaqItems { caller, faq_id, status, body, .. } = request;
    let mut rows = csv::rows(&body).into_iter();
    let columns = rows.next().map_or(Err("The file is empty."), |first| Columns::of(&first));
    let columns = columns.map_err(|problem| {
        let message = format!("{problem} The first line must name the columns: question,answer");
        answers::validation_failed([check::Failure { path: "body".to_owned(), message }])
    })?;
    let mut failures = Vec::new();
    check_known(
        "status",
        status.as_ref().map(frontdesk_model::FaqItemStatus::as_str),
        frontdesk_model::FaqItemStatus::KNOWN,
        &mut failures,
    );
    if !failures.is_empty() {
        return Err(answers::validation_failed(failures).into());
    }
    let status = status_or_published(status.as_ref());
    let (mut lines, mut items, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    for row in rows {
        match row.fields.map_err(str::to_owned).and_then(|fields| columns.item(&fields, status)) {
            Ok(item) => {
                lines.push(row.line);
                items.push(item);
            }
            Err(problem) => rejected.push((row.line, problem)),
        }
    }
    let imported =
        service.store.faq_items().import(&caller.scope, faq_id, &items, &chunk, service.now()).await?;
    let outcomes = imported.ok_or_else(gone::<store::Faq>)?;
    let mut created = Vec::new();
    for (line, outcome) in lines.into_iter().zip(outcomes) {
        match outcome {
            ImportedItem::Created(faq_item_id) => created.push(faq_item_id),
            ImportedItem::Duplicate => rejected.push((line, "The FAQ has this question already.".to_owned())),
            ImportedItem::Full => {
                rejected.push((line, format!("The FAQ has {MAX_FAQ_ITEMS} items already; use another FAQ.")));
            }
        }
    }
    rejected.sort_unstable();
    let rejected = rejected.into_iter().map(|(line, message)| RejectedRow::new(i64::from(line), message));
    Ok(FaqImport::new(count(created.len() as u64), created, rejected))
}

/// The places of the columns in each row.
#[derive(Debug, PartialEq, Eq)]
struct Columns {
    question: usize,
    answer: usize,
    url: Option<usize>,
}

impl Columns {
    fn of(first: &Row) -> Result<Self, &'static str> {
        let names = first.fields.as_ref().map_err(|problem| *problem)?;
        let place = |name: &str| names.iter().position(|found| found.eq_ignore_ascii_case(name));
        Ok(Self {
            question: place("question").ok_or("There is no column `question`.")?,
            answer: place("answer").ok_or("There is no column `answer`.")?,
            url: place("url"),
        })
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
        let mut rows = csv::rows(text).into_iter();
        let columns = Columns::of(&rows.next().unwrap()).unwrap();
        rows.map(|row| {
            let item = columns.item(&row.fields.unwrap(), FaqItemStatus::Draft)?;
            Ok((item.question, item.answer))
        })
        .collect()
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
        let header = |text: &str| Columns::of(&csv::rows(text)[0]).unwrap_err();
        assert_eq!(header("question,reply"), "There is no column `answer`.");
        assert_eq!(header("Do you deliver?,Yes."), "There is no column `question`.");
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
