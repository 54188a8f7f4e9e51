//! Where everything begins.

use askama::Template;

use crate::frame::Frame;

/// Says where one is.
#[derive(Template)]
#[template(path = "start.html")]
pub struct StartPage<'a> {
    /// Around it.
    pub frame: &'a Frame,
}
