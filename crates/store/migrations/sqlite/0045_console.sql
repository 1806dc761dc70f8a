-- Who signs in to the console, from where, and what they have done with the access to an account.

CREATE TABLE people (
    person_id           TEXT NOT NULL PRIMARY KEY,
    email               TEXT NOT NULL UNIQUE,
    name                TEXT NOT NULL,
    password_hash       TEXT NOT NULL,
    password_changed_at INTEGER NOT NULL,
    created_at          INTEGER NOT NULL
) STRICT;

-- One person may be a user of several accounts.
ALTER TABLE users ADD COLUMN person_id TEXT REFERENCES people (person_id) ON DELETE SET NULL;
CREATE INDEX users_person ON users (person_id);

CREATE TABLE sessions (
    session_id   TEXT NOT NULL PRIMARY KEY,
    person_id    TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    user_id      TEXT NOT NULL,
    account_id   TEXT NOT NULL,
    token_hash   TEXT NOT NULL UNIQUE,
    user_agent   TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    last_used_at INTEGER NOT NULL,
    -- When the person last proved with their password or a link who they are.
    confirmed_at INTEGER NOT NULL,
    FOREIGN KEY (user_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX sessions_person ON sessions (person_id, last_used_at);
CREATE INDEX sessions_user ON sessions (user_id, account_id);
CREATE INDEX sessions_age ON sessions (last_used_at);

CREATE TABLE links (
    link_id    TEXT NOT NULL PRIMARY KEY,
    kind       TEXT NOT NULL,
    token_hash TEXT NOT NULL UNIQUE,
    -- Whom it is for; NULL for set-up.
    user_id    TEXT,
    account_id TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    FOREIGN KEY (user_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX links_user ON links (user_id, account_id);
CREATE INDEX links_age ON links (expires_at);
-- Of two processes that start at the same time, one creates the link of set-up.
CREATE UNIQUE INDEX links_one ON links (kind, COALESCE(user_id, ''));

CREATE TABLE audit_entries (
    audit_entry_id TEXT NOT NULL PRIMARY KEY,
    account_id     TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    action         TEXT NOT NULL,
    person_id      TEXT REFERENCES people (person_id) ON DELETE SET NULL,
    person_name    TEXT NOT NULL,
    object_id      TEXT,
    subject        TEXT NOT NULL,
    ip_address     TEXT,
    created_at     INTEGER NOT NULL
) STRICT;
CREATE INDEX audit_entries_account ON audit_entries (account_id, created_at, audit_entry_id);
CREATE INDEX audit_entries_person ON audit_entries (person_id);
CREATE INDEX audit_entries_age ON audit_entries (created_at);
