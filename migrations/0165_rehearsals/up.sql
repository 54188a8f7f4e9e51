-- Questions that owners try the assistant with, and what came of each last.
CREATE TABLE assistant_questions (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    question text NOT NULL,
    -- What should come of it: an answer, a hand-over, a proposal.
    expects text NOT NULL,
    must text[] NOT NULL,
    must_not text[] NOT NULL,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    -- The run in which it is still to be asked.
    due_in uuid,
    -- What came of it, and when; neither once it was changed.
    result jsonb,
    asked_at timestamptz,
    PRIMARY KEY (workspace_id, id)
);

-- Runs through those questions. Whoever begins one removes the oldest.
CREATE TABLE assistant_rehearsals (
    workspace_id uuid NOT NULL REFERENCES workspaces,
    id uuid NOT NULL,
    -- Who began it; an operator, or the service, where there is none.
    member_id uuid,
    state text NOT NULL CHECK (state IN
        ('running', 'finished', 'stopped', 'replaced', 'tokens_spent', 'unavailable', 'paused')),
    -- What answers rested on when it began.
    fingerprint text NOT NULL,
    total integer NOT NULL,
    passed integer NOT NULL,
    failed integer NOT NULL,
    not_answered integer NOT NULL,
    not_answered_in_row integer NOT NULL,
    -- How often the next question was claimed, and until when somebody works on it.
    claims integer NOT NULL,
    lease_until timestamptz,
    created_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, id)
);
-- One at a time.
CREATE UNIQUE INDEX assistant_rehearsals_running ON assistant_rehearsals (workspace_id) WHERE state = 'running';
