-- Whether a draft was proposed while the assistant was only tried: then nothing is ever sent to the system for it.
ALTER TABLE drafts ADD COLUMN tried boolean NOT NULL DEFAULT false;
