-- What the network does not let our token do with an account; NULL when the last reading went well.
ALTER TABLE accounts ADD COLUMN problem jsonb;

-- How an account's numbers stood when they were last read, also those that cannot send.
CREATE TABLE number_healths (
    workspace_id uuid NOT NULL,
    account_id uuid NOT NULL,
    network_id text NOT NULL,
    phone text NOT NULL,
    state text NOT NULL,
    quality text NOT NULL,
    name text,
    name_state text,
    messaging_limit text,
    read_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, account_id, network_id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts
);

-- What owners are told of their channels, by mail where there is one.
CREATE TABLE channel_alerts (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    account_network_id text NOT NULL,
    phone text,
    kind text NOT NULL,
    detail text,
    created_at timestamptz NOT NULL,
    mailed_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id) REFERENCES workspaces
);
CREATE INDEX channel_alerts_to_mail ON channel_alerts (workspace_id, id) WHERE mailed_at IS NULL;
