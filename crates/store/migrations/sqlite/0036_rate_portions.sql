-- PostgreSQL has its rate limits in another table here; a SQLite file is served by one process, which counts by itself.
SELECT 1;
