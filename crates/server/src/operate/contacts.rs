//! The people that a workspace knows.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Write},
    path::Path,
};

use anyhow::{Context, bail};
use contact_file::ContactFile;
use domain::{
    access::audit::Acting,
    contacts::{ImportReport, RefusedRow},
    workspaces::ports::WorkspaceStore,
};

use crate::{
    cli::{ContactsCommand, ImportArgs},
    wiring::Operations,
};

/// Contacts.
///
/// # Errors
/// In words for the operator.
pub async fn contacts(command: ContactsCommand, operations: &Operations) -> anyhow::Result<String> {
    let ContactsCommand::Import(ImportArgs { workspace, file, refused }) = command;
    let workspace = WorkspaceStore::find(&*operations.stores.workspaces, workspace).await?;
    let workspace = workspace.context("there is no such workspace")?;
    let rows = ContactFile::open(input(&file)?).context("the list cannot be read")?;
    let mut output = output(refused.as_deref(), &file)?;
    let refuse = |RefusedRow { line, why }: RefusedRow| writeln!(output, "line {line}: {why}");
    let acting = Acting::operator(workspace.id);
    let report = operations.import_contacts.run(acting, workspace.region, rows, refuse).await;
    output.flush().context("the refused rows cannot be written")?;
    let ImportReport { created, known, refused } =
        report.context("the list was not read to its end; run it again, and nobody is added twice")?;
    Ok(format!("created {created}\nknown {known}\nrefused {refused}"))
}

fn input(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(BufReader::new(io::stdin())));
    }
    let file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Ok(Box::new(BufReader::new(file)))
}

/// Where refused rows are told: the file, else standard error.
fn output(path: Option<&Path>, list: &Path) -> anyhow::Result<Box<dyn Write>> {
    let Some(path) = path else { return Ok(Box::new(BufWriter::new(io::stderr()))) };
    if fs::canonicalize(path).is_ok_and(|path| fs::canonicalize(list).is_ok_and(|list| list == path)) {
        bail!("the refused rows would overwrite the list");
    }
    let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}
