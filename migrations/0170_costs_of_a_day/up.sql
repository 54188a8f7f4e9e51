-- What a day's tokens cost, and what requests under way may cost, in trillionths of the unit of the price's currency.
ALTER TABLE assistant_usage ADD COLUMN cost bigint NOT NULL DEFAULT 0;
ALTER TABLE assistant_usage ADD COLUMN reserved_cost bigint NOT NULL DEFAULT 0;
