-- What tells, at a start, whether the keys in force are those that sealed and hashed what is here: a known text, sealed
-- and hashed. One row at most, for all workspaces; a part is NULL as long as it is not known which key is right.
CREATE TABLE key_probe (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    probe_sealed bytea,
    probe_hash bytea
);
