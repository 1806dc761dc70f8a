-- What the erasure of a person needs to find everything, and to go on after a crash.

-- What a contact was known by before: earlier addresses, names, numbers and ids, and those of contacts that were merged into it.
CREATE TABLE contact_traces (
    contact_id TEXT NOT NULL REFERENCES contacts (contact_id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    kind       TEXT NOT NULL CHECK (kind IN ('contact_id', 'email', 'name', 'phone', 'external_id')),
    value      TEXT NOT NULL,
    PRIMARY KEY (contact_id, kind, value)
);
CREATE INDEX contact_traces_account ON contact_traces (account_id);

-- By a trigger, so that no statement that writes contacts can forget them. Nobody makes a contact remember more than a hundred.
CREATE FUNCTION keep_contact_traces() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (SELECT COUNT(*) FROM contact_traces WHERE contact_id = OLD.contact_id) < 100 THEN
        INSERT INTO contact_traces (contact_id, account_id, kind, value)
            SELECT OLD.contact_id, OLD.account_id, trace.kind, trace.value
            FROM (VALUES ('email', CASE WHEN OLD.email IS DISTINCT FROM NEW.email THEN OLD.email END),
                ('name', CASE WHEN OLD.name IS DISTINCT FROM NEW.name THEN OLD.name END),
                ('phone', CASE WHEN OLD.phone IS DISTINCT FROM NEW.phone THEN OLD.phone END),
                ('external_id', CASE WHEN OLD.external_id IS DISTINCT FROM NEW.external_id THEN OLD.external_id END))
                AS trace (kind, value)
            WHERE trace.value IS NOT NULL
            ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER contacts_leave_traces AFTER UPDATE OF email, name, phone, external_id ON contacts
    FOR EACH ROW WHEN (OLD.email IS DISTINCT FROM NEW.email OR OLD.name IS DISTINCT FROM NEW.name
        OR OLD.phone IS DISTINCT FROM NEW.phone OR OLD.external_id IS DISTINCT FROM NEW.external_id)
    EXECUTE FUNCTION keep_contact_traces();

-- Erasures that are under way. A row is written before anything is removed, and deleted when nothing is left.
CREATE TABLE erasures (
    contact_id TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- What is known of the person, as JSON.
    person     TEXT NOT NULL,
    -- Whether entries of the search index were deleted, whose pages have to be written anew.
    is_unindexed BIGINT NOT NULL DEFAULT 0 CHECK (is_unindexed IN (0, 1)),
    -- When somebody last worked on it.
    touched_at BIGINT NOT NULL
);
CREATE INDEX erasures_account ON erasures (account_id);
CREATE INDEX erasures_touched ON erasures (touched_at);

-- Conversations and threads whose texts are being removed. Until they are, nobody gets to see them: their messages up to `through` count as
-- empty.
CREATE TABLE erasing_texts (
    container_id TEXT NOT NULL PRIMARY KEY,
    contact_id   TEXT NOT NULL REFERENCES erasures (contact_id) ON DELETE CASCADE,
    account_id   TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    kind         TEXT NOT NULL CHECK (kind IN ('conversation', 'thread')),
    through      BIGINT NOT NULL,
    -- The last position that is done.
    done         BIGINT NOT NULL
);
CREATE INDEX erasing_texts_contact ON erasing_texts (contact_id, container_id);
CREATE INDEX erasing_texts_account ON erasing_texts (account_id);

-- The thread or the deal that an event is about. It outlives them, so it is no foreign key.
ALTER TABLE events ADD COLUMN about_id TEXT;
UPDATE events SET about_id = COALESCE(
    CAST(data AS jsonb) #>> '{thread_message_created,thread,thread_id}', CAST(data AS jsonb) #>> '{thread_status_changed,thread,thread_id}',
    CAST(data AS jsonb) #>> '{deal_created,deal,deal_id}', CAST(data AS jsonb) #>> '{deal_status_changed,deal,deal_id}',
    CAST(data AS jsonb) #>> '{deal_won,deal,deal_id}', CAST(data AS jsonb) #>> '{deal_lost,deal,deal_id}')
    WHERE type LIKE 'thread.%' OR type LIKE 'deal.%' OR type = 'message.created' AND conversation_id IS NULL;
CREATE INDEX events_about ON events (about_id) WHERE about_id IS NOT NULL;

-- The addresses in an e-mail, in lower case with spaces around each: of its sender, its recipients, and those that its text names.
ALTER TABLE skipped_mails ADD COLUMN addresses TEXT NOT NULL DEFAULT '';

-- The conversation in which the question was last asked: its words are also those of that one.
ALTER TABLE unanswered_questions ADD COLUMN conversation_id TEXT;
CREATE INDEX unanswered_questions_conversation ON unanswered_questions (conversation_id) WHERE conversation_id IS NOT NULL;

-- Whether the object is to be deleted at once, because the data of a person is.
ALTER TABLE stored_objects ADD COLUMN is_erased BIGINT NOT NULL DEFAULT 0 CHECK (is_erased IN (0, 1));
CREATE INDEX stored_objects_erased ON stored_objects (object_key) WHERE is_erased = 1;

CREATE INDEX conversations_subject ON conversations (account_id, verified_subject) WHERE verified_subject IS NOT NULL;
