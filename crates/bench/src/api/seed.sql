-- What a large workspace holds. `seeded` names the workspaces, `seeded_names` the people's names.
-- Ids are made from a kind and two numbers, and grow with time as the product's do.

CREATE FUNCTION pg_temp.seeded_id(kind int, workspace int, number bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex(workspace), 8, '0') || '-0000-7000-8' || lpad(to_hex(kind), 3, '0') || '-'
            || lpad(to_hex(number), 12, '0'))::uuid $$;

CREATE FUNCTION pg_temp.seeded_at(number bigint, of bigint) RETURNS timestamptz
LANGUAGE sql IMMUTABLE AS $$
    SELECT '2025-11-01 00:00Z'::timestamptz + (number::double precision / of) * interval '360 days' $$;

-- Only the small ones are not there yet.
INSERT INTO workspaces
    SELECT id, 'Small ' || number, 'ar', 'IQ', NULL, false, now() FROM seeded WHERE small;
INSERT INTO accounts
    SELECT id, pg_temp.seeded_id(1, number, 1), 'small-' || number, '', now(), NULL, 'infinity'
    FROM seeded WHERE small;
INSERT INTO channels
    SELECT id, pg_temp.seeded_id(2, number, place), 'whatsapp', pg_temp.seeded_id(1, number, 1),
           'small-' || number || '-' || place, NULL, false, now(), place, NULL
    FROM seeded, generate_series(0, 1) place WHERE small;

INSERT INTO groups
    SELECT id, pg_temp.seeded_id(3, number, which), 'Group ' || which, now()
    FROM seeded, generate_series(0, 9) which;

INSERT INTO contacts
    (workspace_id, id, name, phone, source, active_month, last_active_at, created_at, channels, searchable)
    SELECT seeded.id, pg_temp.seeded_id(4, seeded.number, n), written, '+' || digits,
           CASE WHEN n % 3 = 0 THEN 'import' ELSE 'messaged' END,
           CASE WHEN n % 10 = 0 THEN date '2026-10-01' END,
           CASE WHEN n % 3 <> 0 THEN pg_temp.seeded_at(n, contacts) END,
           pg_temp.seeded_at(n, contacts),
           CASE WHEN n % 3 = 0 THEN '{}' ELSE '{whatsapp}'::text[] END,
           folded || chr(10) || digits
    FROM seeded, generate_series(1, contacts) n,
         LATERAL (SELECT (9647700000000 + n)::text AS digits) person,
         LATERAL (
             -- Number 0 is the rare one; the others are taken in an order that repeats late.
             SELECT CASE WHEN n % greatest(contacts / 10, 10) = 7 THEN 0
                         ELSE 1 + (n * 7919) % (SELECT max(number) FROM seeded_names) END AS which
         ) choice
    JOIN seeded_names ON seeded_names.number = which;

INSERT INTO contact_counts
    SELECT workspace_id, contact_slot(id), count(*) FROM contacts GROUP BY 1, 2;

-- Everybody has a conversation on the first number, and every fifth one on the second, too.
INSERT INTO conversations
    (workspace_id, id, contact_id, channel_id, channel, status, announced, last_message_at, created_at,
     assigned_to, group_id)
    SELECT seeded.id, pg_temp.seeded_id(5, seeded.number, n),
           pg_temp.seeded_id(4, seeded.number, CASE WHEN n <= contacts THEN n ELSE (n - contacts) * 5 END),
           CASE WHEN n <= contacts THEN first_channel ELSE second_channel END, 'whatsapp',
           CASE WHEN n % 20 = 0 THEN 'open' WHEN n % 20 < 4 THEN 'bot' ELSE 'closed' END, true,
           pg_temp.seeded_at(n, conversations) + interval '1 hour', pg_temp.seeded_at(n, conversations),
           CASE WHEN n % 40 = 0 THEN owner END,
           CASE WHEN n % 2 = 0 THEN pg_temp.seeded_id(3, seeded.number, (n / 2) % 10) END
    FROM seeded, LATERAL (SELECT contacts + contacts / 5 AS conversations) size, generate_series(1, conversations) n;

INSERT INTO conversation_tags
    SELECT seeded.id, pg_temp.seeded_id(5, seeded.number, n * 10),
           (ARRAY['vip', 'عميل مميز', 'wholesale', 'شكوى'])[1 + n % 4]
    FROM seeded, generate_series(1, (contacts + contacts / 5) / 10) n;
