CREATE INDEX CONCURRENTLY IF NOT EXISTS broadcast_people_by_state
    ON broadcast_people (workspace_id, broadcast_id, state, message_id);
