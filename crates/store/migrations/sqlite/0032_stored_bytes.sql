-- How many bytes each account stores, by kind, so that adding something does not count what is there.

CREATE TABLE stored_bytes (
    account_id TEXT NOT NULL,
    -- The table that they belong to.
    kind       TEXT NOT NULL,
    bytes      INTEGER NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (account_id, kind)
) STRICT, WITHOUT ROWID;

-- The sizes of rows. An e-mail whose bytes are not kept has none.
INSERT INTO stored_bytes (account_id, kind, bytes)
    SELECT account_id, 'files', SUM(size_bytes) FROM files GROUP BY account_id HAVING SUM(size_bytes) > 0;
INSERT INTO stored_bytes (account_id, kind, bytes)
    SELECT account_id, 'attachments', SUM(size_bytes) FROM attachments GROUP BY account_id HAVING SUM(size_bytes) > 0;
INSERT INTO stored_bytes (account_id, kind, bytes)
    SELECT account_id, 'skipped_mails', SUM(size_bytes) FROM skipped_mails WHERE object_key IS NOT NULL
    GROUP BY account_id HAVING SUM(size_bytes) > 0;
INSERT INTO stored_bytes (account_id, kind, bytes)
    SELECT account_id, 'text_snippets', SUM(octet_length(title) + octet_length(content)) FROM text_snippets
    GROUP BY account_id HAVING SUM(octet_length(title) + octet_length(content)) > 0;
INSERT INTO stored_bytes (account_id, kind, bytes)
    SELECT account_id, 'faq_items', SUM(octet_length(question) + octet_length(alternative_questions) + octet_length(answer))
    FROM faq_items GROUP BY account_id;

-- By triggers, so that no statement can forget the sums, and cascades keep them too. What is inserted into this view is added to the sums.
CREATE VIEW stored_byte_changes AS SELECT account_id, kind, bytes FROM stored_bytes;
CREATE TRIGGER add_stored_bytes INSTEAD OF INSERT ON stored_byte_changes BEGIN
    INSERT INTO stored_bytes (account_id, kind, bytes)
        SELECT new.account_id, new.kind, new.bytes WHERE new.bytes > 0
        ON CONFLICT (account_id, kind) DO UPDATE SET bytes = bytes + excluded.bytes;
    UPDATE stored_bytes SET bytes = bytes + new.bytes
        WHERE account_id = new.account_id AND kind = new.kind AND new.bytes < 0;
    DELETE FROM stored_bytes WHERE account_id = new.account_id AND kind = new.kind AND bytes = 0;
END;

CREATE TRIGGER files_enter_bytes AFTER INSERT ON files BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'files', new.size_bytes);
END;
CREATE TRIGGER files_leave_bytes AFTER DELETE ON files BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (old.account_id, 'files', -(old.size_bytes));
END;
CREATE TRIGGER files_change_bytes AFTER UPDATE OF size_bytes ON files BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'files', new.size_bytes - (old.size_bytes));
END;

CREATE TRIGGER attachments_enter_bytes AFTER INSERT ON attachments BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'attachments', new.size_bytes);
END;
CREATE TRIGGER attachments_leave_bytes AFTER DELETE ON attachments BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (old.account_id, 'attachments', -(old.size_bytes));
END;
CREATE TRIGGER attachments_change_bytes AFTER UPDATE OF size_bytes ON attachments BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'attachments', new.size_bytes - (old.size_bytes));
END;

CREATE TRIGGER skipped_mails_enter_bytes AFTER INSERT ON skipped_mails BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'skipped_mails',
            CASE WHEN new.object_key IS NULL THEN 0 ELSE COALESCE(new.size_bytes, 0) END);
END;
CREATE TRIGGER skipped_mails_leave_bytes AFTER DELETE ON skipped_mails BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (old.account_id, 'skipped_mails',
            -(CASE WHEN old.object_key IS NULL THEN 0 ELSE COALESCE(old.size_bytes, 0) END));
END;
CREATE TRIGGER skipped_mails_change_bytes AFTER UPDATE OF size_bytes, object_key ON skipped_mails BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'skipped_mails',
            CASE WHEN new.object_key IS NULL THEN 0 ELSE COALESCE(new.size_bytes, 0) END
            - (CASE WHEN old.object_key IS NULL THEN 0 ELSE COALESCE(old.size_bytes, 0) END));
END;

CREATE TRIGGER text_snippets_enter_bytes AFTER INSERT ON text_snippets BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'text_snippets',
            octet_length(new.title) + octet_length(new.content));
END;
CREATE TRIGGER text_snippets_leave_bytes AFTER DELETE ON text_snippets BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (old.account_id, 'text_snippets',
            -(octet_length(old.title) + octet_length(old.content)));
END;
CREATE TRIGGER text_snippets_change_bytes AFTER UPDATE OF title, content ON text_snippets BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'text_snippets',
            octet_length(new.title) + octet_length(new.content)
            - (octet_length(old.title) + octet_length(old.content)));
END;

CREATE TRIGGER faq_items_enter_bytes AFTER INSERT ON faq_items BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'faq_items',
            octet_length(new.question) + octet_length(new.alternative_questions) + octet_length(new.answer));
END;
CREATE TRIGGER faq_items_leave_bytes AFTER DELETE ON faq_items BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (old.account_id, 'faq_items',
            -(octet_length(old.question) + octet_length(old.alternative_questions) + octet_length(old.answer)));
END;
CREATE TRIGGER faq_items_change_bytes AFTER UPDATE OF question, alternative_questions, answer ON faq_items BEGIN
    INSERT INTO stored_byte_changes (account_id, kind, bytes)
        VALUES (new.account_id, 'faq_items',
            octet_length(new.question) + octet_length(new.alternative_questions) + octet_length(new.answer)
            - (octet_length(old.question) + octet_length(old.alternative_questions) + octet_length(old.answer)));
END;
