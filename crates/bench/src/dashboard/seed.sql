-- An inbox of open conversations, and one conversation that is very long. `%CONVERSATIONS%` and `%MESSAGES%` stand
-- for how many of each.

CREATE FUNCTION pg_temp.seeded_id(kind int, number bigint) RETURNS uuid
LANGUAGE sql IMMUTABLE AS $$
    SELECT ('01900000-0000-7000-8' || lpad(to_hex(kind), 3, '0') || '-' || lpad(to_hex(number), 12, '0'))::uuid $$;

CREATE TEMP TABLE place AS
    SELECT workspace_id, id AS channel_id FROM channels
    WHERE kind = 'whatsapp' AND NOT send_only ORDER BY position LIMIT 1;

INSERT INTO contacts (workspace_id, id, name, phone, source, active_month, last_active_at, created_at, channels, searchable)
    SELECT workspace_id, pg_temp.seeded_id(4, n), written, '+' || digits, 'messaged',
           date_trunc('month', now())::date, now() - n * interval '10 s', now() - n * interval '10 s',
           '{whatsapp}', lower(written) || chr(10) || digits
    FROM place, generate_series(1, %CONVERSATIONS%) n,
         LATERAL (SELECT (9647800000000 + n)::text AS digits,
                         CASE WHEN n % 2 = 0 THEN 'عميل رقم ' || n ELSE 'Customer ' || n END AS written) person;

INSERT INTO contact_counts (workspace_id, slot, contacts)
    SELECT workspace_id, contact_slot(id), count(*) FROM contacts GROUP BY 1, 2
    ON CONFLICT (workspace_id, slot) DO UPDATE SET contacts = excluded.contacts;

INSERT INTO conversations
    (workspace_id, id, contact_id, channel_id, channel, status, announced, last_message_at, created_at,
     customer_wrote_at, waiting_since)
    SELECT workspace_id, pg_temp.seeded_id(5, n), pg_temp.seeded_id(4, n), channel_id, 'whatsapp', 'open', true,
           now() - n * interval '10 s', now() - n * interval '10 s', now() - n * interval '10 s',
           now() - n * interval '10 s'
    FROM place, generate_series(1, %CONVERSATIONS%) n;

INSERT INTO conversation_tags (workspace_id, conversation_id, tag, folded)
    SELECT workspace_id, pg_temp.seeded_id(5, n * 7), tag, tag
    FROM place, generate_series(1, %CONVERSATIONS% / 7) n, LATERAL (SELECT (ARRAY['vip', 'wholesale', 'شكوى'])[1 + n % 3] AS tag) t;

-- The newest message of each; of the first one all that it ever was.
INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
    SELECT workspace_id, pg_temp.seeded_id(6, n), pg_temp.seeded_id(5, n), 'customer',
           CASE WHEN n % 2 = 0 THEN 'مرحبا، هل الطلب رقم ' || n || ' جاهز للاستلام اليوم؟ شكرا جزيلا لكم.'
                ELSE 'Hello, is order ' || n || ' ready to collect before nine this evening? Thank you!' END,
           now() - n * interval '10 s'
    FROM place, generate_series(1, %CONVERSATIONS%) n;

INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, created_at)
    SELECT place.workspace_id, pg_temp.seeded_id(7, n), pg_temp.seeded_id(5, 1),
           CASE WHEN n % 2 = 0 THEN 'customer' ELSE 'team' END, CASE WHEN n % 2 = 1 THEN owner END,
           'Message ' || n || ' of a conversation that has gone on for a year', now() - n * interval '10 minutes'
    FROM place, (SELECT id::text AS owner FROM members LIMIT 1) member, generate_series(1, %MESSAGES%) n;

ANALYZE;
