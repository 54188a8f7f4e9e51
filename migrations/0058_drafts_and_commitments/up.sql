-- What customers are asked to confirm.
CREATE TABLE drafts (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('order', 'booking', 'cancellation')),
    state text NOT NULL CHECK (state IN ('open', 'confirmed', 'declined', 'withdrawn', 'replaced', 'expired')),
    language text NOT NULL CHECK (language IN ('ar', 'en')),
    -- What a system would be sent, as long as it may be.
    proposal_sealed bytea,
    -- The message that says it.
    summary_id uuid NOT NULL,
    author_id uuid NOT NULL,
    -- The connection that promised it.
    system_id uuid NOT NULL,
    -- Of the key that makes a repeat harmless, and of its request.
    key_hash bytea,
    request_hash bytea,
    -- When what the customer has written since is read, or the draft expires, and when at the latest; whoever reads moves
    -- it on.
    answer_due_at timestamptz,
    answer_by timestamptz,
    read_until timestamptz NOT NULL,
    -- Whether words prove nothing any more.
    only_button boolean NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, key_hash)
);
CREATE UNIQUE INDEX drafts_open ON drafts (workspace_id, conversation_id) WHERE state = 'open';
CREATE INDEX drafts_of_conversation ON drafts (workspace_id, conversation_id, created_at DESC, id DESC);
CREATE INDEX drafts_answered ON drafts (workspace_id, answer_due_at) WHERE answer_due_at IS NOT NULL;

-- What customers have confirmed, and how far it has come.
CREATE TABLE commitments (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    draft_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    -- The message that confirmed it.
    confirmed_by uuid NOT NULL,
    -- What the system knows it by: written before the first call, and never replaced.
    creation_key text NOT NULL,
    state text NOT NULL CHECK (state IN ('confirmed', 'asked', 'done', 'refused', 'changed', 'given_up')),
    attempts integer NOT NULL,
    -- When it is carried on; whoever does moves it on. Only of one that has not ended.
    due_at timestamptz,
    confirmed_at timestamptz NOT NULL,
    settled_at timestamptz,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, draft_id),
    UNIQUE (workspace_id, creation_key)
);
CREATE INDEX commitments_due ON commitments (workspace_id, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX commitments_of_conversation ON commitments (workspace_id, conversation_id);

-- Replies that the service has worded, until they are sent or refused.
CREATE TABLE prepared_replies (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    -- The message's, once it is sent.
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    author_id uuid NOT NULL,
    reply_sealed bytea NOT NULL,
    -- The draft that it is the summary of.
    summary_of uuid,
    -- When it is sent; whoever does moves it on.
    due_at timestamptz NOT NULL,
    -- Until when it is worth sending.
    good_until timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX prepared_replies_due ON prepared_replies (workspace_id, due_at);
CREATE INDEX prepared_replies_of_conversation ON prepared_replies (workspace_id, conversation_id);
CREATE INDEX prepared_summaries ON prepared_replies (workspace_id, summary_of) WHERE summary_of IS NOT NULL;

-- Appointments that somebody would like, where no system has a calendar.
CREATE TABLE booking_requests (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    -- Of the key that makes a repeat harmless, and of its request.
    key_hash bytea,
    request_hash bytea,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id),
    UNIQUE (workspace_id, key_hash)
);
