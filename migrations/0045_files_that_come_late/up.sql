-- Messages that have been told of without some of their files, which the network still has. The files themselves stay
-- pending in `attachments`.
CREATE TABLE late_files (
    workspace_id uuid NOT NULL,
    message_id uuid NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    -- When the message was recorded: the network keeps its files for a while from then on.
    recorded_at timestamptz NOT NULL,
    -- A lease moves it on, so that a dead node's messages are due again by themselves.
    due_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, message_id),
    FOREIGN KEY (workspace_id, message_id) REFERENCES messages
) WITH (fillfactor = 70);
CREATE INDEX late_files_due ON late_files (workspace_id, due_at, message_id);
