-- Who registered a webhook address, and who connected a system; NULL: an operator, or nobody knows.
ALTER TABLE webhook_addresses ADD COLUMN creator_id uuid;
ALTER TABLE systems ADD COLUMN creator_id uuid;
