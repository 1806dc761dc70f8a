-- How many bytes each account stores, by kind, so that adding something does not count what is there.

CREATE TABLE stored_bytes (
    account_id TEXT NOT NULL,
    -- The table that they belong to.
    kind       TEXT NOT NULL,
    bytes      BIGINT NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (account_id, kind)
);

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

-- By triggers, so that no statement can forget the sums, and cascades keep them too. The sums of kinds are rows of their own, so that work on
-- files does not wait for e-mails that arrive. What deletes many rows changes each sum once.
CREATE FUNCTION add_stored_bytes(of_account TEXT, of_kind TEXT, change BIGINT) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF change > 0 THEN
        INSERT INTO stored_bytes (account_id, kind, bytes) VALUES (of_account, of_kind, change)
            ON CONFLICT (account_id, kind) DO UPDATE SET bytes = stored_bytes.bytes + excluded.bytes;
    ELSIF change < 0 THEN
        UPDATE stored_bytes SET bytes = bytes + change WHERE account_id = of_account AND kind = of_kind;
        DELETE FROM stored_bytes WHERE account_id = of_account AND kind = of_kind AND bytes = 0;
    END IF;
END
$$;

CREATE FUNCTION add_bytes_of_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'files', NEW.size_bytes);
    RETURN NULL;
END
$$;
CREATE FUNCTION change_bytes_of_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'files', (NEW.size_bytes)
        - (OLD.size_bytes));
    RETURN NULL;
END
$$;
CREATE FUNCTION remove_bytes_of_files() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(sums.account_id, 'files', -sums.bytes) FROM (
        SELECT account_id, CAST(SUM(size_bytes) AS BIGINT) AS bytes
        FROM deleted GROUP BY account_id ORDER BY account_id
    ) AS sums;
    RETURN NULL;
END
$$;
CREATE TRIGGER files_enter_bytes AFTER INSERT ON files
    FOR EACH ROW EXECUTE FUNCTION add_bytes_of_files();
CREATE TRIGGER files_change_bytes AFTER UPDATE OF size_bytes ON files
    FOR EACH ROW EXECUTE FUNCTION change_bytes_of_files();
CREATE TRIGGER files_leave_bytes AFTER DELETE ON files REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION remove_bytes_of_files();

CREATE FUNCTION add_bytes_of_attachments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'attachments', NEW.size_bytes);
    RETURN NULL;
END
$$;
CREATE FUNCTION change_bytes_of_attachments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'attachments', (NEW.size_bytes)
        - (OLD.size_bytes));
    RETURN NULL;
END
$$;
CREATE FUNCTION remove_bytes_of_attachments() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(sums.account_id, 'attachments', -sums.bytes) FROM (
        SELECT account_id, CAST(SUM(size_bytes) AS BIGINT) AS bytes
        FROM deleted GROUP BY account_id ORDER BY account_id
    ) AS sums;
    RETURN NULL;
END
$$;
CREATE TRIGGER attachments_enter_bytes AFTER INSERT ON attachments
    FOR EACH ROW EXECUTE FUNCTION add_bytes_of_attachments();
CREATE TRIGGER attachments_change_bytes AFTER UPDATE OF size_bytes ON attachments
    FOR EACH ROW EXECUTE FUNCTION change_bytes_of_attachments();
CREATE TRIGGER attachments_leave_bytes AFTER DELETE ON attachments REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION remove_bytes_of_attachments();

CREATE FUNCTION add_bytes_of_skipped_mails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'skipped_mails', CASE WHEN NEW.object_key IS NULL THEN 0 ELSE COALESCE(NEW.size_bytes, 0) END);
    RETURN NULL;
END
$$;
CREATE FUNCTION change_bytes_of_skipped_mails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'skipped_mails', (CASE WHEN NEW.object_key IS NULL THEN 0 ELSE COALESCE(NEW.size_bytes, 0) END)
        - (CASE WHEN OLD.object_key IS NULL THEN 0 ELSE COALESCE(OLD.size_bytes, 0) END));
    RETURN NULL;
END
$$;
CREATE FUNCTION remove_bytes_of_skipped_mails() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(sums.account_id, 'skipped_mails', -sums.bytes) FROM (
        SELECT account_id, CAST(SUM(CASE WHEN object_key IS NULL THEN 0 ELSE COALESCE(size_bytes, 0) END) AS BIGINT) AS bytes
        FROM deleted GROUP BY account_id ORDER BY account_id
    ) AS sums;
    RETURN NULL;
END
$$;
CREATE TRIGGER skipped_mails_enter_bytes AFTER INSERT ON skipped_mails
    FOR EACH ROW EXECUTE FUNCTION add_bytes_of_skipped_mails();
CREATE TRIGGER skipped_mails_change_bytes AFTER UPDATE OF size_bytes, object_key ON skipped_mails
    FOR EACH ROW EXECUTE FUNCTION change_bytes_of_skipped_mails();
CREATE TRIGGER skipped_mails_leave_bytes AFTER DELETE ON skipped_mails REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION remove_bytes_of_skipped_mails();

CREATE FUNCTION add_bytes_of_text_snippets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'text_snippets', octet_length(NEW.title) + octet_length(NEW.content));
    RETURN NULL;
END
$$;
CREATE FUNCTION change_bytes_of_text_snippets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'text_snippets', (octet_length(NEW.title) + octet_length(NEW.content))
        - (octet_length(OLD.title) + octet_length(OLD.content)));
    RETURN NULL;
END
$$;
CREATE FUNCTION remove_bytes_of_text_snippets() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(sums.account_id, 'text_snippets', -sums.bytes) FROM (
        SELECT account_id, CAST(SUM(octet_length(title) + octet_length(content)) AS BIGINT) AS bytes
        FROM deleted GROUP BY account_id ORDER BY account_id
    ) AS sums;
    RETURN NULL;
END
$$;
CREATE TRIGGER text_snippets_enter_bytes AFTER INSERT ON text_snippets
    FOR EACH ROW EXECUTE FUNCTION add_bytes_of_text_snippets();
CREATE TRIGGER text_snippets_change_bytes AFTER UPDATE OF title, content ON text_snippets
    FOR EACH ROW EXECUTE FUNCTION change_bytes_of_text_snippets();
CREATE TRIGGER text_snippets_leave_bytes AFTER DELETE ON text_snippets REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION remove_bytes_of_text_snippets();

CREATE FUNCTION add_bytes_of_faq_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'faq_items',
        octet_length(NEW.question) + octet_length(NEW.alternative_questions) + octet_length(NEW.answer));
    RETURN NULL;
END
$$;
CREATE FUNCTION change_bytes_of_faq_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(NEW.account_id, 'faq_items',
        (octet_length(NEW.question) + octet_length(NEW.alternative_questions) + octet_length(NEW.answer))
        - (octet_length(OLD.question) + octet_length(OLD.alternative_questions) + octet_length(OLD.answer)));
    RETURN NULL;
END
$$;
CREATE FUNCTION remove_bytes_of_faq_items() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM add_stored_bytes(sums.account_id, 'faq_items', -sums.bytes) FROM (
        SELECT account_id, CAST(SUM(octet_length(question) + octet_length(alternative_questions) + octet_length(answer)) AS BIGINT) AS bytes
        FROM deleted GROUP BY account_id ORDER BY account_id
    ) AS sums;
    RETURN NULL;
END
$$;
CREATE TRIGGER faq_items_enter_bytes AFTER INSERT ON faq_items
    FOR EACH ROW EXECUTE FUNCTION add_bytes_of_faq_items();
CREATE TRIGGER faq_items_change_bytes AFTER UPDATE OF question, alternative_questions, answer ON faq_items
    FOR EACH ROW EXECUTE FUNCTION change_bytes_of_faq_items();
CREATE TRIGGER faq_items_leave_bytes AFTER DELETE ON faq_items REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION remove_bytes_of_faq_items();
