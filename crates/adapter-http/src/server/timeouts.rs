//! Time limits of connections.

use std::time::Duration;

/// Lifetime of an idle connection; longer than that of common proxies, so that the proxy closes first.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(75);

/// Time limit for a request's head.
pub(super) const HEAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time limit for the TLS handshake.
pub(super) const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);

/// Longest time that a connection lingers after an answer that left its request's body unread, so that a
/// client in the middle of sending can read the answer.
pub(super) const LINGER: Duration = Duration::from_secs(5);

/// Time for which kept connections are still served, each for one more request, once no new ones are
/// accepted: a proxy sends requests on them until it hears that they end.
pub(super) const LAST_REQUESTS: Duration = Duration::from_secs(1);
