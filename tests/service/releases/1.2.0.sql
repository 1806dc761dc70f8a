-- What 1.2.0 added to it: an FAQ, events and an endpoint that failed, a deal, and a thread of the inbox.
INSERT INTO faqs (faq_id, account_id, name, description, language, created_at, updated_at)
    VALUES ('12000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 'Visits', NULL, 'en', 1760000000000000,
        1760000000000000);
INSERT INTO faq_chatbots (faq_id, chatbot_id, account_id)
    VALUES ('12000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001');
INSERT INTO faq_items (faq_item_id, faq_id, account_id, position, question, question_key, alternative_questions, answer, search_text, url,
        status, source, hit_count, created_at, updated_at)
    VALUES ('12000000-0000-4000-8000-000000000002', '12000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000001', 1,
        'Are dogs welcome?', 'are dogs welcome', '[]', 'Dogs are welcome in the garden.', 'are dogs welcome? dogs are welcome in the garden.',
        NULL, 'published', 'manual', 2, 1760000000000000, 1760000000000000);
INSERT INTO events (event_id, account_id, sequence, type, data, source_chatbot_id, conversation_id, contact_id, created_at)
    VALUES ('12000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000001', 1, 'webhook.test',
        '{"type":"webhook.test","webhook_endpoint_id":"12000000-0000-4000-8000-000000000004"}', NULL, NULL, NULL, {recently});
INSERT INTO event_sequences (account_id, last_sequence) VALUES ('10000000-0000-4000-8000-000000000001', 1);
INSERT INTO webhook_endpoints (webhook_endpoint_id, account_id, url, description, events, chatbot_ids, enabled, secret, created_at, updated_at)
    VALUES ('12000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'https://hooks.mill.example/', NULL,
        'lead.created', '', 0, 'encrypted', 1760000000000000, 1760000000000000);
INSERT INTO webhook_deliveries (webhook_delivery_id, webhook_endpoint_id, account_id, event_id, status, failures, due_at, attempts, created_at,
        finished_at)
    VALUES ('12000000-0000-4000-8000-000000000005', '12000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001',
        '12000000-0000-4000-8000-000000000003', 'failed', 9, 1760000000000000, '[]', 1760000000000000, {recently});
INSERT INTO deals (deal_id, account_id, title, search_text, deal_status_id, deal_row_id, position, outcome, value_units, currency, source,
        status_changed_at, active_at, created_at, updated_at)
    SELECT '12000000-0000-4000-8000-000000000006', s.account_id, 'A ton of rye', 'a ton of rye', s.deal_status_id, r.deal_row_id, 'i', 'open',
        36000000, 'GBP', 'manual', 1760000000000000, 1760000000000000, 1760000000000000, 1760000000000000
    FROM deal_statuses AS s JOIN deal_rows AS r ON r.account_id = s.account_id AND r.is_default = 1 WHERE s.position = 1;
INSERT INTO deal_contacts (deal_id, contact_id, account_id)
    VALUES ('12000000-0000-4000-8000-000000000006', '10000000-0000-4000-8000-000000000008', '10000000-0000-4000-8000-000000000001');
INSERT INTO threads (thread_id, account_id, channel, channel_id, external_key, conversation_id, chatbot_id, contact_id, subject, status,
        priority, assignee_id, tags, snoozed_until, unread_count, message_count, last_message_at, last_message_preview, created_at, updated_at)
    VALUES ('12000000-0000-4000-8000-000000000007', '10000000-0000-4000-8000-000000000001', 'contact_form', NULL, NULL, NULL, NULL,
        '10000000-0000-4000-8000-000000000008', 'An order', 'open', 'medium', NULL, '[]', NULL, 1, 1, 1760000000000000, 'Four bags, please.',
        1760000000000000, 1760000000000000);
INSERT INTO thread_messages (message_id, thread_id, account_id, position, direction, author_type, author_id, author_name, body, created_at{tokens_column})
    VALUES ('12000000-0000-4000-8000-000000000008', '12000000-0000-4000-8000-000000000007', '10000000-0000-4000-8000-000000000001', 1,
        'inbound', 'contact', '10000000-0000-4000-8000-000000000008', 'Lee', 'Four bags, please.', 1760000000000000{tokens:1zzbag});
