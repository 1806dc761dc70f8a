-- Websites: the crawls that webpages come from, their schedule and their report.

CREATE TABLE websites (
    website_id           TEXT NOT NULL PRIMARY KEY,
    chatbot_id           TEXT NOT NULL,
    account_id           TEXT NOT NULL,
    -- The start address, or the address of the sitemap.
    url                  TEXT NOT NULL,
    source               TEXT NOT NULL CHECK (source IN ('crawl', 'sitemap')),
    -- NULL is the limit of the service.
    max_pages            BIGINT,
    max_depth            BIGINT,
    include_paths        TEXT NOT NULL,
    exclude_paths        TEXT NOT NULL,
    include_subdomains   BIGINT NOT NULL CHECK (include_subdomains IN (0, 1)),
    refresh_interval     TEXT NOT NULL CHECK (refresh_interval IN ('never', 'daily', 'weekly', 'monthly')),
    status               TEXT NOT NULL CHECK (status IN ('pending', 'crawling', 'processing', 'ready', 'partial', 'failed', 'cancelled')),
    -- Which pages the crawl that runs, or the last one, reads.
    scope                TEXT NOT NULL CHECK (scope IN ('changed', 'failed', 'all')),
    last_crawled_at      BIGINT,
    next_crawl_at        BIGINT,
    recrawl_available_at BIGINT,
    error_code           TEXT,
    error_message        TEXT,
    error_at             BIGINT,
    created_at           BIGINT NOT NULL,
    updated_at           BIGINT NOT NULL,
    UNIQUE (chatbot_id, url),
    FOREIGN KEY (chatbot_id, account_id) REFERENCES chatbots (chatbot_id, account_id) ON DELETE CASCADE
);
CREATE INDEX websites_list ON websites (chatbot_id, created_at, website_id);
CREATE INDEX websites_schedule ON websites (next_crawl_at) WHERE next_crawl_at IS NOT NULL;
CREATE INDEX websites_unfinished ON websites (website_id) WHERE status IN ('pending', 'crawling', 'processing');

CREATE TABLE website_tags (
    tag_id     TEXT NOT NULL REFERENCES tags (tag_id) ON DELETE CASCADE,
    website_id TEXT NOT NULL REFERENCES websites (website_id) ON DELETE CASCADE,
    PRIMARY KEY (tag_id, website_id)
);
CREATE INDEX website_tags_website ON website_tags (website_id);

-- A page without a website stands alone.
ALTER TABLE webpages ADD COLUMN website_id TEXT REFERENCES websites (website_id) ON DELETE CASCADE;
-- Whether the page is to be visited. A page with content keeps it until the visit has brought other content.
ALTER TABLE webpages ADD COLUMN queued BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webpages ADD COLUMN enabled BIGINT NOT NULL DEFAULT 1;
-- The title that the owner has given the page, instead of its own.
ALTER TABLE webpages ADD COLUMN custom_title TEXT;
-- What the server said to recognise the content by.
ALTER TABLE webpages ADD COLUMN etag TEXT;
ALTER TABLE webpages ADD COLUMN last_modified TEXT;
-- What the last visit brought, for the crawl report.
ALTER TABLE webpages ADD COLUMN outcome TEXT NOT NULL DEFAULT 'pending';
ALTER TABLE webpages ADD COLUMN updated_at BIGINT NOT NULL DEFAULT 0;
UPDATE webpages SET queued = CASE WHEN status = 'pending' THEN 1 ELSE 0 END, outcome = status,
    updated_at = COALESCE(fetched_at, created_at);

-- Each start page of a chatbot becomes a website under the same id.
INSERT INTO websites (website_id, chatbot_id, account_id, url, source, include_paths, exclude_paths, include_subdomains,
    refresh_interval, status, scope, created_at, updated_at)
SELECT webpage_id, chatbot_id, account_id, url, 'crawl', '[]', '[]', 0, 'never', 'ready', 'changed', created_at, created_at
FROM webpages WHERE depth = 0 AND parent_url IS NULL;
-- The other pages belong to the start page whose address theirs begins with, or else to the first one.
UPDATE webpages SET website_id = COALESCE(
    (SELECT w.website_id FROM websites AS w WHERE w.chatbot_id = webpages.chatbot_id
        AND substr(webpages.url, 1, length(w.url)) = w.url ORDER BY length(w.url) DESC, w.website_id LIMIT 1),
    (SELECT w.website_id FROM websites AS w WHERE w.chatbot_id = webpages.chatbot_id ORDER BY w.website_id LIMIT 1));
UPDATE websites SET
    last_crawled_at = (SELECT MAX(p.fetched_at) FROM webpages AS p WHERE p.website_id = websites.website_id),
    status = CASE
        WHEN EXISTS (SELECT 1 FROM jobs WHERE jobs.subject_id = websites.chatbot_id AND jobs.kind = 'train'
            AND jobs.state IN ('queued', 'running')) THEN 'pending'
        WHEN NOT EXISTS (SELECT 1 FROM webpages AS p WHERE p.website_id = websites.website_id AND p.status = 'ready') THEN 'failed'
        WHEN EXISTS (SELECT 1 FROM webpages AS p WHERE p.website_id = websites.website_id AND p.status = 'failed') THEN 'partial'
        ELSE 'ready' END;
-- The unfinished training of a chatbot becomes one crawl for each of its websites.
INSERT INTO jobs (job_id, queue, kind, account_id, subject, subject_id, payload, state, attempts, max_attempts, runs, run_at,
    time_limit, created_at)
SELECT w.website_id, 'crawl', 'crawl_website', w.account_id, 'website', w.website_id, '{}', 'queued', 0, 8, 0, j.run_at,
    86400000000, j.created_at
FROM jobs AS j JOIN websites AS w ON w.chatbot_id = j.subject_id
WHERE j.subject = 'chatbot' AND j.kind = 'train' AND j.state IN ('queued', 'running');
DELETE FROM jobs WHERE subject = 'chatbot' AND kind = 'train' AND state IN ('queued', 'running');

CREATE INDEX webpages_website ON webpages (website_id, queued, depth, webpage_id);
CREATE INDEX webpages_website_status ON webpages (website_id, status, outcome);
CREATE INDEX webpages_report ON webpages (website_id, created_at, webpage_id);
CREATE INDEX webpages_list ON webpages (chatbot_id, created_at, webpage_id);
DROP INDEX webpages_frontier;
CREATE INDEX webpages_frontier ON webpages (chatbot_id, queued, depth, webpage_id);
CREATE INDEX webpages_status ON webpages (chatbot_id, status);
CREATE INDEX webpages_progress ON webpages (website_id, queued, status, account_id);
-- Few pages are switched off, and every search leaves them out.
CREATE INDEX webpages_disabled ON webpages (chatbot_id, webpage_id) WHERE enabled = 0;

DROP VIEW training_sources;
CREATE VIEW training_sources AS
    SELECT chatbot_id, webpage_id AS source_id FROM webpages WHERE status = 'ready' AND enabled = 1
    UNION ALL SELECT chatbot_id, text_snippet_id FROM text_snippets WHERE enabled = 1
    UNION ALL SELECT link.chatbot_id, link.faq_id FROM faq_chatbots AS link
        WHERE EXISTS (SELECT 1 FROM faq_items AS item WHERE item.faq_id = link.faq_id AND item.status = 'published')
    UNION ALL SELECT chatbot_id, file_id FROM files WHERE status = 'ready' AND enabled = 1;
