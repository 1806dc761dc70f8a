-- What a crash or a failure leaves to do.

-- Whether entries of the search index were deleted, whose pages have to be written anew.
ALTER TABLE retention ADD COLUMN is_unindexed INTEGER NOT NULL DEFAULT 0 CHECK (is_unindexed IN (0, 1));

-- When an object last could not be deleted. It is tried again after the others.
ALTER TABLE stored_objects ADD COLUMN failed_at INTEGER NOT NULL DEFAULT 0;
DROP INDEX stored_objects_age;
CREATE INDEX stored_objects_age ON stored_objects (failed_at, created_at);
DROP INDEX stored_objects_erased;
CREATE INDEX stored_objects_erased ON stored_objects (failed_at, object_key) WHERE is_erased = 1;
