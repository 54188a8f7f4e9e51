-- When a customer wrote a message, by the network's clock. Messages of before have none.
ALTER TABLE messages ADD COLUMN sent_at timestamptz;
