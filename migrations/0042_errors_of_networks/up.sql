-- The network's own code, where it refused a message or could not deliver it. Its words stand beside it in `error`, and
-- of what is kept nowhere there are none.
ALTER TABLE sends ADD COLUMN error_code bigint;
