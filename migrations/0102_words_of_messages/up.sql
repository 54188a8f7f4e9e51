-- The folded words of a message, apart by spaces; NULL while nobody has told them yet.
ALTER TABLE messages ADD COLUMN searchable text;

-- The words of a message as an index keeps them, each behind what stands for the workspace and the day: a search goes
-- from day to day and reads nothing of others, and what is written today lies together. The cost keeps the planner from
-- computing for each row what the index holds.
CREATE FUNCTION message_words(workspace uuid, at timestamptz, searchable text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
    day bigint := floor(extract(epoch FROM at) / 86400);
    key text := to_hex(hashtextextended(day::text, uuid_hash_extended(workspace, 0)) & 4294967295) || ':';
BEGIN
    RETURN array_to_tsvector(ARRAY(
        SELECT key || word FROM unnest(string_to_array(searchable, ' ')) word WHERE word <> ''));
END $$;

-- What finds messages of a day, counted from 1970, that have a word beginning with each of these. A single letter is a
-- whole word.
CREATE FUNCTION message_query(workspace uuid, day bigint, words text[]) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    key text := to_hex(hashtextextended(day::text, uuid_hash_extended(workspace, 0)) & 4294967295) || ':';
BEGIN
    RETURN (SELECT string_agg(quote_literal(key || word) || CASE WHEN length(word) > 1 THEN ':*' ELSE '' END, ' & ')
            FROM unnest(words) word)::tsquery;
END $$;
