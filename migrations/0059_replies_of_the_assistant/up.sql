-- What the assistant proposes and answers has no member as its author.
ALTER TABLE drafts ALTER COLUMN author_id DROP NOT NULL;
ALTER TABLE prepared_replies ALTER COLUMN author_id DROP NOT NULL;
