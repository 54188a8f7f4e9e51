-- Lists of people that are taken over in the background, and their history.
CREATE TABLE import_jobs (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    member_id uuid NOT NULL,
    -- What the file is called; empty where it is none.
    name text NOT NULL,
    state text NOT NULL CHECK (state IN ('arriving', 'running', 'finished', 'stopped')),
    -- Rows of people.
    people bigint NOT NULL,
    created bigint NOT NULL,
    known bigint NOT NULL,
    -- Rows of nobody, and the first of them with why.
    refused bigint NOT NULL,
    refusals jsonb NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members
);
-- One at a time.
CREATE UNIQUE INDEX import_jobs_unfinished ON import_jobs (workspace_id) WHERE state IN ('arriving', 'running');
CREATE INDEX import_jobs_of_member ON import_jobs (workspace_id, member_id);

-- What is still to be written of them. Whoever writes a part removes it in the same transaction.
CREATE TABLE import_job_parts (
    workspace_id uuid NOT NULL,
    job_id uuid NOT NULL,
    number integer NOT NULL,
    row_count bigint NOT NULL,
    people jsonb NOT NULL,
    PRIMARY KEY (workspace_id, job_id, number),
    FOREIGN KEY (workspace_id, job_id) REFERENCES import_jobs
);
