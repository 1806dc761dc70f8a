-- What is folded away of an e-mail, its own subject, and a hash of its content, by which another e-mail under the same `Message-ID` is
-- told from a repeat.
ALTER TABLE thread_messages ADD COLUMN subject TEXT;
ALTER TABLE thread_messages ADD COLUMN folded_text TEXT;
ALTER TABLE thread_messages ADD COLUMN content_digest TEXT;

-- What a doubtful submission says of its sender, who is no contact until somebody decides that it is wanted. As a JSON object, and the
-- address once more, by which an erasure finds it.
ALTER TABLE threads ADD COLUMN claims TEXT;
ALTER TABLE threads ADD COLUMN claimed_email TEXT;
CREATE INDEX threads_claimed_email ON threads (account_id, claimed_email) WHERE claimed_email IS NOT NULL;

-- Skipped e-mails go when they are old.
CREATE INDEX skipped_mails_age ON skipped_mails (created_at);
