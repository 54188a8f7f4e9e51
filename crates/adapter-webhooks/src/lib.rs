//! Signs events and delivers them to customers' addresses.
