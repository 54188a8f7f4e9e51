//! Files that come with messages, and the messages that wait for them.

mod new;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod queue;
mod stored;
#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;

#[cfg_attr(
    not(all(test, feature = "testing")),
    expect(unused_imports, reason = "for the statement that records what customers write")
)]
pub(crate) use new::attach;
