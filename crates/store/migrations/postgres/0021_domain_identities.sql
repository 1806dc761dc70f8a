-- How the identities of a domain's visitors are verified.
ALTER TABLE domains ADD COLUMN identity_enforcement TEXT NOT NULL DEFAULT 'optional'
    CHECK (identity_enforcement IN ('off', 'optional', 'required'));
-- Encrypted, as identity_secret is.
ALTER TABLE domains ADD COLUMN previous_secret TEXT;
ALTER TABLE domains ADD COLUMN previous_secret_until BIGINT;
-- A JSON array of objects with algorithm and public_key.
ALTER TABLE domains ADD COLUMN public_keys TEXT NOT NULL DEFAULT '[]';
ALTER TABLE domains ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
UPDATE domains SET updated_at = created_at;
