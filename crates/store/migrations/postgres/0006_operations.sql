-- Sliding windows of rate limits that several processes share. Not logged: decisions do not wait for the disk, and the events
-- of the last minute may be lost in a crash. No index on expires_at, so that updates stay within their page.
CREATE UNLOGGED TABLE rate_windows (
    name       TEXT NOT NULL PRIMARY KEY,
    -- The moments of the admitted events, in ascending order.
    events     BIGINT[] NOT NULL,
    -- The last decision: 0 if the event was admitted, else microseconds until the next one will be.
    wait       BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
) WITH (fillfactor = 50);

-- One row, written to find out whether the database takes writes.
CREATE TABLE write_checks (
    name       TEXT NOT NULL PRIMARY KEY,
    checked_at BIGINT NOT NULL
);

-- Which pepper the hash was made with; NULL if it was made before this was recorded.
ALTER TABLE api_keys ADD COLUMN pepper_id TEXT;
