-- Sliding windows of rate limits that several processes share, with entries of several events each. Not logged, like rate_windows, which
-- it replaces. That table stays for processes of the version before; while both versions run, each counts for itself.
CREATE UNLOGGED TABLE rate_portions (
    name       TEXT NOT NULL PRIMARY KEY,
    -- The moments at which events count, and how many events each of them has.
    moments    BIGINT[] NOT NULL,
    counts     BIGINT[] NOT NULL,
    -- The latest moment that was read from the clock, behind which the window never goes back.
    clock      BIGINT NOT NULL,
    -- The last decision: how many events were admitted, and if none, microseconds until the next one will be.
    granted    BIGINT NOT NULL,
    wait       BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITH (fillfactor = 50);
