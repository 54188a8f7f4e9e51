-- Groups, tags, assignment, and what lists and searches of a large workspace need.

CREATE EXTENSION IF NOT EXISTS pg_trgm;

CREATE TABLE groups (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

ALTER TABLE conversations
    ADD COLUMN assigned_to uuid,
    ADD COLUMN group_id uuid,
    ADD FOREIGN KEY (workspace_id, assigned_to) REFERENCES members,
    ADD FOREIGN KEY (workspace_id, group_id) REFERENCES groups;
CREATE INDEX conversations_assigned ON conversations (workspace_id, assigned_to) WHERE assigned_to IS NOT NULL;
CREATE INDEX conversations_newest ON conversations (workspace_id, created_at DESC, id DESC);
CREATE INDEX conversations_by_status ON conversations (workspace_id, status, created_at DESC, id DESC);
CREATE INDEX conversations_by_group ON conversations (workspace_id, group_id, created_at DESC, id DESC)
    WHERE group_id IS NOT NULL;
-- A status that is rare in its group. A contact's threads, one for each channel, are found by their unique key.
CREATE INDEX conversations_by_group_and_status
    ON conversations (workspace_id, group_id, status, created_at DESC, id DESC) WHERE group_id IS NOT NULL;

CREATE TABLE conversation_tags (
    workspace_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    tag text NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id, tag),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations ON DELETE CASCADE
);

ALTER TABLE contacts
    -- Every channel the person has written from.
    ADD COLUMN channels text[] NOT NULL DEFAULT '{}',
    -- The name and the number's digits as the core folds them for searching.
    ADD COLUMN searchable text NOT NULL DEFAULT '';
CREATE INDEX contacts_newest ON contacts (workspace_id, created_at DESC, id DESC);

-- How many contacts a workspace has, in slots, so that transactions that add contacts do not wait for one row.
CREATE TABLE contact_counts (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    slot smallint NOT NULL,
    contacts bigint NOT NULL,
    PRIMARY KEY (workspace_id, slot)
);
