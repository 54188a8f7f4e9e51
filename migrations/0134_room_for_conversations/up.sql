-- What is told of a message changes when its conversation was last told of, which is in no index: the page has room for
-- the new version.
ALTER TABLE conversations SET (fillfactor = 70);
