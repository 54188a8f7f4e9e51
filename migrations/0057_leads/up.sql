-- Somebody to follow up with, and how far the workspace's system has been told of them.
CREATE TABLE leads (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    -- Of the key that makes a repeat harmless, and of its request.
    key_hash bytea,
    request_hash bytea,
    state text NOT NULL CHECK (state IN ('waiting', 'told', 'refused', 'given_up', 'not_told')),
    -- What the system is told, as long as it is.
    push_sealed bytea,
    attempts integer NOT NULL,
    -- When it is told next; whoever does moves it on. Only of one that waits.
    due_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, key_hash)
);
CREATE INDEX leads_due ON leads (workspace_id, due_at) WHERE due_at IS NOT NULL;
