//! What an archive does not contain, and why.

/// A table, or a column as `table.column`, that no archive contains.
#[derive(Debug, Clone, Copy)]
pub struct LeftOut {
    /// Its name.
    pub name: &'static str,
    /// Why.
    pub reason: &'static str,
}

/// Declares what is left out: a reason, and the names that it holds for.
macro_rules! left_out {
    ($( $reason:literal: $($name:literal)+ ; )+) => {
        /// The tables and columns that no archive contains.
        pub const LEFT_OUT: &[LeftOut] = &[$( $( LeftOut { name: $name, reason: $reason }, )+ )+];
    };
}

left_out! {
    "a secret, or encrypted with one of the installation": "secrets" "api_keys.key_hash" "api_keys.pepper_id" "domains.identity_secret"
        "domains.previous_secret" "domains.previous_secret_until" "webhook_endpoints.secret" "webhook_endpoints.previous_secret"
        "webhook_endpoints.previous_secret_until" "inbox_channels.secrets" "inbox_channels.public_key" "visitor_sessions.token_hash" "calendar_feeds.token_hash"
        "people.password_hash" "sessions.token_hash" "links" "invitations.token_hash" "invitations.mail_token_hash"
        "authenticators.secret" "recovery_codes" "unsubscribe_links";
    "made of other data, and made again by itself": "chunks" "chunk_vectors" "chunk_index" "chunk_index_config" "chunk_index_data"
        "chunk_index_docsize" "chunk_index_idx" "thread_message_index" "thread_message_index_config" "thread_message_index_data"
        "thread_message_index_docsize" "thread_message_index_idx" "thread_messages.message_no" "thread_messages.tokens"
        "threads.last_message_preview" "threads.claimed_email" "thread_messages.content_digest" "contacts.phone_key" "contacts.search_text" "tags.name_key" "faq_items.question_key"
        "faq_items.search_text" "files.search_text" "unanswered_questions.question_key" "deals.search_text" "deal_rows.name_key"
        "deal_statuses.name_key" "deal_totals" "deal_activities.due_key" "webpages.content_hash" "webpages.queued"
        "skipped_mails.addresses" "stored_bytes" "chatbots.chatbot_no" "domains.domain_id";
    "work that the service has still to do": "jobs" "outgoing_messages" "erasures" "erasing_texts" "inbox_channels.progress"
        "webhook_endpoints.lease_owner" "webhook_endpoints.lease_until" "webhook_endpoints.lease_number"
        "webhook_endpoints.owner_told_at"
        "retention.is_unindexed" "accounts.erasing_at";
    "kept for some hours, for the service itself": "idempotency_keys" "erased_ids" "rate_portions" "rate_windows" "visitor_credits" "pending_sign_ins"
        "passkey_challenges";
    "part of another file of the archive: the contacts and threads of a deal are columns of deals": "deal_contacts" "deal_threads";
    "part of another file of the archive: events have their numbers": "event_sequences";
    "the objects themselves are in the folder `files`": "stored_objects";
    "of the installation, not of an account": "_sqlx_migrations" "write_checks" "sqlite_sequence";
    "the same for every row: the account": "account_id";
}
