-- Titles of the columns of a list that are not read, and of a workbook's other sheets.
ALTER TABLE import_jobs ADD COLUMN not_read text[] NOT NULL DEFAULT '{}';
