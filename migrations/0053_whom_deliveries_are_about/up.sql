-- Which deliveries tell of a person, by the contact's id; those from before this have no word of it.

ALTER TABLE delivery_log ADD COLUMN contact_id uuid;
CREATE INDEX delivery_log_of_contact ON delivery_log (workspace_id, contact_id, created_at, id)
    WHERE contact_id IS NOT NULL;
