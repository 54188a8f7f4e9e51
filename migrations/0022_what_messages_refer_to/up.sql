ALTER TABLE messages
    -- What it answers, asks about or was brought by; NULL for a message that stands by itself.
    ADD COLUMN context jsonb;
