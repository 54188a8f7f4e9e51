-- When a customer wrote first after they were last written to; null when they wait for nothing.
ALTER TABLE conversations ADD COLUMN waiting_since timestamptz;
UPDATE conversations SET waiting_since = waiting.since
FROM (
    SELECT message.workspace_id, message.conversation_id, min(message.created_at) AS since
    FROM messages message
    JOIN conversations conversation
        ON conversation.workspace_id = message.workspace_id AND conversation.id = message.conversation_id
    LEFT JOIN (
        SELECT workspace_id, conversation_id, max(created_at) AS at FROM messages
        WHERE role IN ('assistant', 'team') GROUP BY workspace_id, conversation_id
    ) answer
        ON answer.workspace_id = message.workspace_id AND answer.conversation_id = message.conversation_id
    WHERE message.role = 'customer' AND conversation.status <> 'closed'
      AND (answer.at IS NULL OR message.created_at > answer.at)
    GROUP BY message.workspace_id, message.conversation_id
) waiting
WHERE conversations.workspace_id = waiting.workspace_id AND conversations.id = waiting.conversation_id;
