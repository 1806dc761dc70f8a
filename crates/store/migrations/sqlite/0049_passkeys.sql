-- Passkeys (WebAuthn): credentials with which people sign in without a password, or after it.

-- Recovery codes, and sign-ins that wait, belong to whoever has a second factor, which need not be an app any more.
CREATE TABLE recovery_codes_of_people (
    person_id  TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    code_hash  TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (person_id, code_hash)
) STRICT;
INSERT INTO recovery_codes_of_people SELECT person_id, code_hash, created_at FROM recovery_codes;
DROP TABLE recovery_codes;
ALTER TABLE recovery_codes_of_people RENAME TO recovery_codes;

-- Those that wait at this moment begin again.
DROP TABLE pending_sign_ins;
CREATE TABLE pending_sign_ins (
    token_hash TEXT NOT NULL PRIMARY KEY,
    person_id  TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    user_id    TEXT NOT NULL,
    account_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    FOREIGN KEY (user_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX pending_sign_ins_person ON pending_sign_ins (person_id);
CREATE INDEX pending_sign_ins_user ON pending_sign_ins (user_id, account_id);
CREATE INDEX pending_sign_ins_age ON pending_sign_ins (expires_at);

CREATE TABLE passkeys (
    passkey_id         TEXT NOT NULL PRIMARY KEY,
    person_id          TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    name               TEXT NOT NULL,
    -- The id that the authenticator has chosen, and its public key, both in Base64url.
    credential_id      TEXT NOT NULL UNIQUE,
    public_key         TEXT NOT NULL,
    -- How browsers reach the authenticator, as a set of bits.
    transports         INTEGER NOT NULL,
    is_backup_eligible INTEGER NOT NULL CHECK (is_backup_eligible IN (0, 1)),
    -- How often the authenticator says that it has signed. It stays 0 where it does not count.
    sign_count         INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    last_used_at       INTEGER
) STRICT;
CREATE INDEX passkeys_person ON passkeys (person_id, created_at);

-- What an authenticator is asked to sign. A challenge is deleted with the first response to it, whether that is right
-- or not, and with the session or the sign-in that has asked for it.
CREATE TABLE passkey_challenges (
    token_hash   TEXT NOT NULL PRIMARY KEY,
    purpose      TEXT NOT NULL,
    -- The session that adds a passkey, or the sign-in that waits for the second step. Neither where anybody may answer.
    session_id   TEXT REFERENCES sessions (session_id) ON DELETE CASCADE,
    pending_hash TEXT REFERENCES pending_sign_ins (token_hash) ON DELETE CASCADE,
    state        TEXT NOT NULL,
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER NOT NULL
) STRICT;
CREATE INDEX passkey_challenges_session ON passkey_challenges (session_id);
CREATE INDEX passkey_challenges_pending ON passkey_challenges (pending_hash);
CREATE INDEX passkey_challenges_age ON passkey_challenges (expires_at);
