//! The service: configuration, wiring, roles, shutdown and the command line.
