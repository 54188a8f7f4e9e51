-- Numbers that were brought along, with columns that templates are filled from.
CREATE TABLE broadcast_lists (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    name text NOT NULL,
    -- The titles of its columns, the number's apart.
    titles text[] NOT NULL,
    people bigint NOT NULL,
    -- Whether all of it has arrived.
    complete boolean NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE TABLE broadcast_list_people (
    workspace_id uuid NOT NULL,
    list_id uuid NOT NULL,
    phone text NOT NULL,
    -- Their place on the list.
    id uuid NOT NULL,
    filled_in jsonb NOT NULL,
    PRIMARY KEY (workspace_id, list_id, phone),
    FOREIGN KEY (workspace_id, list_id) REFERENCES broadcast_lists
);
CREATE INDEX broadcast_list_people_in_order ON broadcast_list_people (workspace_id, list_id, id);

-- What the network's messages cost, as an owner has written it down.
CREATE TABLE broadcast_prices (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    prices jsonb NOT NULL,
    PRIMARY KEY (workspace_id)
);

-- Whoever is on a list may not be known yet.
ALTER TABLE broadcast_people ALTER COLUMN contact_id DROP NOT NULL;
