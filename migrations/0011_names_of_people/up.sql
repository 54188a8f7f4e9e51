-- Pages and Instagram accounts name people only to whoever asks.

ALTER TABLE identities
    -- When to ask the network what this person is called; NULL once it has answered, or was asked often enough.
    ADD COLUMN profile_due_at timestamptz,
    ADD COLUMN profile_attempts integer NOT NULL DEFAULT 0;
CREATE INDEX identities_to_name ON identities (workspace_id, profile_due_at, kind, value)
    WHERE profile_due_at IS NOT NULL;

UPDATE identities person SET profile_due_at = person.recorded_at
FROM contacts contact
WHERE contact.workspace_id = person.workspace_id AND contact.id = person.contact_id AND contact.name IS NULL
  AND person.kind IN ('messenger_user', 'instagram_user');
