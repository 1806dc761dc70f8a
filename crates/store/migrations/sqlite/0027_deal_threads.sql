-- The threads of the inbox that deals are about.
CREATE TABLE deal_threads (
    deal_id TEXT NOT NULL REFERENCES deals (deal_id) ON DELETE CASCADE,
    thread_id TEXT NOT NULL REFERENCES threads (thread_id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    PRIMARY KEY (deal_id, thread_id)
);
CREATE INDEX deal_threads_thread ON deal_threads (thread_id, deal_id);
