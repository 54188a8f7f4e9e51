-- Files that people of the team bring to send.

CREATE TABLE uploads (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    -- Who brought it, and may send it.
    member_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('image', 'video', 'audio', 'document')),
    content_type text NOT NULL,
    title text,
    -- Where it is kept.
    object_key text NOT NULL,
    -- Its size, once it has come.
    bytes bigint,
    created_at timestamptz NOT NULL,
    -- The send that has taken it, and so its message: there from the moment the send begins, before the message is.
    message_id uuid,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members
);
CREATE UNIQUE INDEX uploads_of_messages ON uploads (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX uploads_of_members ON uploads (workspace_id, member_id);
CREATE INDEX unused_uploads ON uploads (workspace_id, created_at, id) WHERE message_id IS NULL;
