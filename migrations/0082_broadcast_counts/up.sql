-- How far broadcasts are, counted with each change: a look at one reads as much for a million people as for ten.

-- People by how far it is with them, and by why.
CREATE TABLE broadcast_people_counts (
    workspace_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    people bigint NOT NULL,
    PRIMARY KEY (workspace_id, broadcast_id, state, reason),
    FOREIGN KEY (workspace_id, broadcast_id) REFERENCES broadcasts
);

-- What became of its messages. Statuses come by several ways at once, so that each adds to one of several parts.
CREATE TABLE broadcast_counts (
    workspace_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    part smallint NOT NULL,
    delivered bigint NOT NULL,
    read bigint NOT NULL,
    undelivered bigint NOT NULL,
    answered bigint NOT NULL,
    stopped bigint NOT NULL,
    PRIMARY KEY (workspace_id, broadcast_id, part),
    FOREIGN KEY (workspace_id, broadcast_id) REFERENCES broadcasts
);

-- What few messages come to, one row each: that it could not be delivered, that the person wrote since, or wants no marketing since.
CREATE TABLE broadcast_marks (
    workspace_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('undelivered', 'answered', 'stopped')),
    message_id uuid NOT NULL,
    marked_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, broadcast_id, kind, message_id),
    FOREIGN KEY (workspace_id, broadcast_id) REFERENCES broadcasts
);

-- When they wanted marketing again; what is told late, of before, changes nothing.
ALTER TABLE marketing_stops ADD COLUMN resumed_at timestamptz;
