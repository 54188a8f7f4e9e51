-- What an assistant proposes while it is only tried is confirmed, and goes no further.
ALTER TABLE commitments DROP CONSTRAINT commitments_state_check;
ALTER TABLE commitments ADD CONSTRAINT commitments_state_check
    CHECK (state IN ('confirmed', 'asked', 'done', 'refused', 'tested', 'changed', 'given_up'));
