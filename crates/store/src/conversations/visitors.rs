//! Visitors of widgets: the sessions of their browsers, what they have sent, and who they say to be.
//!
//! A session reaches the conversations in which it has a message, and nothing else. One that has become that
//! of somebody whose identity is proven is reached only by sessions of the same identity.

use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::record::Conversation;
use crate::accounts::api_keys::KeyHash;
use crate::accounts::credits::Day;
use crate::contacts::visitor_subject::VisitorSubject;
use crate::content::widgets::Widget;
use crate::sql::error::StoreError;
use crate::sql::nul::replace_nul;
use crate::sql::row::{Columns, micros, new_id, stored};
use crate::sql::scope::{Scope, in_scope, scoped, scoped_as};

/// How long a session is valid after its last use.
const VALIDITY: SignedDuration = SignedDuration::from_hours(30 * 24);
/// The end of a session is written at most once in this time, so that using it does not mean writing.
const PRECISION: SignedDuration = SignedDuration::from_hours(1);

/// The session of a visitor's browser that is to begin.
#[derive(Debug, Clone)]
pub struct NewVisitorSession {
    /// The hash under which its token will be found.
    pub hash: KeyHash,
    /// The language that the browser prefers.
    pub language: Option<String>,
    /// The subject of the visitor's proven identity.
    pub verified_subject: Option<VisitorSubject>,
    /// The contact of the proven identity.
    pub contact_id: Option<Uuid>,
}

record! {
    /// The session of a visitor's browser.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct VisitorSession, columns visitor_session_columns of "s." {
        /// Identifier.
        pub session_id: Uuid,
        /// The chatbot whose widget the visitor uses.
        pub chatbot_id: Uuid,
        /// The account of the chatbot.
        pub account_id: Uuid,
        /// The key of the widget.
        pub widget_key: Uuid,
        /// Whether the widget is switched on.
        pub is_enabled: bool = "w.enabled",
        /// The language that the browser prefers.
        pub language: Option<String>,
        /// The subject of the visitor's proven identity.
        pub verified_subject: Option<String>,
        /// Who the visitor says to be.
        pub contact_id: Option<Uuid>,
        /// When it ends unless it is used before.
        pub expires_at: Timestamp,
    }
}

impl VisitorSession {
    /// The account of the chatbot. What is the visitor's own in it is for the caller to check.
    pub const fn scope(&self) -> Scope {
        Scope::of_account(self.account_id)
    }

    /// Returns the subject of the visitor's proven identity.
    pub fn subject(&self) -> Option<VisitorSubject> {
        self.verified_subject.as_deref().and_then(VisitorSubject::new)
    }
}

record! {
    /// A message that a visitor has sent.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct SentMessage, columns sent_message_columns {
        /// The conversation.
        pub conversation_id: Uuid,
        /// The message.
        pub message_id: Uuid,
        /// The answer of the chatbot, once there is one.
        pub answer_id: Option<Uuid>,
        /// Since when its answer is being written. `None` when nobody writes one.
        pub claimed_at: Option<Timestamp>,
    }
}

/// The condition that a conversation belongs to no proven identity, or to that of the session `$3`: as for
/// [`begin_turn`](crate::Conversations::begin_turn), having written in it is not enough.
macro_rules! belongs_to_nobody_else {
    () => {
        "(verified_subject IS NULL OR verified_subject = (SELECT s.verified_subject FROM visitor_sessions AS s \
         WHERE s.session_id = $3))"
    };
}

group! {
    /// Visitors of widgets.
    pub Visitors, visitors
}

impl Visitors<'_> {
    /// Begins a session. `None` when the widget is gone or has another key now.
    pub async fn begin_session(
        self,
        widget: &Widget,
        new: &NewVisitorSession,
        now: Timestamp,
    ) -> Result<Option<VisitorSession>, StoreError> {
        let expires_at = now.saturating_add(VALIDITY).map_or(i64::MAX, micros);
        let session_id = new_id();
        sqlx::query(
            "INSERT INTO visitor_sessions (session_id, chatbot_id, account_id, widget_key, token_hash, language, \
             verified_subject, contact_id, created_at, expires_at) SELECT $1, chatbot_id, account_id, widget_key, $4, $5, $6, $7, \
             $8, $9 FROM widgets WHERE chatbot_id = $2 AND widget_key = $3",
        )
        .bind(session_id.to_string())
        .bind(widget.chatbot_id.to_string())
        .bind(widget.widget_key.to_string())
        .bind(new.hash.to_hex())
        .bind(new.language.as_deref().map(replace_nul))
        .bind(new.verified_subject.as_ref().map(VisitorSubject::to_string))
        .bind(new.contact_id.map(|id| id.to_string()))
        .bind(micros(now))
        .bind(expires_at)
        .execute(self.store.writer())
        .await?;
        self.authenticate(&new.hash, now).await
    }

    /// Returns the session whose token has this hash, of any account, unless it has ended: it is found out by
    /// this whose data is asked for.
    pub async fn authenticate(
        self,
        hash: &KeyHash,
        now: Timestamp,
    ) -> Result<Option<VisitorSession>, StoreError> {
        let one = sqlx::query_as(concat!(
            "SELECT ",
            visitor_session_columns!(),
            " FROM visitor_sessions AS s JOIN widgets AS w ON w.chatbot_id = s.chatbot_id \
             AND w.widget_key = s.widget_key WHERE s.token_hash = $1 AND s.expires_at > $2"
        ))
        .bind(hash.to_hex())
        .bind(micros(now));
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Notes that a session is used, which extends it.
    pub async fn extend(self, session: &VisitorSession, now: Timestamp) -> Result<(), StoreError> {
        let expires_at = now.saturating_add(VALIDITY).unwrap_or(Timestamp::MAX);
        if expires_at.duration_since(session.expires_at) < PRECISION {
            return Ok(());
        }
        scoped(
            concat!(
                "UPDATE visitor_sessions SET expires_at = $4 WHERE ",
                in_scope!(),
                " AND session_id = $3 AND expires_at < $4"
            ),
            &session.scope(),
        )
        .bind(session.session_id.to_string())
        .bind(micros(expires_at))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Ends a session. `false` when it has ended.
    pub async fn end_session(self, scope: &Scope, session_id: Uuid) -> Result<bool, StoreError> {
        let ended = scoped(
            concat!("DELETE FROM visitor_sessions WHERE ", in_scope!(), " AND session_id = $3"),
            scope,
        )
        .bind(session_id.to_string());
        Ok(ended.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Returns the conversations of a session of which no contact is known.
    pub async fn anonymous_conversations(
        self,
        scope: &Scope,
        session_id: Uuid,
    ) -> Result<Vec<Uuid>, StoreError> {
        let rows = scoped(
            concat!(
                "SELECT conversation_id FROM conversations WHERE ",
                in_scope!(),
                " AND contact_id IS NULL AND verified_subject IS NULL AND conversation_id IN \
                 (SELECT v.conversation_id FROM visitor_messages AS v WHERE v.session_id = $3)"
            ),
            scope,
        )
        .bind(session_id.to_string())
        .fetch_all(self.store.reader())
        .await?;
        Ok(rows.iter().map(|row| row.parsed("conversation_id")).collect::<Result<_, _>>()?)
    }

    /// Returns the latest conversations of a session, by the time of their last message.
    pub async fn conversations(
        self,
        scope: &Scope,
        session_id: Uuid,
        limit: u32,
    ) -> Result<Vec<Conversation>, StoreError> {
        let some = scoped_as(
            concat!(
                "SELECT ",
                conversation_columns!(),
                " FROM conversations WHERE ",
                in_scope!(),
                " AND conversation_id IN (SELECT v.conversation_id FROM visitor_messages AS v WHERE v.session_id = $3) AND ",
                belongs_to_nobody_else!(),
                " ORDER BY last_message_at DESC, conversation_id DESC LIMIT $4"
            ),
            scope,
        )
        .bind(session_id.to_string())
        .bind(i64::from(limit));
        Ok(some.fetch_all(self.store.reader()).await?)
    }

    /// Returns a conversation, if it is one of the session.
    pub async fn find_conversation(
        self,
        scope: &Scope,
        session_id: Uuid,
        conversation_id: Uuid,
    ) -> Result<Option<Conversation>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                conversation_columns!(),
                " FROM conversations WHERE ",
                in_scope!(),
                " AND conversation_id = $4 AND EXISTS (SELECT 1 FROM visitor_messages AS v \
                 WHERE v.conversation_id = $4 AND v.session_id = $3) AND ",
                belongs_to_nobody_else!()
            ),
            scope,
        )
        .bind(session_id.to_string())
        .bind(conversation_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Returns the message that a session has sent under an id of its own.
    pub async fn find_message(
        self,
        scope: &Scope,
        session_id: Uuid,
        client_message_id: Uuid,
    ) -> Result<Option<SentMessage>, StoreError> {
        let one = scoped_as(
            concat!(
                "SELECT ",
                sent_message_columns!(),
                " FROM visitor_messages WHERE ",
                in_scope!(),
                " AND session_id = $3 AND client_message_id = $4"
            ),
            scope,
        )
        .bind(session_id.to_string())
        .bind(client_message_id.to_string());
        Ok(one.fetch_optional(self.store.reader()).await?)
    }

    /// Takes over a message whose answer nobody writes, or seems to write any more. `false` if somebody else
    /// has, or there is an answer.
    pub async fn claim(self, scope: &Scope, sent: &SentMessage, now: Timestamp) -> Result<bool, StoreError> {
        let claimed = scoped(
            concat!(
                "UPDATE visitor_messages SET claimed_at = $5 WHERE ",
                in_scope!(),
                " AND message_id = $3 AND claimed_at IS NOT DISTINCT FROM $4 AND answer_id IS NULL"
            ),
            scope,
        )
        .bind(sent.message_id.to_string())
        .bind(sent.claimed_at.map(micros))
        .bind(micros(now));
        Ok(claimed.execute(self.store.writer()).await?.rows_affected() > 0)
    }

    /// Notes that the answer to a message is still being written. Nothing changes if it is stored, or nobody
    /// writes it any more.
    pub async fn renew(self, scope: &Scope, message_id: Uuid, now: Timestamp) -> Result<(), StoreError> {
        scoped(
            concat!(
                "UPDATE visitor_messages SET claimed_at = $4 WHERE ",
                in_scope!(),
                " AND message_id = $3 AND claimed_at < $4 AND answer_id IS NULL"
            ),
            scope,
        )
        .bind(message_id.to_string())
        .bind(micros(now))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Notes that nobody writes the answer to a message any more: writing has failed, or nothing was left to
    /// pay it from.
    pub async fn release(self, scope: &Scope, message_id: Uuid) -> Result<(), StoreError> {
        scoped(
            concat!(
                "UPDATE visitor_messages SET claimed_at = NULL WHERE ",
                in_scope!(),
                " AND message_id = $3"
            ),
            scope,
        )
        .bind(message_id.to_string())
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Returns when the session has sent its `count`th latest message, or `None` if it has sent fewer.
    pub async fn sent_at(
        self,
        scope: &Scope,
        session_id: Uuid,
        count: u32,
    ) -> Result<Option<Timestamp>, StoreError> {
        let row = scoped(
            concat!(
                "SELECT created_at FROM visitor_messages WHERE ",
                in_scope!(),
                " AND session_id = $3 ORDER BY created_at DESC LIMIT 1 OFFSET $4"
            ),
            scope,
        )
        .bind(session_id.to_string())
        .bind(i64::from(count.saturating_sub(1)))
        .fetch_optional(self.store.reader())
        .await?;
        Ok(row.map(|row| row.time("created_at")).transpose()?)
    }

    /// Notes who the visitor of a session says to be, for the session and for those of its conversations and
    /// their threads of which nobody is known, or whom the visitor has named before: a corrected address
    /// takes them along. A contact of another account is ignored.
    pub async fn set_contact(
        self,
        scope: &Scope,
        session_id: Uuid,
        contact_id: Uuid,
    ) -> Result<(), StoreError> {
        macro_rules! said_before {
            () => {
                "(SELECT s.contact_id FROM visitor_sessions AS s WHERE s.session_id = $3)"
            };
        }
        let mut transaction = self.store.begin().await?;
        for statement in [
            concat!(
                "UPDATE conversations SET contact_id = $4 WHERE ",
                in_scope!(),
                " AND (contact_id IS NULL OR contact_id = ",
                said_before!(),
                ") AND conversation_id IN (SELECT v.conversation_id FROM visitor_messages AS v \
                 WHERE v.session_id = $3) AND EXISTS (SELECT 1 FROM contacts AS person WHERE person.contact_id = $4 \
                 AND person.account_id = conversations.account_id)"
            ),
            concat!(
                "UPDATE threads SET contact_id = $4 WHERE ",
                in_scope!(),
                " AND (contact_id IS NULL OR contact_id = ",
                said_before!(),
                ") AND conversation_id IN (SELECT v.conversation_id FROM visitor_messages AS v \
                 WHERE v.session_id = $3) AND EXISTS (SELECT 1 FROM contacts AS person WHERE person.contact_id = $4 \
                 AND person.account_id = threads.account_id)"
            ),
            // Last, because the others compare with what it was.
            concat!(
                "UPDATE visitor_sessions SET contact_id = $4 WHERE ",
                in_scope!(),
                " AND session_id = $3 AND EXISTS (SELECT 1 FROM contacts AS person WHERE person.contact_id = $4 \
                 AND person.account_id = visitor_sessions.account_id)"
            ),
        ] {
            scoped(statement, scope)
                .bind(session_id.to_string())
                .bind(contact_id.to_string())
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }

    /// Notes what a visitor says about news and offers, unless the contact has said something about it
    /// before: a visitor proves nothing.
    pub async fn note_consent(
        self,
        scope: &Scope,
        contact_id: Uuid,
        wants_news: bool,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        scoped(
            concat!(
                "UPDATE contacts SET consent_marketing = $4, consent_at = $5, consent_source = 'widget', updated_at = $5 WHERE ",
                in_scope!(),
                " AND contact_id = $3 AND consent_marketing IS NULL"
            ),
            scope,
        )
        .bind(contact_id.to_string())
        .bind(i64::from(wants_news))
        .bind(micros(now))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Takes `amount` of the credits that visitors of an account may use on a day, all or none; returns
    /// whether there are as many.
    pub async fn take_credits(
        self,
        scope: &Scope,
        day: &Day,
        amount: u64,
        limit: u64,
    ) -> Result<bool, StoreError> {
        if amount > limit {
            return Ok(false);
        }
        let row = sqlx::query(
            "INSERT INTO visitor_credits (account_id, day, used) VALUES ($1, $2, $3) \
             ON CONFLICT (account_id) DO UPDATE SET day = excluded.day, \
             used = CASE WHEN visitor_credits.day = excluded.day THEN visitor_credits.used + excluded.used ELSE excluded.used END \
             WHERE visitor_credits.day <> excluded.day OR visitor_credits.used <= $4 RETURNING used",
        )
        .bind(scope.account_id.to_string())
        .bind(day.to_string())
        .bind(stored(amount))
        // The difference is compared, because the sum could overflow.
        .bind(stored(limit) - stored(amount))
        .fetch_optional(self.store.writer())
        .await?;
        Ok(row.is_some())
    }

    /// Gives back credits that were [taken](Self::take_credits) on the same day.
    pub async fn return_credits(self, scope: &Scope, day: &Day, amount: u64) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE visitor_credits SET used = CASE WHEN used > $3 THEN used - $3 ELSE 0 END \
             WHERE account_id = $1 AND day = $2",
        )
        .bind(scope.account_id.to_string())
        .bind(day.to_string())
        .bind(stored(amount))
        .execute(self.store.writer())
        .await?;
        Ok(())
    }

    /// Deletes up to `limit` sessions that have ended. Returns how many. For housekeeping.
    pub async fn prune(self, now: Timestamp, limit: u32) -> Result<u64, StoreError> {
        let pruned = sqlx::query(
            "DELETE FROM visitor_sessions WHERE session_id IN \
             (SELECT session_id FROM visitor_sessions WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)",
        )
        .bind(micros(now))
        .bind(i64::from(limit));
        Ok(pruned.execute(self.store.writer()).await?.rows_affected())
    }
}
