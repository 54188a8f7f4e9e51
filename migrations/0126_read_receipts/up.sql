-- The newest message of each conversation's customer that its network was not told is read.
CREATE TABLE unread_messages (
    workspace_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- The network's id of it.
    network_id_sealed bytea NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations ON DELETE CASCADE
);

-- Whether networks are told what a member has read.
ALTER TABLE workspaces ADD COLUMN marks_read boolean NOT NULL DEFAULT true;
