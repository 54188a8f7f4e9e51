ALTER TABLE accounts
    -- How it stands at the network, since when, and what that bars; NULL until the network says something of it.
    ADD COLUMN standing jsonb,
    ADD COLUMN standing_at timestamptz;
