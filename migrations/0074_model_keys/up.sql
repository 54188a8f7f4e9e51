-- Workspaces' own keys to the installation's language model.
CREATE TABLE model_keys (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    -- Another key is another one.
    id uuid NOT NULL,
    key_sealed bytea NOT NULL,
    set_at timestamptz NOT NULL,
    -- Since when the model's server refuses it.
    refused_at timestamptz,
    PRIMARY KEY (workspace_id)
);
