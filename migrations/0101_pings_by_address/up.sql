-- Which disabled addresses have something to be attempted. Hardly any row is in it.
CREATE INDEX CONCURRENTLY delivery_queue_once ON delivery_queue (workspace_id, address_id) WHERE once;
