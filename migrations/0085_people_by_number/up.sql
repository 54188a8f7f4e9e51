CREATE INDEX CONCURRENTLY IF NOT EXISTS broadcast_people_by_number ON broadcast_people (workspace_id, phone);
