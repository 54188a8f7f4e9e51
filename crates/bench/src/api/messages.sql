-- Conversation 1 has every sixteenth message; the others have theirs spread over the workspace's time.
INSERT INTO messages (workspace_id, id, conversation_id, role, sender_id, content, searchable, created_at)
    SELECT seeded.id, pg_temp.seeded_id(6, seeded.number, n),
           pg_temp.seeded_id(5, seeded.number,
               CASE WHEN n % 16 = 0 THEN 1 ELSE 1 + (n * 7919) % (contacts + contacts / 5) END),
           (ARRAY['customer', 'assistant', 'customer', 'team'])[1 + n % 4],
           CASE WHEN n % 4 = 3 THEN owner::text END,
           CASE WHEN n % 2 = 0 THEN 'مرحبا، هل الطلب رقم ' || n || ' جاهز للاستلام اليوم؟ شكرا جزيلا لكم.'
                ELSE 'Hello, your order ' || n || ' is ready to collect until nine this evening. Thank you!' END,
           CASE WHEN n % 2 = 0 THEN 'مرحبا هل الطلب طلب رقم ' || n || ' جاهز للاستلام استلام اليوم يوم شكرا جزيلا لكم'
                ELSE 'hello your order ' || n || ' is ready to collect until nine this evening thank you' END,
           pg_temp.seeded_at(n, contacts * 10)
    FROM seeded, generate_series(1, contacts * 10) n;
