-- What an answer said, without a word of it: the names of its acts, the evidence that they refer to, whose wording was
-- sent, and the kind of the objection to the model's.
ALTER TABLE assistant_turn_log ADD COLUMN acts text[] NOT NULL DEFAULT '{}';
ALTER TABLE assistant_turn_log ADD COLUMN evidence text[] NOT NULL DEFAULT '{}';
ALTER TABLE assistant_turn_log ADD COLUMN words text;
ALTER TABLE assistant_turn_log ADD COLUMN objection text;
-- Rules that an answer broke are written by the version before alone; its rows are gone after 30 days.
ALTER TABLE assistant_turn_log ALTER COLUMN refused SET DEFAULT '{}';
