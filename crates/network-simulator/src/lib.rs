//! A stand-in for the messaging networks, on loopback.
