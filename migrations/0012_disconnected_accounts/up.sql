-- What becomes of updates for connections whose owners have disconnected them.

ALTER TABLE channel_routes
    -- What is written to it is dropped; statuses of what it sent before still find their workspace.
    ADD COLUMN disconnected boolean NOT NULL DEFAULT false;
