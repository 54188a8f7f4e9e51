//! The core: types, rules, use cases and ports. No I/O, no async runtime, no framework.
