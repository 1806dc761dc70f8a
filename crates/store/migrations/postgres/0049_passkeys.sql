-- Passkeys (WebAuthn): credentials with which people sign in without a password, or after it.

-- Recovery codes, and sign-ins that wait, belong to whoever has a second factor, which need not be an app any more.
ALTER TABLE recovery_codes DROP CONSTRAINT recovery_codes_person_id_fkey;
ALTER TABLE recovery_codes ADD CONSTRAINT recovery_codes_person_id_fkey FOREIGN KEY (person_id) REFERENCES people (person_id) ON DELETE CASCADE;
ALTER TABLE pending_sign_ins DROP CONSTRAINT pending_sign_ins_person_id_fkey;
ALTER TABLE pending_sign_ins ADD CONSTRAINT pending_sign_ins_person_id_fkey FOREIGN KEY (person_id) REFERENCES people (person_id) ON DELETE CASCADE;

CREATE TABLE passkeys (
    passkey_id         TEXT NOT NULL PRIMARY KEY,
    person_id          TEXT NOT NULL REFERENCES people (person_id) ON DELETE CASCADE,
    name               TEXT NOT NULL,
    -- The id that the authenticator has chosen, and its public key, both in Base64url.
    credential_id      TEXT NOT NULL UNIQUE,
    public_key         TEXT NOT NULL,
    -- How browsers reach the authenticator, as a set of bits.
    transports         BIGINT NOT NULL,
    is_backup_eligible BIGINT NOT NULL CHECK (is_backup_eligible IN (0, 1)),
    -- How often the authenticator says that it has signed. It stays 0 where it does not count.
    sign_count         BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    last_used_at       BIGINT
);
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
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX passkey_challenges_session ON passkey_challenges (session_id);
CREATE INDEX passkey_challenges_pending ON passkey_challenges (pending_hash);
CREATE INDEX passkey_challenges_age ON passkey_challenges (expires_at);
