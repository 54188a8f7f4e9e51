//! The dashboard's pages: values in, HTML out, in Arabic and English.
//!
//! A page is a struct with what it shows and a template of the same name. `frame` is what stands around each of them,
//! `words` what they say, `assets` the style and the scripts that they load.
//!
//! Invariants: whatever a person typed is escaped, and stands apart from the direction of the text around it; a word
//! that is missing in one language does not compile.
//!
//! Deliberately absent: requests, use cases and rules.

mod access;
mod assets;
mod frame;
mod inbox;
mod moment;
mod refused;
mod words;

pub use access::{ForgottenPage, InvitationPage, LinkPage, PasswordResetPage, SignInPage};
pub use askama::Template;
pub use assets::{Asset, asset, assets_path};
pub use frame::{Frame, Place, Viewer};
pub use inbox::{Bubble, Choice, Composer, File, InboxList, InboxPage, InboxQuery, Person, Row, Tab, Thread};
pub use moment::Moment;
pub use refused::RefusedPage;
pub use words::{AccessWords, CommonWords, InboxWords, Language, RefusalWords, Words};
