-- Contacts and conversations that were erased a short time ago: responses under way that name them are not kept for repeated requests.
CREATE TABLE erased_ids (
    erased_id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    erased_at INTEGER NOT NULL
) STRICT;
CREATE INDEX erased_ids_age ON erased_ids (erased_at);
CREATE INDEX erased_ids_account ON erased_ids (account_id);
