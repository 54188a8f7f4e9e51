-- Workspaces, keys, channels, templates, people, threads, sends, webhooks.
--
-- Every tenant table's keys begin with workspace_id, so that the schema shards by workspace as it stands.
-- What is looked up before the workspace is known has a small table of its own.
-- Columns that end in `_sealed` hold AEAD ciphertext, `_hash` a keyed hash.

CREATE TABLE workspaces (
    workspace_id uuid PRIMARY KEY,
    name text NOT NULL,
    locale text NOT NULL,
    region text NOT NULL,
    -- NULL is unlimited.
    active_customer_limit integer CHECK (active_customer_limit >= 0),
    paused boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL
);

CREATE TABLE members (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    email text NOT NULL,
    role text NOT NULL CHECK (role IN ('owner', 'agent')),
    created_at timestamptz NOT NULL,
    left_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, email)
);

-- Looked up by the hash of what a caller presents, before the workspace is known.
CREATE TABLE api_keys (
    key_hash bytea PRIMARY KEY,
    id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    creator_id uuid NOT NULL,
    label text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamptz NOT NULL,
    revoked_at timestamptz
);
CREATE INDEX api_keys_by_workspace ON api_keys (workspace_id, id);

-- Not logged: after a crash every window starts anew, and no request waits for the disk.
CREATE UNLOGGED TABLE rate_windows (
    key_id uuid PRIMARY KEY,
    started_at timestamptz NOT NULL,
    used integer NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE accounts (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    network_id text NOT NULL,
    token_sealed bytea NOT NULL,
    connected_at timestamptz NOT NULL,
    templates_synced_at timestamptz,
    templates_due_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, network_id)
);
CREATE INDEX accounts_due ON accounts (templates_due_at);

-- Which workspace an account of the network belongs to.
CREATE TABLE account_routes (
    network_id text PRIMARY KEY,
    workspace_id uuid NOT NULL,
    account_id uuid NOT NULL
);

CREATE TABLE channels (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('whatsapp', 'messenger', 'instagram')),
    account_id uuid NOT NULL,
    network_id text NOT NULL,
    phone text,
    send_only boolean NOT NULL DEFAULT false,
    connected_at timestamptz NOT NULL,
    -- Numbers connected in one reading keep the network's order.
    position integer NOT NULL,
    disconnected_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, network_id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts
);
CREATE INDEX channels_by_account ON channels (workspace_id, account_id);

-- Which workspace a number of the network belongs to.
CREATE TABLE channel_routes (
    network_id text PRIMARY KEY,
    workspace_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    send_only boolean NOT NULL DEFAULT false
);

CREATE TABLE templates (
    workspace_id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    language text NOT NULL,
    network_id text NOT NULL,
    category text NOT NULL,
    status text NOT NULL CHECK (status IN ('approved', 'pending', 'rejected', 'paused')),
    rejection_reason text,
    content jsonb NOT NULL,
    send_ttl_seconds bigint,
    -- Why a one-time code of this template may arrive after it has expired.
    validity_problem text,
    PRIMARY KEY (workspace_id, name, language, account_id),
    FOREIGN KEY (workspace_id, account_id) REFERENCES accounts
);
CREATE INDEX templates_by_account ON templates (workspace_id, account_id);

CREATE TABLE contacts (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    name text,
    phone text,
    avatar_url text,
    source text NOT NULL CHECK (source IN ('messaged', 'import')),
    -- The first day of the last month with a message in or out: what the plan counts.
    active_month date,
    last_active_at timestamptz,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, phone)
);
CREATE INDEX contacts_active ON contacts (workspace_id, active_month) WHERE active_month IS NOT NULL;

CREATE TABLE conversations (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel_id uuid NOT NULL,
    channel text NOT NULL CHECK (channel IN ('whatsapp', 'messenger', 'instagram')),
    status text NOT NULL CHECK (status IN ('bot', 'open', 'closed')),
    -- Whether conversation.created has told of it: a thread that a notice made is announced when the customer writes.
    announced boolean NOT NULL DEFAULT false,
    version bigint NOT NULL DEFAULT 1,
    last_message_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, contact_id, channel_id),
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts,
    FOREIGN KEY (workspace_id, channel_id) REFERENCES channels
);
CREATE INDEX conversations_by_channel ON conversations (workspace_id, channel_id, contact_id);

CREATE TABLE messages (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    role text NOT NULL CHECK (role IN ('customer', 'assistant', 'team', 'system')),
    sender_id text,
    content text NOT NULL,
    template_name text,
    template_language text,
    reference text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations
);
CREATE INDEX messages_of_conversation ON messages (workspace_id, conversation_id, created_at DESC, id DESC);

-- The ledger: one row for each send, written before the network is asked. Of one-time codes and of send-only
-- numbers' sends neither recipient nor text is here.
CREATE TABLE sends (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    channel_id uuid NOT NULL,
    from_phone text NOT NULL,
    template_name text NOT NULL,
    template_language text NOT NULL,
    reference text,
    state text NOT NULL CHECK (state IN ('in_flight', 'sent')),
    -- A notice's recipient, their name and the text; all NULL for what is kept nowhere.
    notice_to text,
    notice_name text,
    notice_content text,
    network_id_hash bytea,
    network_id_sealed bytea,
    contact_id uuid,
    conversation_id uuid,
    status text NOT NULL DEFAULT 'sent' CHECK (status IN ('sent', 'delivered', 'read', 'failed')),
    delivered_at timestamptz,
    read_at timestamptz,
    failed_at timestamptz,
    error text,
    created_at timestamptz NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, channel_id) REFERENCES channels,
    FOREIGN KEY (workspace_id, contact_id) REFERENCES contacts,
    FOREIGN KEY (workspace_id, conversation_id) REFERENCES conversations
);
CREATE UNIQUE INDEX sends_by_network_id ON sends (workspace_id, network_id_hash) WHERE network_id_hash IS NOT NULL;
CREATE INDEX sends_by_channel ON sends (workspace_id, channel_id);
CREATE INDEX sends_by_contact ON sends (workspace_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX sends_by_conversation ON sends (workspace_id, conversation_id) WHERE conversation_id IS NOT NULL;

CREATE TABLE idempotency_keys (
    workspace_id uuid NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    send_id uuid NOT NULL,
    claimed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key_hash),
    FOREIGN KEY (workspace_id, send_id) REFERENCES sends ON DELETE CASCADE
);
CREATE INDEX idempotency_keys_by_send ON idempotency_keys (workspace_id, send_id);

-- Places under a limited plan that unsettled sends hold for people who are not active yet.
CREATE TABLE plan_reservations (
    workspace_id uuid NOT NULL,
    month date NOT NULL,
    phone text NOT NULL,
    send_id uuid NOT NULL,
    PRIMARY KEY (workspace_id, month, phone, send_id),
    FOREIGN KEY (workspace_id, send_id) REFERENCES sends ON DELETE CASCADE
);
CREATE INDEX plan_reservations_by_send ON plan_reservations (workspace_id, send_id);

-- What networks told us, between their post and its handling.
CREATE TABLE journal (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('status', 'templates_changed', 'message')),
    item_sealed bytea NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    received_at timestamptz NOT NULL,
    due_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
-- Customers' messages wait here until conversations are recorded from them.
CREATE INDEX journal_due ON journal (workspace_id, due_at, id) WHERE kind <> 'message';

-- Signed posts that nobody could read.
CREATE TABLE quarantine (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    reason text NOT NULL,
    payload_sealed bytea NOT NULL,
    received_at timestamptz NOT NULL
);

CREATE TABLE webhook_addresses (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    secret_sealed bytea NOT NULL,
    state text NOT NULL DEFAULT 'enabled' CHECK (state IN ('enabled', 'disabled')),
    consecutive_failures integer NOT NULL DEFAULT 0,
    disabled_reason text,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);

-- The log: every event owed to every address, body bytes final. Apart from the queue, so that claiming does
-- not pay for what lies behind.
CREATE TABLE deliveries (
    workspace_id uuid NOT NULL,
    id uuid NOT NULL,
    address_id uuid NOT NULL,
    event text NOT NULL,
    body_sealed bytea NOT NULL,
    -- held: logged while the address was disabled, without an attempt.
    state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed', 'held')),
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    FOREIGN KEY (workspace_id, address_id) REFERENCES webhook_addresses
);
CREATE INDEX deliveries_by_address ON deliveries (workspace_id, address_id, created_at DESC);
CREATE INDEX deliveries_by_age ON deliveries (workspace_id, created_at);

CREATE TABLE delivery_attempts (
    workspace_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    attempt integer NOT NULL,
    started_at timestamptz NOT NULL,
    duration_ms bigint NOT NULL,
    status integer,
    failure text,
    PRIMARY KEY (workspace_id, delivery_id, attempt),
    FOREIGN KEY (workspace_id, delivery_id) REFERENCES deliveries ON DELETE CASCADE
);

CREATE TABLE delivery_queue (
    workspace_id uuid NOT NULL,
    delivery_id uuid NOT NULL,
    address_id uuid NOT NULL,
    attempt integer NOT NULL,
    -- A lease moves it on, so that a dead node's deliveries are due again by themselves.
    due_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, delivery_id),
    FOREIGN KEY (workspace_id, delivery_id) REFERENCES deliveries ON DELETE CASCADE,
    FOREIGN KEY (workspace_id, address_id) REFERENCES webhook_addresses
) WITH (fillfactor = 70);
CREATE INDEX delivery_queue_due ON delivery_queue (workspace_id, due_at);
CREATE INDEX delivery_queue_by_address ON delivery_queue (workspace_id, address_id, due_at);
