//! Admission: keys and what a key may know of itself, and the sessions of members.

mod admit;
mod bearer;
mod keyless;
mod me;
mod member;
mod scope;
mod throttle;

pub(crate) use admit::{admit, admit_everybody};
pub(crate) use bearer::bearer;
pub(crate) use keyless::keyless;
pub(crate) use me::{__path_me, me};
pub(crate) use member::{check_still_admitted, resume_session};
pub(crate) use scope::{permit, permit_any};
pub(crate) use throttle::{FailedKeys, network_of};
