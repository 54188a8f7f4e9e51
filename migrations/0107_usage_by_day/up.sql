-- What a workspace used on days (UTC) that have ended.
CREATE TABLE usage_days (
    workspace_id uuid NOT NULL,
    day date NOT NULL,
    received bigint NOT NULL,
    sent bigint NOT NULL,
    -- How many of each category.
    templates jsonb NOT NULL,
    active_customers bigint NOT NULL,
    counted_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, day),
    FOREIGN KEY (workspace_id) REFERENCES workspaces
);
