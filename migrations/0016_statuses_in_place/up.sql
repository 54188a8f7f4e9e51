-- A status changes a send where it is, and in no index: its page has room for the new version, and no index says
-- anything of columns that change.
ALTER TABLE sends SET (fillfactor = 50);

-- Whether a watermark may still move it forward: replies of pages and accounts, that is. NULL of all others, whatever
-- becomes of them.
ALTER TABLE sends ADD COLUMN behind boolean
    GENERATED ALWAYS AS (CASE WHEN from_phone IS NULL AND status IN ('sent', 'delivered') THEN true END) STORED;
DROP INDEX sends_behind;
CREATE INDEX sends_behind ON sends (workspace_id, conversation_id, created_at) WHERE behind;

-- Partial, though nothing is left out: a look-up of a send by its id cannot take it for its own, which it might when
-- its plan is made while the table is empty.
DROP INDEX sends_by_channel;
CREATE INDEX sends_by_channel ON sends (workspace_id, channel_id) WHERE channel_id IS NOT NULL;
