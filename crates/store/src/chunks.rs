//! Chunks: the passages a chatbot answers from.

use sqlx::AnyConnection;
use uuid::Uuid;

use crate::chatbot_lock::ChatbotKey;
use crate::dialect::Dialect;
use crate::nul::replace_nul;
use crate::row::{Columns, new_id, stored};
use crate::scope::{in_scope, scoped_as};
use crate::{Scope, StoreError, index_tokens};

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

record! {
    /// A stored passage.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ChunkRecord, columns chunk_columns of "c." {
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
        pub text: String = "c.body",
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
}

pub(crate) use chunk_columns as columns;

/// The source that chunks belong to, and with which they are deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ChunkOwner {
    Webpage(Uuid),
    TextSnippet(Uuid),
    /// Has chunks in several chatbots.
    FaqItem(Uuid),
    File(Uuid),
}

impl ChunkOwner {
    fn webpage_id(self) -> Option<String> {
        if let Self::Webpage(id) = self { Some(id.to_string()) } else { None }
    }

    fn text_snippet_id(self) -> Option<String> {
        if let Self::TextSnippet(id) = self { Some(id.to_string()) } else { None }
    }

    fn faq_item_id(self) -> Option<String> {
        if let Self::FaqItem(id) = self { Some(id.to_string()) } else { None }
    }

    fn file_id(self) -> Option<String> {
        if let Self::File(id) = self { Some(id.to_string()) } else { None }
    }
}

/// Replaces the chunks of a source, index entries included, below a chatbot whose row the transaction has locked exclusively.
pub(crate) async fn replace(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    owner: ChunkOwner,
    chunks: &[NewChunk],
) -> Result<(), StoreError> {
    sqlx::query(match owner {
        ChunkOwner::Webpage(_) => "DELETE FROM chunks WHERE webpage_id = $1 AND chatbot_id = $2",
        ChunkOwner::TextSnippet(_) => "DELETE FROM chunks WHERE text_snippet_id = $1 AND chatbot_id = $2",
        ChunkOwner::FaqItem(_) => "DELETE FROM chunks WHERE faq_item_id = $1 AND chatbot_id = $2",
        ChunkOwner::File(_) => "DELETE FROM chunks WHERE file_id = $1 AND chatbot_id = $2",
    })
    .bind(owner.webpage_id().or(owner.text_snippet_id()).or(owner.faq_item_id()).or(owner.file_id()))
    .bind(&key.chatbot_id)
    .execute(&mut *connection)
    .await?;
    for (position, chunk) in chunks.iter().enumerate() {
        insert(&mut *connection, dialect, key, owner, position, chunk).await?;
    }
    Ok(())
}

async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    owner: ChunkOwner,
    position: usize,
    chunk: &NewChunk,
) -> Result<(), StoreError> {
    let fields = [&chunk.terms_title, &chunk.terms_headings, &chunk.terms_body].map(|terms| joined(terms));
    let tokens = index_tokens::tokens(key.chatbot_no, fields.iter().map(|(terms, _)| terms.as_str()));
    let [(title, title_length), (headings, headings_length), (body, body_length)] = fields;
    let sql = dialect.pick(
        "INSERT INTO chunks (chunk_id, account_id, chatbot_id, webpage_id, source_type, position, title, \
         headings, body, url, language, terms_title, terms_headings, terms_body, length_title, \
         length_headings, length_body, text_snippet_id, faq_item_id, file_id) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20) \
         RETURNING chunk_no",
        "INSERT INTO chunks (chunk_id, account_id, chatbot_id, webpage_id, source_type, position, title, \
         headings, body, url, language, terms_title, terms_headings, terms_body, length_title, \
         length_headings, length_body, text_snippet_id, faq_item_id, file_id, tokens) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, \
         array_to_tsvector(string_to_array($21, ' '))) RETURNING chunk_no",
    );
    let statement = sqlx::query(sql)
        .bind(new_id().to_string())
        .bind(&key.account_id)
        .bind(&key.chatbot_id)
        .bind(owner.webpage_id())
        .bind(chunk.source_type.as_str())
        .bind(stored(position))
        .bind(replace_nul(&chunk.title))
        .bind(replace_nul(&chunk.headings))
        .bind(replace_nul(&chunk.text))
        .bind(replace_nul(&chunk.url))
        .bind(chunk.language.as_deref().map(replace_nul))
        .bind(title)
        .bind(headings)
        .bind(body)
        .bind(title_length)
        .bind(headings_length)
        .bind(body_length)
        .bind(owner.text_snippet_id())
        .bind(owner.faq_item_id())
        .bind(owner.file_id());
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
        text.push_str(&replace_nul(word));
        count += 1;
    }
    (text, count)
}

group! {
    /// Chunks: the passages that chatbots answer from.
    pub Chunks, chunks
}

impl Chunks<'_> {
    /// The chunks of a page in their order.
    pub async fn of_page(self, scope: &Scope, webpage_id: Uuid) -> Result<Vec<ChunkRecord>, StoreError> {
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
        Ok(all.fetch_all(self.store.reader()).await?)
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
