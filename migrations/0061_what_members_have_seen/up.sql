-- Up to where members have read conversations.
CREATE TABLE seen_conversations (
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    -- When the newest message was recorded that they have seen.
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, member_id, conversation_id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members,
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations ON DELETE CASCADE
);
CREATE INDEX seen_conversations_of_conversation ON seen_conversations (workspace_id, conversation_id);
