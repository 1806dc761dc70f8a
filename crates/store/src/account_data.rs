//! All data of an account, for an archive, and its removal.
//!
//! A table with data of accounts is named either in [`TABLES`] or in the test `every_table_is_exported_or_left_out`, which says why not.

use serde_json::{Map, Value};
use sqlx::any::{AnyRow, AnyTypeInfoKind};
use sqlx::{Column, Row, ValueRef};
use uuid::Uuid;

use crate::StoreError;
use crate::row::Columns;

/// Rows that are read at a time.
const BATCH: i64 = 500;

/// A table in an archive.
#[derive(Debug, Clone, Copy)]
pub struct ExportedTable {
    /// The name.
    pub name: &'static str,
    /// The statement that reads a page of it: `$1` is the account, `$2` the last key of the page before, `$3` the number of rows.
    sql: &'static str,
    /// The column with the key by which pages are read.
    key: &'static str,
}

/// Declares the tables of an archive. Columns are named, so that secrets and what can be derived are left out.
macro_rules! tables {
    ($( $name:literal by $key:literal: $columns:literal; )+) => {
        /// The tables of an archive.
        pub const TABLES: &[ExportedTable] = &[$(
            ExportedTable {
                name: $name,
                sql: concat!(
                    "SELECT ", $columns, " FROM ", $name, " WHERE account_id = $1 AND ", $key, " > $2 ORDER BY ", $key,
                    " LIMIT $3"
                ),
                key: $key,
            },
        )+];
    };
}

tables! {
    "accounts" by "account_id": "account_id, parent_id, kind, name, plan, monthly_credits, created_at";
    "users" by "user_id": "user_id, email, name, role, status, created_at";
    "api_keys" by "key_id": "key_id, user_id, name, display_prefix, rate_per_minute, created_at, last_used_at";
    "chatbots" by "chatbot_id": "chatbot_id, name, status, settings, language, created_at, updated_at";
    "contacts" by "contact_id": "contact_id, email, name, phone, company, custom, external_id, is_verified, is_managed, kind, \
        became_customer_at, paid_at, payment_amount, payment_currency, payment_reference, source, archived_at, first_seen_at, \
        last_seen_at, updated_at";
    "conversations" by "conversation_id": "conversation_id, chatbot_id, contact_id, mode, source, verified_subject, message_count, \
        escalated_at, escalation_reason, escalation_note, created_at, last_message_at";
    "messages" by "message_id": "message_id, conversation_id, chatbot_id, position, role, body, sources, needs_escalation, credits_used, \
        team_member_id, feedback_rating, feedback_comment, created_at";
    "tags" by "tag_id": "tag_id, chatbot_id, name, color, created_at";
    "text_snippets" by "text_snippet_id": "text_snippet_id, chatbot_id, title, content, url, enabled, created_at, updated_at";
    "faqs" by "faq_id": "faq_id, name, description, language, created_at, updated_at";
    "faq_items" by "faq_item_id": "faq_item_id, faq_id, position, question, alternative_questions, answer, url, status, source, hit_count, \
        created_at, updated_at";
    "files" by "file_id": "file_id, chatbot_id, title, file_name, url, mime_type, size_bytes, sha256, object_key, created_at";
    "unanswered_questions" by "unanswered_question_id": "unanswered_question_id, chatbot_id, question, times_asked, first_asked_at, last_asked_at";
    "websites" by "website_id": "website_id, chatbot_id, url, status, created_at, updated_at";
    "webpages" by "webpage_id": "webpage_id, chatbot_id, url, title, status, http_status, fetched_at, created_at";
    "deal_statuses" by "deal_status_id": "deal_status_id, name, color, kind, probability, rot_after_days, position, created_at, updated_at";
    "deal_rows" by "deal_row_id": "deal_row_id, name, color, is_collapsed, is_default, position, created_at, updated_at";
    "deals" by "deal_id": "deal_id, title, deal_status_id, deal_row_id, position, outcome, lost_reason, value_units, currency, probability, \
        expected_close_date, owner_id, source, status_changed_at, closed_at, deleted_at, created_at, updated_at, \
        (SELECT string_agg(link.contact_id, ' ' ORDER BY link.contact_id) FROM deal_contacts AS link WHERE link.deal_id = deals.deal_id) \
        AS contact_ids, \
        (SELECT string_agg(link.thread_id, ' ' ORDER BY link.thread_id) FROM deal_threads AS link WHERE link.deal_id = deals.deal_id) \
        AS thread_ids";
    "deal_changes" by "deal_change_id": "deal_change_id, deal_id, type, from_deal_status_id, from_status_name, to_deal_status_id, \
        to_status_name, outcome, user_id, created_at";
    "inbox_channels" by "channel_id": "channel_id, kind, name, enabled, settings, created_at, updated_at";
    "threads" by "thread_id": "thread_id, channel, channel_id, external_key, conversation_id, chatbot_id, contact_id, subject, claims, status, \
        priority, assignee_id, tags, snoozed_until, waiting_since, first_reply_at, resolved_at, last_message_at, created_at, updated_at";
    "thread_messages" by "message_id": "message_id, thread_id, position, direction, author_type, author_id, author_name, body, body_html, \
        subject, folded_text, delivery_status, delivery_error, sent_at, created_at";
    "attachments" by "attachment_id": "attachment_id, message_id, file_name, mime_type, size_bytes, object_key, created_at";
    "skipped_mails" by "skipped_mail_id": "skipped_mail_id, channel_id, reason, detail, from_address, subject, size_bytes, object_key, created_at";
    "events" by "event_id": "event_id, sequence, type, data, created_at";
    "webhook_endpoints" by "webhook_endpoint_id": "webhook_endpoint_id, url, description, events, chatbot_ids, enabled, created_at, updated_at";
    "deal_activities" by "deal_activity_id": "deal_activity_id, deal_id, type, title, note, status, priority, due_at, duration_minutes, owner_id, \
        contact_id, reminder_minutes_before, result, done_at, channel, subject, body, start_trigger, delay_hours, max_attempts, \
        repeat_interval, timezone, send_window, stop_on_reply, state, attempts, next_attempt_at, last_attempt_at, stopped_reason, \
        error_code, created_at, updated_at";
    "unsubscribed_addresses" by "address_hash": "address_hash, contact_id, unsubscribed_at";
    "calendar_feeds" by "calendar_feed_id": "calendar_feed_id, name, owner_id, created_by, created_at, rotated_at";
    "credit_usage" by "period": "period, used";
}

/// One page of a table: its rows, and the key after which the next page begins.
pub type TablePage = (Vec<Map<String, Value>>, Option<String>);

group! {
    /// All data of an account. For the operator.
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
        let rows = sqlx::query(table.sql)
            .bind(account_id.to_string())
            .bind(after.to_owned())
            .bind(BATCH)
            .fetch_all(self.store.reader())
            .await?;
        let next = match rows.last() {
            Some(last) if rows.len() == usize::try_from(BATCH).unwrap_or(usize::MAX) => {
                Some(last.text(table.key)?)
            }
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

    /// Removes an account with everything that belongs to it. Objects of its files are no longer named by any file; the caller
    /// deletes them. Returns whether there was such an account.
    pub async fn erase(self, account_id: Uuid) -> Result<bool, StoreError> {
        let erased = sqlx::query("DELETE FROM accounts WHERE account_id = $1")
            .bind(account_id.to_string())
            .execute(self.store.writer())
            .await?;
        self.store.forget_overwritten().await;
        Ok(erased.rows_affected() > 0)
    }
}

/// Returns a row as JSON. Columns that hold JSON stay texts.
fn object(row: &AnyRow) -> Result<Map<String, Value>, StoreError> {
    let mut object = Map::new();
    for column in row.columns() {
        let name = column.name();
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
