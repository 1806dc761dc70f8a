-- E-mails that did not become messages: they cannot be read, go in a circle, or report on a message that nobody knows.
CREATE TABLE skipped_mails (
    skipped_mail_id TEXT NOT NULL PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    channel_id      TEXT NOT NULL REFERENCES inbox_channels (channel_id) ON DELETE CASCADE,
    -- What the channel knows the e-mail by, so that a repeat is recognised.
    mail_key        TEXT NOT NULL,
    -- Why, as a name and for people.
    reason          TEXT NOT NULL,
    detail          TEXT NOT NULL,
    -- As far as they could be read.
    from_address    TEXT,
    subject         TEXT,
    size_bytes      INTEGER,
    -- The bytes, in the storage of files; NULL if they were not fetched.
    object_key      TEXT UNIQUE,
    created_at      INTEGER NOT NULL,
    UNIQUE (channel_id, mail_key)
) STRICT;
CREATE INDEX skipped_mails_channel ON skipped_mails (channel_id, created_at, skipped_mail_id);
CREATE INDEX skipped_mails_account ON skipped_mails (account_id, skipped_mail_id);
