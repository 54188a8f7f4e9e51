//! Commands about contacts.

use std::{
    fs::{self, File, Metadata},
    io::{self, BufReader, BufWriter, Read, Write},
    path::Path,
};

use anyhow::{Context, bail};
use contact_file::ContactFile;
use domain::{
    audit::Acting,
    contacts::{ImportReport, RefusedRow},
    workspaces::ports::WorkspaceStore,
};
use serde_json::json;

use super::{
    Said, Unreadable,
    given::{self, STDIN},
    progress::Progress,
};
use crate::{
    cli::{ContactsCommand, ImportArgs},
    print::WhileRead,
    wiring::Operations,
};

pub async fn contacts(command: ContactsCommand, operations: &Operations) -> anyhow::Result<Said> {
    let ContactsCommand::Import(ImportArgs { workspace, file, encoding, refused, dry_run }) = command;
    let workspace = WorkspaceStore::find(&*operations.stores.workspaces, workspace).await?;
    let workspace = workspace.context("there is no such workspace")?;
    let (input, bytes) = input(&file)?;
    let progress = Progress::new(bytes);
    let list = ContactFile::open_as(BufReader::new(progress.reading(input)), encoding);
    let mut list = list.with_context(|| Unreadable::new("the list cannot be read"))?;
    let rows = progress.of(&mut list);
    let mut output = output(refused.as_deref(), &file)?;
    let refuse = |RefusedRow { line, why }: RefusedRow| writeln!(output, "line {line}: {why}");
    let import = &operations.import_contacts;
    let report = if dry_run {
        import.preview(workspace.id, workspace.region, rows, refuse).await
    } else {
        import.run(Acting::operator(workspace.id), workspace.region, rows, refuse).await
    };
    progress.end();
    output.flush().context("the refused rows cannot be written")?;
    let ImportReport { created, known, refused } =
        report.context("the list was not read to its end; run it again, and nobody is added twice")?;
    let not_read = list.unread();
    let json = json!({
        "created": created, "known": known, "refused": refused, "notRead": not_read, "dryRun": dry_run,
    });
    let left =
        if not_read.is_empty() { String::new() } else { format!("\nnot read: {}", not_read.join(", ")) };
    let mark = if dry_run { "nothing was written; an import would say:\n" } else { "" };
    Ok(Said::new(format!("{mark}created {created}\nknown {known}\nrefused {refused}{left}"), &json))
}

/// Opens the list; returns also its size in bytes, if known.
fn input(path: &Path) -> anyhow::Result<(Box<dyn Read>, Option<u64>)> {
    if path == Path::new(STDIN) {
        given::say_if_typed();
        return Ok((Box::new(UpToItsEnd { ended: false }), None));
    }
    let unreadable = || Unreadable::new(format!("{} cannot be read", path.display()));
    let file = File::open(path).with_context(unreadable)?;
    let bytes = file.metadata().ok().filter(Metadata::is_file).map(|metadata| metadata.len());
    Ok((Box::new(file), bytes))
}

/// Standard input up to its first end. A terminal reports an end each time somebody types one, and goes on in
/// between.
struct UpToItsEnd {
    ended: bool,
}

impl Read for UpToItsEnd {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let read = io::stdin().read(buffer)?;
        self.ended = read == 0;
        Ok(read)
    }
}

/// Opens the output of refused rows: the file, else standard error, as long as it is read.
fn output(path: Option<&Path>, list: &Path) -> anyhow::Result<Box<dyn Write>> {
    let Some(path) = path else { return Ok(Box::new(BufWriter::new(WhileRead(io::stderr())))) };
    if fs::canonicalize(path).is_ok_and(|path| fs::canonicalize(list).is_ok_and(|list| list == path)) {
        bail!("the refused rows would overwrite the list");
    }
    let file = File::create(path).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Box::new(BufWriter::new(file)))
}
