-- What is pending is read from end to end by each look, and put in its place by whoever makes it longer than this: some
-- hundred messages at a time cost a tenth of what each by itself would.
CREATE INDEX CONCURRENTLY messages_words ON messages
    USING gin (message_words(workspace_id, created_at, searchable)) WITH (gin_pending_list_limit = 64);
