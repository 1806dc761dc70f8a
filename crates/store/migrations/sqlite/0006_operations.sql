-- PostgreSQL also has the sliding windows of rate limits here; a SQLite file is served by one process, which counts by itself.

-- One row, written to find out whether the database takes writes.
CREATE TABLE write_checks (
    name       TEXT NOT NULL PRIMARY KEY,
    checked_at INTEGER NOT NULL
) STRICT;

-- Which pepper the hash was made with; NULL if it was made before this was recorded.
ALTER TABLE api_keys ADD COLUMN pepper_id TEXT;
