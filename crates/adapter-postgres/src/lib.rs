//! Every store port over PostgreSQL.
