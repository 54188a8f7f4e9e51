//! Page in place of one that could not be shown.

use askama::Template;

use crate::frame::Frame;

/// Page that says why there is nothing to see.
#[derive(Template)]
#[template(path = "refused.html")]
pub struct RefusedPage<'a> {
    pub frame: &'a Frame,
    /// Reason in one sentence.
    pub because: &'a str,
}
