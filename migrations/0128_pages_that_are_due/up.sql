-- Pages whose reading is due.
CREATE INDEX CONCURRENTLY accounts_pages_due ON accounts (page_due_at) WHERE page_due_at IS NOT NULL;
