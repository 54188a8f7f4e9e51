-- Where a workspace's clock is, by the name that the IANA gives it.
ALTER TABLE workspaces ADD COLUMN time_zone text NOT NULL DEFAULT 'Asia/Baghdad';
