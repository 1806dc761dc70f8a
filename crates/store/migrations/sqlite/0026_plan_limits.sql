-- The webpages that count towards the limit of a plan.
CREATE INDEX webpages_counted ON webpages (account_id, status, depth);
