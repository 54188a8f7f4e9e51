-- How many bytes of a workspace's files may wait to be sent is bounded: those of a file that still comes count from its
-- beginning, as what is kept free for it.
ALTER TABLE uploads ADD COLUMN reserved bigint;
