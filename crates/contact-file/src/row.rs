//! A row and its bounds.

use domain::contacts::RowError;

/// Largest row in bytes, line ends not counted: a name and a number take a tenth.
pub(crate) const LONGEST_ROW: usize = 16 * 1024;
/// Largest number of columns.
pub(crate) const MOST_CELLS: usize = 256;

/// A row's cells, with the number of its first line.
pub(crate) type Row = (u64, Result<Vec<String>, RowError>);
