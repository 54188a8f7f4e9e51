//! Mail that tells owners of a channel.

use url::Url;

use super::members::Language;
use crate::{channels::ChannelAlert, email::EmailAddress};

/// Mail about an alert.
#[derive(Debug, Clone)]
pub struct AlertMail {
    pub to: EmailAddress,
    pub workspace_name: String,
    pub language: Language,
    pub alert: ChannelAlert,
    /// Page that shows what the alert is about.
    pub link: Url,
}
