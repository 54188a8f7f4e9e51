-- Updates are handled in batches, of every kind, and those that cannot be handled end in the quarantine.

DROP INDEX journal_due;
CREATE INDEX journal_due ON journal (workspace_id, due_at, id);

ALTER TABLE quarantine
    -- An update that was tried often enough: whose it is, and what it is sealed for. NULL for a post.
    ADD COLUMN workspace_id uuid,
    ADD COLUMN update_id uuid;
