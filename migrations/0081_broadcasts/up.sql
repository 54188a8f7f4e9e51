-- Approved templates to many people.
CREATE TABLE broadcasts (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    name text NOT NULL,
    state text NOT NULL CHECK (state IN ('draft', 'scheduled', 'running', 'paused', 'finished', 'cancelled')),
    -- What is sent, and to whom.
    content jsonb NOT NULL,
    audience jsonb NOT NULL,
    author_id uuid NOT NULL,
    -- Why it was paused by itself.
    reason text,
    created_at timestamptz NOT NULL,
    starts_at timestamptz,
    ended_at timestamptz,
    -- Up to where its audience was collected, and whether that is its end.
    collected boolean NOT NULL,
    collected_at timestamptz,
    collected_id uuid,
    -- When it begins or is gone on with; whoever does moves it on. Only of one that is scheduled or running.
    due_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, author_id) REFERENCES members
);
CREATE INDEX broadcasts_newest ON broadcasts (workspace_id, created_at DESC, id DESC);
CREATE INDEX broadcasts_due ON broadcasts (workspace_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX broadcasts_of_author ON broadcasts (workspace_id, author_id);

-- Whom a broadcast goes to, each number once.
CREATE TABLE broadcast_people (
    workspace_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    phone text NOT NULL,
    -- As they were known when they were collected.
    contact_id uuid NOT NULL,
    name text,
    -- The message that they get, given before anything is sent.
    message_id uuid NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'sent', 'unconfirmed', 'failed', 'skipped')),
    reason text,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, broadcast_id, phone),
    FOREIGN KEY (workspace_id, broadcast_id) REFERENCES broadcasts
);
CREATE INDEX broadcast_people_in_order ON broadcast_people (workspace_id, broadcast_id, message_id);
CREATE INDEX broadcast_people_queued ON broadcast_people (workspace_id, broadcast_id, message_id) WHERE state = 'queued';

-- Who wants no marketing, by number.
CREATE TABLE marketing_stops (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    phone text NOT NULL,
    source text NOT NULL CHECK (source IN ('customer', 'network', 'team')),
    stopped_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, phone)
);
