-- Jobs of any subject: a job names what it is about by kind and id, and whoever deletes the subject deletes its jobs in
-- the same transaction. Work of the installation belongs to no account. SQLite cannot drop a column that is part of a
-- foreign key, so the table is written anew; no other table refers to it.
CREATE TABLE jobs_with_subjects (
    job_id       TEXT NOT NULL PRIMARY KEY,
    queue        TEXT NOT NULL,
    kind         TEXT NOT NULL,
    account_id   TEXT REFERENCES accounts (account_id) ON DELETE CASCADE,
    subject      TEXT,
    subject_id   TEXT,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('queued', 'running', 'done', 'failed')),
    -- Claims that count towards the limit; a job that is given back or continues later gets its claim back.
    attempts     INTEGER NOT NULL,
    max_attempts INTEGER NOT NULL CHECK (max_attempts > 0),
    -- All claims, never lowered: the fencing token of a lease, together with its owner.
    runs         INTEGER NOT NULL,
    run_at       INTEGER NOT NULL,
    -- Microseconds from the first claim to the deadline.
    time_limit   INTEGER NOT NULL CHECK (time_limit > 0),
    deadline_at  INTEGER,
    lease_owner  TEXT,
    lease_until  INTEGER,
    dedupe_key   TEXT,
    last_error   TEXT,
    created_at   INTEGER NOT NULL,
    finished_at  INTEGER,
    CHECK ((subject IS NULL) = (subject_id IS NULL)),
    CHECK (subject IS NULL OR account_id IS NOT NULL)
) STRICT;
-- Jobs from before this step get the time limit of training, a day.
INSERT INTO jobs_with_subjects (job_id, queue, kind, account_id, subject, subject_id, payload, state, attempts, max_attempts,
    runs, run_at, time_limit, deadline_at, lease_owner, lease_until, dedupe_key, last_error, created_at, finished_at)
SELECT job_id, lane, kind, account_id, CASE WHEN chatbot_id IS NULL THEN NULL ELSE 'chatbot' END, chatbot_id, payload, state,
    attempts, max_attempts, attempts, run_at, 86400000000, NULL, lease_owner, lease_until, dedupe_key, last_error, created_at,
    finished_at
FROM jobs;
DROP TABLE jobs;
ALTER TABLE jobs_with_subjects RENAME TO jobs;
CREATE INDEX jobs_queued ON jobs (queue, run_at) WHERE state = 'queued';
CREATE INDEX jobs_running ON jobs (queue, account_id, lease_until) WHERE state = 'running';
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE state IN ('done', 'failed');
CREATE INDEX jobs_subject ON jobs (subject_id, subject) WHERE subject_id IS NOT NULL;
CREATE INDEX jobs_account ON jobs (account_id);
CREATE UNIQUE INDEX jobs_dedupe ON jobs (account_id, dedupe_key) WHERE state IN ('queued', 'running');
CREATE UNIQUE INDEX jobs_dedupe_without_account ON jobs (dedupe_key)
    WHERE account_id IS NULL AND state IN ('queued', 'running');

CREATE INDEX chatbots_training ON chatbots (chatbot_id) WHERE status = 'training';
