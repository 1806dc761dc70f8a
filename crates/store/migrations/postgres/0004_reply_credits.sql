-- Credits that keyless replies of an account have used, by day (YYYY-MM-DD) and by month (YYYY-MM), both in UTC. They are
-- also part of credit_usage.
CREATE TABLE reply_credits (
    account_id TEXT NOT NULL REFERENCES accounts (account_id) ON DELETE CASCADE,
    period     TEXT NOT NULL,
    used       BIGINT NOT NULL CHECK (used >= 0),
    PRIMARY KEY (account_id, period)
);

-- Subjects of conversations in the form in which contacts have always stored them: without surrounding white space.
UPDATE conversations
SET verified_subject = btrim(
    verified_subject,
    U&' \00A0\1680\2000\2001\2002\2003\2004\2005\2006\2007\2008\2009\200A\2028\2029\202F\205F\3000'
)
WHERE verified_subject IS NOT NULL;
