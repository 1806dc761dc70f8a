//! The full-text index: which chunks of a chatbot contain which words.
//!
//! An index entry is a token made of the chatbot's number and the word, `42zzinvoic`. A query names such
//! tokens, so it never reads the entries of another chatbot, and the index answers how many chunks of this
//! chatbot contain a word without counting those of others. Tokens hold ASCII letters and digits only,
//! whatever the words hold, so no text of a user is ever read as query syntax.
//!
//! The index finds candidates; their final ranking is not the store's task. Where there are more candidates
//! than asked for, those are preferred that contain more and rarer words, by the same sum of whole numbers on
//! both databases. A query of common words is cut short: see `worth_seeking`.

use std::collections::BTreeSet;

use futures_util::TryStreamExt;
use serde::Deserialize;
use serde_json::json;
use sqlx::Any;
use sqlx::any::{AnyArguments, AnyRow};
use sqlx::query::Query;
use uuid::Uuid;

use crate::sql::database;
use crate::sql::dialect::Dialect;
use crate::sql::error::StoreError;
use crate::sql::index_tokens::term;
use crate::sql::json_rows::{self, json_rows};
use crate::sql::record::Column;
use crate::sql::row::{Columns, id_list, rows_of_ids};
use crate::sql::scope::{Scope, in_scope, scoped};

/// Distinct words of a query that count; the first ones do.
const MAX_QUERY_WORDS: usize = 64;
/// Index entries that are read for a query, unless its rarest words alone have more.
const MAX_HITS: u64 = 10_000;

/// The condition that a chunk `c` of the chatbot `$3` is not of a page that is switched off.
macro_rules! switched_on {
    () => {
        "COALESCE(c.webpage_id, '') NOT IN (SELECT p.webpage_id FROM webpages AS p \
         WHERE p.chatbot_id = $3 AND p.enabled = 0)"
    };
}

/// The condition that a chunk `c` of the chatbot `$3` may be found: its source is switched on and has one of
/// the tags in the JSON list `$5`, which the argument selects. An empty list means any source.
macro_rules! searchable {
    ($tags:literal) => {
        concat!(
            $crate::content::search::switched_on!(),
            " AND ($5 = '[]' OR COALESCE(c.webpage_id, c.text_snippet_id, c.file_id, \
             (SELECT item.faq_id FROM faq_items AS item WHERE item.faq_item_id = c.faq_item_id)) IN \
             (SELECT bound.source_id FROM source_tags AS bound WHERE bound.tag_id IN (",
            $tags,
            ")))"
        )
    };
}
pub(crate) use {searchable, switched_on};

/// Size of what a chatbot can be searched for, as a ranking needs it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CorpusStats {
    /// Chunks.
    pub chunks: u64,
    /// Words of a title, on average.
    pub average_title: f64,
    /// Words of the headings of a chunk, on average.
    pub average_headings: f64,
    /// Words of a passage, on average.
    pub average_body: f64,
}

impl CorpusStats {
    /// Returns the sizes of this number of chunks, whose titles, headings and passages have these numbers of
    /// words altogether.
    pub fn new(chunks: u64, title: u64, headings: u64, body: u64) -> Self {
        let [average_title, average_headings, average_body] =
            [title, headings, body].map(|words| mean(words, chunks));
        Self { chunks, average_title, average_headings, average_body }
    }
}

/// A word of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryWord {
    /// The analyzed word.
    pub text: String,
    /// How many chunks of the chatbot contain it, from [`Search::document_frequencies`].
    pub chunks: u64,
}

impl QueryWord {
    /// Returns those of the words of a question by which at most `limit` candidates are chosen among `chunks`
    /// chunks, and what each is worth. Words that no chunk has are left out, and so are common ones if the
    /// rarer ones find enough; not with `all_known`.
    pub fn sought(words: &[Self], chunks: u64, limit: u32, all_known: bool) -> Vec<(&str, i64)> {
        let mut seen = BTreeSet::new();
        let known: Vec<(&str, u64)> = words
            .iter()
            .map(|word| (word.text.as_str(), word.chunks))
            .filter(|(word, chunks)| *chunks > 0 && !word.is_empty() && seen.insert(*word))
            .take(MAX_QUERY_WORDS)
            .collect();
        let sought = if all_known { known } else { worth_seeking(known, limit) };
        sought.into_iter().map(|(word, frequency)| (word, weight(chunks, frequency))).collect()
    }
}

/// What a word is worth when candidates are chosen: the more, the fewer chunks contain it. At least 1, and at
/// most 23 million.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the logarithm of at most 2^32 is small, and whole numbers add up alike on both databases"
)]
fn weight(chunks: u64, frequency: u64) -> i64 {
    let [chunks, frequency] =
        [chunks, frequency].map(|count| f64::from(u32::try_from(count).unwrap_or(u32::MAX)));
    let rarity = (1.0 + (chunks - frequency + 0.5).max(0.0) / (frequency + 0.5)).ln();
    ((rarity * 1_000_000.0) as i64).max(1)
}

/// What a chatbot can be searched for. While it stays the same, so do the chunks: a chunk never changes, and
/// a later one has a higher number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentVersion {
    /// How many chunks there are.
    pub chunks: u64,
    /// The number of the last one; 0 without any.
    pub last: i64,
    /// The pages that are switched off. Their chunks are counted, but not found.
    pub switched_off: Vec<Uuid>,
}

record! {
    /// A chunk as an index of a single chatbot needs it.
    #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
    pub struct IndexedChunk, columns indexed_chunk_columns {
        /// Its number.
        pub chunk_no: i64,
        /// Identifier.
        pub chunk_id: Uuid,
        /// The page it was made from, if it was made from a page.
        pub webpage_id: Option<Uuid>,
        /// Language code.
        pub language: Option<String>,
        /// Words of the title.
        pub length_title: u64,
        /// Words of the headings.
        pub length_headings: u64,
        /// Words of the passage.
        pub length_body: u64,
        /// The words of all its fields, with single spaces between them.
        pub words: String = "terms_title || ' ' || terms_headings || ' ' || terms_body",
    }
}

/// The words of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkWords {
    /// The number of the chunk. Later ones have higher numbers.
    pub chunk_no: i64,
    /// The words of all its fields, with single spaces between them.
    pub words: String,
}

group! {
    /// The full-text index.
    pub Search, search
}

impl Search<'_> {
    /// How many chunks of a chatbot contain each of the words, in the order of the words; zeros when there is
    /// no such chatbot.
    pub async fn document_frequencies(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        words: &[String],
    ) -> Result<Vec<u64>, StoreError> {
        let mut frequencies = vec![0; words.len()];
        if words.iter().all(String::is_empty) {
            return Ok(frequencies);
        }
        let terms: Vec<String> =
            words.iter().map(|word| if word.is_empty() { String::new() } else { term(word) }).collect();
        let sql = self.store.dialect().pick(
            concat!(
                "SELECT q.key AS place, COUNT(*) AS chunks FROM chatbots AS bot CROSS JOIN json_each($4) AS q \
                 CROSS JOIN chunk_index('\"' || bot.chatbot_no || q.value || '\"') AS hit WHERE ",
                in_scope!("bot."),
                " AND bot.chatbot_id = $3 AND q.value <> '' GROUP BY q.key"
            ),
            concat!(
                "SELECT q.place - 1 AS place, hit.chunks \
                 FROM (SELECT bot.chatbot_no FROM chatbots AS bot WHERE ",
                in_scope!("bot."),
                " AND bot.chatbot_id = $3 OFFSET 0) AS bot \
                 CROSS JOIN json_array_elements_text(CAST($4 AS json)) WITH ORDINALITY AS q (term, place) \
                 CROSS JOIN LATERAL (SELECT COUNT(*) AS chunks FROM chunks AS c \
                 WHERE c.tokens @@ CAST('''' || bot.chatbot_no || q.term || '''' AS tsquery) OFFSET 0) AS hit WHERE q.term <> ''"
            ),
        );
        let statement = scoped(sql, scope).bind(chatbot_id.to_string()).bind(json!(terms).to_string());
        for row in self.read_index(statement).await? {
            let place: usize = row.number("place")?;
            if let Some(frequency) = frequencies.get_mut(place) {
                *frequency = row.number("chunks")?;
            }
        }
        Ok(frequencies)
    }

    /// The ids of chunks of a chatbot that contain at least one of the words, at most `limit`, the most
    /// promising first. With tags, only those of sources that have at least one of them; without, all. No
    /// words, no chunks; none either when there is no such chatbot. `chunks` is the number of all chunks of
    /// the chatbot.
    pub async fn candidates(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        words: &[QueryWord],
        chunks: u64,
        tag_ids: &[Uuid],
        limit: u32,
    ) -> Result<Vec<Uuid>, StoreError> {
        // A tag may leave nothing of what the rare words find, so all words are looked up then.
        let sought = QueryWord::sought(words, chunks, limit, !tag_ids.is_empty());
        if sought.is_empty() {
            return Ok(Vec::new());
        }
        let query: Vec<_> = sought
            .into_iter()
            .map(|(word, weight)| json!({ "term": term(word), "weight": weight }))
            .collect();
        let sql = self.store.dialect().pick(
            concat!(
                "WITH hits AS MATERIALIZED (SELECT hit.rowid AS chunk_no, SUM(q.value ->> 'weight') AS score \
                 FROM chatbots AS bot CROSS JOIN json_each($4) AS q \
                 CROSS JOIN chunk_index('\"' || bot.chatbot_no || (q.value ->> 'term') || '\"') AS hit WHERE ",
                in_scope!("bot."),
                " AND bot.chatbot_id = $3 GROUP BY hit.rowid) SELECT c.chunk_id \
                 FROM hits CROSS JOIN chunks AS c ON c.chunk_no = hits.chunk_no WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND ",
                searchable!("SELECT value FROM json_each($5)"),
                " ORDER BY hits.score DESC, c.chunk_no LIMIT $6"
            ),
            concat!(
                // The score of a chunk needs nothing of its row but the number, the first column, which
                // PostgreSQL reads faster than later ones. Whether a chunk may be found is checked in the
                // order of the scores, until there are enough.
                "SELECT c.chunk_id FROM (SELECT hit.chunk_no, SUM(q.weight) AS score \
                 FROM (SELECT bot.chatbot_no FROM chatbots AS bot WHERE ",
                in_scope!("bot."),
                " AND bot.chatbot_id = $3 OFFSET 0) AS bot \
                 CROSS JOIN json_to_recordset(CAST($4 AS json)) AS q (term TEXT, weight INTEGER) \
                 CROSS JOIN LATERAL (SELECT c.chunk_no FROM chunks AS c \
                 WHERE c.tokens @@ CAST('''' || bot.chatbot_no || q.term || '''' AS tsquery) OFFSET 0) AS hit \
                 GROUP BY hit.chunk_no ORDER BY score DESC, hit.chunk_no OFFSET 0) AS hit \
                 CROSS JOIN LATERAL (SELECT c.chunk_id FROM chunks AS c WHERE c.chunk_no = hit.chunk_no AND ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND ",
                searchable!("SELECT * FROM json_array_elements_text(CAST($5 AS json))"),
                " OFFSET 0) AS c ORDER BY hit.score DESC, hit.chunk_no LIMIT $6"
            ),
        );
        let statement = scoped(sql, scope)
            .bind(chatbot_id.to_string())
            .bind(json!(query).to_string())
            .bind(id_list(tag_ids))
            .bind(i64::from(limit));
        let rows = self.read_index(statement).await?;
        Ok(rows.iter().map(|row| row.parsed("chunk_id")).collect::<sqlx::Result<_>>()?)
    }

    /// Returns those of the chunks of a chatbot that exist and whose source is switched on, in no particular
    /// order.
    pub async fn findable(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        chunk_ids: &[Uuid],
    ) -> Result<Vec<Uuid>, StoreError> {
        let sql = self.store.dialect().pick(
            concat!(
                "SELECT c.chunk_id FROM json_each($4) AS q CROSS JOIN chunks AS c ON c.chunk_id = q.value WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND ",
                switched_on!()
            ),
            concat!(
                "SELECT c.chunk_id FROM ",
                rows_of_ids!("chunks", "chunk_id", "$4"),
                " AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND ",
                switched_on!()
            ),
        );
        let found = scoped(sql, scope).bind(chatbot_id.to_string()).bind(id_list(chunk_ids));
        let rows = found.fetch_all(self.store.reader()).await?;
        Ok(rows.iter().map(|row| row.parsed("chunk_id")).collect::<sqlx::Result<_>>()?)
    }

    /// How many chunks a chatbot has and how long they are; zeros when there is no such chatbot.
    pub async fn corpus_stats(self, scope: &Scope, chatbot_id: Uuid) -> Result<CorpusStats, StoreError> {
        let row = scoped(
            concat!(
                "SELECT COUNT(*) AS chunks, \
                 CAST(COALESCE(SUM(length_title), 0) AS BIGINT) AS title, \
                 CAST(COALESCE(SUM(length_headings), 0) AS BIGINT) AS headings, \
                 CAST(COALESCE(SUM(length_body), 0) AS BIGINT) AS body FROM chunks WHERE ",
                in_scope!(),
                " AND chatbot_id = $3"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .fetch_one(self.store.reader())
        .await?;
        let [title, headings, body] = ["title", "headings", "body"].map(|column| row.number(column));
        Ok(CorpusStats::new(row.number("chunks")?, title?, headings?, body?))
    }

    /// Returns what a chatbot can be searched for; the default if there is no such chatbot.
    pub async fn version(self, scope: &Scope, chatbot_id: Uuid) -> Result<ContentVersion, StoreError> {
        macro_rules! select {
            ($joined:literal) => {
                concat!(
                    // The scope is that of the chatbot, so that chunks are counted in the index alone.
                    "SELECT COUNT(*) AS chunks, COALESCE(MAX(c.chunk_no), 0) AS last, COALESCE((SELECT ",
                    $joined,
                    " FROM webpages AS p WHERE p.chatbot_id = $3 AND p.enabled = 0), '') AS switched_off \
                     FROM chunks AS c WHERE c.chatbot_id = (SELECT bot.chatbot_id FROM chatbots AS bot WHERE ",
                    in_scope!("bot."),
                    " AND bot.chatbot_id = $3)"
                )
            };
        }
        let sql = self
            .store
            .dialect()
            .pick(select!("group_concat(p.webpage_id, ' ')"), select!("string_agg(p.webpage_id, ' ')"));
        let row = scoped(sql, scope).bind(chatbot_id.to_string()).fetch_one(self.store.reader()).await?;
        let (chunks, last) = (row.number("chunks")?, row.int("last")?);
        // The pages of a chatbot that is out of reach are none of the caller's.
        let switched_off = if chunks == 0 { Vec::new() } else { Column::read(&row, "switched_off")? };
        Ok(ContentVersion { chunks, last, switched_off })
    }

    /// Passes on all chunks of a chatbot, in no particular order.
    pub async fn indexed(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        mut each: impl FnMut(IndexedChunk) + Send,
    ) -> Result<(), StoreError> {
        let dialect = self.store.dialect();
        let sql = dialect.pick(
            concat!(
                "SELECT ",
                json_rows!(indexed_chunk_columns!(expressions)),
                " FROM chunks WHERE ",
                in_scope!(),
                // In several parts, because one JSON text of all chunks could become too large.
                " AND chatbot_id = $3 GROUP BY chunk_no / 500"
            ),
            concat!(
                "SELECT ",
                indexed_chunk_columns!(),
                " FROM chunks WHERE ",
                in_scope!(),
                " AND chatbot_id = $3"
            ),
        );
        let mut found = scoped(sql, scope).bind(chatbot_id.to_string()).fetch(self.store.reader());
        while let Some(row) = found.try_next().await? {
            json_rows::records(dialect, &row)?.into_iter().for_each(&mut each);
        }
        Ok(())
    }

    /// Passes on the words of the chunks of a chatbot that were written after the one of this number, in no
    /// particular order, one by one: a large chatbot has some hundred megabytes of them.
    pub async fn words_after(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        chunk_no: i64,
        mut each: impl FnMut(ChunkWords) + Send,
    ) -> Result<(), StoreError> {
        let mut rows = scoped(
            concat!(
                "SELECT chunk_no, terms_title || ' ' || terms_headings || ' ' || terms_body AS words FROM chunks WHERE ",
                in_scope!(),
                // The `+` keeps the database from the index of the numbers, with which it would read the
                // chunks of all chatbots.
                " AND chatbot_id = $3 AND +chunk_no > $4"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(chunk_no)
        .fetch(self.store.reader());
        while let Some(row) = rows.try_next().await? {
            each(ChunkWords { chunk_no: row.int("chunk_no")?, words: row.text("words")? });
        }
        Ok(())
    }

    /// Returns the language of most chunks of a chatbot; `None` if it has no chunks or their language is
    /// unknown.
    pub async fn main_language(self, scope: &Scope, chatbot_id: Uuid) -> Result<Option<String>, StoreError> {
        let row = scoped(
            concat!(
                "SELECT language FROM chunks WHERE ",
                in_scope!(),
                " AND chatbot_id = $3 GROUP BY language ORDER BY COUNT(*) DESC, language LIMIT 1"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .fetch_optional(self.store.reader())
        .await?;
        Ok(row.map(|row| row.text_opt("language")).transpose()?.flatten())
    }

    /// Runs a statement that reads the index.
    async fn read_index(
        self,
        statement: Query<'static, Any, AnyArguments>,
    ) -> Result<Vec<AnyRow>, StoreError> {
        if self.store.dialect() == Dialect::Sqlite {
            return Ok(statement.fetch_all(self.store.reader()).await?);
        }
        // The planner does not count what it costs to unpack the tokens of each row, and would rather read
        // the whole table than use the index.
        let begin = "BEGIN READ ONLY; SET LOCAL enable_seqscan = off";
        let mut reading = database::begin(self.store.reader(), begin).await?;
        Ok(statement.fetch_all(&mut *reading).await?)
    }
}

/// The words to look up for `limit` candidates, rarest first. Common words mean much work and weigh little,
/// so they are left out once the budget is spent and the rarer ones find enough.
fn worth_seeking(mut words: Vec<(&str, u64)>, limit: u32) -> Vec<(&str, u64)> {
    words.sort_by_key(|(_, frequency)| *frequency);
    let mut hits = 0;
    let mut found = 0;
    words
        .into_iter()
        .take_while(|(_, frequency)| {
            let enough = found >= u64::from(limit) && hits + frequency > MAX_HITS;
            hits += frequency;
            found = found.max(*frequency);
            !enough
        })
        .collect()
}

fn mean(sum: u64, count: u64) -> f64 {
    if count == 0 {
        return 0.0;
    }
    let [sum, count] = [sum, count].map(|n| f64::from(u32::try_from(n).unwrap_or(u32::MAX)));
    sum / count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_words_are_left_out_when_rarer_ones_find_enough() {
        let sought = |frequencies: &[u64], limit| {
            let words = frequencies.iter().map(|frequency| ("word", *frequency)).collect();
            worth_seeking(words, limit).into_iter().map(|(_, frequency)| frequency).collect::<Vec<_>>()
        };
        assert_eq!(sought(&[9_000, 3, 500], 200), [3, 500, 9_000]);
        assert_eq!(sought(&[90_000, 3, 500, 80_000], 200), [3, 500]);
        assert_eq!(sought(&[90_000, 3, 80_000], 200), [3, 80_000], "3 are not enough");
        assert_eq!(sought(&[90_000], 200), [90_000]);
        assert_eq!(sought(&[15_000, 15_000], 200), [15_000]);
        assert!(sought(&[], 200).is_empty());
    }

    #[test]
    fn rarer_words_weigh_more() {
        assert!(weight(1000, 1) > weight(1000, 10));
        assert!(weight(1000, 999) > 0);
        assert_eq!(weight(0, 5), 1);
        assert_eq!(weight(u64::MAX, u64::MAX), weight(u64::from(u32::MAX), u64::from(u32::MAX)));
    }
}
