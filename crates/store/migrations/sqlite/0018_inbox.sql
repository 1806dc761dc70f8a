-- The inbox: channels, threads with their messages and attachments, and outgoing messages on their way.

-- Where threads come from and replies go to.
CREATE TABLE inbox_channels (
    channel_id  TEXT NOT NULL PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    kind        TEXT NOT NULL CHECK (kind IN ('contact_form', 'api', 'email', 'whatsapp', 'messenger', 'instagram', 'telegram', 'sms')),
    name        TEXT NOT NULL,
    enabled     INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    -- What only this kind has, as JSON, without secrets.
    settings    TEXT NOT NULL,
    -- Encrypted.
    secrets     TEXT,
    -- Names the channel in addresses that are called without an API key: a UUID.
    public_key  TEXT NOT NULL UNIQUE,
    -- How far a kind that fetches has got, as JSON of its own.
    progress    TEXT,
    -- Why it does not work at present, for people.
    last_error  TEXT,
    error_at    INTEGER,
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    UNIQUE (channel_id, account_id)
) STRICT;
CREATE INDEX inbox_channels_account ON inbox_channels (account_id, created_at, channel_id);
CREATE INDEX inbox_channels_kind ON inbox_channels (kind, channel_id) WHERE enabled = 1;

CREATE TABLE threads (
    thread_id            TEXT NOT NULL PRIMARY KEY,
    account_id           TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- `chatbot`, or the kind of its channel.
    channel              TEXT NOT NULL CHECK (channel IN ('chatbot', 'contact_form', 'api', 'email', 'whatsapp', 'messenger', 'instagram', 'telegram', 'sms')),
    -- Of all but chats; NULL once the channel is deleted.
    channel_id           TEXT REFERENCES inbox_channels (channel_id) ON DELETE SET NULL,
    -- What the channel knows the thread by.
    external_key         TEXT,
    -- Of chats.
    conversation_id      TEXT UNIQUE REFERENCES conversations (conversation_id) ON DELETE CASCADE,
    chatbot_id           TEXT REFERENCES chatbots (chatbot_id) ON DELETE CASCADE,
    contact_id           TEXT REFERENCES contacts (contact_id) ON DELETE SET NULL,
    subject              TEXT,
    status               TEXT NOT NULL CHECK (status IN ('open', 'pending', 'snoozed', 'resolved', 'spam')),
    priority             TEXT NOT NULL CHECK (priority IN ('none', 'low', 'medium', 'high', 'urgent')),
    assignee_id          TEXT REFERENCES users (user_id) ON DELETE SET NULL,
    -- Labels as a JSON array.
    tags                 TEXT NOT NULL,
    snoozed_until        INTEGER,
    unread_count         INTEGER NOT NULL,
    message_count        INTEGER NOT NULL,
    last_message_at      INTEGER NOT NULL,
    last_message_preview TEXT NOT NULL,
    waiting_since        INTEGER,
    first_reply_at       INTEGER,
    resolved_at          INTEGER,
    created_at           INTEGER NOT NULL,
    updated_at           INTEGER NOT NULL,
    UNIQUE (thread_id, account_id),
    UNIQUE (channel_id, external_key)
) STRICT;
-- A list has an index for each filter that can leave few of many threads, so that a page is read in its order.
CREATE INDEX threads_list ON threads (account_id, last_message_at, thread_id);
CREATE INDEX threads_status ON threads (account_id, status, last_message_at, thread_id);
CREATE INDEX threads_channel ON threads (account_id, channel, last_message_at, thread_id);
CREATE INDEX threads_assignee ON threads (assignee_id, last_message_at, thread_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX threads_unassigned ON threads (account_id, status, last_message_at, thread_id) WHERE assignee_id IS NULL;
CREATE INDEX threads_unread ON threads (account_id, last_message_at, thread_id) WHERE unread_count > 0;
CREATE INDEX threads_contact ON threads (contact_id, last_message_at, thread_id) WHERE contact_id IS NOT NULL;
CREATE INDEX threads_chatbot ON threads (chatbot_id, last_message_at, thread_id) WHERE chatbot_id IS NOT NULL;
CREATE INDEX threads_updated ON threads (account_id, updated_at, thread_id);
CREATE INDEX threads_snoozed ON threads (snoozed_until) WHERE snoozed_until IS NOT NULL;

CREATE TABLE thread_messages (
    -- Of the search index.
    message_no        INTEGER PRIMARY KEY AUTOINCREMENT,
    -- That of the message of the conversation, in a chat.
    message_id        TEXT NOT NULL UNIQUE,
    thread_id         TEXT NOT NULL,
    account_id        TEXT NOT NULL,
    position          INTEGER NOT NULL,
    direction         TEXT NOT NULL CHECK (direction IN ('inbound', 'outbound', 'internal')),
    author_type       TEXT NOT NULL CHECK (author_type IN ('contact', 'team_member', 'ai', 'system')),
    author_id         TEXT,
    author_name       TEXT,
    body              TEXT NOT NULL,
    body_html         TEXT,
    delivery_status   TEXT CHECK (delivery_status IN ('queued', 'sent', 'delivered', 'read', 'failed')),
    delivery_error    TEXT,
    -- Given by the client that has sent it, so that a repeat is recognised.
    client_message_id TEXT,
    -- What the channel knows the message by.
    channel_id        TEXT REFERENCES inbox_channels (channel_id) ON DELETE SET NULL,
    external_id       TEXT,
    sent_at           INTEGER,
    created_at        INTEGER NOT NULL,
    UNIQUE (thread_id, position),
    UNIQUE (thread_id, client_message_id),
    UNIQUE (channel_id, external_id),
    FOREIGN KEY (thread_id, account_id) REFERENCES threads (thread_id, account_id) ON DELETE CASCADE
) STRICT;
-- One entry per message under its message_no. The tokens come ready from the program and hold ASCII letters and digits only.
CREATE VIRTUAL TABLE thread_message_index USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
);
CREATE TRIGGER thread_messages_leave_index AFTER DELETE ON thread_messages BEGIN
    DELETE FROM thread_message_index WHERE rowid = old.message_no;
END;
-- For the erasure of a person's data.
CREATE INDEX thread_messages_author ON thread_messages (author_id) WHERE author_id IS NOT NULL;

CREATE TABLE attachments (
    attachment_id TEXT NOT NULL PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- NULL until a message is written with it.
    message_id    TEXT REFERENCES thread_messages (message_id) ON DELETE CASCADE,
    file_name     TEXT NOT NULL,
    mime_type     TEXT NOT NULL,
    size_bytes    INTEGER NOT NULL,
    object_key    TEXT NOT NULL UNIQUE,
    created_at    INTEGER NOT NULL
) STRICT;
CREATE INDEX attachments_message ON attachments (message_id, attachment_id) WHERE message_id IS NOT NULL;
CREATE INDEX attachments_unused ON attachments (created_at) WHERE message_id IS NULL;
CREATE INDEX attachments_account ON attachments (account_id, attachment_id);

-- Outgoing messages that a channel has to deliver.
CREATE TABLE outgoing_messages (
    message_id  TEXT NOT NULL PRIMARY KEY REFERENCES thread_messages (message_id) ON DELETE CASCADE,
    account_id  TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- `sending` is written before anybody else is contacted. A message that stays in this state may have been sent, so it is never sent
    -- again.
    state       TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'finished')),
    attempts    INTEGER NOT NULL,
    created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX outgoing_messages_account ON outgoing_messages (account_id);
