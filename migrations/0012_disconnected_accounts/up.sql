-- Accounts that their owners have disconnected.

ALTER TABLE accounts
    -- Since when it is not connected; its token is destroyed.
    ADD COLUMN disconnected_at timestamptz;

ALTER TABLE channel_routes
    -- What is written to it is dropped; statuses of what it sent before still find their workspace.
    ADD COLUMN disconnected boolean NOT NULL DEFAULT false;
