-- Of what was made before, the log of changes tells who did.
UPDATE webhook_addresses SET creator_id = made.member_id FROM audit_log made
WHERE made.workspace_id = webhook_addresses.workspace_id AND made.action = 'webhook.added'
  AND made.subject = webhook_addresses.id::text;

-- A system that was given another secret was connected more than once: whoever did so last.
UPDATE systems SET creator_id = made.member_id FROM (
    SELECT DISTINCT ON (workspace_id, subject) workspace_id, subject, member_id FROM audit_log
    WHERE action = 'system.connected' ORDER BY workspace_id, subject, created_at DESC
) made
WHERE made.workspace_id = systems.workspace_id AND made.subject = systems.id::text;
