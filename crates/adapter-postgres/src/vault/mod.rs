//! Going through every sealed value, wherever it is kept, to count or to seal anew what another key has
//! sealed, or what is not bound to its place; and what
//! tells the database's keys.

mod columns;
pub(crate) mod places;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod probe;
mod quarantine;
#[cfg(test)]
#[cfg(feature = "testing")]
mod tests;
mod walk;

use domain::vault::ports::{Purpose, SealedValues, Walk};

use self::walk::PgWalk;
use crate::Database;

/// Every sealed value, and the values that tell the keys.
#[derive(Clone)]
pub struct PgSealedValues {
    pub(crate) database: Database,
}

/// Rows looked at by one statement, and values sealed anew by another.
const AT_ONCE: usize = 500;

impl SealedValues for PgSealedValues {
    fn walk(&self, purpose: Purpose) -> Box<dyn Walk> {
        Box::new(PgWalk::new(self.clone(), purpose))
    }
}
