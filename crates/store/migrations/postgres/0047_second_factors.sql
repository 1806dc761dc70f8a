-- Codes of authenticator apps beside the password, recovery codes, and sign-ins that wait for one of both.

CREATE TABLE authenticators (
    person_id     TEXT NOT NULL PRIMARY KEY REFERENCES people (person_id) ON DELETE CASCADE,
    -- Encrypted.
    secret        TEXT NOT NULL,
    -- The last step of 30 seconds whose code was accepted: a code works once.
    last_step     BIGINT NOT NULL,
    -- Attempts since the last right code, and until when there may be no further one.
    failures      BIGINT NOT NULL,
    blocked_until BIGINT,
    created_at    BIGINT NOT NULL,
    -- NULL until a code has proven that the app has the secret.
    confirmed_at  BIGINT
);

-- A code that is used is deleted.
CREATE TABLE recovery_codes (
    person_id  TEXT NOT NULL REFERENCES authenticators (person_id) ON DELETE CASCADE,
    code_hash  TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (person_id, code_hash)
);

-- A table of its own, so that whatever reads sessions cannot mistake one for a session.
CREATE TABLE pending_sign_ins (
    token_hash TEXT NOT NULL PRIMARY KEY,
    person_id  TEXT NOT NULL REFERENCES authenticators (person_id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    FOREIGN KEY (user_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE
);
CREATE INDEX pending_sign_ins_person ON pending_sign_ins (person_id);
CREATE INDEX pending_sign_ins_user ON pending_sign_ins (user_id, account_id);
CREATE INDEX pending_sign_ins_age ON pending_sign_ins (expires_at);
