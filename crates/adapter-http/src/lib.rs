//! The HTTP surfaces: the public API under /v1, the networks' webhooks and the admin port.
