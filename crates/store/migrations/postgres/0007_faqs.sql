-- FAQs with their items, the questions that nobody could answer, and how often each source was cited.

CREATE TABLE faqs (
    faq_id      TEXT NOT NULL PRIMARY KEY,
    account_id  TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    name        TEXT NOT NULL,
    description TEXT,
    language    TEXT,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    UNIQUE (faq_id, account_id)
);
CREATE INDEX faqs_account ON faqs (account_id, created_at, faq_id);

-- The chatbots that answer from an FAQ. They belong to the same account.
CREATE TABLE faq_chatbots (
    faq_id     TEXT NOT NULL,
    chatbot_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    PRIMARY KEY (faq_id, chatbot_id),
    FOREIGN KEY (faq_id, account_id) REFERENCES faqs (faq_id, account_id) ON DELETE CASCADE,
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX faq_chatbots_chatbot ON faq_chatbots (chatbot_id, faq_id);

CREATE TABLE faq_tags (
    tag_id TEXT NOT NULL REFERENCES tags (tag_id) ON DELETE CASCADE,
    faq_id TEXT NOT NULL REFERENCES faqs (faq_id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, faq_id)
);
CREATE INDEX faq_tags_faq ON faq_tags (faq_id);

CREATE TABLE faq_items (
    faq_item_id           TEXT NOT NULL PRIMARY KEY,
    faq_id                TEXT NOT NULL,
    account_id            TEXT NOT NULL,
    -- Ascending from 1, with gaps where items were deleted.
    position              BIGINT NOT NULL,
    question              TEXT NOT NULL,
    -- The question without case, punctuation and additional white space, by which duplicates are recognised.
    question_key          TEXT NOT NULL,
    -- A JSON array of texts.
    alternative_questions TEXT NOT NULL,
    answer                TEXT NOT NULL,
    -- All texts in lower case, for filters.
    search_text           TEXT NOT NULL,
    url                   TEXT,
    status                TEXT NOT NULL CHECK (status IN ('draft', 'published')),
    source                TEXT NOT NULL CHECK (source IN ('manual', 'import', 'suggested')),
    hit_count             BIGINT NOT NULL DEFAULT 0,
    created_at            BIGINT NOT NULL,
    updated_at            BIGINT NOT NULL,
    FOREIGN KEY (faq_id, account_id) REFERENCES faqs (faq_id, account_id) ON DELETE CASCADE
);
CREATE INDEX faq_items_order ON faq_items (faq_id, position, faq_item_id);
CREATE INDEX faq_items_question ON faq_items (faq_id, question_key);

-- An item has one chunk in each chatbot that answers from its FAQ.
ALTER TABLE chunks ADD COLUMN faq_item_id TEXT REFERENCES faq_items (faq_item_id) ON DELETE CASCADE;
CREATE UNIQUE INDEX chunks_faq_item ON chunks (faq_item_id, chatbot_id) WHERE faq_item_id IS NOT NULL;

CREATE TABLE unanswered_questions (
    unanswered_question_id TEXT NOT NULL PRIMARY KEY,
    chatbot_id             TEXT NOT NULL,
    account_id             TEXT NOT NULL,
    question               TEXT NOT NULL,
    question_key           TEXT NOT NULL,
    times_asked            BIGINT NOT NULL,
    first_asked_at         BIGINT NOT NULL,
    last_asked_at          BIGINT NOT NULL,
    UNIQUE (chatbot_id, question_key),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX unanswered_questions_chatbot
    ON unanswered_questions (chatbot_id, last_asked_at, unanswered_question_id);

ALTER TABLE webpages ADD COLUMN hit_count BIGINT NOT NULL DEFAULT 0;
ALTER TABLE text_snippets ADD COLUMN hit_count BIGINT NOT NULL DEFAULT 0;

DROP VIEW source_tags;
CREATE VIEW source_tags AS
    SELECT tag_id, webpage_id AS source_id FROM webpage_tags
    UNION ALL SELECT tag_id, text_snippet_id FROM text_snippet_tags
    UNION ALL SELECT tag_id, faq_id FROM faq_tags;

DROP VIEW training_sources;
CREATE VIEW training_sources AS
    SELECT chatbot_id, webpage_id AS source_id FROM webpages WHERE status = 'ready'
    UNION ALL SELECT chatbot_id, text_snippet_id FROM text_snippets WHERE enabled = 1
    UNION ALL SELECT link.chatbot_id, link.faq_id FROM faq_chatbots AS link
        WHERE EXISTS (SELECT 1 FROM faq_items AS item WHERE item.faq_id = link.faq_id AND item.status = 'published');
