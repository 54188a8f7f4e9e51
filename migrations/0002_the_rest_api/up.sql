-- Groups, tags, assignment, and what lists and searches of a large workspace need.

CREATE TABLE groups (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

ALTER TABLE conversations
    ADD COLUMN assigned_to uuid,
    ADD COLUMN group_id uuid,
    ADD FOREIGN KEY (workspace_id, assigned_to) REFERENCES members,
    ADD FOREIGN KEY (workspace_id, group_id) REFERENCES groups;
CREATE INDEX conversations_assigned ON conversations (workspace_id, assigned_to) WHERE assigned_to IS NOT NULL;
CREATE INDEX conversations_newest ON conversations (workspace_id, created_at DESC, id DESC);
CREATE INDEX conversations_by_status ON conversations (workspace_id, status, created_at DESC, id DESC);
CREATE INDEX conversations_by_group ON conversations (workspace_id, group_id, created_at DESC, id DESC)
    WHERE group_id IS NOT NULL;
-- A status that is rare in its group. A contact's threads, one for each channel, are found by their unique key.
CREATE INDEX conversations_by_group_and_status
    ON conversations (workspace_id, group_id, status, created_at DESC, id DESC) WHERE group_id IS NOT NULL;

CREATE TABLE conversation_tags (
    workspace_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    tag text NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id, tag),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations ON DELETE CASCADE
);

ALTER TABLE contacts
    -- Every channel the person has written from.
    ADD COLUMN channels text[] NOT NULL DEFAULT '{}',
    -- The name as the core folds it for searching, a line's end, the number's digits.
    ADD COLUMN searchable text NOT NULL DEFAULT '';
CREATE INDEX contacts_newest ON contacts (workspace_id, created_at DESC, id DESC);

-- How many contacts a workspace has, in slots, so that transactions that add contacts do not wait for one row.
CREATE TABLE contact_counts (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    slot smallint NOT NULL,
    contacts bigint NOT NULL,
    PRIMARY KEY (workspace_id, slot)
) WITH (fillfactor = 50);

-- In how many contacts a part of one or two letters is found, in the same slots: the total of a search whose
-- matches are too many to count.
CREATE TABLE contact_part_counts (
    workspace_id uuid NOT NULL,
    part text COLLATE "C" NOT NULL,
    slot smallint NOT NULL,
    contacts bigint NOT NULL,
    PRIMARY KEY (workspace_id, part, slot)
) WITH (fillfactor = 50);

-- These functions are PL/pgSQL because it keeps a session's plan, where SQL would plan at each call. They
-- compare characters only: unlike pg_trgm, they do not depend on what the cluster's locale takes for a letter.

-- The slot that a contact is counted in.
CREATE FUNCTION contact_slot(contact uuid) RETURNS smallint
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN get_byte(uuid_send(contact), 15) % 16;
END $$;

-- The parts of one and two letters of a searchable text, each once.
CREATE FUNCTION short_parts(searchable text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(
        SELECT DISTINCT substr(searchable, start, size) COLLATE "C"
        FROM generate_series(1, 2) size, generate_series(1, length(searchable) - size + 1) start
        WHERE strpos(substr(searchable, start, size), chr(10)) = 0);
END $$;

-- Hashes of the runs of one, two and three letters of a searchable text. The workspace is hashed with them, so
-- that a search in one workspace does not read what is kept of the others. The cost keeps the planner from
-- computing for each row what the index holds.
CREATE FUNCTION contact_grams(workspace uuid, searchable text) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
BEGIN
    RETURN ARRAY(
        SELECT hashtextextended(substr(searchable, start, size), uuid_hash_extended(workspace, 0))
        FROM generate_series(1, 3) size, generate_series(1, length(searchable) - size + 1) start);
END $$;

-- The hashes that a searchable text with this part has: of the whole part when it is short, else of runs of three
-- from its end, where numbers differ most, and not of all of it, since each costs more than it saves.
CREATE FUNCTION part_grams(workspace uuid, part text) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN ARRAY(
        SELECT hashtextextended(
            substr(part, greatest(length(part) - 2 - 3 * step, 1), 3), uuid_hash_extended(workspace, 0))
        FROM generate_series(0, least((length(part) + 2) / 3, 4) - 1) step);
END $$;

CREATE INDEX contacts_grams ON contacts USING gin (contact_grams(workspace_id, searchable))
    WITH (gin_pending_list_limit = 1024);
