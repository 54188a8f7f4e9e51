-- What was counted at each look before.
INSERT INTO broadcast_people_counts
    SELECT workspace_id, broadcast_id, state, coalesce(reason, ''), count(*) FROM broadcast_people
    GROUP BY workspace_id, broadcast_id, state, coalesce(reason, '');
INSERT INTO broadcast_counts
    SELECT broadcasts.workspace_id, broadcasts.id, part, 0, 0, 0, 0, 0 FROM broadcasts, generate_series(0, 7) part
    WHERE broadcasts.state <> 'draft';
UPDATE broadcast_counts SET delivered = told.delivered, read = told.read
    FROM (
        SELECT person.workspace_id, person.broadcast_id,
               count(*) FILTER (WHERE coalesce(send.delivered_at, send.read_at) IS NOT NULL) AS delivered,
               count(*) FILTER (WHERE send.read_at IS NOT NULL) AS read
        FROM broadcast_people person
        JOIN sends send ON send.workspace_id = person.workspace_id AND send.id = person.message_id
        GROUP BY person.workspace_id, person.broadcast_id
    ) told
    WHERE broadcast_counts.workspace_id = told.workspace_id AND broadcast_counts.broadcast_id = told.broadcast_id
      AND broadcast_counts.part = 0;
INSERT INTO broadcast_marks
    SELECT person.workspace_id, person.broadcast_id, 'undelivered', person.message_id, send.failed_at
    FROM broadcast_people person
    JOIN sends send ON send.workspace_id = person.workspace_id AND send.id = person.message_id
    WHERE send.failed_at IS NOT NULL;
INSERT INTO broadcast_marks
    SELECT person.workspace_id, person.broadcast_id, 'answered', person.message_id, conversation.customer_wrote_at
    FROM broadcast_people person
    JOIN sends send ON send.workspace_id = person.workspace_id AND send.id = person.message_id
    JOIN conversations conversation
      ON conversation.workspace_id = person.workspace_id AND conversation.id = send.conversation_id
    WHERE conversation.customer_wrote_at > send.created_at;
INSERT INTO broadcast_marks
    SELECT person.workspace_id, person.broadcast_id, 'stopped', person.message_id, stop.stopped_at
    FROM broadcast_people person
    JOIN sends send ON send.workspace_id = person.workspace_id AND send.id = person.message_id
    JOIN marketing_stops stop ON stop.workspace_id = person.workspace_id AND stop.phone = person.phone
    WHERE stop.stopped_at > send.created_at;
UPDATE broadcast_counts SET
        undelivered = (SELECT count(*) FROM broadcast_marks mark
                       WHERE mark.workspace_id = broadcast_counts.workspace_id
                         AND mark.broadcast_id = broadcast_counts.broadcast_id AND mark.kind = 'undelivered'),
        answered = (SELECT count(*) FROM broadcast_marks mark
                    WHERE mark.workspace_id = broadcast_counts.workspace_id
                      AND mark.broadcast_id = broadcast_counts.broadcast_id AND mark.kind = 'answered'),
        stopped = (SELECT count(*) FROM broadcast_marks mark
                   WHERE mark.workspace_id = broadcast_counts.workspace_id
                     AND mark.broadcast_id = broadcast_counts.broadcast_id AND mark.kind = 'stopped')
    WHERE broadcast_counts.part = 0;
