-- Words that stand for the same thing in a workspace's shop, as its owner says: one row a workspace.
CREATE TABLE synonyms (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    -- A group each, its words parted by tabs.
    groups text[] NOT NULL,
    changed_at timestamptz NOT NULL
);
