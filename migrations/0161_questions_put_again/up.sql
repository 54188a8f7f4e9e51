-- The message that puts a draft's question last and when it was prepared, where that is not the summary; and how often
-- the summary was sent again.
ALTER TABLE drafts ADD COLUMN question_id uuid;
ALTER TABLE drafts ADD COLUMN asked_at timestamptz;
ALTER TABLE drafts ADD COLUMN sent_again smallint NOT NULL DEFAULT 0;
