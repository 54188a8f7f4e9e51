-- The system of its own that a workspace has connected, one at most.
CREATE TABLE systems (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces,
    -- Another one each time that a system is connected.
    id uuid NOT NULL,
    base_url text NOT NULL,
    secret_sealed bytea NOT NULL,
    -- How it last introduced itself.
    name text NOT NULL,
    currency text NOT NULL,
    capabilities text[] NOT NULL,
    state text NOT NULL CHECK (state IN ('active', 'cooling', 'unreachable', 'needs_reconnection')),
    cooling_until timestamptz,
    failures integer NOT NULL,
    slowdowns integer NOT NULL,
    failed_verifications integer NOT NULL,
    -- When a lost connection is verified next; whoever does moves it on.
    verify_at timestamptz,
    problem text,
    state_since timestamptz NOT NULL,
    connected_at timestamptz NOT NULL,
    verified_at timestamptz NOT NULL,
    version bigint NOT NULL
);
CREATE INDEX systems_to_verify ON systems (workspace_id, verify_at) WHERE verify_at IS NOT NULL;

-- How calls to it went, for two weeks: nothing of what was asked or answered but what it says when it refuses.
CREATE TABLE system_calls (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    route text NOT NULL,
    result text NOT NULL,
    status integer,
    duration_ms bigint NOT NULL,
    bytes bigint,
    -- The contract's own names with positions, such as `products[3].price: wrong_type`.
    unusable text[] NOT NULL,
    message_sealed bytea,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX system_calls_by_time ON system_calls (workspace_id, created_at, id);
