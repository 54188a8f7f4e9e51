-- Customers may be asked in Sorani Kurdish, too.
ALTER TABLE drafts DROP CONSTRAINT drafts_language_check;
-- Rows of before hold fewer languages.
ALTER TABLE drafts ADD CONSTRAINT drafts_languages CHECK (language IN ('ar', 'en', 'ckb')) NOT VALID;
