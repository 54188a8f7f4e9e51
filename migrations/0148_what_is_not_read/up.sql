-- What networks send that this version does not read, counted by day. Whoever counts removes the days that are too old to
-- be shown, and the names of one day are bounded.
CREATE TABLE unread_updates (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    day date NOT NULL,
    field text NOT NULL,
    updates bigint NOT NULL,
    PRIMARY KEY (workspace_id, day, field)
);
