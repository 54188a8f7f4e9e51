-- Of what was made before, the log of changes tells who did.
UPDATE webhook_addresses SET creator_id = made.member_id FROM audit_log made
WHERE made.workspace_id = webhook_addresses.workspace_id AND made.action = 'webhook.added'
  AND made.subject = webhook_addresses.id::text;

UPDATE systems SET creator_id = made.member_id FROM audit_log made
WHERE made.workspace_id = systems.workspace_id AND made.action = 'system.connected'
  AND made.subject = systems.id::text AND made.member_id IS NOT NULL;
