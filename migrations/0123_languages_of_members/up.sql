-- The language that pages and mails are in for a member; NULL until one is chosen.
ALTER TABLE members ADD COLUMN language text;
ALTER TABLE members ADD CONSTRAINT members_language_check CHECK (language IN ('ar', 'en'));
