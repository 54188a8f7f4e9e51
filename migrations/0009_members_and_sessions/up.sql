-- Members who sign in, their sessions and invitations, groups' members, and the log of what they change.

ALTER TABLE members
    ADD COLUMN name text,
    -- Argon2id with its parameters. NULL until an invitation is accepted, and after leaving.
    ADD COLUMN password_hash text,
    ADD COLUMN totp_sealed bytea,
    -- NULL while the second factor is only offered.
    ADD COLUMN totp_confirmed_at timestamptz,
    -- The last step of time whose code was taken: none is taken twice.
    ADD COLUMN totp_step bigint;

UPDATE members SET email = lower(email);

-- Which members an e-mail address signs in as; a row for each workspace where it has a password.
CREATE TABLE member_logins (
    email text NOT NULL,
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    PRIMARY KEY (email, workspace_id)
);

CREATE TABLE recovery_codes (
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    code_hash bytea NOT NULL,
    PRIMARY KEY (workspace_id, member_id, code_hash),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members
);

-- Looked up by the hash of what a browser presents, before the workspace is known.
CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    address text,
    user_agent text,
    created_at timestamptz NOT NULL,
    -- To the minute.
    seen_at timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX sessions_of_member ON sessions (workspace_id, member_id);

-- Looked up by the hash of what the link carries.
CREATE TABLE invitations (
    token_hash bytea PRIMARY KEY,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'agent')),
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX invitations_by_workspace ON invitations (workspace_id, email);

-- Tries at a password or a code, by the hash of the account or of the address that they come from. Not logged:
-- after a crash every window starts anew.
CREATE UNLOGGED TABLE attempt_windows (
    key_hash bytea PRIMARY KEY,
    started_at timestamptz NOT NULL,
    used integer NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX attempt_windows_by_age ON attempt_windows (started_at);

CREATE TABLE group_members (
    workspace_id uuid NOT NULL,
    group_id uuid NOT NULL,
    member_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, group_id, member_id),
    FOREIGN KEY (workspace_id, group_id) REFERENCES groups ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, member_id) REFERENCES members
);
CREATE INDEX group_members_by_member ON group_members (workspace_id, member_id);

-- What was changed by whom. Written with the change, never altered; no secret is in it.
CREATE TABLE audit_log (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    -- NULL: an operator's command.
    member_id uuid,
    action text NOT NULL,
    subject text,
    details jsonb NOT NULL,
    address text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX audit_log_newest ON audit_log (workspace_id, created_at DESC, id DESC);
CREATE INDEX audit_log_by_member ON audit_log (workspace_id, member_id, created_at DESC, id DESC);
CREATE INDEX audit_log_by_action ON audit_log (workspace_id, action, created_at DESC, id DESC);

ALTER TABLE accounts
    -- The token is gone then, and nothing is read from the account.
    ADD COLUMN disconnected_at timestamptz;
