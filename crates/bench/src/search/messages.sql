-- The messages of a year, each one of `sentences`. Number 0, which has the rare word, is some twenty of each workspace.
INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, searchable, created_at)
    SELECT seeded.id, pg_temp.seeded_id(6, seeded.number, n),
           pg_temp.seeded_id(5, seeded.number, 1 + (n * 7919) % (contacts + contacts / 5)),
           (ARRAY['customer', 'assistant', 'customer', 'team'])[1 + n % 4],
           CASE WHEN n % 4 = 3 THEN owner::text END,
           written, folded, now() - (1 - n::double precision / (contacts * 10)) * interval '360 days'
    FROM seeded
    CROSS JOIN LATERAL generate_series(1, contacts * 10) n
    JOIN sentences ON sentences.number
        = CASE WHEN n % greatest(contacts / 2, 10) = 7 THEN 0 ELSE 1 + (n * 7919) % (SELECT max(number) FROM sentences) END;
