CREATE INDEX CONCURRENTLY IF NOT EXISTS conversations_waiting_longest
    ON conversations (workspace_id, waiting_since, id) WHERE waiting_since IS NOT NULL;
