-- What owners have set of their assistants.
CREATE TABLE assistants (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    mode text NOT NULL CHECK (mode IN ('off', 'test', 'on')),
    -- What it is told, and what it may tell.
    settings jsonb NOT NULL,
    -- The group that conversations are handed over to.
    group_id uuid,
    daily_tokens bigint NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id)
);

-- Conversations whose customers wait for an answer of the assistant, or have waited for one.
CREATE TABLE assistant_turns (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    conversation_id uuid NOT NULL,
    -- When the turn is taken; whoever takes it moves it on. Nobody waits where there is none.
    due_at timestamptz,
    -- By when it is taken, however much the customer writes.
    answer_by timestamptz,
    -- Since when the customer waits.
    waiting_since timestamptz,
    -- How often somebody has spoken: an answer that rests on less is not sent.
    heard bigint NOT NULL,
    -- An answer that is being sent, and until when that may take.
    sending_id uuid,
    sending_until timestamptz,
    -- When a person of the team last wrote while it was the assistant's.
    person_spoke_at timestamptz,
    -- Turns of a day.
    day date NOT NULL,
    turns integer NOT NULL,
    PRIMARY KEY (workspace_id, conversation_id)
) WITH (fillfactor = 70);
CREATE INDEX assistant_turns_due ON assistant_turns (workspace_id, due_at) WHERE due_at IS NOT NULL;

-- Turns that have ended, without a word of what was said.
CREATE TABLE assistant_turn_log (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('answered', 'proposed', 'handed_over', 'dropped')),
    reason text,
    tools text[] NOT NULL,
    refused text[] NOT NULL,
    read_tokens bigint NOT NULL,
    written_tokens bigint NOT NULL,
    milliseconds bigint NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
CREATE INDEX assistant_turn_log_newest ON assistant_turn_log (workspace_id, created_at DESC, id DESC);

-- What the assistant took in a day, in UTC.
CREATE TABLE assistant_usage (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    day date NOT NULL,
    turns bigint NOT NULL,
    answered bigint NOT NULL,
    handed_over bigint NOT NULL,
    read_tokens bigint NOT NULL,
    written_tokens bigint NOT NULL,
    -- Set aside for answers that are being worded, or that nobody heard the end of.
    reserved_tokens bigint NOT NULL,
    PRIMARY KEY (workspace_id, day)
);
