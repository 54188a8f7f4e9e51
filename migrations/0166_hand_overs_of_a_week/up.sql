-- What was handed over lately, among the many turns that were not.
CREATE INDEX CONCURRENTLY assistant_turn_log_handed_over ON assistant_turn_log (workspace_id, created_at)
    WHERE outcome = 'handed_over';
