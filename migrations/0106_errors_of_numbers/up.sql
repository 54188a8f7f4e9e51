-- Refusals that are the number's or the account's, and no message's: the newest of a number is shown to owners.
CREATE INDEX CONCURRENTLY sends_refused_to_number ON sends (workspace_id, channel_id, created_at)
    WHERE error_code IN (3, 10, 190, 200, 368, 131005, 131031, 131037, 131042, 131045, 131048, 131064, 133010);
