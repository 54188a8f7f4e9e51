-- A change of the workspace as a whole, such as of its groups, is about no thread.
ALTER TABLE live_events ALTER COLUMN conversation_id DROP NOT NULL;
