//! A page in place of one that could not be shown.

use askama::Template;

use crate::frame::Frame;

/// Says why there is nothing to see.
#[derive(Template)]
#[template(path = "refused.html")]
pub struct RefusedPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
    /// In one sentence.
    pub because: &'a str,
}
