-- Numbers that a broadcast goes on without, and why, until somebody sets it going again.
CREATE TABLE broadcast_left_out (
    workspace_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    reason text NOT NULL,
    -- The network's code, where the network refused.
    code bigint,
    left_out_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, broadcast_id, channel_id),
    FOREIGN KEY (workspace_id, broadcast_id) REFERENCES broadcasts
);
