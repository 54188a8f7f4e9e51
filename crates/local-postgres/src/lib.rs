//! A private PostgreSQL for the sandbox and the tests, without a set-up step.
