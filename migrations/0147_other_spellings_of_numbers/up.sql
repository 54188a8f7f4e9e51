-- A network may call a number otherwise than it is dialled: what it calls it leads to its person, too.
ALTER TABLE identities DROP CONSTRAINT identities_kind_check;
-- Rows of before hold fewer kinds.
ALTER TABLE identities ADD CONSTRAINT identities_kinds
    CHECK (kind IN ('whatsapp_user', 'messenger_user', 'instagram_user', 'phone')) NOT VALID;
