-- Rules that a customer's message sets off, and sweepers.

CREATE TABLE automations (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    name text NOT NULL,
    -- In whose name its replies go.
    author_id uuid NOT NULL,
    enabled boolean NOT NULL,
    rule jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, name),
    FOREIGN KEY (workspace_id, author_id) REFERENCES members
);
CREATE INDEX automations_by_author ON automations (workspace_id, author_id);

CREATE TABLE conversation_settings (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    hours jsonb,
    -- NULL turns a sweeper off.
    idle_close_minutes integer CHECK (idle_close_minutes > 0),
    unanswered_return_minutes integer CHECK (unanswered_return_minutes > 0)
);

-- Customers' messages that may set rules off: written with the message where the workspace has rules.
CREATE TABLE automation_triggers (
    workspace_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- Whether it began the thread or brought it back.
    began boolean NOT NULL,
    -- What it sets off, once that is decided, and how many of the steps are done.
    steps jsonb,
    done integer NOT NULL DEFAULT 0,
    attempts integer NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, message_id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages
) WITH (fillfactor = 70);
CREATE INDEX automation_triggers_due ON automation_triggers (workspace_id, due_at, message_id);

ALTER TABLE conversations
    -- The last message that a sweeper found answered: the thread is not looked at again before the next.
    ADD COLUMN answered_at timestamptz;
CREATE INDEX conversations_quiet ON conversations (workspace_id, greatest(last_message_at, moved_at))
    WHERE status <> 'closed';
CREATE INDEX conversations_unanswered ON conversations (workspace_id, greatest(last_message_at, moved_at))
    WHERE status = 'open' AND answered_at IS DISTINCT FROM last_message_at;
