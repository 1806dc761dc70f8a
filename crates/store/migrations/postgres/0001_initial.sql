-- Conventions, the same in both dialects: ids are hyphenated lower-case UUIDs in TEXT, timestamps are
-- microseconds since 1970-01-01T00:00:00Z, flags are 0 or 1, documents are JSON in TEXT. Tables below a chatbot
-- repeat its account, and the composite foreign keys keep the two from ever disagreeing.

CREATE TABLE accounts (
    account_id      TEXT NOT NULL PRIMARY KEY,
    parent_id       TEXT REFERENCES accounts (account_id),
    kind            TEXT NOT NULL CHECK (kind IN ('standard', 'agency')),
    name            TEXT NOT NULL,
    plan            TEXT NOT NULL CHECK (plan IN ('trial', 'starter', 'growth', 'business', 'scale')),
    monthly_credits BIGINT CHECK (monthly_credits >= 0),
    created_at      BIGINT NOT NULL
);
CREATE INDEX accounts_parent ON accounts (parent_id);

CREATE TABLE users (
    user_id    TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    email      TEXT NOT NULL,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'collaborator')),
    status     TEXT NOT NULL CHECK (status IN ('active', 'disabled')),
    created_at BIGINT NOT NULL,
    UNIQUE (account_id, email),
    UNIQUE (user_id, account_id)
);
CREATE INDEX users_email ON users (email);

CREATE TABLE api_keys (
    key_id          TEXT NOT NULL PRIMARY KEY,
    user_id         TEXT NOT NULL,
    account_id      TEXT NOT NULL,
    name            TEXT NOT NULL,
    key_hash        TEXT NOT NULL UNIQUE,
    display_prefix  TEXT NOT NULL,
    rate_per_minute BIGINT CHECK (rate_per_minute > 0),
    created_at      BIGINT NOT NULL,
    last_used_at    BIGINT,
    FOREIGN KEY (user_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE
);
CREATE INDEX api_keys_user ON api_keys (user_id, account_id);
CREATE INDEX api_keys_account ON api_keys (account_id);

CREATE TABLE secrets (
    name  TEXT NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);

CREATE TABLE domains (
    domain_id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    hostname        TEXT NOT NULL,
    identity_secret TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    UNIQUE (account_id, hostname)
);

CREATE TABLE chatbots (
    -- Never reused, short: the prefix that keeps the search index entries of one chatbot apart from all others.
    chatbot_no    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chatbot_id    TEXT NOT NULL UNIQUE,
    account_id    TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    name          TEXT NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('training', 'ready', 'failed')),
    settings      TEXT NOT NULL,
    language      TEXT,
    error_code    TEXT,
    error_message TEXT,
    error_at      BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    UNIQUE (chatbot_id, account_id)
);
CREATE INDEX chatbots_account ON chatbots (account_id, created_at, chatbot_id);

CREATE TABLE webpages (
    webpage_id   TEXT NOT NULL PRIMARY KEY,
    chatbot_id   TEXT NOT NULL,
    account_id   TEXT NOT NULL,
    url          TEXT NOT NULL,
    root_url     TEXT NOT NULL,
    parent_url   TEXT,
    depth        BIGINT NOT NULL CHECK (depth >= 0),
    final_url    TEXT,
    title        TEXT,
    status       TEXT NOT NULL CHECK (status IN ('pending', 'ready', 'failed', 'skipped')),
    reason       TEXT,
    http_status  BIGINT,
    content_hash TEXT,
    language     TEXT,
    created_at   BIGINT NOT NULL,
    fetched_at   BIGINT,
    UNIQUE (chatbot_id, url),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX webpages_frontier ON webpages (chatbot_id, status, depth, webpage_id);
CREATE INDEX webpages_content ON webpages (chatbot_id, content_hash);

CREATE TABLE chunks (
    chunk_no        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    chunk_id        TEXT NOT NULL UNIQUE,
    account_id      TEXT NOT NULL,
    chatbot_id      TEXT NOT NULL,
    webpage_id      TEXT REFERENCES webpages (webpage_id) ON DELETE CASCADE,
    source_type     TEXT NOT NULL CHECK (source_type IN ('webpage', 'file', 'text_snippet', 'faq')),
    position        BIGINT NOT NULL,
    title           TEXT NOT NULL,
    headings        TEXT NOT NULL,
    body            TEXT NOT NULL,
    url             TEXT NOT NULL,
    language        TEXT,
    -- The analysed words of each field, in order, separated by one space.
    terms_title     TEXT NOT NULL,
    terms_headings  TEXT NOT NULL,
    terms_body      TEXT NOT NULL,
    length_title    BIGINT NOT NULL,
    length_headings BIGINT NOT NULL,
    length_body     BIGINT NOT NULL,
    -- The tokens come ready from the program and hold ASCII letters and digits only.
    tokens          TSVECTOR NOT NULL,
    CHECK (source_type <> 'webpage' OR webpage_id IS NOT NULL),
    UNIQUE (webpage_id, position),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
-- With the lengths, so that their averages are read from the index alone.
CREATE INDEX chunks_chatbot ON chunks (chatbot_id, account_id, length_title, length_headings, length_body);

-- Without the list of pending entries, which every search would have to read to its end.
CREATE INDEX chunk_index ON chunks USING GIN (tokens) WITH (fastupdate = off);

CREATE TABLE tags (
    tag_id     TEXT NOT NULL PRIMARY KEY,
    chatbot_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    name       TEXT NOT NULL,
    -- The name in lower case, folded by the program so that both databases agree on what lower case is.
    name_key   TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (chatbot_id, name_key),
    UNIQUE (tag_id, chatbot_id),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);

CREATE TABLE webpage_tags (
    tag_id     TEXT NOT NULL REFERENCES tags (tag_id) ON DELETE CASCADE,
    webpage_id TEXT NOT NULL REFERENCES webpages (webpage_id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, webpage_id)
);
CREATE INDEX webpage_tags_webpage ON webpage_tags (webpage_id);

CREATE TABLE contacts (
    contact_id    TEXT NOT NULL PRIMARY KEY,
    account_id    TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    email         TEXT,
    name          TEXT,
    phone         TEXT,
    company       TEXT,
    custom        TEXT,
    external_id   TEXT,
    is_verified   BIGINT NOT NULL CHECK (is_verified IN (0, 1)),
    source        TEXT NOT NULL,
    first_seen_at BIGINT NOT NULL,
    last_seen_at  BIGINT NOT NULL
);
CREATE UNIQUE INDEX contacts_external_id ON contacts (account_id, external_id) WHERE external_id IS NOT NULL;
-- A claim and the person it claims to be may both exist: one row that is proven, one that is not.
CREATE UNIQUE INDEX contacts_email ON contacts (account_id, email, is_verified) WHERE email IS NOT NULL;
CREATE INDEX contacts_account ON contacts (account_id, contact_id);

CREATE TABLE conversations (
    conversation_id  TEXT NOT NULL PRIMARY KEY,
    account_id       TEXT NOT NULL,
    chatbot_id       TEXT NOT NULL,
    contact_id       TEXT REFERENCES contacts (contact_id) ON DELETE SET NULL,
    mode             TEXT NOT NULL CHECK (mode IN ('ai', 'human_requested', 'human', 'closed')),
    source           TEXT NOT NULL,
    verified_subject TEXT,
    message_count    BIGINT NOT NULL,
    -- Position of the last message that belongs to an earlier, finished exchange.
    context_start    BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    last_message_at  BIGINT NOT NULL,
    UNIQUE (conversation_id, chatbot_id, account_id),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX conversations_chatbot ON conversations (chatbot_id, account_id, last_message_at);
CREATE INDEX conversations_contact ON conversations (contact_id);

CREATE TABLE messages (
    message_id       TEXT NOT NULL PRIMARY KEY,
    conversation_id  TEXT NOT NULL,
    account_id       TEXT NOT NULL,
    chatbot_id       TEXT NOT NULL,
    position         BIGINT NOT NULL,
    role             TEXT NOT NULL CHECK (role IN ('visitor', 'assistant', 'team_member', 'system')),
    body             TEXT NOT NULL,
    sources          TEXT NOT NULL,
    needs_escalation BIGINT NOT NULL CHECK (needs_escalation IN (0, 1)),
    credits_used     BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    UNIQUE (conversation_id, position),
    FOREIGN KEY (conversation_id, chatbot_id, account_id)
        REFERENCES conversations (conversation_id, chatbot_id, account_id) ON DELETE CASCADE
);

CREATE TABLE credit_usage (
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    period     TEXT NOT NULL,
    used       BIGINT NOT NULL CHECK (used >= 0),
    PRIMARY KEY (account_id, period)
);

CREATE TABLE daily_replies (
    chatbot_id TEXT NOT NULL REFERENCES chatbots (chatbot_id) ON DELETE CASCADE,
    day        TEXT NOT NULL,
    used       BIGINT NOT NULL CHECK (used >= 0),
    PRIMARY KEY (chatbot_id, day)
);

CREATE TABLE jobs (
    job_id       TEXT NOT NULL PRIMARY KEY,
    lane         TEXT NOT NULL,
    kind         TEXT NOT NULL,
    account_id   TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    chatbot_id   TEXT,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
    attempts     BIGINT NOT NULL,
    max_attempts BIGINT NOT NULL CHECK (max_attempts > 0),
    run_at       BIGINT NOT NULL,
    lease_owner  TEXT,
    lease_until  BIGINT,
    dedupe_key   TEXT,
    last_error   TEXT,
    created_at   BIGINT NOT NULL,
    finished_at  BIGINT,
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX jobs_queued ON jobs (lane, run_at) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (lane, account_id, lease_until) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state IN ('done', 'failed');
CREATE INDEX jobs_chatbot ON jobs (chatbot_id, account_id);
CREATE UNIQUE INDEX jobs_dedupe ON jobs (account_id, dedupe_key) WHERE state IN ('queued', 'running');
