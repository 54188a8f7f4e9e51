-- What the network's sign-up has to bring back to this session, hashed, and until when; none where nothing was begun.
ALTER TABLE sessions ADD COLUMN sign_up_hash bytea;
ALTER TABLE sessions ADD COLUMN sign_up_until timestamptz;

-- When a page is read again; none of what is no page.
ALTER TABLE accounts ADD COLUMN page_due_at timestamptz;
-- What was last read of it, and when.
ALTER TABLE accounts ADD COLUMN page_name text;
ALTER TABLE accounts ADD COLUMN page_read_at timestamptz;
UPDATE accounts SET page_due_at = now()
WHERE disconnected_at IS NULL
  AND EXISTS (SELECT FROM channels WHERE channels.workspace_id = accounts.workspace_id
                                     AND channels.account_id = accounts.id AND channels.kind <> 'whatsapp');
