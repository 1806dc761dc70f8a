-- Credits by day, chatbot and purpose, and how long personal data is kept.

-- The credits of credit_usage in detail. The chatbot is NULL if it was deleted.
CREATE TABLE credit_entries (
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    day        TEXT NOT NULL,
    chatbot_id TEXT REFERENCES chatbots (chatbot_id) ON DELETE SET NULL,
    purpose    TEXT NOT NULL CHECK (purpose IN ('message', 'reply')),
    used       BIGINT NOT NULL CHECK (used >= 0),
    UNIQUE (account_id, day, chatbot_id, purpose)
);
CREATE INDEX credit_entries_chatbot ON credit_entries (chatbot_id);

-- Accounts without a row keep everything.
CREATE TABLE retention (
    account_id        TEXT NOT NULL PRIMARY KEY REFERENCES accounts (account_id) ON DELETE CASCADE,
    -- Days after the last message; NULL keeps conversations.
    conversation_days BIGINT CHECK (conversation_days > 0),
    -- Days after the person was last met or the contact changed; NULL keeps contacts.
    contact_days      BIGINT CHECK (contact_days > 0)
);
CREATE INDEX conversations_age ON conversations (account_id, last_message_at);
