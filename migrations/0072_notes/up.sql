-- What members write to each other about a conversation.
CREATE TABLE notes (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    author_id uuid NOT NULL,
    text text NOT NULL,
    mentions uuid[] NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations,
    FOREIGN KEY (workspace_id, author_id) REFERENCES members
);
CREATE INDEX notes_of_conversation ON notes (workspace_id, conversation_id, created_at DESC, id DESC);
CREATE INDEX notes_of_author ON notes (workspace_id, author_id);

-- Whom a note mentions, until they have seen its conversation.
CREATE TABLE unseen_mentions (
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    note_id uuid NOT NULL,
    -- That of the note.
    conversation_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, member_id, note_id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members,
    FOREIGN KEY (workspace_id, note_id) REFERENCES notes ON DELETE CASCADE
);
CREATE INDEX unseen_mentions_newest ON unseen_mentions (workspace_id, member_id, created_at DESC, note_id DESC);
CREATE INDEX unseen_mentions_of_conversation ON unseen_mentions (workspace_id, member_id, conversation_id);
CREATE INDEX unseen_mentions_of_note ON unseen_mentions (workspace_id, note_id);
