//! All data of an account, for an archive, and its removal.
//!
//! Every column of the schema is exported by [`TABLES`], or named in [`LEFT_OUT`] with the reason, which the
//! archive repeats; the test `every_column_is_exported_or_left_out` compares both with the schema of both
//! databases.

mod left_out;

use jiff::Timestamp;
use serde_json::{Map, Value};
use sqlx::any::{AnyRow, AnyTypeInfoKind};
use sqlx::{AssertSqlSafe, Column, Row, SqlSafeStr, SqlStr, ValueRef};
use uuid::Uuid;

use crate::lifecycle::ageing::{Ageing, Kind};
use crate::lifecycle::erasure::rewrite_index;
use crate::lifecycle::personal_data;
use crate::sql::error::StoreError;
use crate::sql::row::Columns;

pub use self::left_out::{LEFT_OUT, LeftOut};

/// Rows that are read at a time.
const BATCH: i64 = 500;
/// Rows that one transaction removes.
const REMOVED: i64 = 500;

/// A table in an archive.
#[derive(Debug, Clone, Copy)]
pub struct ExportedTable {
    /// The name.
    pub name: &'static str,
    /// The columns, separated by commas.
    columns: &'static str,
    /// Further columns, which are computed.
    computed: Option<&'static str>,
    /// The expression by which pages are read in order.
    key: &'static str,
    /// The condition of the rows of the account `$1`.
    owner: &'static str,
}

impl ExportedTable {
    /// The columns of the schema that it has.
    pub fn columns(&self) -> impl Iterator<Item = &'static str> {
        self.columns.split(',').map(str::trim)
    }

    /// The statement that reads a page: `$1` is the account, `$2` the last key of the page before, `$3` the
    /// number of rows.
    fn statement(&self) -> SqlStr {
        let Self { name, key, owner, .. } = self;
        let columns = self.columns().map(|column| match personal_data::shown(name, column) {
            Some(shown) => format!("{shown} AS {column}"),
            None => column.to_owned(),
        });
        let columns: Vec<String> = columns.chain(self.computed.map(str::to_owned)).collect();
        let sql = format!(
            "SELECT {}, {key} AS {KEY} FROM {name} WHERE {owner} AND {key} > $2 ORDER BY {key} LIMIT $3",
            columns.join(", ")
        );
        // All parts are constants.
        AssertSqlSafe(sql).into_sql_str()
    }
}

/// Declares the tables of an archive: their columns, the expression by which pages are read in order, and
/// which rows belong to the account, which are those with its id if nothing is said. Columns are named, so
/// that secrets and what can be derived are left out.
macro_rules! tables {
    ($( $name:literal by $key:literal $(of $owner:literal)? : $columns:literal $(with $more:literal)? ; )+) => {
        /// The tables of an archive.
        pub const TABLES: &[ExportedTable] = &[$(
            ExportedTable {
                name: $name,
                columns: $columns,
                computed: tables!(computed $($more)?),
                key: $key,
                owner: tables!(owner $($owner)?),
            },
        )+];
    };
    (computed) => {
        None
    };
    (computed $more:literal) => {
        Some($more)
    };
    (owner) => {
        "account_id = $1"
    };
    (owner $owner:literal) => {
        $owner
    };
}

tables! {
    "accounts" by "account_id": "account_id, parent_id, kind, name, plan, monthly_credits, requires_second_factor, created_at";
    "users" by "user_id": "user_id, email, name, role, status, person_id, created_at, last_seen_at";
    "people" by "person_id" of "person_id IN (SELECT u.person_id FROM users AS u WHERE u.account_id = $1)": "person_id, email, name, \
        password_changed_at, created_at, reset_requested_at";
    "authenticators" by "person_id" of "person_id IN (SELECT u.person_id FROM users AS u WHERE u.account_id = $1)": "person_id, last_step, \
        failures, blocked_until, created_at, confirmed_at";
    "passkeys" by "passkey_id" of "person_id IN (SELECT u.person_id FROM users AS u WHERE u.account_id = $1)": "passkey_id, person_id, \
        name, credential_id, public_key, transports, is_backup_eligible, sign_count, created_at, last_used_at";
    "sessions" by "session_id": "session_id, person_id, user_id, user_agent, created_at, last_used_at, confirmed_at";
    "audit_entries" by "audit_entry_id": "audit_entry_id, action, person_id, person_name, object_id, subject, ip_address, created_at";
    "invitations" by "invitation_id": "invitation_id, inviter_id, email, name, role, created_at, expires_at";
    "api_keys" by "key_id": "key_id, user_id, name, display_prefix, rate_per_minute, created_at, last_used_at";
    "domains" by "hostname": "hostname, identity_enforcement, public_keys, created_at, updated_at";
    "chatbots" by "chatbot_id": "chatbot_id, name, status, settings, language, error_code, error_message, error_at, created_at, updated_at";
    "contacts" by "contact_id": "contact_id, email, name, phone, company, custom, external_id, is_verified, is_managed, kind, \
        became_customer_at, paid_at, payment_amount, payment_currency, payment_reference, owner_id, tags, custom_fields, \
        consent_marketing, consent_at, consent_source, source, archived_at, first_seen_at, last_seen_at, updated_at";
    "contact_traces" by "contact_id || ' ' || kind || ' ' || value": "contact_id, kind, value";
    "conversations" by "conversation_id": "conversation_id, chatbot_id, contact_id, mode, source, verified_subject, message_count, \
        context_start, offer_position, needs_escalation, escalated_at, escalation_reason, escalation_note, handover_due_at, feedback, \
        created_at, last_message_at";
    "messages" by "message_id": "message_id, conversation_id, chatbot_id, position, role, body, sources, needs_escalation, credits_used, \
        team_member_id, feedback_rating, feedback_comment, feedback_at, created_at";
    "widgets" by "chatbot_id": "chatbot_id, widget_key, enabled, color, position, button_style, notice, allowed_origins, updated_at";
    "visitor_sessions" by "session_id": "session_id, chatbot_id, widget_key, language, verified_subject, contact_id, created_at, expires_at";
    "visitor_messages" by "session_id || ' ' || client_message_id": "session_id, client_message_id, conversation_id, message_id, \
        answer_id, claimed_at, created_at";
    "tags" by "tag_id": "tag_id, chatbot_id, name, color, created_at";
    "text_snippets" by "text_snippet_id": "text_snippet_id, chatbot_id, title, content, url, enabled, char_count, hit_count, created_at, \
        updated_at";
    "text_snippet_tags" by "tag_id || ' ' || text_snippet_id"
        of "tag_id IN (SELECT t.tag_id FROM tags AS t WHERE t.account_id = $1)": "tag_id, text_snippet_id";
    "faqs" by "faq_id": "faq_id, name, description, language, created_at, updated_at";
    "faq_items" by "faq_item_id": "faq_item_id, faq_id, position, question, alternative_questions, answer, url, status, source, hit_count, \
        created_at, updated_at";
    "faq_tags" by "tag_id || ' ' || faq_id" of "tag_id IN (SELECT t.tag_id FROM tags AS t WHERE t.account_id = $1)": "tag_id, faq_id";
    "faq_chatbots" by "faq_id || ' ' || chatbot_id": "faq_id, chatbot_id";
    "files" by "file_id": "file_id, chatbot_id, title, has_own_title, file_name, url, kind, mime_type, size_bytes, sha256, object_key, \
        revision, status, error_code, error_message, error_at, warnings, page_count, language, enabled, char_count, hit_count, created_at, updated_at";
    "file_tags" by "tag_id || ' ' || file_id" of "tag_id IN (SELECT t.tag_id FROM tags AS t WHERE t.account_id = $1)": "tag_id, file_id";
    "unanswered_questions" by "unanswered_question_id": "unanswered_question_id, chatbot_id, question, times_asked, first_asked_at, \
        last_asked_at, conversation_id";
    "websites" by "website_id": "website_id, chatbot_id, url, source, max_pages, max_depth, include_paths, exclude_paths, \
        include_subdomains, include_files, refresh_interval, status, scope, last_crawled_at, next_crawl_at, recrawl_available_at, error_code, \
        error_message, error_at, created_at, updated_at";
    "website_tags" by "tag_id || ' ' || website_id" of "tag_id IN (SELECT t.tag_id FROM tags AS t WHERE t.account_id = $1)":
        "tag_id, website_id";
    "webpages" by "webpage_id": "webpage_id, chatbot_id, website_id, url, root_url, parent_url, depth, final_url, title, custom_title, \
        status, reason, outcome, http_status, etag, last_modified, language, enabled, hit_count, created_at, updated_at, fetched_at";
    "webpage_tags" by "tag_id || ' ' || webpage_id" of "tag_id IN (SELECT t.tag_id FROM tags AS t WHERE t.account_id = $1)":
        "tag_id, webpage_id";
    "deal_statuses" by "deal_status_id": "deal_status_id, name, color, kind, probability, rot_after_days, position, created_at, updated_at";
    "deal_rows" by "deal_row_id": "deal_row_id, name, color, is_collapsed, is_default, position, created_at, updated_at";
    "deals" by "deal_id": "deal_id, title, deal_status_id, deal_row_id, position, outcome, lost_reason, value_units, currency, probability, \
        expected_close_date, owner_id, source, status_changed_at, active_at, closed_at, deleted_at, created_at, updated_at" with "\
        (SELECT string_agg(link.contact_id, ' ' ORDER BY link.contact_id) FROM deal_contacts AS link WHERE link.deal_id = deals.deal_id) \
        AS contact_ids, \
        (SELECT string_agg(link.thread_id, ' ' ORDER BY link.thread_id) FROM deal_threads AS link WHERE link.deal_id = deals.deal_id) \
        AS thread_ids";
    "deal_changes" by "deal_change_id": "deal_change_id, deal_id, type, from_deal_status_id, from_status_name, to_deal_status_id, \
        to_status_name, outcome, user_id, created_at";
    "inbox_channels" by "channel_id": "channel_id, kind, name, enabled, settings, last_error, error_at, created_at, updated_at";
    "threads" by "thread_id": "thread_id, channel, channel_id, external_key, conversation_id, chatbot_id, contact_id, subject, claims, status, \
        priority, assignee_id, tags, snoozed_until, unread_count, message_count, waiting_since, first_reply_at, resolved_at, \
        last_message_at, created_at, updated_at";
    "thread_messages" by "message_id": "message_id, thread_id, position, direction, author_type, author_id, author_name, body, body_html, \
        subject, folded_text, delivery_status, delivery_error, client_message_id, channel_id, external_id, sent_at, created_at";
    "attachments" by "attachment_id": "attachment_id, message_id, file_name, mime_type, size_bytes, object_key, created_at";
    "skipped_mails" by "skipped_mail_id": "skipped_mail_id, channel_id, mail_key, reason, detail, from_address, subject, size_bytes, \
        object_key, created_at";
    "events" by "event_id": "event_id, sequence, type, data, source_chatbot_id, conversation_id, contact_id, about_id, created_at";
    "webhook_endpoints" by "webhook_endpoint_id": "webhook_endpoint_id, url, description, events, chatbot_ids, enabled, disabled_reason, \
        failing_since, last_success_at, created_at, updated_at";
    "webhook_deliveries" by "webhook_delivery_id": "webhook_delivery_id, webhook_endpoint_id, event_id, status, failures, due_at, attempts, \
        created_at, finished_at";
    "notices" by "notice_id": "notice_id, user_id, content, status, attempts, due_at, last_error, created_at, finished_at";
    "deal_activities" by "deal_activity_id": "deal_activity_id, deal_id, type, title, note, status, priority, due_at, duration_minutes, owner_id, \
        contact_id, reminder_minutes_before, remind_at, result, done_at, channel, subject, body, start_trigger, delay_hours, max_attempts, \
        repeat_interval, timezone, send_window, stop_on_reply, state, attempts, anchor_at, next_attempt_at, send_now, replies_after, \
        last_attempt_at, stopped_reason, error_code, error_at, created_at, updated_at";
    "follow_up_messages" by "deal_activity_id || ' ' || attempt": "deal_activity_id, attempt, status, tries, created_at, finished_at";
    "unsubscribed_addresses" by "address_hash": "address_hash, contact_id, unsubscribed_at";
    "calendar_feeds" by "calendar_feed_id": "calendar_feed_id, name, owner_id, created_by, created_at, rotated_at";
    "credit_usage" by "period": "period, used";
    "credit_entries" by "day || ' ' || COALESCE(chatbot_id, '') || ' ' || purpose": "day, chatbot_id, purpose, used";
    "reply_credits" by "period": "period, used";
    "daily_replies" by "chatbot_id || ' ' || day"
        of "chatbot_id IN (SELECT bot.chatbot_id FROM chatbots AS bot WHERE bot.account_id = $1)": "chatbot_id, day, used";
    "retention" by "account_id": "conversation_days, contact_days";
}

/// The column of a page that has the key of its rows.
const KEY: &str = "archive_key";

/// One page of a table: its rows, and the key after which the next page begins.
pub type TablePage = (Vec<Map<String, Value>>, Option<String>);

group! {
    /// All data of an account. For the operator, and for the owner of the account.
    pub AccountData, account_data
}

impl AccountData<'_> {
    /// Returns a page of a table, from after the key `after`, which is empty for the first one.
    pub async fn rows(
        self,
        account_id: Uuid,
        table: ExportedTable,
        after: &str,
    ) -> Result<TablePage, StoreError> {
        let rows = sqlx::query(table.statement())
            .bind(account_id.to_string())
            .bind(after.to_owned())
            .bind(BATCH)
            .fetch_all(self.store.reader())
            .await?;
        let next = match rows.last() {
            Some(last) if rows.len() == usize::try_from(BATCH).unwrap_or(usize::MAX) => Some(last.text(KEY)?),
            _ => None,
        };
        Ok((rows.iter().map(object).collect::<Result<_, _>>()?, next))
    }

    /// Returns the number of sub-accounts, which keep an agency from being removed.
    pub async fn sub_accounts(self, account_id: Uuid) -> Result<u64, StoreError> {
        let row = sqlx::query("SELECT COUNT(*) AS count FROM accounts WHERE parent_id = $1")
            .bind(account_id.to_string())
            .fetch_one(self.store.reader())
            .await?;
        Ok(row.number("count")?)
    }

    /// Removes an account with everything that belongs to it, in short transactions; a call that was
    /// interrupted is repeated. Objects of its files are no longer named by any file; the caller deletes
    /// them. Returns whether there was such an account.
    pub async fn erase(self, account_id: Uuid, now: Timestamp) -> Result<bool, StoreError> {
        for statement in CLOSING {
            sqlx::query(statement).bind(account_id.to_string()).execute(self.store.writer()).await?;
        }
        let all = Ageing { store: self.store, account_id, before: i64::MAX, now };
        all.remove(Kind::Thread, u32::MAX).await?;
        all.remove(Kind::Conversation, u32::MAX).await?;
        for (table, owner) in MANY_ROWS {
            while self.remove_some(table, owner, account_id).await? {}
        }
        // While there is an account, so that a call that was interrupted here is repeated.
        rewrite_index(self.store, None).await?;
        let erased = sqlx::query("DELETE FROM accounts WHERE account_id = $1")
            .bind(account_id.to_string())
            .execute(self.store.writer())
            .await?;
        self.store.people().delete_without_users().await?;
        self.store.forget_overwritten().await;
        Ok(erased.rows_affected() > 0)
    }

    /// Removes some rows of a table. Returns whether there may be more.
    async fn remove_some(self, table: &str, owner: &str, account_id: Uuid) -> Result<bool, StoreError> {
        let sql = self.store.dialect().pick(
            "DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE {owner} LIMIT {limit})",
            "DELETE FROM {table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} WHERE {owner} LIMIT {limit}))",
        );
        let sql =
            sql.replace("{table}", table).replace("{owner}", owner).replace("{limit}", &REMOVED.to_string());
        // All parts are constants.
        let removed =
            sqlx::query(AssertSqlSafe(sql)).bind(account_id.to_string()).execute(self.store.writer()).await?;
        Ok(removed.rows_affected() > 0)
    }
}

/// The statements after which nobody adds anything to the account `$1` any more.
pub(super) const CLOSING: [&str; 4] = [
    "UPDATE inbox_channels SET enabled = 0 WHERE account_id = $1 AND enabled = 1",
    "UPDATE webhook_endpoints SET enabled = 0 WHERE account_id = $1 AND enabled = 1",
    "UPDATE widgets SET enabled = 0 WHERE account_id = $1 AND enabled = 1",
    "UPDATE users SET status = 'disabled' WHERE account_id = $1 AND status = 'active'",
];

/// Tables that may have many rows of an account, with the condition that finds them by an index. What refers
/// to a row comes before it.
const MANY_ROWS: [(&str, &str); 19] = [
    ("audit_entries", "account_id = $1"),
    ("visitor_sessions", "account_id = $1"),
    ("idempotency_keys", "api_key_id IN (SELECT k.key_id FROM api_keys AS k WHERE k.account_id = $1)"),
    ("events", "account_id = $1"),
    ("skipped_mails", "account_id = $1"),
    ("attachments", "account_id = $1"),
    ("deal_activities", "account_id = $1"),
    ("deals", "account_id = $1"),
    ("contacts", "account_id = $1"),
    ("unanswered_questions", OF_CHATBOTS),
    ("chunk_vectors", OF_CHATBOTS),
    ("chunks", OF_CHATBOTS),
    ("webpages", OF_CHATBOTS),
    ("files", OF_CHATBOTS),
    ("text_snippets", OF_CHATBOTS),
    ("faq_items", "faq_id IN (SELECT f.faq_id FROM faqs AS f WHERE f.account_id = $1)"),
    ("jobs", "account_id = $1"),
    ("credit_entries", "account_id = $1"),
    ("erased_ids", "account_id = $1"),
];
const OF_CHATBOTS: &str =
    "chatbot_id IN (SELECT bot.chatbot_id FROM chatbots AS bot WHERE bot.account_id = $1)";

/// Returns a row as JSON. Columns that hold JSON stay texts.
fn object(row: &AnyRow) -> Result<Map<String, Value>, StoreError> {
    let mut object = Map::new();
    for column in row.columns() {
        let name = column.name();
        if name == KEY {
            continue;
        }
        let raw = row.try_get_raw(name)?;
        let value = if raw.is_null() {
            Value::Null
        } else if matches!(raw.type_info().kind(), AnyTypeInfoKind::Text) {
            row.text(name)?.into()
        } else {
            row.int(name)?.into()
        };
        object.insert(name.to_owned(), value);
    }
    Ok(object)
}
