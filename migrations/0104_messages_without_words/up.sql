-- Whose words are not kept yet. Notices have none.
CREATE INDEX CONCURRENTLY messages_without_words ON messages (workspace_id, id)
    WHERE searchable IS NULL AND role <> 'system';
