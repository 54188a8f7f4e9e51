//! Pages of the manual, made from the command line's definition.

use std::{fs, io, path::Path};

use anyhow::Context;
use clap::Command;
use clap_mangen::Man;

use super::Said;
use crate::cli::Cli;

/// Writes a page for each command.
///
/// # Errors
/// When the folder cannot be written to.
pub fn write(command: Command, folder: &Path) -> anyhow::Result<Said> {
    let cannot = || format!("{} cannot be written to", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    let command = Cli::without_needless(command.disable_help_subcommand(true));
    let pages = page(&command, folder).with_context(cannot)?;
    Ok(format!("{pages} pages in {}", folder.display()).into())
}

/// Writes the pages of a command and of those below it, and returns their number.
fn page(command: &Command, folder: &Path) -> io::Result<usize> {
    let mut text = Vec::new();
    // `messaging-service webhook list` is on the page `messaging-service-webhook-list`.
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    Man::new(command.clone()).title(name.to_uppercase()).render(&mut text)?;
    fs::write(folder.join(format!("{name}.1")), text)?;
    let mut pages = 1;
    for below in command.get_subcommands() {
        pages += page(below, folder)?;
    }
    Ok(pages)
}
