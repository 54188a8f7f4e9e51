-- What a member is shown of who tried to sign in as them.

CREATE INDEX CONCURRENTLY audit_log_of_refused_sign_ins
    ON audit_log (workspace_id, subject, created_at DESC, id DESC)
    WHERE action IN ('sign_in.failed', 'sign_in.locked');
