-- Links for another password, and threads whose holder has left.

-- Looked up by the hash of what the link carries.
CREATE TABLE password_resets (
    token_hash bytea PRIMARY KEY,
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    -- Whether the link went to the member's address, and was shown to nobody.
    mailed boolean NOT NULL,
    -- An operator's link may rid the member of their second factor.
    drops_factor boolean NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX password_resets_of_member ON password_resets (workspace_id, member_id);

ALTER TABLE workspaces
    -- Whether members may have such a link mailed to them.
    ADD COLUMN reset_by_mail boolean NOT NULL DEFAULT true;

-- Who has left and may still hold threads, until all of them were let go of.
CREATE TABLE departures (
    workspace_id uuid NOT NULL,
    member_id uuid NOT NULL,
    -- Who removed them: themselves, where they left.
    removed_by uuid NOT NULL,
    left_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, member_id),
    FOREIGN KEY (workspace_id, member_id) REFERENCES members,
    FOREIGN KEY (workspace_id, removed_by) REFERENCES members
);
CREATE INDEX departures_by_time ON departures (left_at);
CREATE INDEX departures_by_remover ON departures (workspace_id, removed_by);

INSERT INTO departures
SELECT member.workspace_id, member.id, member.id, member.left_at FROM members member
WHERE member.left_at IS NOT NULL AND EXISTS (
    SELECT FROM conversations thread
    WHERE thread.workspace_id = member.workspace_id AND thread.assigned_to = member.id);
