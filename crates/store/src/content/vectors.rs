//! Vectors of chunks, for search by meaning.
//!
//! Vectors are written after their chunks, by a job that asks for chunks without them. The store knows
//! nothing of what a vector means: it keeps bytes, under the name of the model that made them.

use data_encoding::HEXLOWER_PERMISSIVE;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use sqlx::{AnyConnection, Row};
use uuid::Uuid;

use crate::content::search::searchable;
use crate::sql::error::StoreError;
use crate::sql::json_rows::{self, json_rows};
use crate::sql::row::{Columns, id_list, rows_of_ids};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

record! {
    /// A chunk whose vectors are still to be made.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct UnembeddedChunk, columns unembedded_columns of "c." {
        /// Identifier.
        pub chunk_id: Uuid,
        /// Title of its source.
        pub title: String,
        /// The headings above it.
        pub headings: String,
        /// Its text.
        pub text: String = "c.body",
        /// Its BCP 47 language, if it is known.
        pub language: Option<String>,
    }
}

/// The vectors of a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewVectors {
    /// The chunk.
    pub chunk_id: Uuid,
    /// Its vector and those of its segments; `None` if the model refused the text.
    pub vectors: Option<ChunkVectors>,
}

/// Vectors as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkVectors {
    /// The vector of the chunk.
    pub vector: Vec<u8>,
    /// The vectors of its segments with their ranges.
    pub segments: Vec<u8>,
}

/// Which vectors a chatbot has: changes whenever one is added or removed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VectorsVersion {
    /// The number of vectors.
    pub count: u64,
    /// The highest number that any of them was given.
    pub last: i64,
}

record! {
    /// The progress of a chatbot some of whose passages a model has still to process.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct VectorProgress, columns progress_columns {
        /// The chatbot.
        pub chatbot_id: Uuid,
        /// Its passages.
        pub passages: u64 = "(SELECT COUNT(*) FROM chunks AS c WHERE c.chatbot_id = chatbots.chatbot_id)",
        /// Those that have been processed.
        pub processed: u64 = "(SELECT COUNT(*) FROM chunks AS c WHERE c.chatbot_id = chatbots.chatbot_id \
             AND c.vector_model = $3)",
    }
}

record! {
    /// The vector of a chunk as search compares it.
    #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
    pub struct StoredVector, columns stored_vector_columns {
        /// The number that it was given when it was written. Later ones have higher numbers.
        pub vector_no: i64,
        /// The chunk.
        pub chunk_id: Uuid,
        /// The vector.
        #[serde(deserialize_with = "from_hex")]
        pub vector: Vec<u8>,
    }
}

/// Reads bytes from their hexadecimal digits, because JSON has no bytes.
fn from_hex<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let digits = String::deserialize(deserializer)?;
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).map_err(D::Error::custom)
}

/// A name that no model has.
const NO_MODEL: &str = "none";

/// The most vectors that are read at once.
const READ_AT_ONCE: u32 = 500;

/// The vectors of a chatbot that the model `$4` made. The scope is that of the chatbot: asking each row for
/// its account would read all vectors instead of the index.
macro_rules! from_vectors_of_model {
    () => {
        concat!(
            " FROM chunk_vectors WHERE chatbot_id = (SELECT bot.chatbot_id FROM chatbots AS bot WHERE ",
            in_scope!("bot."),
            " AND bot.chatbot_id = $3) AND model = $4"
        )
    };
}

/// The vectors that [`Vectors::after`] reads next.
macro_rules! next_vectors {
    () => {
        concat!(
            "SELECT ",
            stored_vector_columns!(),
            " FROM chunk_vectors WHERE ",
            in_scope!(),
            " AND chatbot_id = $3 AND model = $4 AND vector_no > $5 ORDER BY vector_no LIMIT $6"
        )
    };
}

/// Inserts the vectors of a chunk that has none.
pub(crate) async fn insert(
    connection: &mut AnyConnection,
    chunk_id: &str,
    model: &str,
    vectors: &ChunkVectors,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO chunk_vectors (chunk_id, chatbot_id, account_id, model, vector, segments) \
         SELECT chunk_id, chatbot_id, account_id, $2, $3, $4 FROM chunks WHERE chunk_id = $1",
    )
    .bind(chunk_id)
    .bind(model)
    .bind(vectors.vector.clone())
    .bind(vectors.segments.clone())
    .execute(connection)
    .await?;
    Ok(())
}

group! {
    /// Vectors of chunks.
    pub Vectors, vectors
}

impl Vectors<'_> {
    /// Returns chunks of one account that a model has not processed, with the account: the next one after
    /// `after` by id, or the first one again after the last. The chunks belong to its newest chatbot with
    /// such chunks, because its owner is about to try it. Chunks of start pages come first, then the oldest.
    /// `None` means that nothing is left to do. Takes no scope: the job that makes vectors serves all
    /// accounts of the installation in turn.
    pub async fn unembedded_in_turn(
        self,
        model: &str,
        after: Option<Uuid>,
        limit: u32,
    ) -> Result<Option<(Uuid, Vec<UnembeddedChunk>)>, StoreError> {
        let after = after.map(|account_id| account_id.to_string()).unwrap_or_default();
        let next = match self.next_unembedded(model, &after).await? {
            None if !after.is_empty() => self.next_unembedded(model, "").await?,
            next => next,
        };
        let Some((account_id, present_model)) = next else { return Ok(None) };
        // Ids grow with time.
        let newest = sqlx::query(
            "SELECT COALESCE(MAX(chatbot_id), '') AS chatbot_id FROM chunks \
             WHERE vector_model = $1 AND account_id = $2",
        )
        .bind(present_model.clone())
        .bind(account_id.to_string())
        .fetch_one(self.store.reader())
        .await?
        .text("chatbot_id")?;
        let mut chunks = Vec::new();
        for sql in [
            // `CROSS JOIN` fixes the order of the join: a chatbot has few start pages. The condition on
            // `queued` allows both values, so that the index is used.
            concat!(
                "SELECT ",
                unembedded_columns!(),
                " FROM webpages AS p CROSS JOIN chunks AS c WHERE p.chatbot_id = $3 AND p.queued IN (0, 1) \
                 AND p.depth = 0 AND c.webpage_id = p.webpage_id AND c.vector_model = $1 \
                 AND c.account_id = $2 ORDER BY c.chunk_no LIMIT $4"
            ),
            concat!(
                "SELECT ",
                unembedded_columns!(),
                " FROM chunks AS c WHERE c.vector_model = $1 AND c.account_id = $2 AND c.chatbot_id = $3 \
                 ORDER BY c.chunk_no LIMIT $4"
            ),
        ] {
            if chunks.len() >= limit as usize {
                break;
            }
            let found: Vec<UnembeddedChunk> = sqlx::query_as(sql)
                .bind(present_model.clone())
                .bind(account_id.to_string())
                .bind(newest.clone())
                .bind(i64::from(limit))
                .fetch_all(self.store.reader())
                .await?;
            for chunk in found {
                if chunks.len() < limit as usize && !chunks.contains(&chunk) {
                    chunks.push(chunk);
                }
            }
        }
        Ok(Some((account_id, chunks)))
    }

    /// Returns the progress of the chatbots of the scope, or of one of them, if a model has still to process
    /// some of their chunks. Complete chatbots are left out. Without a model, no chunk counts as processed.
    pub async fn progress(
        self,
        scope: &Scope,
        chatbot_id: Option<Uuid>,
        model: Option<&str>,
    ) -> Result<Vec<VectorProgress>, StoreError> {
        // Two ranges of the index instead of one scan for what is unequal.
        let incomplete = scoped_as(
            concat!(
                "SELECT ",
                progress_columns!(),
                " FROM chatbots WHERE ",
                in_scope!(),
                " AND ($4 = '' OR chatbot_id = $4) AND (EXISTS (SELECT 1 FROM chunks AS c \
                 WHERE c.chatbot_id = chatbots.chatbot_id AND c.vector_model < $3) OR EXISTS (SELECT 1 \
                 FROM chunks AS c WHERE c.chatbot_id = chatbots.chatbot_id AND c.vector_model > $3))"
            ),
            scope,
        )
        .bind(model.unwrap_or(NO_MODEL).to_owned())
        .bind(chatbot_id.map(|id| id.to_string()).unwrap_or_default());
        Ok(incomplete.fetch_all(self.store.reader()).await?)
    }

    /// Returns how many chunks of a chatbot no model has processed, at most `limit`.
    pub async fn count_unprocessed(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        limit: u32,
    ) -> Result<u64, StoreError> {
        let counted = scoped(
            concat!(
                "SELECT COUNT(*) AS unprocessed FROM (SELECT 1 AS one FROM chunks AS c WHERE c.chatbot_id = \
                 (SELECT bot.chatbot_id FROM chatbots AS bot WHERE ",
                in_scope!("bot."),
                " AND bot.chatbot_id = $3) AND c.vector_model = '' LIMIT $4) AS counted"
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(i64::from(limit));
        Ok(counted.fetch_one(self.store.reader()).await?.number("unprocessed")?)
    }

    /// Returns the first account with a greater id that has chunks of another model, and that model, which is
    /// empty for new chunks.
    async fn next_unembedded(self, model: &str, after: &str) -> Result<Option<(Uuid, String)>, StoreError> {
        // There are few models. Each is one step in the index, and so is the next account with chunks of it.
        let row = sqlx::query(
            "WITH RECURSIVE models (model) AS (SELECT MIN(vector_model) FROM chunks UNION ALL \
             SELECT (SELECT MIN(c.vector_model) FROM chunks AS c WHERE c.vector_model > models.model) \
             FROM models WHERE models.model IS NOT NULL) \
             SELECT account_id, model FROM (SELECT models.model, (SELECT MIN(c.account_id) FROM chunks AS c \
             WHERE c.vector_model = models.model AND c.account_id > $2) AS account_id FROM models \
             WHERE models.model IS NOT NULL AND models.model <> $1) AS next \
             WHERE account_id IS NOT NULL ORDER BY account_id, model LIMIT 1",
        )
        .bind(model.to_owned())
        .bind(after.to_owned())
        .fetch_optional(self.store.reader())
        .await?;
        Ok(row
            .map(|row| Ok::<_, sqlx::Error>((row.parsed("account_id")?, row.text("model")?)))
            .transpose()?)
    }

    /// Returns chunks of any account that have not been processed by a model, oldest first. Takes no scope:
    /// it is for tests and measurements that wait until none is left.
    pub async fn unembedded(self, model: &str, limit: u32) -> Result<Vec<UnembeddedChunk>, StoreError> {
        let mut found = Vec::new();
        // Two ranges of the index instead of one scan for what is unequal.
        for sql in [
            concat!(
                "SELECT ",
                unembedded_columns!(),
                " FROM chunks AS c WHERE c.vector_model < $1 ORDER BY c.vector_model, c.chunk_no LIMIT $2"
            ),
            concat!(
                "SELECT ",
                unembedded_columns!(),
                " FROM chunks AS c WHERE c.vector_model > $1 ORDER BY c.vector_model, c.chunk_no LIMIT $2"
            ),
        ] {
            let missing = i64::from(limit) - i64::try_from(found.len()).unwrap_or(i64::MAX);
            if missing > 0 {
                let rows: Vec<UnembeddedChunk> =
                    sqlx::query_as(sql).bind(model).bind(missing).fetch_all(self.store.reader()).await?;
                found.extend(rows);
            }
        }
        Ok(found)
    }

    /// Stores what a model made of chunks, in one transaction. Chunks that were deleted in the meantime are
    /// left out.
    pub async fn save(self, model: &str, made: &[NewVectors]) -> Result<(), StoreError> {
        let mut transaction = self.store.begin_repeatable().await?;
        for NewVectors { chunk_id, vectors } in made {
            let id = chunk_id.to_string();
            let marked = sqlx::query("UPDATE chunks SET vector_model = $2 WHERE chunk_id = $1")
                .bind(&id)
                .bind(model)
                .execute(&mut *transaction)
                .await?;
            // Written anew instead of updated, so that it gets a higher number.
            sqlx::query("DELETE FROM chunk_vectors WHERE chunk_id = $1")
                .bind(&id)
                .execute(&mut *transaction)
                .await?;
            if let (Some(vectors), true) = (vectors, marked.rows_affected() > 0) {
                insert(&mut transaction, &id, model, vectors).await?;
            }
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Returns which vectors of a model a chatbot has.
    pub async fn version(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        model: &str,
    ) -> Result<VectorsVersion, StoreError> {
        let row = scoped(
            concat!(
                "SELECT COUNT(*) AS vectors, COALESCE(MAX(vector_no), 0) AS last",
                from_vectors_of_model!()
            ),
            scope,
        )
        .bind(chatbot_id.to_string())
        .bind(model)
        .fetch_one(self.store.reader())
        .await?;
        Ok(VectorsVersion { count: row.number("vectors")?, last: row.int("last")? })
    }

    /// Returns the highest number of the vectors of a model that a chatbot has; 0 if it has none. Unlike
    /// [`version`](Self::version), this takes the same time for any number of vectors, but it does not tell
    /// that one of the others was removed.
    pub async fn last(self, scope: &Scope, chatbot_id: Uuid, model: &str) -> Result<i64, StoreError> {
        let sql = concat!("SELECT COALESCE(MAX(vector_no), 0) AS last", from_vectors_of_model!());
        let highest = scoped(sql, scope).bind(chatbot_id.to_string()).bind(model);
        Ok(highest.fetch_one(self.store.reader()).await?.int("last")?)
    }

    /// Passes on the vectors of a chatbot that were written after the one of this number, in no particular
    /// order. They are read in several parts: a large chatbot has some fifty megabytes of them.
    pub async fn after(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        model: &str,
        mut vector_no: i64,
        mut each: impl FnMut(StoredVector) -> Result<(), StoreError> + Send,
    ) -> Result<(), StoreError> {
        let dialect = self.store.dialect();
        let sql = dialect.pick(
            concat!(
                "SELECT ",
                json_rows!("vector_no, chunk_id, hex(vector)"),
                " FROM (",
                next_vectors!(),
                ")"
            ),
            next_vectors!(),
        );
        loop {
            let rows = scoped(sql, scope)
                .bind(chatbot_id.to_string())
                .bind(model.to_owned())
                .bind(vector_no)
                .bind(i64::from(READ_AT_ONCE))
                .fetch_all(self.store.reader())
                .await?;
            let read: Vec<StoredVector> = json_rows::all_records(dialect, &rows)?;
            let is_last = read.len() < READ_AT_ONCE as usize;
            for vector in read {
                vector_no = vector_no.max(vector.vector_no);
                each(vector)?;
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Returns the stored vectors of the segments of some chunks of a chatbot.
    pub async fn segments(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        model: &str,
        chunk_ids: &[Uuid],
    ) -> Result<Vec<(Uuid, Vec<u8>)>, StoreError> {
        let sql = self.store.dialect().pick(
            concat!(
                // The order of the join is named, because SQLite would otherwise read all vectors of the
                // chatbot to find a few.
                "SELECT v.chunk_id, v.segments FROM json_each($5) AS q CROSS JOIN chunk_vectors AS v ON v.chunk_id = q.value WHERE ",
                in_scope!("v."),
                " AND v.chatbot_id = $3 AND v.model = $4"
            ),
            concat!(
                "SELECT v.chunk_id, v.segments FROM ",
                rows_of_ids!("chunk_vectors", "chunk_id", "$5"),
                " AS v WHERE ",
                in_scope!("v."),
                " AND v.chatbot_id = $3 AND v.model = $4"
            ),
        );
        let rows = scoped(sql, scope)
            .bind(chatbot_id.to_string())
            .bind(model)
            .bind(id_list(chunk_ids))
            .fetch_all(self.store.reader())
            .await?;
        let segments = |row: &sqlx::any::AnyRow| -> sqlx::Result<(Uuid, Vec<u8>)> {
            Ok((row.parsed("chunk_id")?, row.try_get("segments")?))
        };
        Ok(rows.iter().map(segments).collect::<sqlx::Result<_>>()?)
    }

    /// Returns the ids of the chunks of sources that have one of the tags.
    pub async fn tagged(
        self,
        scope: &Scope,
        chatbot_id: Uuid,
        tag_ids: &[Uuid],
    ) -> Result<Vec<Uuid>, StoreError> {
        let sql = self.store.dialect().pick(
            concat!(
                "SELECT c.chunk_id FROM chunks AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND $4 <> '' AND ",
                searchable!("SELECT value FROM json_each($5)")
            ),
            concat!(
                "SELECT c.chunk_id FROM chunks AS c WHERE ",
                in_scope!("c."),
                " AND c.chatbot_id = $3 AND $4 <> '' AND ",
                searchable!("SELECT * FROM json_array_elements_text(CAST($5 AS json))")
            ),
        );
        let rows = scoped(sql, scope)
            .bind(chatbot_id.to_string())
            .bind("tagged")
            .bind(id_list(tag_ids))
            .fetch_all(self.store.reader())
            .await?;
        Ok(rows.iter().map(|row| row.parsed("chunk_id")).collect::<sqlx::Result<_>>()?)
    }
}
