//! What the program prints to: a pipe whose reader has seen enough, a full disk, a terminal with and without
//! colours.

use std::{
    fs::OpenOptions,
    io::{BufRead, BufReader, PipeWriter, Read, Write, pipe},
    process::{Child, Command, Stdio},
};

use crate::support::{World, command, is_here, program};

/// A pipe that nobody reads any more, as `head` leaves it.
pub(crate) fn left_pipe() -> PipeWriter {
    let (reader, writer) = pipe().unwrap();
    drop(reader);
    writer
}

#[test]
fn a_reader_who_has_seen_enough_is_no_error() {
    for (arguments, code) in [
        (&["settings"][..], 0),
        (&["settings", "--json"], 0),
        (&["completions", "bash"], 0),
        (&["--help"], 0),
        (&["workspace", "--help"], 0),
        // What it found is still what it ends with.
        (&["doctor"], 1),
    ] {
        let output = program().args(arguments).stdout(left_pipe()).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), said.as_str()), (Some(code), ""), "{arguments:?}");
    }
    for (arguments, code) in [(&["workspace", "list"][..], 1), (&["workspace", "list", "--colour"], 2)] {
        let status = program().args(arguments).stdout(Stdio::null()).stderr(left_pipe()).status().unwrap();
        assert_eq!(status.code(), Some(code), "{arguments:?}: nobody reads standard error");
    }
}

#[test]
fn a_disk_that_is_full_is_said_and_no_answer_is_lost_in_silence() {
    for arguments in [&["settings"][..], &["completions", "bash"]] {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = program().args(arguments).stdout(full).stderr(Stdio::piped()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        let words = "messaging-service: standard output cannot be written to: ";
        assert!(said.starts_with(words) && said.lines().count() == 1, "{arguments:?}: {said}");
    }
}

/// The command with these arguments, on a terminal of its own: what is written to it is typed there.
fn on_a_terminal(command: &Command, arguments: &str) -> Child {
    let mut script = Command::new("script");
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => script.env(name, value),
            None => script.env_remove(name),
        };
    }
    let line = format!("exec '{}' {arguments}", command.get_program().to_str().unwrap());
    script.env("SHELL", "/bin/sh").args(["-qefc", &line, "/dev/null"]);
    script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
}

/// What `serve` logs on a terminal, from its start until Ctrl-C.
fn logged_on_a_terminal(world: &World, no_color: &str) -> String {
    let mut serve = command(&world.secrets);
    serve.env("MESSAGING_LOG_FORMAT", "text").env("NO_COLOR", no_color);
    serve.env("MESSAGING_LISTEN", "127.0.0.1:0").env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0");
    let mut child = on_a_terminal(&serve, "serve");
    let (mut keys, mut log) = (child.stdin.take().unwrap(), String::new());
    let mut terminal = BufReader::new(child.stdout.take().unwrap());
    while !log.contains("serving") {
        assert!(terminal.read_line(&mut log).unwrap() > 0, "it did not start: {log}");
    }
    keys.write_all(b"\x03").unwrap();
    terminal.read_to_string(&mut log).unwrap();
    assert!(child.wait().unwrap().success(), "{log}");
    log
}

#[tokio::test]
async fn a_log_on_a_terminal_has_colours_unless_no_color_says_otherwise() {
    if !is_here("script", "--version", "colours on a terminal") {
        return;
    }
    let world = World::new().await;
    for (no_color, coloured) in [("", true), ("1", false)] {
        let log = logged_on_a_terminal(&world, no_color);
        assert_eq!(log.contains("\u{1b}["), coloured, "NO_COLOR={no_color}: {log:?}");
    }
}

#[test]
fn a_secret_that_is_typed_is_asked_for_and_not_shown() {
    if !is_here("script", "--version", "typing on a terminal") {
        return;
    }
    let mut child = on_a_terminal(&program(), "webhook verify --secret - --header t=1,v1=00 --body '{}'");
    let (mut keys, mut said) = (child.stdin.take().unwrap(), String::new());
    let mut terminal = BufReader::new(child.stdout.take().unwrap());
    while !said.contains("it is not shown") {
        assert!(terminal.read_line(&mut said).unwrap() > 0, "nothing was asked for: {said}");
    }
    keys.write_all(b"whsec_00\n").unwrap();
    terminal.read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{said}");
    assert!(said.contains("the signature does not hold"), "{said}");
    assert!(!said.contains("whsec_00"), "{said}");
}

#[tokio::test]
async fn a_list_that_is_typed_is_asked_for_and_ends_where_its_end_is_typed() {
    if !is_here("script", "--version", "typing on a terminal") {
        return;
    }
    let world = World::new().await;
    let import = format!("contacts import {} - --dry-run", world.workspace);
    let mut child = on_a_terminal(&command(&world.secrets), &import);
    let (mut keys, mut said) = (child.stdin.take().unwrap(), String::new());
    let mut terminal = BufReader::new(child.stdout.take().unwrap());
    while !said.contains("Ctrl-D") {
        assert!(terminal.read_line(&mut said).unwrap() > 0, "nothing was asked for: {said}");
    }
    keys.write_all(b"0770 555 0001\n0770 555 0002\n\x04").unwrap();
    while !said.contains("refused 0") {
        assert!(terminal.read_line(&mut said).unwrap() > 0, "it did not end: {said}");
    }
    assert!(said.contains("created 2"), "{said}");
    assert!(child.wait().unwrap().success(), "{said}");
}
