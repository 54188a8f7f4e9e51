-- The message by which the customer was told that a person will answer: it answers nothing that they wrote.
ALTER TABLE conversations ADD COLUMN hand_over_message_id uuid;
