-- Who takes care of a contact, its labels and further fields (JSON), and what the person has agreed to.
ALTER TABLE contacts ADD COLUMN owner_id TEXT REFERENCES users (user_id) ON DELETE SET NULL;
ALTER TABLE contacts ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE contacts ADD COLUMN custom_fields TEXT NOT NULL DEFAULT '{}';
ALTER TABLE contacts ADD COLUMN consent_marketing BIGINT;
ALTER TABLE contacts ADD COLUMN consent_at BIGINT;
ALTER TABLE contacts ADD COLUMN consent_source TEXT;
CREATE INDEX contacts_owner ON contacts (owner_id) WHERE owner_id IS NOT NULL;
