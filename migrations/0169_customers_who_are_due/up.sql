-- Who is due is looked for every second.
CREATE INDEX CONCURRENTLY IF NOT EXISTS assistant_turns_wait_on ON assistant_turns (workspace_id, waits_on_at)
    WHERE waits_on_at IS NOT NULL;
