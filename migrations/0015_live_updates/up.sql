-- What a team at its dashboard hears of at once. Nothing here is logged: after a crash every feed begins anew, and
-- whoever comes back with a place in an old one is told to load everything again.

-- What has changed, written by the statement that changes it. Without an order that others could rely on: a lower id may
-- be committed after a higher one.
CREATE UNLOGGED TABLE live_changes (
    workspace_id uuid NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    conversations uuid[] NOT NULL,
    -- Beside each conversation the message, or NULL.
    messages uuid[] NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, id)
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1
);

-- A workspace's feed: how far its changes are numbered, and which numbers are gone.
CREATE UNLOGGED TABLE live_feeds (
    workspace_id uuid PRIMARY KEY,
    -- Tells this feed from one before it.
    epoch uuid NOT NULL,
    last bigint NOT NULL DEFAULT 0,
    forgotten bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Changes in the one order in which all hear of them.
CREATE UNLOGGED TABLE live_events (
    workspace_id uuid NOT NULL,
    number bigint NOT NULL,
    kind text NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid,
    at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, number)
) WITH (
    autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_vacuum_insert_threshold = -1
);
