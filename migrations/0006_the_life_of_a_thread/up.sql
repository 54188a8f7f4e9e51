-- What moving, tidying up and tagging threads needs.

ALTER TABLE conversations
    -- When it was last moved; NULL for one that never was.
    ADD COLUMN moved_at timestamptz;

ALTER TABLE conversation_tags
    -- The tag as the core folds it: of those that fold to one a thread has one.
    ADD COLUMN folded text COLLATE "C";
UPDATE conversation_tags SET folded = lower(tag);
CREATE UNIQUE INDEX conversation_tags_folded ON conversation_tags (workspace_id, conversation_id, folded);
CREATE INDEX conversation_tags_by_tag ON conversation_tags (workspace_id, folded, conversation_id);
