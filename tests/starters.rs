//! The starters of `docs/integrate/starters`, each run as it stands and tried by the checker with everything
//! that it may write.

use std::{
    io::{BufRead, BufReader},
    net::{Ipv4Addr, TcpListener},
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use crate::support::{is_here, program};

const SECRET: &str = "starter-secret-5b2a";
/// Workers, as many as a web server has, so that a key can come twice at once.
const PHP_WORKERS: &str = "4";

/// A starter as a process of its own.
struct Starter {
    child: Child,
    base: String,
}

impl Starter {
    /// One that listens on a free port and prints its base.
    fn printing(command: &mut Command) -> Self {
        command.env("SERVICE_SECRET", SECRET).env("PORT", "0").stdout(Stdio::piped());
        let mut child = command.process_group(0).spawn().unwrap();
        let mut base = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut base).unwrap();
        Self { child, base: base.trim_end().to_owned() }
    }

    /// A file of PHP below PHP's own web server, which says on its standard error that it listens.
    fn php(file: &Path, path: &str, more: &[(&str, &Path)]) -> Self {
        let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = free.local_addr().unwrap().to_string();
        drop(free);
        let mut command = Command::new("php");
        command.args(["-S", &address]).arg(file).env("SERVICE_SECRET", SECRET);
        command.env("PHP_CLI_SERVER_WORKERS", PHP_WORKERS).envs(more.iter().copied()).stderr(Stdio::piped());
        let mut child = command.process_group(0).spawn().unwrap();
        let mut said = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        assert!(line.contains("started"), "{line}");
        // It prints every request; somebody has to read them.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        Self { child, base: format!("http://{address}{path}") }
    }

    /// Checks that nothing that must hold is broken, nothing that should hold either, and that all of it was
    /// tried.
    fn passes(&self, variant: &str, not_declared: &str) {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, SECRET).unwrap();
        let mut check = program();
        check.args(["contract", "check", &self.base, "--json", "--phone", "+9647701234567", "--secret-file"]);
        check.arg(&secret).args(["--allow-writes", "--variant", variant, "--final-order", "5001"]);
        let output = check.output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        let checks = report["checks"].as_array().unwrap();
        let of = |outcome: &'static str| checks.iter().filter(move |check| check["outcome"] == outcome);
        let found: Vec<&Value> = of("found").collect();
        assert!(found.is_empty() && output.status.code() == Some(0), "{found:#?}");
        let untried = of("skipped").filter(|check| {
            let reason = check["detail"].as_str().unwrap();
            check["id"] != "base.public" && reason != format!("the system does not declare {not_declared}")
        });
        let untried: Vec<&Value> = untried.collect();
        assert!(untried.is_empty(), "{untried:#?}");
    }
}

impl Drop for Starter {
    fn drop(&mut self) {
        // The group: PHP's workers are processes of their own.
        let group = format!("-{}", self.child.id());
        let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
        let _ = self.child.wait();
    }
}

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

#[test]
fn the_starter_in_python_passes() {
    if is_here("python3", "--version", "its starter") {
        Starter::printing(Command::new("python3").arg(file("docs/integrate/starters/python/server.py")))
            .passes("2", "");
    }
}

#[test]
fn the_starter_in_typescript_passes() {
    if is_here("node", "--version", "its starter") {
        // Every Node takes it under this name.
        let folder = tempfile::tempdir().unwrap();
        let copy = folder.path().join("server.mjs");
        std::fs::copy(file("docs/integrate/starters/typescript/server.ts"), &copy).unwrap();
        Starter::printing(Command::new("node").arg(copy)).passes("2", "");
    }
}

#[test]
fn the_starter_in_php_passes() {
    if is_here("php", "--version", "its starter") {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("service.sqlite");
        let starter = Starter::php(
            &file("docs/integrate/starters/php/index.php"),
            "/service",
            &[("DATABASE", database.as_path())],
        );
        starter.passes("2", "");
    }
}

/// Runs over as much of `WordPress` and `WooCommerce` as it calls.
#[test]
fn the_plugin_for_woocommerce_passes() {
    if is_here("php", "--version", "the plugin for WooCommerce") {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state.json");
        let plugin = file("docs/integrate/starters/woocommerce/messaging-service-contract.php");
        let stubs = file("tests/starters/wordpress.php");
        let more = [("PLUGIN", plugin.as_path()), ("STATE", state.as_path())];
        Starter::php(&stubs, "/wp-json/messaging-service/v1", &more).passes("12", "appointments");
    }
}
