-- The log of deliveries by days, and a queue that is small and reaches it by key.

ALTER TABLE webhook_addresses
    DROP CONSTRAINT webhook_addresses_state_check,
    -- deleted: kept without address and secret until what was owed to it is out of the queue and the log.
    ADD CONSTRAINT webhook_addresses_state_check CHECK (state IN ('enabled', 'disabled', 'deleted')),
    -- The secret before the last rotation, while it still signs beside the new one.
    ADD COLUMN previous_secret_sealed bytea,
    ADD COLUMN previous_secret_until timestamptz,
    -- Whether the Standard Webhooks headers are sent as well.
    ADD COLUMN standard_headers boolean NOT NULL DEFAULT false,
    ADD COLUMN deleted_at timestamptz;

ALTER TABLE deliveries RENAME TO old_deliveries;
ALTER TABLE delivery_attempts RENAME TO old_attempts;
ALTER TABLE delivery_queue RENAME TO old_queue;

-- Every event owed to every address, body bytes final. Written once; what becomes of a delivery is in the queue
-- and in its attempts. Nothing refers to it, so that dropping a day is dropping its table.
CREATE TABLE delivery_log (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    address_id uuid NOT NULL,
    event text NOT NULL,
    body_sealed bytea NOT NULL,
    -- Why it has left the queue without having been delivered. held: its address was disabled.
    undelivered text CONSTRAINT delivery_log_undelivered_check CHECK (undelivered IN ('held', 'failed')),
    created_at timestamptz NOT NULL,
    CONSTRAINT delivery_log_key PRIMARY KEY (workspace_id, id, created_at)
) PARTITION BY RANGE (created_at);
-- Partial, as the queue's, though nothing is left out: a look-up by key, which does not name the address, cannot take
-- it for its own, which it might when its plan is made while the table is empty.
CREATE INDEX delivery_log_of_address ON delivery_log (workspace_id, address_id, created_at, id)
    WHERE address_id IS NOT NULL;
CREATE INDEX delivery_log_undelivered ON delivery_log (workspace_id, address_id, created_at, id)
    WHERE undelivered IS NOT NULL;
-- What belongs to no day that has a table: an insert never fails for lack of one.
CREATE TABLE delivery_log_default PARTITION OF delivery_log DEFAULT;

-- In the same days as their deliveries: created_at is the delivery's.
CREATE TABLE delivery_attempts (
    workspace_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    attempt integer NOT NULL,
    started_at timestamptz NOT NULL,
    duration_ms bigint NOT NULL,
    status integer,
    failure text,
    -- The first KiB of the answer.
    answer_sealed bytea,
    created_at timestamptz NOT NULL,
    CONSTRAINT delivery_attempts_key PRIMARY KEY (workspace_id, delivery_id, attempt, created_at)
) PARTITION BY RANGE (created_at);
CREATE TABLE delivery_attempts_default PARTITION OF delivery_attempts DEFAULT;

-- What is still to be attempted; created_at is the delivery's. A lease is in no index, so that taking one rewrites
-- none; it is what a result must name, so that a lost one changes nothing.
CREATE TABLE delivery_queue (
    workspace_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    address_id uuid NOT NULL,
    attempt integer NOT NULL,
    due_at timestamptz NOT NULL,
    leased_until timestamptz,
    created_at timestamptz NOT NULL,
    CONSTRAINT delivery_queue_key PRIMARY KEY (workspace_id, delivery_id)
) WITH (
    fillfactor = 60,
    -- Its rows come and go: what is gone is cleared away by its number, not by its share.
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1
);
CREATE INDEX delivery_queue_due_at ON delivery_queue (workspace_id, address_id, due_at) WHERE due_at IS NOT NULL;
-- In the order of the log.
CREATE INDEX delivery_queue_of_address ON delivery_queue (workspace_id, address_id, created_at, delivery_id)
    WHERE created_at IS NOT NULL;

INSERT INTO delivery_log (workspace_id, id, address_id, event, body_sealed, undelivered, created_at)
    SELECT workspace_id, id, address_id, event, body_sealed,
           CASE WHEN state IN ('held', 'failed') THEN state END, created_at
    FROM old_deliveries;
INSERT INTO delivery_attempts
        (workspace_id, delivery_id, attempt, started_at, duration_ms, status, failure, created_at)
    SELECT attempt.workspace_id, delivery_id, attempt, started_at, duration_ms, status, failure, delivery.created_at
    FROM old_attempts attempt
    JOIN old_deliveries delivery USING (workspace_id) WHERE delivery.id = attempt.delivery_id;
INSERT INTO delivery_queue (workspace_id, delivery_id, address_id, attempt, due_at, created_at)
    SELECT queue.workspace_id, delivery_id, queue.address_id, attempt, due_at, delivery.created_at
    FROM old_queue queue
    JOIN old_deliveries delivery USING (workspace_id) WHERE delivery.id = queue.delivery_id;
DROP TABLE old_attempts, old_queue, old_deliveries;

-- The log as its readers see it.
CREATE VIEW deliveries AS
    SELECT log.workspace_id, log.id, log.address_id, log.event, log.body_sealed,
           CASE WHEN log.undelivered IS NOT NULL THEN log.undelivered
                WHEN EXISTS (
                    SELECT FROM delivery_queue queue
                    WHERE queue.workspace_id = log.workspace_id AND queue.delivery_id = log.id) THEN 'pending'
                ELSE 'delivered' END AS state,
           (SELECT count(*)::integer FROM delivery_attempts attempt
            WHERE attempt.workspace_id = log.workspace_id AND attempt.delivery_id = log.id
              AND attempt.created_at = log.created_at) AS attempts,
           log.created_at
    FROM delivery_log log;

-- Re-sending what an address missed in a window, as far as it has come.
CREATE TABLE webhook_resends (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    address_id uuid NOT NULL,
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    -- How many deliveries it found when it was asked for, and how many of them it has put back in the queue.
    total bigint NOT NULL,
    resent bigint NOT NULL DEFAULT 0,
    -- The last delivery that it has looked at.
    reached_at timestamptz,
    reached_id uuid,
    created_at timestamptz NOT NULL,
    ended_at timestamptz,
    -- Why it ended early.
    stopped text,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX webhook_resends_of_address ON webhook_resends (workspace_id, address_id, created_at DESC);
CREATE INDEX webhook_resends_running ON webhook_resends (workspace_id) WHERE ended_at IS NULL;
