-- Who is invited to an account, when its members were last there, and when people last asked for a new password.

CREATE TABLE invitations (
    invitation_id   TEXT NOT NULL PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- Who has made the link. It works while they could make it.
    inviter_id      TEXT NOT NULL,
    email           TEXT NOT NULL,
    name            TEXT NOT NULL,
    role            TEXT NOT NULL CHECK (role IN ('owner', 'admin', 'collaborator')),
    token_hash      TEXT NOT NULL UNIQUE,
    -- That of the link in the e-mail, which is made when the e-mail is sent, so that no text of a token is stored.
    mail_token_hash TEXT UNIQUE,
    created_at      INTEGER NOT NULL,
    expires_at      INTEGER NOT NULL,
    FOREIGN KEY (inviter_id, account_id) REFERENCES users (user_id, account_id) ON DELETE CASCADE,
    UNIQUE (account_id, email)
) STRICT;
CREATE INDEX invitations_inviter ON invitations (inviter_id, account_id);
CREATE INDEX invitations_age ON invitations (expires_at);

ALTER TABLE users ADD COLUMN last_seen_at INTEGER;

ALTER TABLE people ADD COLUMN reset_requested_at INTEGER;
