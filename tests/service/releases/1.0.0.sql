-- What an installation of 1.0.0 had: an account with a key, a trained chatbot, and what people have asked it.
INSERT INTO accounts (account_id, parent_id, kind, name, plan, monthly_credits, created_at)
    VALUES ('10000000-0000-4000-8000-000000000001', NULL, 'standard', 'Mill', 'growth', NULL, 1760000000000000);
INSERT INTO users (user_id, account_id, email, name, role, status, created_at)
    VALUES ('10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', 'ann@mill.example', 'Ann', 'owner', 'active',
        1760000000000000);
INSERT INTO secrets (name, value) VALUES ('api_key_pepper', {pepper});
INSERT INTO api_keys (key_id, user_id, account_id, name, key_hash, display_prefix, rate_per_minute, created_at, last_used_at)
    VALUES ('10000000-0000-4000-8000-000000000003', '10000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001',
        'website', '{key_hash}', 'sk_live_AAAA…', 1000000, 1760000000000000, NULL);
INSERT INTO chatbots (chatbot_id, account_id, name, status, settings, language, created_at, updated_at)
    VALUES ('10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'Miller', 'ready',
        '{"business_name":"Mill"}', 'en', 1760000000000000, 1760000000000000);
INSERT INTO webpages (webpage_id, chatbot_id, account_id, url, root_url, parent_url, depth, final_url, title, status, reason, http_status,
        content_hash, language, created_at, fetched_at)
    VALUES ('10000000-0000-4000-8000-000000000005', '10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001',
        'https://mill.example/', 'https://mill.example/', NULL, 0, 'https://mill.example/', 'Flour', 'ready', NULL, 200, 'hash', 'en',
        1760000000000000, 1760000000000000);
INSERT INTO chunks (chunk_id, account_id, chatbot_id, webpage_id, source_type, position, title, headings, body, url, language, terms_title,
        terms_headings, terms_body, length_title, length_headings, length_body{tokens_column})
    VALUES ('10000000-0000-4000-8000-000000000006', '10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004',
        '10000000-0000-4000-8000-000000000005', 'webpage', 0, 'Flour', '', 'Rye flour costs 3 pounds a bag.', 'https://mill.example/', 'en',
        'flour', '', 'rye flour cost 3 pound bag', 1, 0, 6{tokens:1zzrye 1zzflour 1zzcost 1zz3 1zzpound 1zzbag});
INSERT INTO tags (tag_id, chatbot_id, account_id, name, name_key, created_at)
    VALUES ('10000000-0000-4000-8000-000000000007', '10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'Prices',
        'prices', 1760000000000000);
INSERT INTO webpage_tags (tag_id, webpage_id) VALUES ('10000000-0000-4000-8000-000000000007', '10000000-0000-4000-8000-000000000005');
INSERT INTO contacts (contact_id, account_id, email, name, phone, company, custom, external_id, is_verified, source, first_seen_at,
        last_seen_at)
    VALUES ('10000000-0000-4000-8000-000000000008', '10000000-0000-4000-8000-000000000001', 'lee@customer.example', 'Lee', '+44 20 7946 0018',
        NULL, NULL, NULL, 0, 'api', 1760000000000000, 1760000000000000);
INSERT INTO conversations (conversation_id, account_id, chatbot_id, contact_id, mode, source, verified_subject, message_count, context_start,
        created_at, last_message_at)
    VALUES ('10000000-0000-4000-8000-000000000009', '10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004',
        '10000000-0000-4000-8000-000000000008', 'human_requested', 'api', NULL, 2, 0, 1760000000000000, 1760000001000000);
INSERT INTO messages (message_id, conversation_id, account_id, chatbot_id, position, role, body, sources, needs_escalation, credits_used,
        created_at)
    VALUES ('10000000-0000-4000-8000-00000000000a', '10000000-0000-4000-8000-000000000009', '10000000-0000-4000-8000-000000000001',
        '10000000-0000-4000-8000-000000000004', 1, 'visitor', 'May I talk to a person?', '[]', 0, 0, 1760000000000000),
        ('10000000-0000-4000-8000-00000000000b', '10000000-0000-4000-8000-000000000009', '10000000-0000-4000-8000-000000000001',
        '10000000-0000-4000-8000-000000000004', 2, 'assistant', 'Somebody will answer.', '[]', 1, 1, 1760000001000000);
INSERT INTO credit_usage (account_id, period, used) VALUES ('10000000-0000-4000-8000-000000000001', '2025-10', 7);
INSERT INTO daily_replies (chatbot_id, day, used) VALUES ('10000000-0000-4000-8000-000000000004', '2025-10-09', 3);
INSERT INTO jobs (job_id, lane, kind, account_id, chatbot_id, payload, state, attempts, max_attempts, run_at, created_at, finished_at)
    VALUES ('10000000-0000-4000-8000-00000000000c', 'crawl', 'train', '10000000-0000-4000-8000-000000000001',
        '10000000-0000-4000-8000-000000000004', '{}', 'done', 1, 8, 1760000000000000, 1760000000000000, 1760000000000000);
