-- A page with the same content is found without reading all pages that are ready. SQLite has no statistics here, and takes the index with the
-- most columns of a query.
DROP INDEX webpages_content;
CREATE INDEX webpages_content ON webpages (chatbot_id, content_hash, status, webpage_id);
-- The training sources of a chatbot are counted in this index alone.
DROP INDEX webpages_status;
CREATE INDEX webpages_status ON webpages (chatbot_id, status, enabled, webpage_id);
