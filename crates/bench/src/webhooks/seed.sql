-- workspace
INSERT INTO workspaces (workspace_id, name, locale, region, created_at) VALUES ($1, 'Bench', 'ar', 'IQ', now())
-- address
INSERT INTO webhook_addresses (workspace_id, id, url, events, secret_sealed, created_at)
VALUES ($1, $2, $3, ARRAY[$4::text], $5, now())
-- staging
CREATE UNLOGGED TABLE IF NOT EXISTS staged_deliveries (
    workspace_id uuid, id uuid, address_id uuid, event text, body_sealed bytea, created_at timestamptz);
-- copy
COPY staged_deliveries (workspace_id, id, address_id, event, body_sealed, created_at) FROM STDIN BINARY
-- owe
WITH owed AS (
    INSERT INTO delivery_log (workspace_id, id, address_id, event, body_sealed, created_at)
    SELECT workspace_id, id, address_id, event, body_sealed, created_at FROM staged_deliveries
    RETURNING workspace_id, id, address_id, created_at)
INSERT INTO delivery_queue (workspace_id, address_id, created_at, delivery_id, attempt, due_at)
SELECT workspace_id, address_id, created_at, id, 1, created_at FROM owed;
TRUNCATE staged_deliveries;
-- history
INSERT INTO delivery_log (workspace_id, id, address_id, event, body_sealed, created_at)
SELECT ($1::uuid[])[place], gen_random_uuid(), ($2::uuid[])[place], $4::text, sha256(number::text::bytea),
       now() - (now() - date_trunc('day', now(), 'UTC')) * (number / $3::float8)
FROM generate_series(1, $3::bigint) number,
     LATERAL (SELECT 1 + (number % cardinality($1::uuid[]))::int AS place) at
-- vacuum queue
VACUUM (ANALYZE) delivery_queue
-- vacuum log
VACUUM (ANALYZE) delivery_log
-- checkpoint
CHECKPOINT
-- has_days
SELECT count(*) > 1 FROM pg_inherits WHERE inhparent = 'delivery_log'::regclass
-- queued
SELECT count(*) FROM delivery_queue
-- durations
SELECT duration_ms FROM delivery_attempts WHERE workspace_id = ANY($1)
-- owe nothing
DELETE FROM delivery_queue
-- forget
TRUNCATE delivery_queue, delivery_attempts, delivery_log;
CHECKPOINT;
