-- Who of the team is in a conversation right now: rows that run out.
CREATE TABLE presences (
    workspace_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    member_id uuid NOT NULL,
    doing text NOT NULL CHECK (doing IN ('looking', 'answering')),
    until timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id, member_id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, member_id) REFERENCES members
);
CREATE INDEX presences_of_member ON presences (workspace_id, member_id);
