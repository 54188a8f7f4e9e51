CREATE INDEX CONCURRENTLY IF NOT EXISTS sends_by_reference
    ON sends (workspace_id, reference, created_at DESC, id DESC) WHERE reference IS NOT NULL;
