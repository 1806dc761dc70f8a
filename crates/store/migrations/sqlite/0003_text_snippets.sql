-- Text snippets, their tags, and the keys of idempotent requests.

CREATE TABLE text_snippets (
    text_snippet_id TEXT NOT NULL PRIMARY KEY,
    chatbot_id      TEXT NOT NULL,
    account_id      TEXT NOT NULL,
    title           TEXT NOT NULL,
    content         TEXT NOT NULL,
    url             TEXT,
    enabled         INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    char_count      INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL,
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX text_snippets_chatbot ON text_snippets (chatbot_id, text_snippet_id);

ALTER TABLE chunks ADD COLUMN text_snippet_id TEXT REFERENCES text_snippets (text_snippet_id) ON DELETE CASCADE;
CREATE UNIQUE INDEX chunks_text_snippet ON chunks (text_snippet_id, position) WHERE text_snippet_id IS NOT NULL;

CREATE TABLE text_snippet_tags (
    tag_id          TEXT NOT NULL REFERENCES tags (tag_id) ON DELETE CASCADE,
    text_snippet_id TEXT NOT NULL REFERENCES text_snippets (text_snippet_id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, text_snippet_id)
) STRICT;
CREATE INDEX text_snippet_tags_text_snippet ON text_snippet_tags (text_snippet_id);

-- Each kind of training source with tags has a table of its own, so that a deleted source takes its bindings along.
CREATE VIEW source_tags AS
    SELECT tag_id, webpage_id AS source_id FROM webpage_tags
    UNION ALL SELECT tag_id, text_snippet_id FROM text_snippet_tags;

-- What a chatbot can answer from.
CREATE VIEW training_sources AS
    SELECT chatbot_id, webpage_id AS source_id FROM webpages WHERE status = 'ready'
    UNION ALL SELECT chatbot_id, text_snippet_id FROM text_snippets WHERE enabled = 1;

ALTER TABLE tags ADD COLUMN color TEXT;
CREATE INDEX tags_names ON tags (chatbot_id, name_key, tag_id);
CREATE INDEX users_account ON users (account_id, created_at, user_id);

CREATE TABLE idempotency_keys (
    api_key_id      TEXT NOT NULL REFERENCES api_keys (key_id) ON DELETE CASCADE,
    path            TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    -- Hash of the request's body and query.
    fingerprint     TEXT NOT NULL,
    -- Who runs the request; a later holder has another value.
    holder          TEXT NOT NULL,
    status          INTEGER,
    content_type    TEXT,
    body            BLOB,
    created_at      INTEGER NOT NULL,
    -- The time until which a request that has no response yet counts as running.
    running_until   INTEGER NOT NULL,
    PRIMARY KEY (api_key_id, path, idempotency_key)
) STRICT;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
