-- What a conversation's own line tells, as data beside its text; NULL for lines from before, and for every other message.
ALTER TABLE messages ADD COLUMN notice jsonb;
