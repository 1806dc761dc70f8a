-- What processes of 1.2.0 write, in their words (`git show c0a7e386:crates/store/src/…`), with values in place of parameters.
INSERT INTO contacts (contact_id, account_id, email, name, phone, phone_key, company, custom,
    external_id, is_verified, is_managed, kind, became_customer_at, paid_at, payment_amount,
    payment_currency, payment_reference, archived_at, last_seen_at, updated_at, search_text, source,
    first_seen_at) VALUES ('12000000-0000-4000-8000-0000000000f1', '{account}', 'kim@customer.example', 'Kim', NULL, NULL, NULL, NULL,
    NULL, 0, 0, 'lead', NULL, NULL, NULL, NULL, NULL, NULL, 1760000000000000, 1760000000000000, 'kim', 'api', 1760000000000000);
UPDATE contacts SET name = 'Lee Moss', last_seen_at = 1760000000000001, updated_at = 1760000000000001, search_text = 'lee moss'
    WHERE contact_id = '12000000-0000-4000-8000-0000000000f1';
INSERT INTO conversations (conversation_id, account_id, chatbot_id, contact_id, mode, source,
    verified_subject, message_count, context_start, created_at, last_message_at)
    VALUES ('12000000-0000-4000-8000-0000000000f2', '{account}', '10000000-0000-4000-8000-000000000004',
    '12000000-0000-4000-8000-0000000000f1', 'ai', 'api', NULL, 1, 0, 1760000000000000, 1760000000000000);
INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body,
    sources, needs_escalation, credits_used, created_at, team_member_id)
    VALUES ('12000000-0000-4000-8000-0000000000f3', '12000000-0000-4000-8000-0000000000f2', '{account}',
    '10000000-0000-4000-8000-000000000004', 1, 'visitor', 'Hello', '[]', 0, 0, 1760000000000000, NULL);
INSERT INTO event_sequences (account_id, last_sequence) VALUES ('{account}', 1)
    ON CONFLICT (account_id) DO UPDATE SET last_sequence = event_sequences.last_sequence + 1;
INSERT INTO events (event_id, account_id, sequence, type, data, source_chatbot_id, conversation_id,
    contact_id, created_at) SELECT '12000000-0000-4000-8000-0000000000f4', '{account}', last_sequence, 'webhook.test',
    '{"type":"webhook.test","webhook_endpoint_id":"12000000-0000-4000-8000-000000000004"}', NULL, NULL, NULL, 1760000000000000
    FROM event_sequences WHERE account_id = '{account}';
INSERT INTO webhook_deliveries (webhook_delivery_id, webhook_endpoint_id, account_id, event_id,
    status, failures, due_at, attempts, created_at) VALUES ('12000000-0000-4000-8000-0000000000f5',
    '12000000-0000-4000-8000-000000000004', '{account}', '12000000-0000-4000-8000-0000000000f4', 'pending', 0, 1760000000000000, '[]',
    1760000000000000);
UPDATE webhook_endpoints SET lease_owner = 'old', lease_until = 1760000000000000, lease_number = lease_number + 1
    WHERE webhook_endpoint_id = '12000000-0000-4000-8000-000000000004';
UPDATE webhook_deliveries SET status = 'failed', due_at = due_at, finished_at = 1760000000000000, attempts = '[]', failures = failures + 1
    WHERE webhook_delivery_id = '12000000-0000-4000-8000-0000000000f5' AND status = 'pending';
INSERT INTO jobs (job_id, queue, kind, account_id, subject, subject_id, payload, state, attempts,
    max_attempts, runs, run_at, time_limit, dedupe_key, created_at)
    VALUES ('12000000-0000-4000-8000-0000000000f6', 'housekeeping', 'prune_jobs', NULL, NULL, NULL, '{}', 'queued', 0, 3, 0,
    1760000000000000, 1800000000, 'old', 1760000000000000) ON CONFLICT DO NOTHING;
UPDATE jobs SET state = 'running', attempts = attempts + 1, runs = runs + 1, deadline_at = COALESCE(deadline_at, time_limit),
    lease_owner = 'old', lease_until = 1760000000000000 WHERE job_id = '12000000-0000-4000-8000-0000000000f6';
UPDATE jobs SET state = 'done', finished_at = 1760000000000000, lease_owner = NULL, lease_until = NULL, last_error = NULL
    WHERE job_id = '12000000-0000-4000-8000-0000000000f6' AND lease_owner = 'old' AND runs = 1 AND state = 'running';
INSERT INTO idempotency_keys
    (api_key_id, path, idempotency_key, fingerprint, holder, created_at, running_until)
    VALUES ('10000000-0000-4000-8000-000000000003', '/api/v1/contacts', 'old', 'fingerprint', 'old', 1760000000000000, 1760000000000000)
    ON CONFLICT (api_key_id, path, idempotency_key) DO UPDATE SET fingerprint = excluded.fingerprint;
INSERT INTO webpages (webpage_id, chatbot_id, account_id, website_id, url, root_url, parent_url, depth,
    status, queued, created_at, updated_at)
    SELECT '12000000-0000-4000-8000-0000000000f7', chatbot_id, account_id, website_id, 'https://mill.example/hours', url, NULL, 1,
    'failed', 0, 1760000000000000, 1760000000000000 FROM websites WHERE account_id = '{account}'
    ON CONFLICT (chatbot_id, url) DO NOTHING;
INSERT INTO tags (tag_id, chatbot_id, account_id, name, name_key, created_at, color)
    VALUES ('12000000-0000-4000-8000-0000000000f8', '10000000-0000-4000-8000-000000000004', '{account}', 'Old', 'old', 1760000000000000, NULL);
INSERT INTO write_checks (name, checked_at) VALUES ('ready', 1760000000000000)
    ON CONFLICT (name) DO UPDATE SET checked_at = excluded.checked_at;
INSERT INTO rate_windows AS kept (name, events, wait, expires_at) VALUES ('key:old', ARRAY[1760000000000000], 0, 1760000060000000)
    ON CONFLICT (name) DO UPDATE SET events = excluded.events, wait = 0, expires_at = excluded.expires_at;
UPDATE chatbots SET settings = '{"business_name":"Mill"}', updated_at = 1760000000000001
    WHERE chatbot_id = '10000000-0000-4000-8000-000000000004';
