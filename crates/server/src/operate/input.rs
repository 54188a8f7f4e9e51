//! Input that cannot be parsed, and questions to the operator.

use std::io::{self, BufRead, Write as _};

use anyhow::bail;
use domain::{
    channels,
    paging::PageError,
    systems::{self, BaseError},
    workspaces::CreateWorkspaceError,
};

use crate::unreadable::Unreadable;

/// Returns whether the error is about input that cannot be parsed, also where a use case has found that out.
pub fn is_unreadable(error: &anyhow::Error) -> bool {
    let no_id =
        matches!(error.downcast_ref::<channels::ConnectError>(), Some(channels::ConnectError::NetworkId));
    let no_address = matches!(
        error.downcast_ref::<systems::ConnectError>(),
        Some(systems::ConnectError::Base(BaseError::NotAUrl))
    );
    let no_cursor = matches!(error.downcast_ref::<PageError>(), Some(PageError::Cursor(_)));
    let no_locale =
        matches!(error.downcast_ref::<CreateWorkspaceError>(), Some(CreateWorkspaceError::Locale));
    error.is::<Unreadable>() || no_id || no_address || no_cursor || no_locale
}

/// Asks before something is destroyed. A script has decided already: only a terminal is asked.
///
/// # Errors
/// When the answer is anything but yes.
pub fn confirm(question: &str, terminal: bool, answers: &mut impl BufRead) -> anyhow::Result<()> {
    if !terminal {
        return Ok(());
    }
    ask(question);
    let mut answer = String::new();
    answers.read_line(&mut answer)?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => bail!("nothing was changed"),
    }
}

fn ask(question: &str) {
    let _ = write!(io::stderr(), "{question} [y/N] ");
}

#[cfg(test)]
mod tests {
    use domain::{channels::ConnectError, paging::PageError, workspaces::CreateWorkspaceError};

    use super::{Unreadable, confirm, is_unreadable};

    #[test]
    fn only_a_yes_lets_something_be_destroyed_and_only_a_terminal_is_asked() {
        for (answer, agreed) in [
            ("y\n", true),
            ("YES\n", true),
            ("\n", false),
            ("", false),
            ("n\n", false),
            ("yesterday\n", false),
        ] {
            assert_eq!(confirm("Remove it?", true, &mut answer.as_bytes()).is_ok(), agreed, "{answer:?}");
            assert!(confirm("Remove it?", false, &mut answer.as_bytes()).is_ok(), "{answer:?}");
        }
    }

    #[test]
    fn what_a_use_case_cannot_read_is_told_from_what_it_refuses() {
        for (error, unreadable) in [
            (anyhow::Error::new(Unreadable::new("no text")), true),
            (anyhow::anyhow!("no text").context(Unreadable::new("no text")), true),
            (ConnectError::NetworkId.into(), true),
            (ConnectError::Elsewhere.into(), false),
            (PageError::Cursor(domain::paging::ForeignCursor).into(), true),
            (CreateWorkspaceError::Locale.into(), true),
            (anyhow::anyhow!("there is no such workspace"), false),
        ] {
            assert_eq!(is_unreadable(&error), unreadable, "{error}");
        }
    }
}
