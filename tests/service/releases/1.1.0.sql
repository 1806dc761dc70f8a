-- What 1.1.0 added to it: a text snippet, a stored response, and a keyless reply.
INSERT INTO text_snippets (text_snippet_id, chatbot_id, account_id, title, content, url, enabled, char_count, created_at, updated_at)
    VALUES ('11000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004', '10000000-0000-4000-8000-000000000001', 'Tours',
        'Tours of the mill take two hours.', NULL, 1, 33, 1760000000000000, 1760000000000000);
INSERT INTO chunks (chunk_id, account_id, chatbot_id, text_snippet_id, source_type, position, title, headings, body, url, language,
        terms_title, terms_headings, terms_body, length_title, length_headings, length_body{tokens_column})
    VALUES ('11000000-0000-4000-8000-000000000002', '10000000-0000-4000-8000-000000000001', '10000000-0000-4000-8000-000000000004',
        '11000000-0000-4000-8000-000000000001', 'text_snippet', 0, 'Tours', '', 'Tours of the mill take two hours.', '', 'en', 'tour', '',
        'tour mill take two hour', 1, 0, 5{tokens:1zztour 1zzmill 1zztake 1zztwo 1zzhour});
INSERT INTO text_snippet_tags (tag_id, text_snippet_id)
    VALUES ('10000000-0000-4000-8000-000000000007', '11000000-0000-4000-8000-000000000001');
INSERT INTO idempotency_keys (api_key_id, path, idempotency_key, fingerprint, holder, status, content_type, body, created_at, running_until)
    VALUES ('10000000-0000-4000-8000-000000000003', '/api/v1/chatbots', 'once', 'fingerprint', 'holder', 201, 'application/json', {pepper},
        1760000000000000, 1760000000000000);
INSERT INTO reply_credits (account_id, period, used) VALUES ('10000000-0000-4000-8000-000000000001', '2025-10', 3);
INSERT INTO write_checks (name, checked_at) VALUES ('ready', 1760000000000000);
