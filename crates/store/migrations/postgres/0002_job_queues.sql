-- Jobs of any subject: a job names what it is about by kind and id, and whoever deletes the subject deletes its jobs in
-- the same transaction. Work of the installation belongs to no account.
ALTER TABLE jobs RENAME COLUMN lane TO queue;
ALTER TABLE jobs ALTER COLUMN account_id DROP NOT NULL;
ALTER TABLE jobs ADD COLUMN subject TEXT;
ALTER TABLE jobs ADD COLUMN subject_id TEXT;
-- All claims, never lowered: the fencing token of a lease, together with its owner. `attempts` are the claims that count
-- towards the limit; a job that is given back or continues later gets its claim back.
ALTER TABLE jobs ADD COLUMN runs BIGINT NOT NULL DEFAULT 0;
-- Microseconds from the first claim to the deadline. Jobs from before this step get the time limit of training, a day.
ALTER TABLE jobs ADD COLUMN time_limit BIGINT NOT NULL DEFAULT 86400000000 CHECK (time_limit > 0);
ALTER TABLE jobs ADD COLUMN deadline_at BIGINT;
UPDATE jobs SET runs = attempts, subject = CASE WHEN chatbot_id IS NULL THEN NULL ELSE 'chatbot' END, subject_id = chatbot_id;
ALTER TABLE jobs ALTER COLUMN runs DROP DEFAULT;
ALTER TABLE jobs ALTER COLUMN time_limit DROP DEFAULT;
-- Its foreign key and its index go with it.
ALTER TABLE jobs DROP COLUMN chatbot_id;
ALTER TABLE jobs ADD CHECK ((subject IS NULL) = (subject_id IS NULL));
ALTER TABLE jobs ADD CHECK (subject IS NULL OR account_id IS NOT NULL);
CREATE INDEX jobs_subject ON jobs (subject_id, subject) WHERE subject_id IS NOT NULL;
CREATE INDEX jobs_account ON jobs (account_id);
CREATE UNIQUE INDEX jobs_dedupe_without_account ON jobs (dedupe_key)
    WHERE account_id IS NULL AND state IN ('queued', 'running');

CREATE INDEX chatbots_training ON chatbots (chatbot_id) WHERE status = 'training';
