-- The ids in a stored response, separated by spaces. The response itself may be encrypted, and is found by them.
ALTER TABLE idempotency_keys ADD COLUMN mentions TEXT NOT NULL DEFAULT '';
-- Which persons earlier responses name cannot be told any more, so they are given up: a repeated request runs again.
DELETE FROM idempotency_keys WHERE body IS NOT NULL;
