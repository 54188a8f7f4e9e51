-- What is attempted once, also where the address is disabled.
ALTER TABLE delivery_queue ADD COLUMN once boolean NOT NULL DEFAULT false;
