//! The registry of personal data: what every column holds, and so what becomes of it when a person is erased.
//!
//! A column is classed by one line in [`REGISTRY`]. The test `every_column_is_classed` compares the registry
//! with the schema of both databases, so a column that nobody has classed fails it; columns of numbers hold
//! no words and are not listed. Erasure takes what it sets columns to from here, so a new column of texts in
//! a row that stays is erased by its line alone. `erasing_leaves_no_word` then looks for the words of a
//! person everywhere.

use crate::sql::hidden::is_hidden;

/// What a column holds, and what erasing a person does with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Words or addresses of a person, in a row that stays: the column is set to this value.
    Blanked(&'static str),
    /// Words or addresses of a person, in a row that is deleted.
    Deleted,
    /// Texts of the account that may name a person: what is known of the person is replaced.
    Replaced,
    /// Texts from outside, without addresses: they pass [`without_addresses`](crate::without_addresses)
    /// before they are stored, and go with their row after a time.
    Guarded,
    /// What the account itself has: its team, its settings, its content. Not erased with a person whom it
    /// talks to.
    OfAccount,
    /// Secrets, hashes and what is encrypted: no words.
    Secret,
    /// Ids, and names that the program chooses: no words.
    Plain,
    /// The search index of a column; its entries are deleted with the words, and its pages are written anew.
    Indexed,
}

/// The columns of a table that can hold texts.
#[derive(Debug, Clone, Copy)]
pub struct ClassedTable {
    /// The name of the table.
    pub name: &'static str,
    /// Names of columns, separated by spaces, and what they hold.
    columns: &'static [(Class, &'static str)],
}

impl ClassedTable {
    /// The columns with their classes.
    pub fn columns(&self) -> impl Iterator<Item = (&'static str, Class)> {
        self.columns
            .iter()
            .flat_map(|(class, names)| names.split_whitespace().map(move |name| (name, *class)))
    }
}

/// A place outside of the columns in which words of a person can be, and how they leave it.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// What it is.
    pub name: &'static str,
    /// How the words leave it.
    pub leaves: &'static str,
}

/// The places outside of the columns.
pub const PLACES: &[Place] = &[
    Place {
        name: "objects in the folder or bucket, named by attachments.object_key and skipped_mails.object_key",
        leaves: "marked by is_erased of stored_objects in the transaction that deletes what names them; deleted before the erasure is \
            answered, or else by the job delete_orphaned_objects",
    },
    Place {
        name: "the search index of messages (SQLite: thread_message_index with its shadow tables; PostgreSQL: thread_messages.tokens)",
        leaves: "entries are deleted with the words, and the pages of the index are written anew without them",
    },
    Place {
        name: "free pages and the write-ahead log of SQLite",
        leaves: "secure_delete overwrites what is deleted, and the log is cut after an erasure",
    },
    Place {
        name: "memory of the process: counts of hits, word indexes, vectors, statistics of search, waiting requests",
        leaves: "they hold ids, numbers and content of the account, never what a visitor wrote; answers being written end with a check \
            whether their question is still there",
    },
    Place {
        name: "logs",
        leaves: "no line has a text that somebody wrote; addresses are taken out of every line by its writer",
    },
    Place { name: "backups and archives", leaves: "they are files of the operator, who deletes them by age" },
];

use Class::{Blanked, Deleted, Guarded, Indexed, OfAccount, Plain, Replaced, Secret};

/// Declares the registry.
macro_rules! registry {
    ($( $table:literal: $( $class:expr => $columns:literal ),+ ; )+) => {
        /// Every table with its columns that can hold texts.
        pub const REGISTRY: &[ClassedTable] =
            &[$( ClassedTable { name: $table, columns: &[$( ($class, $columns) ),+] } ),+];
    };
}

registry! {
    "_sqlx_migrations": Plain => "description checksum";
    "accounts": OfAccount => "name", Plain => "account_id parent_id kind plan";
    "api_keys": OfAccount => "name", Secret => "key_hash display_prefix pepper_id", Plain => "key_id user_id account_id";
    "attachments": Deleted => "file_name mime_type object_key", Plain => "attachment_id account_id message_id";
    // Who has done what stays known for a year; these are people of the account.
    "audit_entries": OfAccount => "person_name subject ip_address", Plain => "audit_entry_id account_id action person_id object_id";
    "authenticators": Secret => "secret", Plain => "person_id";
    "calendar_feeds": OfAccount => "name", Secret => "token_hash", Plain => "calendar_feed_id account_id owner_id created_by";
    "chatbots": OfAccount => "name settings error_message", Plain => "chatbot_id account_id status language error_code";
    "chunk_index": OfAccount => "tokens";
    "chunk_index_config": Plain => "k v";
    "chunk_index_data": OfAccount => "block";
    "chunk_index_docsize": Plain => "sz";
    "chunk_index_idx": OfAccount => "term", Plain => "segid pgno";
    "chunk_vectors": OfAccount => "vector segments", Plain => "chunk_id chatbot_id account_id model";
    "chunks": OfAccount => "title headings body url terms_title terms_headings terms_body tokens",
        Plain => "chunk_id account_id chatbot_id webpage_id source_type language text_snippet_id faq_item_id file_id vector_model";
    "contact_traces": Deleted => "value", Plain => "contact_id account_id kind";
    "contacts": Deleted => "email name phone phone_key company custom external_id payment_amount payment_currency payment_reference tags \
            custom_fields consent_source search_text",
        Plain => "contact_id account_id source kind owner_id";
    "conversations": Blanked("NULL") => "verified_subject escalation_note contact_id",
        Plain => "conversation_id account_id chatbot_id mode source escalation_reason feedback";
    "credit_entries": Plain => "account_id day chatbot_id purpose";
    "credit_usage": Plain => "account_id period";
    "daily_replies": Plain => "chatbot_id day";
    "deal_activities": Blanked("''") => "title",
        Blanked("NULL") => "note result subject send_window contact_id",
        Blanked("CASE WHEN channel IS NULL THEN NULL ELSE '' END") => "body",
        Blanked("CASE WHEN channel IS NULL THEN NULL ELSE 'UTC' END") => "timezone",
        Plain => "deal_activity_id account_id deal_id type status priority owner_id channel start_trigger repeat_interval state \
            stopped_reason error_code";
    "deal_changes": OfAccount => "from_status_name to_status_name",
        Plain => "deal_change_id deal_id account_id type from_deal_status_id to_deal_status_id outcome user_id";
    "deal_contacts": Plain => "deal_id contact_id account_id";
    "deal_rows": OfAccount => "name name_key color", Plain => "deal_row_id account_id";
    "deal_statuses": OfAccount => "name name_key color", Plain => "deal_status_id account_id kind";
    "deal_threads": Plain => "deal_id thread_id account_id";
    "deal_totals": Plain => "account_id deal_status_id deal_row_id currency";
    "deals": Replaced => "title search_text lost_reason",
        Plain => "deal_id account_id deal_status_id deal_row_id position outcome currency expected_close_date owner_id source";
    "domains": OfAccount => "hostname public_keys", Secret => "identity_secret previous_secret",
        Plain => "account_id identity_enforcement";
    "erased_ids": Plain => "erased_id account_id";
    "erasing_texts": Plain => "container_id contact_id account_id kind";
    "erasures": Deleted => "person", Plain => "contact_id account_id";
    "event_sequences": Plain => "account_id";
    "events": Deleted => "data", Plain => "event_id account_id type source_chatbot_id conversation_id contact_id about_id";
    "faq_chatbots": Plain => "faq_id chatbot_id account_id";
    "faq_items": OfAccount => "question question_key alternative_questions answer search_text url",
        Plain => "faq_item_id faq_id account_id status source";
    "faq_tags": Plain => "tag_id faq_id";
    "faqs": OfAccount => "name description", Plain => "faq_id account_id language";
    "file_tags": Plain => "tag_id file_id";
    "files": OfAccount => "title file_name search_text url error_message warnings sha256 object_key",
        Plain => "file_id chatbot_id account_id kind mime_type status error_code language";
    "follow_up_messages": Plain => "deal_activity_id account_id status";
    // What a client calls its request is deleted with the response.
    "idempotency_keys": Deleted => "body mentions path idempotency_key content_type", Secret => "fingerprint",
        Plain => "api_key_id holder";
    "inbox_channels": OfAccount => "name settings progress", Guarded => "last_error", Secret => "secrets public_key",
        Plain => "channel_id account_id kind";
    "invitations": OfAccount => "email name", Secret => "token_hash mail_token_hash", Plain => "invitation_id account_id inviter_id role";
    "jobs": Guarded => "last_error", Plain => "job_id queue kind account_id subject subject_id payload state lease_owner dedupe_key";
    "links": Secret => "token_hash", Plain => "link_id kind user_id account_id";
    "messages": Blanked("''") => "body", Blanked("'[]'") => "sources", Blanked("NULL") => "feedback_comment",
        Plain => "message_id conversation_id account_id chatbot_id role team_member_id feedback_rating";
    // Names events, activities and passkeys, never words of visitors.
    "notices": Guarded => "last_error", OfAccount => "content", Plain => "notice_id account_id user_id status";
    "outgoing_messages": Plain => "message_id account_id state";
    "passkey_challenges": Secret => "token_hash pending_hash state", Plain => "purpose session_id";
    "passkeys": OfAccount => "name", Plain => "passkey_id person_id credential_id public_key";
    "pending_sign_ins": Secret => "token_hash", Plain => "person_id user_id account_id";
    "people": OfAccount => "email name", Secret => "password_hash", Plain => "person_id";
    // Keys and addresses of clients, for a minute.
    "rate_portions": Secret => "name";
    "rate_windows": Secret => "name";
    "recovery_codes": Secret => "code_hash", Plain => "person_id";
    "reply_credits": Plain => "account_id period";
    "retention": Plain => "account_id";
    "secrets": Secret => "value", Plain => "name";
    "sessions": OfAccount => "user_agent", Secret => "token_hash", Plain => "session_id person_id user_id account_id";
    "skipped_mails": Deleted => "mail_key detail from_address subject object_key addresses",
        Plain => "skipped_mail_id account_id channel_id reason";
    "sqlite_sequence": Plain => "name seq";
    "stored_bytes": Plain => "account_id kind";
    "stored_objects": Plain => "object_key";
    "tags": OfAccount => "name name_key color", Plain => "tag_id chatbot_id account_id";
    "text_snippet_tags": Plain => "tag_id text_snippet_id";
    "text_snippets": OfAccount => "title content url", Plain => "text_snippet_id chatbot_id account_id";
    "thread_message_index": Indexed => "tokens";
    "thread_message_index_config": Plain => "k v";
    "thread_message_index_data": Indexed => "block";
    "thread_message_index_docsize": Plain => "sz";
    "thread_message_index_idx": Indexed => "term", Plain => "segid pgno";
    "thread_messages": Blanked("''") => "body",
        Blanked("NULL") => "body_html subject folded_text content_digest author_id author_name delivery_error client_message_id external_id",
        Indexed => "tokens",
        Plain => "message_id thread_id account_id direction author_type delivery_status channel_id";
    "threads": Blanked("NULL") => "external_key subject claims claimed_email contact_id", Blanked("''") => "last_message_preview",
        Blanked("'[]'") => "tags",
        Plain => "thread_id account_id channel channel_id conversation_id chatbot_id status priority assignee_id";
    "unanswered_questions": Deleted => "question question_key",
        Plain => "unanswered_question_id chatbot_id account_id conversation_id";
    // That an address has unsubscribed stays known, by a hash.
    "unsubscribe_links": Secret => "token_hash address_hash", Plain => "account_id contact_id";
    "unsubscribed_addresses": Secret => "address_hash", Plain => "account_id contact_id";
    "users": OfAccount => "email name", Plain => "user_id account_id role status person_id";
    "visitor_credits": Plain => "account_id day";
    // The page chooses the id of a message at random.
    "visitor_messages": Plain => "session_id client_message_id account_id conversation_id message_id answer_id";
    "visitor_sessions": Deleted => "verified_subject", Secret => "token_hash",
        Plain => "session_id chatbot_id account_id widget_key language contact_id";
    "webhook_deliveries": Plain => "webhook_delivery_id webhook_endpoint_id account_id event_id status attempts";
    "webhook_endpoints": OfAccount => "url description", Secret => "secret previous_secret",
        Plain => "webhook_endpoint_id account_id events chatbot_ids disabled_reason lease_owner";
    "webpage_tags": Plain => "tag_id webpage_id";
    "webpages": OfAccount => "url root_url parent_url final_url title reason content_hash custom_title etag last_modified",
        Plain => "webpage_id chatbot_id account_id status language website_id outcome";
    "website_tags": Plain => "tag_id website_id";
    "websites": OfAccount => "url include_paths exclude_paths error_message",
        Plain => "website_id chatbot_id account_id source refresh_interval status scope error_code";
    "widgets": OfAccount => "color notice allowed_origins", Plain => "chatbot_id account_id widget_key position button_style";
    "write_checks": Plain => "name";
}

/// The columns of a row that stays with the values that they get when a person is erased.
fn blanked(table: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let columns =
        REGISTRY.iter().filter(move |classed| classed.name == table).flat_map(ClassedTable::columns);
    columns.filter_map(|(column, class)| match class {
        Blanked(value) => Some((column, value)),
        _ => None,
    })
}

/// Returns the assignments that take a person's words out of a row of a table that stays.
pub(crate) fn blanks(table: &str) -> String {
    blanked(table).map(|(column, value)| format!("{column} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Returns the expression by which copies of the data read a column: words that an erasure has hidden are not
/// in them. `None` if it can be read as it is.
pub(crate) fn shown(table: &str, column: &str) -> Option<String> {
    let is_hidden = match table {
        "messages" => is_hidden!("messages" in "conversation_id"),
        "thread_messages" => is_hidden!("thread_messages" in "thread_id"),
        _ => return None,
    };
    let (_, value) = blanked(table).find(|(blanked, _)| *blanked == column)?;
    Some(format!("CASE WHEN {is_hidden} THEN {value} ELSE {table}.{column} END"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_stay_have_assignments() {
        assert_eq!(blanks("messages"), "body = '', sources = '[]', feedback_comment = NULL");
        assert_eq!(blanks("contacts"), "", "these rows are deleted");
    }
}
