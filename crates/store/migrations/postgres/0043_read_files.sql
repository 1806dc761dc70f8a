-- What is missing from the text of a file, as a JSON list of codes and messages.
ALTER TABLE files ADD COLUMN warnings TEXT;

-- Whether the files that a website links to are read like its pages.
ALTER TABLE websites ADD COLUMN include_files BIGINT NOT NULL DEFAULT 1 CHECK (include_files IN (0, 1));
