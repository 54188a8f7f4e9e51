//! What the adapters of the Graph API share: bearer, error body, retries, signature check.
