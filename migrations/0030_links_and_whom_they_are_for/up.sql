-- Who comes back after leaving is a new member; links know who made them.

ALTER TABLE members
    -- What a node of the release before needs to accept an invitation: until it is replaced, it refuses to.
    DROP CONSTRAINT members_workspace_id_email_key,
    -- When they used a link that was mailed to their address and shown to nobody.
    ADD COLUMN mailbox_proven_at timestamptz;

-- In the same transaction, so that there is no moment without it: a team is small.
CREATE UNIQUE INDEX members_by_email ON members (workspace_id, email) WHERE left_at IS NULL;

ALTER TABLE invitations
    -- NULL: an operator's command.
    ADD COLUMN invited_by uuid,
    -- Only an operator's link makes a member of who is one already.
    ADD COLUMN from_operator boolean NOT NULL DEFAULT false,
    -- Whether the link went to the address, and was shown to nobody.
    ADD COLUMN mailed boolean NOT NULL DEFAULT false;

UPDATE invitations SET invited_by = made.member_id, from_operator = made.member_id IS NULL
FROM audit_log made
WHERE made.workspace_id = invitations.workspace_id AND made.action = 'member.invited'
  AND made.subject = invitations.id::text;
