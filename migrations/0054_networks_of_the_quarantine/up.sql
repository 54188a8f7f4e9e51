-- The network that a post or an update came from. NULL where it does not say so, and for rows of before.

ALTER TABLE quarantine ADD COLUMN network text CHECK (network IN ('whatsapp', 'messenger', 'instagram'));
