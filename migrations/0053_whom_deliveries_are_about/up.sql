-- Which deliveries tell of a person, by the contact's id; those from before this have no word of it.

ALTER TABLE delivery_log ADD COLUMN contact_id uuid;
CREATE INDEX delivery_log_of_contact ON delivery_log (workspace_id, contact_id, created_at, id)
    WHERE contact_id IS NOT NULL;

-- What a caller's own id stands for. No status changes it, so that statuses still change their send in place.
CREATE INDEX sends_of_reference ON sends (workspace_id, reference, created_at) WHERE reference IS NOT NULL;
