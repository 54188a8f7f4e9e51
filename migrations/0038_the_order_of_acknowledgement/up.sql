-- The order in which posts were acknowledged: a number that is drawn in the statement that journals an update, before
-- its post is answered. What begins after an answer draws a higher one, on whatever node.
CREATE SEQUENCE journal_places;

-- What a process that works off the journal goes by, as long as it keeps one connection: it holds an advisory lock
-- under this number there, so that everybody sees when it is gone.
CREATE SEQUENCE journal_holders AS integer;

-- Who works off a workspace's journal: one process at a time. 0 is nobody.
CREATE TABLE journal_hands (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    holder integer NOT NULL
);

ALTER TABLE journal
    ADD COLUMN place bigint,
    -- In whose hands it is; 0 is nobody's.
    ADD COLUMN holder integer NOT NULL DEFAULT 0,
    -- NULL for what is handled in its place. What has lost its place is tried at this time.
    ALTER COLUMN due_at DROP NOT NULL;

UPDATE journal SET place = ordered.place
FROM (
    SELECT workspace_id, id, nextval('journal_places') AS place
    FROM (SELECT workspace_id, id FROM journal ORDER BY received_at, id) in_order
) ordered
WHERE journal.workspace_id = ordered.workspace_id AND journal.id = ordered.id;

ALTER TABLE journal
    ALTER COLUMN place SET DEFAULT nextval('journal_places'),
    ALTER COLUMN place SET NOT NULL;

DROP INDEX journal_due;
CREATE INDEX journal_in_order ON journal (workspace_id, holder, place) WHERE due_at IS NULL;
CREATE INDEX journal_late ON journal (workspace_id, due_at) WHERE due_at IS NOT NULL;
