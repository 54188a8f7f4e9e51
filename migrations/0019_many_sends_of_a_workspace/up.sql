-- Sends are changed by their keys, many in one statement, by plans that are made once for all workspaces. By the
-- average of many small workspaces it would seem cheaper to go through all sends of one, and a large one has millions.
-- So the planner is told that there is one workspace: whoever names sends by their keys is sent to the keys.
ALTER TABLE sends ALTER COLUMN workspace_id SET (n_distinct = 1);
