-- How many people a broadcast has written to from a number, in the ten minutes that began then: the network limits how many
-- a business may begin to write to within 24 hours.
CREATE TABLE broadcast_written_to (
    workspace_id uuid NOT NULL,
    broadcast_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    since timestamptz NOT NULL,
    people bigint NOT NULL,
    PRIMARY KEY (workspace_id, broadcast_id, channel_id, since),
    FOREIGN KEY (workspace_id, broadcast_id) REFERENCES broadcasts
);
CREATE INDEX broadcast_written_to_lately ON broadcast_written_to (workspace_id, since);
-- Until when one that is running waits for that limit.
ALTER TABLE broadcasts ADD COLUMN limited_until timestamptz;
