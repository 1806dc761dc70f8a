//! Chunks: the passages a chatbot answers from.

use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::any::AnyArguments;
use sqlx::query::Query;
use sqlx::{Any, AnyConnection};
use uuid::Uuid;

use crate::content::chunk::{ChunkOwner, NewChunk, SourceType};
use crate::content::kept_vectors::KeptVectors;
use crate::sql::chatbot_lock::ChatbotKey;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::index_tokens;
use crate::sql::json_rows::{self, json_rows};
use crate::sql::nul::replace_nul;
use crate::sql::row::{id_list, new_id, rows_of_ids};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

record! {
    /// A stored passage.
    #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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
        #[serde(deserialize_with = "json_rows::parsed")]
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
        /// Analyzed words of the title, in order, with single spaces between them.
        pub terms_title: String,
        /// Analyzed words of the headings, in the same way.
        pub terms_headings: String,
        /// Analyzed words of the passage, in the same way.
        pub terms_body: String,
    }
}

/// Replaces the chunks of a source, index entries included, below a chatbot whose row the transaction has
/// locked exclusively. Chunks with the same content as earlier ones get their vectors.
pub(crate) async fn replace(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    owner: ChunkOwner,
    chunks: &[NewChunk],
) -> Result<(), StoreError> {
    let kept = match chunks {
        [] => KeptVectors::default(),
        _ => KeptVectors::of(connection, key, owner).await?,
    };
    remove(connection, key, owner).await?;
    let ids = insert(connection, dialect, key, owner, chunks).await?;
    kept.give(connection, chunks, &ids).await
}

/// Deletes the chunks of a source in one chatbot, index entries included.
pub(crate) async fn remove(
    connection: &mut AnyConnection,
    key: &ChatbotKey,
    owner: ChunkOwner,
) -> Result<(), StoreError> {
    sqlx::query(match owner {
        ChunkOwner::Webpage(_) => "DELETE FROM chunks WHERE webpage_id = $1 AND chatbot_id = $2",
        ChunkOwner::TextSnippet(_) => "DELETE FROM chunks WHERE text_snippet_id = $1 AND chatbot_id = $2",
        ChunkOwner::FaqItem(_) => "DELETE FROM chunks WHERE faq_item_id = $1 AND chatbot_id = $2",
        ChunkOwner::File(_) => "DELETE FROM chunks WHERE file_id = $1 AND chatbot_id = $2",
    })
    .bind(owner.id())
    .bind(&key.chatbot_id)
    .execute(connection)
    .await?;
    Ok(())
}

/// Inserts the chunks of a source that has none, as [`replace`] does, and returns their ids.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    dialect: Dialect,
    key: &ChatbotKey,
    owner: ChunkOwner,
    chunks: &[NewChunk],
) -> Result<Vec<String>, StoreError> {
    if chunks.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<String> = chunks.iter().map(|_| new_id().to_string()).collect();
    let mut rows: Vec<Value> = chunks
        .iter()
        .zip(&ids)
        .enumerate()
        .map(|(position, (chunk, id))| row(key, id, position, chunk))
        .collect();
    let statement = match dialect {
        Dialect::Postgres => insert_rows(INSERT_WITH_TOKENS, key, owner, rows),
        Dialect::Sqlite => {
            // Each of the two statements reads the whole of its list, so neither gets what the other one
            // needs.
            let tokens: Vec<Value> = rows
                .iter_mut()
                .map(|row| json!({ "chunk_id": row["chunk_id"].clone(), "tokens": row["tokens"].take() }))
                .collect();
            insert_rows(INSERT_AND_INDEX, key, owner, rows).bind(Value::Array(tokens).to_string())
        }
    };
    statement.execute(connection).await?;
    Ok(ids)
}

/// A statement that inserts the chunks of a source, with what it binds.
fn insert_rows(
    sql: &'static str,
    key: &ChatbotKey,
    owner: ChunkOwner,
    rows: Vec<Value>,
) -> Query<'static, Any, AnyArguments> {
    sqlx::query(sql)
        .bind(Value::Array(rows).to_string())
        .bind(key.account_id.clone())
        .bind(key.chatbot_id.clone())
        .bind(owner.webpage_id())
        .bind(owner.text_snippet_id())
        .bind(owner.faq_item_id())
        .bind(owner.file_id())
}

/// The columns of a chunk that differ between those of a source, each in the form of a macro that takes its
/// name and its type.
macro_rules! own_columns {
    ($each:ident) => {
        joined!(
            $each!("chunk_id", "TEXT"),
            $each!("source_type", "TEXT"),
            $each!("position", "BIGINT"),
            $each!("title", "TEXT"),
            $each!("headings", "TEXT"),
            $each!("body", "TEXT"),
            $each!("url", "TEXT"),
            $each!("language", "TEXT"),
            $each!("terms_title", "TEXT"),
            $each!("terms_headings", "TEXT"),
            $each!("terms_body", "TEXT"),
            $each!("length_title", "BIGINT"),
            $each!("length_headings", "BIGINT"),
            $each!("length_body", "BIGINT")
        )
    };
}
macro_rules! name {
    ($name:literal, $type:literal) => {
        $name
    };
}
macro_rules! json_member {
    ($name:literal, $type:literal) => {
        concat!("q.value ->> '", $name, "'")
    };
}
macro_rules! json_column {
    ($name:literal, $type:literal) => {
        concat!("q.", $name)
    };
}
macro_rules! typed {
    ($name:literal, $type:literal) => {
        concat!($name, " ", $type)
    };
}

/// The columns that all chunks of a source share, which are bound as `$2` to `$7`.
macro_rules! shared_columns {
    () => {
        "account_id, chatbot_id, webpage_id, text_snippet_id, faq_item_id, file_id"
    };
}

// All chunks of a source are inserted at once, from a JSON list: a statement for each of them would take
// longer than the rest. SQLite takes members out of an object in binary form, where `json_each` would write
// each object as text, to be parsed again. Its driver runs both statements in one exchange with its thread,
// which takes longer than a short statement.
const INSERT_AND_INDEX: &str = concat!(
    "INSERT INTO chunks (",
    shared_columns!(),
    ", ",
    own_columns!(name),
    ") SELECT $2, $3, $4, $5, $6, $7, ",
    own_columns!(json_member),
    " FROM jsonb_each($1) AS q ORDER BY q.key; \
     INSERT INTO chunk_index (rowid, tokens) SELECT c.chunk_no, q.value ->> 'tokens' \
     FROM jsonb_each($8) AS q CROSS JOIN chunks AS c WHERE c.chunk_id = q.value ->> 'chunk_id' ORDER BY q.key"
);
const INSERT_WITH_TOKENS: &str = concat!(
    "INSERT INTO chunks (",
    shared_columns!(),
    ", ",
    own_columns!(name),
    ", tokens) SELECT $2, $3, $4, $5, $6, $7, ",
    own_columns!(json_column),
    ", array_to_tsvector(string_to_array(q.tokens, ' ')) FROM json_to_recordset(CAST($1 AS json)) AS q (",
    own_columns!(typed),
    ", tokens TEXT) ORDER BY q.position"
);

/// Returns a chunk as an object with a member for each column of its own, and with its tokens.
fn row(key: &ChatbotKey, id: &str, position: usize, chunk: &NewChunk) -> Value {
    let fields =
        [&chunk.terms_title, &chunk.terms_headings, &chunk.terms_body].map(|terms| words_and_count(terms));
    let tokens = index_tokens::tokens(key.chatbot_no, fields.iter().map(|(terms, _)| terms.as_str()));
    let [(terms_title, length_title), (terms_headings, length_headings), (terms_body, length_body)] = fields;
    json!({
        "chunk_id": id,
        "source_type": chunk.source_type.as_str(),
        "position": position,
        "title": replace_nul(&chunk.title),
        "headings": replace_nul(&chunk.headings),
        "body": replace_nul(&chunk.text),
        "url": replace_nul(&chunk.url),
        "language": chunk.language.as_deref().map(replace_nul),
        "terms_title": terms_title,
        "terms_headings": terms_headings,
        "terms_body": terms_body,
        "length_title": length_title,
        "length_headings": length_headings,
        "length_body": length_body,
        "tokens": tokens,
    })
}

/// Words as one text with single spaces, and how many there are.
fn words_and_count(terms: &str) -> (String, i64) {
    let terms = replace_nul(terms);
    let mut text = String::with_capacity(terms.len());
    let mut count = 0;
    for word in terms.split_whitespace() {
        if count > 0 {
            text.push(' ');
        }
        text.push_str(word);
        count += 1;
    }
    (text, count)
}

group! {
    /// Chunks: the passages that chatbots answer from.
    pub Chunks, chunks
}

impl Chunks<'_> {
    /// Returns chunks of a chatbot by their ids, in no particular order.
    ///
    /// A chunk never changes: a source that does gets other chunks.
    pub async fn by_ids(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        chunk_ids: &[Uuid],
    ) -> Result<Vec<ChunkRecord>, StoreError> {
        let dialect = self.store.dialect();
        let sql = dialect.pick(
            concat!(
                "SELECT ",
                json_rows!(chunk_columns!(expressions)),
                // The order of the join is named, because SQLite would otherwise read all chunks of the
                // chatbot to find a few.
                " FROM json_each($4) AS q CROSS JOIN chunks AS c ON c.chunk_id = q.value WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3"
            ),
            concat!(
                "SELECT ",
                chunk_columns!(),
                " FROM ",
                rows_of_ids!("chunks", "chunk_id", "$4"),
                " AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3"
            ),
        );
        let found = scoped(sql, scope).bind(chatbot_id.to_string()).bind(id_list(chunk_ids));
        Ok(json_rows::all_records(dialect, &found.fetch_all(self.store.reader()).await?)?)
    }

    /// The chunks of a file in their order.
    pub async fn of_file(self, scope: &Scope, file_id: Uuid) -> Result<Vec<ChunkRecord>, StoreError> {
        let all = scoped_as(
            concat!(
                "SELECT ",
                chunk_columns!(),
                " FROM chunks AS c WHERE ",
                in_scope!("c."),
                " AND c.file_id = $3 ORDER BY c.position"
            ),
            scope,
        )
        .bind(file_id.to_string());
        Ok(all.fetch_all(self.store.reader()).await?)
    }

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
        assert_eq!(words_and_count("a b  c \u{3000} d\0"), ("a b c d\u{fffd}".into(), 4));
        assert_eq!(words_and_count(""), (String::new(), 0));
    }
}
