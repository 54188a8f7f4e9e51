-- The message that tells a customer that an answer takes a moment, when it was sent, and when somebody looks at one who
-- writes on after a hand-over.
ALTER TABLE assistant_turns ADD COLUMN wait_message_id uuid;
ALTER TABLE assistant_turns ADD COLUMN told_to_wait_at timestamptz;
ALTER TABLE assistant_turns ADD COLUMN waits_on_at timestamptz;
-- When the assistant handed over; and the messages that answer nothing: that it takes a moment, and the one to whoever
-- writes on.
ALTER TABLE conversations ADD COLUMN handed_over_at timestamptz;
ALTER TABLE conversations ADD COLUMN wait_message_id uuid;
ALTER TABLE conversations ADD COLUMN more_message_id uuid;
