-- Codes of authenticator apps beside the password, recovery codes, and sign-ins that wait for one of both.

CREATE TABLE authenticators (
    person_id     TEXT NOT NULL PRIMARY KEY REFERENCES people (person_id) ON DELETE CASCADE,
    -- Encrypted.
    secret        TEXT NOT NULL,
    -- The last step of 30 seconds whose code was accepted: a code works once.
    last_step     INTEGER NOT NULL,
    -- Attempts since the last right code, and until when there may be no further one.
    failures      INTEGER NOT NULL,
    blocked_until INTEGER,
    created_at    INTEGER NOT NULL,
    -- NULL until a code has proven that the app has the secret.
    confirmed_at  INTEGER
) STRICT;

-- A code that is used is deleted.
CREATE TABLE recovery_codes (
    person_id  TEXT NOT NULL REFERENCES authenticators (person_id) ON DELETE CASCADE,
    code_hash  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (person_id, code_hash)
) STRICT;

-- A table of its own, so that whatever reads sessions cannot mistake one for a session.
CREATE TABLE pending_sign_ins (
    token_hash TEXT NOT NULL PRIMARY KEY,
    person_id  TEXT NOT NULL REFERENCES authenticators (person_id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    FOREIGN KEY (user_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX pending_sign_ins_person ON pending_sign_ins (person_id);
CREATE INDEX pending_sign_ins_user ON pending_sign_ins (user_id, account_id);
CREATE INDEX pending_sign_ins_age ON pending_sign_ins (expires_at);
