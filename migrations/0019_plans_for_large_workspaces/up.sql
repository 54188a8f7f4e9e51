-- A statement is planned once for all workspaces, and by their average. Among thousands of small ones it seems
-- cheaper to go through all of a workspace's rows than to look twenty up by their keys, and a large one has millions.
-- So of the tables that grow with what a workspace does the planner is told that all of it is one workspace.
ALTER TABLE attachments ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE contact_aliases ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE contacts ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE conversation_aliases ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE conversations ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE idempotency_keys ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE messages ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE plan_reservations ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE sends ALTER COLUMN workspace_id SET (n_distinct = 1);
ALTER TABLE templates ALTER COLUMN workspace_id SET (n_distinct = 1);
