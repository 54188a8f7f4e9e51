-- Browsers that a member has signed in with are known again until it is another one. It goes up by one where the member
-- ends all other sessions.
ALTER TABLE members ADD COLUMN device_generation integer NOT NULL DEFAULT 0;
