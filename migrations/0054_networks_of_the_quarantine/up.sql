-- The network that a post or an update came from. NULL where it does not say so, and for rows of before.

ALTER TABLE quarantine ADD COLUMN network text;

ALTER TABLE quarantine ADD CONSTRAINT quarantine_network_check CHECK (network IN ('whatsapp', 'messenger', 'instagram'));
