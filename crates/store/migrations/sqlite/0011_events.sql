-- The journal of events, webhook endpoints with their deliveries, and emails to the people of accounts.

-- The number of the last event of each account. Its row is locked from the insertion of an event until its transaction ends, so events
-- become visible in the order of their numbers.
CREATE TABLE event_sequences (
    account_id    TEXT NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
    last_sequence INTEGER NOT NULL
) STRICT;

CREATE TABLE events (
    event_id          TEXT NOT NULL PRIMARY KEY,
    account_id        TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    sequence          INTEGER NOT NULL,
    type              TEXT NOT NULL,
    -- What has happened, as it was then.
    data              TEXT NOT NULL,
    -- What it is about. An event outlives these until it is pruned, so they are no foreign keys.
    source_chatbot_id TEXT,
    conversation_id   TEXT,
    contact_id        TEXT,
    created_at        INTEGER NOT NULL,
    UNIQUE (account_id, sequence)
) STRICT;
CREATE INDEX events_created ON events (created_at);
-- For the erasure of a person's data.
CREATE INDEX events_conversation ON events (conversation_id) WHERE conversation_id IS NOT NULL;
CREATE INDEX events_contact ON events (contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE webhook_endpoints (
    webhook_endpoint_id   TEXT NOT NULL PRIMARY KEY,
    account_id            TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    url                   TEXT NOT NULL,
    description           TEXT,
    -- Types of events, and ids of chatbots, with spaces between them. Ids of deleted chatbots stay: without them, an endpoint for one
    -- chatbot would become an endpoint for all.
    events                TEXT NOT NULL,
    chatbot_ids           TEXT NOT NULL,
    enabled               INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    disabled_reason       TEXT CHECK (disabled_reason IN ('failing', 'gone')),
    -- Encrypted.
    secret                TEXT NOT NULL,
    previous_secret       TEXT,
    previous_secret_until INTEGER,
    failing_since         INTEGER,
    last_success_at       INTEGER,
    -- Since when the owner knows that it is failing.
    owner_told_at         INTEGER,
    -- The dispatcher that sends to the endpoint. The number grows with each claim.
    lease_owner           TEXT,
    lease_until           INTEGER,
    lease_number          INTEGER NOT NULL DEFAULT 0,
    created_at            INTEGER NOT NULL,
    updated_at            INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_endpoints_account ON webhook_endpoints (account_id, created_at, webhook_endpoint_id);
CREATE INDEX webhook_endpoints_lease ON webhook_endpoints (lease_owner) WHERE lease_owner IS NOT NULL;

-- One event on its way to one endpoint.
CREATE TABLE webhook_deliveries (
    webhook_delivery_id TEXT NOT NULL PRIMARY KEY,
    webhook_endpoint_id TEXT NOT NULL REFERENCES webhook_endpoints (webhook_endpoint_id) ON DELETE CASCADE,
    account_id          TEXT NOT NULL,
    event_id            TEXT NOT NULL REFERENCES events (event_id) ON DELETE CASCADE,
    status              TEXT NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed')),
    -- Failed attempts since the delivery was queued, or queued again.
    failures            INTEGER NOT NULL,
    due_at              INTEGER NOT NULL,
    -- The latest attempts as a JSON array.
    attempts            TEXT NOT NULL,
    created_at          INTEGER NOT NULL,
    finished_at         INTEGER,
    UNIQUE (webhook_endpoint_id, event_id)
) STRICT;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_endpoint_id, due_at, webhook_delivery_id)
    WHERE status = 'pending';
CREATE INDEX webhook_deliveries_endpoint ON webhook_deliveries (webhook_endpoint_id, created_at, webhook_delivery_id);
CREATE INDEX webhook_deliveries_event ON webhook_deliveries (event_id);

-- Emails to the people of accounts. The text is written when an email is sent.
CREATE TABLE notices (
    notice_id   TEXT NOT NULL PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- The recipient.
    user_id     TEXT NOT NULL REFERENCES users (user_id) ON DELETE CASCADE,
    -- What the email says.
    content     TEXT NOT NULL,
    -- `sending` is written before the mail server is contacted. A notice that stays in this state may have been sent, so it is never
    -- sent again.
    status      TEXT NOT NULL CHECK (status IN ('queued', 'sending', 'sent', 'failed', 'expired')),
    attempts    INTEGER NOT NULL,
    due_at      INTEGER NOT NULL,
    last_error  TEXT,
    created_at  INTEGER NOT NULL,
    finished_at INTEGER
) STRICT;
CREATE INDEX notices_due ON notices (due_at, notice_id) WHERE status = 'queued';
CREATE INDEX notices_created ON notices (created_at);
