-- Credits that keyless replies of an account have used, by day (YYYY-MM-DD) and by month (YYYY-MM), both in UTC. They are
-- also part of credit_usage.
CREATE TABLE reply_credits (
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    period     TEXT NOT NULL,
    used       INTEGER NOT NULL CHECK (used >= 0),
    PRIMARY KEY (account_id, period)
) STRICT;

-- Subjects of conversations in the form in which contacts have always stored them: without surrounding white space.
UPDATE conversations
SET verified_subject = trim(verified_subject, ' ' || char(
    160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288
))
WHERE verified_subject IS NOT NULL;
