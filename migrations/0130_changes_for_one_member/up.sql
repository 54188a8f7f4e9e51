-- The one member who is told of a change; NULL where everybody is.
ALTER TABLE live_changes ADD COLUMN member_id uuid;
ALTER TABLE live_events ADD COLUMN member_id uuid;
