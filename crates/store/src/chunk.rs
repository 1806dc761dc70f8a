//! Chunks: the passages a chatbot answers from.

use sqlx::any::AnyRow;
use sqlx::{AnyConnection, FromRow};
use uuid::Uuid;

use crate::chatbot::ChatbotKey;
use crate::database::Dialect;
use crate::row::{Columns, new_id, portable, portable_opt, stored};
use crate::scope::{in_scope, scoped_as};
use crate::{Scope, Store, StoreError, search};

named_values! {
    /// What a chunk was made from.
    pub enum SourceType as "source type" {
        /// A page of a site.
        Webpage = "webpage",
        /// An uploaded file.
        File = "file",
        /// A text written for the chatbot.
        TextSnippet = "text_snippet",
        /// A question with its answer.
        Faq = "faq",
    }
}

/// A passage to be stored. The analysed words are kept in their order, so that a ranking can use nearness.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewChunk {
    /// What it was made from.
    pub source_type: SourceType,
    /// Title of the page.
    pub title: String,
    /// The headings above the passage.
    pub headings: String,
    /// The passage as it is shown and cited.
    pub text: String,
    /// Where it is cited from.
    pub url: String,
    /// Language code.
    pub language: Option<String>,
    /// Analysed words of the title. White space inside a word separates it in two.
    pub terms_title: Vec<String>,
    /// Analysed words of the headings.
    pub terms_headings: Vec<String>,
    /// Analysed words of the passage.
    pub terms_body: Vec<String>,
}

/// A stored passage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRecord {
    /// Identifier.
    pub chunk_id: Uuid,
    /// The chatbot that answers from it.
    pub chatbot_id: Uuid,
    /// The page it was made from, if it was made from a page.
    pub webpage_id: Option<Uuid>,
    /// Its place in the page, from 0.
    pub position: u32,
    /// What it was made from.
    pub source_type: SourceType,
    /// Title of the page.
    pub title: String,
    /// The headings above the passage.
    pub headings: String,
    /// The passage as it is shown and cited.
    pub text: String,
    /// Where it is cited from.
    pub url: String,
    /// Language code.
    pub language: Option<String>,
    /// Analysed words of the title, in order.
    pub terms_title: Vec<String>,
    /// Analysed words of the headings, in order.
    pub terms_headings: Vec<String>,
    /// Analysed words of the passage, in order.
    pub terms_body: Vec<String>,
}

/// The columns of [`ChunkRecord`], from `chunks AS c`.
macro_rules! chunk_columns {
    () => {
        "c.chunk_id, c.chatbot_id, c.webpage_id, c.position, c.source_type, c.title, c.headings, c.body, c.url, \
         c.language, c.terms_title, c.terms_headings, c.terms_body"
    };
}
pub(crate) use chunk_columns;

impl FromRow<'_, AnyRow> for ChunkRecord {
    fn from_row(row: &AnyRow) -> sqlx::Result<Self> {
        let terms = |column: &str| -> sqlx::Result<Vec<String>> {
            Ok(row.text(column)?.split_ascii_whitespace().map(str::to_owned).collect())
        };
        Ok(Self {
            chunk_id: row.parsed("chunk_id")?,
            chatbot_id: row.parsed("chatbot_id")?,
            webpage_id: row.uuid_opt("webpage_id")?,
            position: row.number("position")?,
            source_type: row.parsed("source_type")?,
            title: row.text("title")?,
            headings: row.text("headings")?,
            text: row.text("body")?,
            url: row.text("url")?,
            language: row.text_opt("language")?,
            terms_title: terms("terms_title")?,
            terms_headings: terms("terms_headings")?,
            terms_body: terms("terms_body")?,
        })
    }
}

/// Replaces the chunks of a page, index entries included, below a chatbot that the transaction holds exclusively.
pub(crate) async fn replace(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    webpage_id: Uuid,
    chunks: &[NewChunk],
) -> Result<(), StoreError> {
    sqlx::query("DELETE FROM chunks WHERE webpage_id = $1")
        .bind(webpage_id.to_string())
        .execute(&mut *connection)
        .await?;
    for (position, chunk) in chunks.iter().enumerate() {
        insert(&mut *connection, dialect, key, webpage_id, position, chunk).await?;
    }
    Ok(())
}

async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    webpage_id: Uuid,
    position: usize,
    chunk: &NewChunk,
) -> Result<(), StoreError> {
    let fields = [&chunk.terms_title, &chunk.terms_headings, &chunk.terms_body].map(|terms| joined(terms));
    let tokens = search::tokens(key.chatbot_no, fields.iter().map(|(terms, _)| terms.as_str()));
    let [(title, title_length), (headings, headings_length), (body, body_length)] = fields;
    let sql = dialect.pick(
        "INSERT INTO chunks (chunk_id, account_id, chatbot_id, webpage_id, source_type, position, title, \
         headings, body, url, language, terms_title, terms_headings, terms_body, length_title, \
         length_headings, length_body) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17) \
         RETURNING chunk_no",
        "INSERT INTO chunks (chunk_id, account_id, chatbot_id, webpage_id, source_type, position, title, \
         headings, body, url, language, terms_title, terms_headings, terms_body, length_title, \
         length_headings, length_body, tokens) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, \
         array_to_tsvector(string_to_array($18, ' '))) RETURNING chunk_no",
    );
    let statement = sqlx::query(sql)
        .bind(new_id().to_string())
        .bind(&key.account_id)
        .bind(&key.chatbot_id)
        .bind(webpage_id.to_string())
        .bind(chunk.source_type.as_str())
        .bind(stored(position))
        .bind(portable(&chunk.title))
        .bind(portable(&chunk.headings))
        .bind(portable(&chunk.text))
        .bind(portable(&chunk.url))
        .bind(portable_opt(chunk.language.as_deref()))
        .bind(title)
        .bind(headings)
        .bind(body)
        .bind(title_length)
        .bind(headings_length)
        .bind(body_length);
    if dialect == Dialect::Postgres {
        statement.bind(tokens).execute(connection).await?;
        return Ok(());
    }
    let chunk_no = statement.fetch_one(&mut *connection).await?.int("chunk_no")?;
    sqlx::query("INSERT INTO chunk_index (rowid, tokens) VALUES ($1, $2)")
        .bind(chunk_no)
        .bind(tokens)
        .execute(connection)
        .await?;
    Ok(())
}

/// Words as one text with single spaces, and how many there are.
fn joined(terms: &[String]) -> (String, i64) {
    let mut text = String::new();
    let mut count = 0;
    for word in terms.iter().flat_map(|term| term.split_whitespace()) {
        if count > 0 {
            text.push(' ');
        }
        text.push_str(&portable(word));
        count += 1;
    }
    (text, count)
}

impl Store {
    /// The chunks of a page in their order.
    pub async fn page_chunks(&self, scope: &Scope, webpage_id: Uuid) -> Result<Vec<ChunkRecord>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                chunk_columns!(),
                " FROM chunks AS c WHERE ",
                in_scope!("c."),
                " AND c.webpage_id = $3 ORDER BY c.position"
            ),
            scope,
        )
        .bind(webpage_id.to_string());
        Ok(all.fetch_all(self.reader()).await?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_by_single_spaces() {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(joined(&words(&["a", "b c", "", "\u{3000}", "d\0"])), ("a b c d\u{fffd}".into(), 4));
        assert_eq!(joined(&[]), (String::new(), 0));
    }
}
