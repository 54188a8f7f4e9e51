-- What a workspace's owners call the variables of a template, by what the network calls their places.
ALTER TABLE templates ADD COLUMN labels jsonb NOT NULL DEFAULT '{}';
