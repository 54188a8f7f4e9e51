-- Assistants that answer Arabic have answered Sorani Kurdish in it so far without its being among their languages.
UPDATE assistants SET settings = jsonb_set(settings, '{languages}', (settings -> 'languages') || '["ckb"]'::jsonb)
WHERE settings -> 'languages' ? 'ar' AND NOT settings -> 'languages' ? 'ckb';
