-- Short texts that members answer with, by their shortcuts.
CREATE TABLE canned_replies (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    shortcut text NOT NULL,
    -- What tells shortcuts apart.
    folded text NOT NULL,
    text text NOT NULL,
    author_id uuid NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    CONSTRAINT canned_replies_by_shortcut UNIQUE (workspace_id, folded),
    FOREIGN KEY (workspace_id, author_id) REFERENCES members
);
CREATE INDEX canned_replies_of_author ON canned_replies (workspace_id, author_id);
