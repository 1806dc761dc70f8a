-- Files of chatbots, and what is stored of them outside of the database.

CREATE TABLE files (
    file_id       TEXT NOT NULL PRIMARY KEY,
    chatbot_id    TEXT NOT NULL,
    account_id    TEXT NOT NULL,
    title         TEXT NOT NULL,
    -- Whether a person gave the title; otherwise it follows the content.
    has_own_title INTEGER NOT NULL CHECK (has_own_title IN (0, 1)),
    file_name     TEXT NOT NULL,
    -- Title and file name in lower case, for filters.
    search_text   TEXT NOT NULL,
    url           TEXT,
    kind          TEXT NOT NULL CHECK (kind IN ('document', 'spreadsheet', 'image', 'audio')),
    mime_type     TEXT NOT NULL,
    size_bytes    INTEGER NOT NULL,
    sha256        TEXT NOT NULL,
    -- Where the content is stored.
    object_key    TEXT NOT NULL,
    -- Raised by every change after which the content has to be read again.
    revision      INTEGER NOT NULL,
    status        TEXT NOT NULL CHECK (status IN ('pending', 'processing', 'ready', 'failed', 'skipped')),
    error_code    TEXT,
    error_message TEXT,
    error_at      INTEGER,
    page_count    INTEGER,
    language      TEXT,
    enabled       INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    char_count    INTEGER NOT NULL,
    hit_count     INTEGER NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    UNIQUE (chatbot_id, sha256),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
) STRICT;
CREATE INDEX files_chatbot ON files (chatbot_id, created_at, file_id);
CREATE UNIQUE INDEX files_object ON files (object_key);

CREATE TABLE file_tags (
    tag_id  TEXT NOT NULL REFERENCES tags (tag_id) ON DELETE CASCADE,
    file_id TEXT NOT NULL REFERENCES files (file_id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, file_id)
) STRICT;
CREATE INDEX file_tags_file ON file_tags (file_id);

ALTER TABLE chunks ADD COLUMN file_id TEXT REFERENCES files (file_id) ON DELETE CASCADE;
CREATE UNIQUE INDEX chunks_file ON chunks (file_id, position) WHERE file_id IS NOT NULL;

-- Objects in the storage of files. A row is written before its object, and outlives the file, so that no object is forgotten.
CREATE TABLE stored_objects (
    object_key TEXT NOT NULL PRIMARY KEY,
    created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX stored_objects_age ON stored_objects (created_at);

DROP VIEW source_tags;
CREATE VIEW source_tags AS
    SELECT tag_id, webpage_id AS source_id FROM webpage_tags
    UNION ALL SELECT tag_id, text_snippet_id FROM text_snippet_tags
    UNION ALL SELECT tag_id, faq_id FROM faq_tags
    UNION ALL SELECT tag_id, file_id FROM file_tags;

DROP VIEW training_sources;
CREATE VIEW training_sources AS
    SELECT chatbot_id, webpage_id AS source_id FROM webpages WHERE status = 'ready'
    UNION ALL SELECT chatbot_id, text_snippet_id FROM text_snippets WHERE enabled = 1
    UNION ALL SELECT link.chatbot_id, link.faq_id FROM faq_chatbots AS link
        WHERE EXISTS (SELECT 1 FROM faq_items AS item WHERE item.faq_id = link.faq_id AND item.status = 'published')
    UNION ALL SELECT chatbot_id, file_id FROM files WHERE status = 'ready' AND enabled = 1;
