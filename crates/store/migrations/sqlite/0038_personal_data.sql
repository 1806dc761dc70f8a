-- What the erasure of a person needs to find everything, and to go on after a crash.

-- What a contact was known by before: earlier addresses, names, numbers and ids, and those of contacts that were merged into it.
CREATE TABLE contact_traces (
    contact_id TEXT NOT NULL REFERENCES contacts (contact_id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('contact_id', 'email', 'name', 'phone', 'external_id')),
    value      TEXT NOT NULL,
    PRIMARY KEY (contact_id, kind, value)
) STRICT, WITHOUT ROWID;
CREATE INDEX contact_traces_account ON contact_traces (account_id);

-- By a trigger, so that no statement that writes contacts can forget them. Nobody makes a contact remember more than a hundred.
CREATE TRIGGER contacts_leave_traces AFTER UPDATE OF email, name, phone, external_id ON contacts
    WHEN (old.email IS NOT new.email OR old.name IS NOT new.name OR old.phone IS NOT new.phone
        OR old.external_id IS NOT new.external_id)
        AND (SELECT COUNT(*) FROM contact_traces WHERE contact_id = old.contact_id) < 100
BEGIN
    INSERT INTO contact_traces (contact_id, account_id, kind, value)
        SELECT old.contact_id, old.account_id, column1, column2
        FROM (VALUES ('email', CASE WHEN old.email IS NOT new.email THEN old.email END),
            ('name', CASE WHEN old.name IS NOT new.name THEN old.name END),
            ('phone', CASE WHEN old.phone IS NOT new.phone THEN old.phone END),
            ('external_id', CASE WHEN old.external_id IS NOT new.external_id THEN old.external_id END))
        WHERE column2 IS NOT NULL
        ON CONFLICT DO NOTHING;
END;

-- Erasures that are under way. A row is written before anything is removed, and deleted when nothing is left.
CREATE TABLE erasures (
    contact_id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- What is known of the person, as JSON.
    person     TEXT NOT NULL,
    -- Whether entries of the search index were deleted, whose pages have to be written anew.
    is_unindexed INTEGER NOT NULL DEFAULT 0 CHECK (is_unindexed IN (0, 1)),
    -- When somebody last worked on it.
    touched_at INTEGER NOT NULL
) STRICT;
CREATE INDEX erasures_account ON erasures (account_id);
CREATE INDEX erasures_touched ON erasures (touched_at);

-- Conversations and threads whose texts are being removed. Until they are, nobody gets to see them: their messages up to `through` count as
-- empty.
CREATE TABLE erasing_texts (
    container_id TEXT NOT NULL PRIMARY KEY,
    contact_id   TEXT NOT NULL REFERENCES erasures (contact_id) ON DELETE CASCADE,
    account_id   TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('conversation', 'thread')),
    through      INTEGER NOT NULL,
    -- The last position that is done.
    done         INTEGER NOT NULL
) STRICT;
CREATE INDEX erasing_texts_contact ON erasing_texts (contact_id, container_id);
CREATE INDEX erasing_texts_account ON erasing_texts (account_id);

-- The thread or the deal that an event is about. It outlives them, so it is no foreign key.
ALTER TABLE events ADD COLUMN about_id TEXT;
UPDATE events SET about_id = COALESCE(
    data ->> '$.thread_message_created.thread.thread_id', data ->> '$.thread_status_changed.thread.thread_id',
    data ->> '$.deal_created.deal.deal_id', data ->> '$.deal_status_changed.deal.deal_id',
    data ->> '$.deal_won.deal.deal_id', data ->> '$.deal_lost.deal.deal_id')
    WHERE type LIKE 'thread.%' OR type LIKE 'deal.%' OR type = 'message.created' AND conversation_id IS NULL;
CREATE INDEX events_about ON events (about_id) WHERE about_id IS NOT NULL;

-- The addresses in an e-mail, in lower case with spaces around each: of its sender, its recipients, and those that its text names.
ALTER TABLE skipped_mails ADD COLUMN addresses TEXT NOT NULL DEFAULT '';

-- The conversation in which the question was last asked: its words are also those of that one.
ALTER TABLE unanswered_questions ADD COLUMN conversation_id TEXT;
CREATE INDEX unanswered_questions_conversation ON unanswered_questions (conversation_id) WHERE conversation_id IS NOT NULL;

-- Whether the object is to be deleted at once, because the data of a person is.
ALTER TABLE stored_objects ADD COLUMN is_erased INTEGER NOT NULL DEFAULT 0 CHECK (is_erased IN (0, 1));
CREATE INDEX stored_objects_erased ON stored_objects (object_key) WHERE is_erased = 1;

CREATE INDEX conversations_subject ON conversations (account_id, verified_subject) WHERE verified_subject IS NOT NULL;
