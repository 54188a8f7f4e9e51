-- The webhook that a post came by, which reads it when it is replayed. Of an update it says nothing.
ALTER TABLE quarantine ADD COLUMN webhook text NOT NULL DEFAULT 'meta';
