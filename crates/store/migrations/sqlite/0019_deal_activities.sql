-- Activities of deals, follow-ups that are sent by themselves, calendar feeds, and addresses that get no follow-ups any more.

CREATE TABLE deal_activities (
    deal_activity_id        TEXT NOT NULL PRIMARY KEY,
    account_id              TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    deal_id                 TEXT NOT NULL REFERENCES deals (deal_id) ON DELETE CASCADE,
    type                    TEXT NOT NULL CHECK (type IN ('task', 'call', 'meeting', 'deadline', 'follow_up')),
    title                   TEXT NOT NULL,
    note                    TEXT,
    status                  TEXT NOT NULL CHECK (status IN ('open', 'done', 'cancelled')),
    priority                TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
    due_at                  INTEGER,
    -- `due_at`, or the largest number for activities without one, by which lists are ordered.
    due_key                 INTEGER NOT NULL,
    duration_minutes        INTEGER,
    owner_id                TEXT REFERENCES users (user_id) ON DELETE SET NULL,
    contact_id              TEXT REFERENCES contacts (contact_id) ON DELETE SET NULL,
    reminder_minutes_before INTEGER,
    -- When the reminder is written. NULL if there is none, or it was written.
    remind_at               INTEGER,
    result                  TEXT,
    done_at                 INTEGER,
    created_at              INTEGER NOT NULL,
    updated_at              INTEGER NOT NULL,
    -- Of follow-ups; the channel is NULL for all others.
    channel                 TEXT CHECK (channel IN ('email', 'chat')),
    subject                 TEXT,
    body                    TEXT,
    start_trigger           TEXT CHECK (start_trigger IN ('at_time', 'after_no_reply')),
    delay_hours             INTEGER,
    max_attempts            INTEGER,
    repeat_interval         TEXT CHECK (repeat_interval IN ('none', 'daily', 'weekly')),
    timezone                TEXT,
    -- JSON.
    send_window             TEXT,
    stop_on_reply           INTEGER CHECK (stop_on_reply IN (0, 1)),
    state                   TEXT CHECK (state IN ('scheduled', 'sending', 'waiting', 'sent', 'stopped', 'failed')),
    -- Attempts that were made, also those of which nobody knows whether they have arrived.
    attempts                INTEGER,
    -- When the first attempt was planned, before the send window was considered.
    anchor_at               INTEGER,
    -- When the next attempt is made. While one is being made, the end of its lease.
    next_attempt_at         INTEGER,
    -- Whether the send window does not matter for the next attempt.
    send_now                INTEGER NOT NULL DEFAULT 0 CHECK (send_now IN (0, 1)),
    -- Messages of the contact after this moment are replies.
    replies_after           INTEGER,
    last_attempt_at         INTEGER,
    stopped_reason          TEXT CHECK (stopped_reason IN
        ('replied', 'deal_closed', 'unsubscribed', 'contact_erased', 'manual', 'bounced', 'no_conversation')),
    error_code              TEXT CHECK (error_code IN
        ('outcome_unknown', 'unreachable', 'no_address', 'mail_not_configured', 'no_time')),
    error_at                INTEGER
) STRICT;
CREATE INDEX deal_activities_deal ON deal_activities (deal_id, due_key, deal_activity_id);
CREATE INDEX deal_activities_account ON deal_activities (account_id, due_key, deal_activity_id);
CREATE INDEX deal_activities_owner ON deal_activities (owner_id, due_key, deal_activity_id) WHERE owner_id IS NOT NULL;
CREATE INDEX deal_activities_contact ON deal_activities (contact_id, due_key, deal_activity_id) WHERE contact_id IS NOT NULL;
-- Only follow-ups that are planned or being sent have a next attempt, so the one that has been due longest is the first entry.
CREATE INDEX deal_activities_attempts ON deal_activities (next_attempt_at, deal_activity_id)
    WHERE next_attempt_at IS NOT NULL;
CREATE INDEX deal_activities_reminders ON deal_activities (remind_at, deal_activity_id) WHERE remind_at IS NOT NULL;

-- The outbox: one row for each attempt of a follow-up, written in the transaction that has checked that it may be sent. A row that stays
-- `sending` belongs to a process that has died; what it sent is not known, so it is never sent again.
CREATE TABLE follow_up_messages (
    deal_activity_id TEXT NOT NULL REFERENCES deal_activities (deal_activity_id) ON DELETE CASCADE,
    attempt          INTEGER NOT NULL,
    account_id       TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    status           TEXT NOT NULL CHECK (status IN ('sending', 'queued', 'sent', 'failed', 'unknown')),
    -- How often the mail server was asked to accept it.
    tries            INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    finished_at      INTEGER,
    PRIMARY KEY (deal_activity_id, attempt)
) STRICT;
CREATE INDEX follow_up_messages_account ON follow_up_messages (account_id);

-- Links in e-mails by which a recipient unsubscribes. They outlive the activity and the contact. The address is a hash.
CREATE TABLE unsubscribe_links (
    token_hash   TEXT NOT NULL PRIMARY KEY,
    account_id   TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    contact_id   TEXT REFERENCES contacts (contact_id) ON DELETE SET NULL,
    address_hash TEXT NOT NULL,
    created_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX unsubscribe_links_account ON unsubscribe_links (account_id);
CREATE INDEX unsubscribe_links_contact ON unsubscribe_links (contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX unsubscribe_links_created ON unsubscribe_links (created_at);

-- Addresses that get no follow-ups. The address is a hash, so that it is still known after the contact was erased.
CREATE TABLE unsubscribed_addresses (
    account_id      TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    address_hash    TEXT NOT NULL,
    contact_id      TEXT REFERENCES contacts (contact_id) ON DELETE SET NULL,
    unsubscribed_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, address_hash)
) STRICT;
CREATE INDEX unsubscribed_addresses_contact ON unsubscribed_addresses (contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE calendar_feeds (
    calendar_feed_id TEXT NOT NULL PRIMARY KEY,
    account_id       TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    name             TEXT NOT NULL,
    -- Whose activities it shows; NULL for those of the account.
    owner_id         TEXT REFERENCES users (user_id) ON DELETE CASCADE,
    -- The feed ends with the person who has made it.
    created_by       TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    token_hash       TEXT NOT NULL UNIQUE,
    created_at       INTEGER NOT NULL,
    rotated_at       INTEGER
) STRICT;
CREATE INDEX calendar_feeds_account ON calendar_feeds (account_id, created_at, calendar_feed_id);
CREATE INDEX calendar_feeds_owner ON calendar_feeds (owner_id) WHERE owner_id IS NOT NULL;
CREATE INDEX calendar_feeds_creator ON calendar_feeds (created_by);
