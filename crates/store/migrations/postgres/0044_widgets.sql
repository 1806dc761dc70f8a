-- How chatbots appear on websites, and the visitors who write to them there.

CREATE TABLE widgets (
    chatbot_id      TEXT NOT NULL PRIMARY KEY,
    account_id      TEXT NOT NULL,
    -- Names the widget on websites. Not secret.
    widget_key      TEXT NOT NULL UNIQUE,
    enabled         BIGINT NOT NULL CHECK (enabled IN (0, 1)),
    color           TEXT NOT NULL,
    position        TEXT NOT NULL CHECK (position IN ('end', 'start')),
    button_style    TEXT NOT NULL CHECK (button_style IN ('icon', 'text')),
    notice          TEXT,
    -- A JSON list of origins; empty for every website.
    allowed_origins TEXT NOT NULL,
    updated_at      BIGINT NOT NULL,
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX widgets_account ON widgets (account_id);

CREATE TABLE visitor_sessions (
    session_id       TEXT NOT NULL PRIMARY KEY,
    chatbot_id       TEXT NOT NULL,
    account_id       TEXT NOT NULL,
    -- The key of the widget when the session began; with another one the session has ended.
    widget_key       TEXT NOT NULL,
    token_hash       TEXT NOT NULL UNIQUE,
    language         TEXT,
    -- The subject of the proven identity.
    verified_subject TEXT,
    -- Who the visitor says to be.
    contact_id       TEXT,
    created_at       BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL,
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX visitor_sessions_chatbot ON visitor_sessions (chatbot_id, account_id);
CREATE INDEX visitor_sessions_contact ON visitor_sessions (account_id, contact_id);
CREATE INDEX visitor_sessions_age ON visitor_sessions (expires_at);

-- What visitors have sent, by the ids that their pages chose. A conversation is that of a session if it has such a message.
CREATE TABLE visitor_messages (
    session_id        TEXT NOT NULL REFERENCES visitor_sessions (session_id) ON DELETE CASCADE,
    client_message_id TEXT NOT NULL,
    account_id        TEXT NOT NULL,
    conversation_id   TEXT NOT NULL,
    message_id        TEXT NOT NULL UNIQUE REFERENCES messages (message_id) ON DELETE CASCADE,
    -- The answer of the chatbot.
    answer_id         TEXT,
    -- Since when its answer is being written; without it nobody writes one.
    claimed_at        BIGINT,
    created_at        BIGINT NOT NULL,
    PRIMARY KEY (session_id, client_message_id)
);
CREATE INDEX visitor_messages_age ON visitor_messages (session_id, created_at);
CREATE INDEX visitor_messages_conversation ON visitor_messages (conversation_id, session_id);

-- The credits that visitors have used of each account, on the last day on which they have.
CREATE TABLE visitor_credits (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
    day        TEXT NOT NULL,
    used       BIGINT NOT NULL CHECK (used >= 0)
);
