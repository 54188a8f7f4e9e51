-- Who people are at the networks, and what they write.

-- The names that networks have for a person besides a number. Numbers are in contacts alone: one of a kind, and
-- found there whoever asks.
CREATE TABLE identities (
    workspace_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('whatsapp_user', 'messenger_user', 'instagram_user')),
    value text NOT NULL,
    contact_id uuid NOT NULL,
    -- The latest one is written to.
    recorded_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, kind, value),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts
);
CREATE INDEX identities_by_contact ON identities (workspace_id, contact_id, kind, recorded_at DESC);

-- Contacts and threads that have become one with another: their ids go on answering.
CREATE TABLE contact_aliases (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts
);
CREATE INDEX contact_aliases_by_contact ON contact_aliases (workspace_id, contact_id);

CREATE TABLE conversation_aliases (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations
);
CREATE INDEX conversation_aliases_by_conversation ON conversation_aliases (workspace_id, conversation_id);

ALTER TABLE conversations
    -- When the customer last wrote, by the network's clock: what its windows are counted from.
    ADD COLUMN customer_wrote_at timestamptz;

ALTER TABLE messages
    -- Of messages that came from a network: each is recorded once.
    ADD COLUMN network_id_hash bytea,
    -- What the customer did to it since, by the network's clock.
    ADD COLUMN reaction text,
    ADD COLUMN reacted_at timestamptz,
    ADD COLUMN edited_at timestamptz,
    ADD COLUMN deleted_at timestamptz;
CREATE UNIQUE INDEX messages_by_network_id ON messages (workspace_id, network_id_hash)
    WHERE network_id_hash IS NOT NULL;

-- Replies of pages and accounts that a watermark may still move forward.
CREATE INDEX sends_behind ON sends (workspace_id, conversation_id, created_at)
    WHERE from_phone IS NULL AND status IN ('sent', 'delivered');

-- Ends a statement, and so its transaction, when what it was decided on has moved on.
CREATE FUNCTION stale() RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RAISE serialization_failure USING MESSAGE = 'the state has moved on';
END $$;
