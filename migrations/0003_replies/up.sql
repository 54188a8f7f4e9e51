-- Plain replies go through the ledger as templates do.

ALTER TABLE sends
    ALTER COLUMN from_phone DROP NOT NULL,
    ALTER COLUMN template_name DROP NOT NULL,
    ALTER COLUMN template_language DROP NOT NULL,
    -- Who answers.
    ADD COLUMN author_id uuid,
    DROP CONSTRAINT sends_state_check,
    -- refused: a reply that stays in its thread as failed.
    ADD CONSTRAINT sends_state_check CHECK (state IN ('in_flight', 'sent', 'refused')),
    ADD FOREIGN KEY (workspace_id, author_id) REFERENCES members;
CREATE INDEX sends_by_author ON sends (workspace_id, author_id) WHERE author_id IS NOT NULL;

-- A number, or the id of a contact without one.
ALTER TABLE plan_reservations RENAME COLUMN phone TO person;
