-- The team's lists of threads, by the last message. Each has every filter that is a fixed set of words in its key, so
-- that a page is the head of a few streams that are read in order, whatever is asked for.

CREATE INDEX conversations_recent ON conversations (workspace_id, status, channel, last_message_at DESC, id DESC);
CREATE INDEX conversations_recent_of_group
    ON conversations (workspace_id, group_id, status, channel, last_message_at DESC, id DESC)
    WHERE group_id IS NOT NULL;
CREATE INDEX conversations_waiting ON conversations (workspace_id, channel, last_message_at DESC, id DESC)
    WHERE status = 'open' AND assigned_to IS NULL;
-- In the place of the one that has the holder alone.
CREATE INDEX conversations_held ON conversations (workspace_id, assigned_to, channel, last_message_at DESC, id DESC)
    WHERE assigned_to IS NOT NULL;
DROP INDEX conversations_assigned;
