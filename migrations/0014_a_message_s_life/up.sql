-- Which deliveries tell of a message; those from before this have no word of it.

ALTER TABLE delivery_log ADD COLUMN message_id uuid;
CREATE INDEX delivery_log_of_message ON delivery_log (workspace_id, message_id, created_at)
    WHERE message_id IS NOT NULL;
