-- What people tell a network without writing: that they want no marketing, that they opt in, or what led them here.
-- The latest of each kind over each connection.
CREATE TABLE contact_signals (
    workspace_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('marketing', 'opt_in', 'referral')),
    signal jsonb NOT NULL,
    -- By the network's clock.
    at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, contact_id, channel_id, kind),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts,
    FOREIGN KEY (workspace_id, channel_id) REFERENCES channels
);
CREATE INDEX contact_signals_channel ON contact_signals (workspace_id, channel_id);
