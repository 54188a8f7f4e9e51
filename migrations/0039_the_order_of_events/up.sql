-- The time that the latest event about it was given: the next one gets a later one, by whatever clock. NULL as long as
-- there was none since this column came.
ALTER TABLE conversations ADD COLUMN stamped_at timestamptz;
ALTER TABLE sends ADD COLUMN stamped_at timestamptz;
