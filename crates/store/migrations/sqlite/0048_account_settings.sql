-- Whether an account requires a second factor of everybody, and since when it is being erased.

ALTER TABLE accounts ADD COLUMN requires_second_factor INTEGER NOT NULL DEFAULT 0 CHECK (requires_second_factor IN (0, 1));

-- Set with the moment at which nobody can use the account any more. The rest of its data is removed after that.
ALTER TABLE accounts ADD COLUMN erasing_at INTEGER;
