-- The trace of what a delivery tells of, as W3C writes it; none where nobody collects traces.

ALTER TABLE delivery_log ADD COLUMN trace_parent text;
