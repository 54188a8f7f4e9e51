//! The one HTTP client that may call an address a customer typed.
