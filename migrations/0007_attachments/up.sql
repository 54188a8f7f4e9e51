-- Files that come with messages, and which messages still wait for theirs.

ALTER TABLE messages ADD COLUMN transcription text;

CREATE TABLE attachments (
    workspace_id uuid NOT NULL,
    message_id uuid NOT NULL,
    -- From 0, in the order the network gave them.
    position integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('image', 'video', 'audio', 'document', 'sticker', 'file')),
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'stored', 'given_up')),
    -- What the network is asked for; forgotten with the outcome.
    source_sealed bytea,
    -- What the network says the bytes hash to.
    sha256 bytea,
    -- What the network says it is; once it is stored, what it is served as.
    content_type text,
    title text,
    -- A recorded voice note, which is rendered as words.
    voice boolean NOT NULL DEFAULT false,
    -- Where it is kept, and its size.
    object_key text,
    bytes bigint,
    PRIMARY KEY (workspace_id, message_id, position),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages,
    CHECK ((state = 'pending') = (source_sealed IS NOT NULL)),
    CHECK ((state = 'stored') = (object_key IS NOT NULL AND bytes IS NOT NULL))
);

-- Messages whose files have no outcome yet; their events wait for it.
CREATE TABLE attachment_queue (
    workspace_id uuid NOT NULL,
    message_id uuid NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    recorded_at timestamptz NOT NULL,
    -- A lease moves it on, so that a dead node's messages are due again by themselves.
    due_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, message_id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages
) WITH (fillfactor = 70);
CREATE INDEX attachment_queue_due ON attachment_queue (workspace_id, due_at, message_id);
