//! Clients generated from the API's document by a generator that is not ours: they have to compile, and to
//! make every call.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::run::{answer, run, say};
use crate::workspace::root;

/// Version of openapi-generator. Its package contains the program, which Java runs.
const GENERATOR: &str = "7.26.0";
/// Version of TypeScript that compiles the client.
const TYPESCRIPT: &str = "5.9.3";

/// Stand-in for a package that the client in Go imports: nothing is validated if it is only compiled and
/// called.
const VALIDATOR: &str = "\
// Package validator stands in for the one that generated code names.
package validator

// Validate takes everything.
func Validate(interface{}) error { return nil }
";

/// A program that makes every call of the client in Go.
const CALLS: &str = include_str!("generators/calls.go");

/// Generates clients in Go and TypeScript, compiles them, and has the one in Go call the service at
/// `base_url`. Steps whose program is missing are left out, which is said.
pub(crate) fn compile(tools: &Path, base_url: &str, key: &str) -> anyhow::Result<()> {
    if answer(Command::new("java").arg("-version")).is_none() {
        say("there is no Java here: no clients were generated (Debian: `default-jre-headless`)");
        return Ok(());
    }
    let generator = generator(tools)?;
    let folder = tools.join("clients");
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    match answer(Command::new("go").arg("version")) {
        None => say("there is no Go here: no client in Go was compiled (Debian: `golang-go`)"),
        Some(_) => in_go(&generator, &folder.join("go"), base_url, key)?,
    }
    match answer(Command::new("npm").arg("--version")) {
        None => say("there is no npm here: no client in TypeScript was compiled"),
        Some(_) => in_typescript(&generator, tools, &folder.join("typescript"))?,
    }
    Ok(())
}

/// Returns the program of the pinned generator, installed once.
fn generator(tools: &Path) -> anyhow::Result<PathBuf> {
    let folder = tools.join(format!("openapi-generator-{GENERATOR}"));
    let program = folder.join("bin/openapi-generator-cli");
    if !program.exists() {
        say("installing openapi-generator into target/tools, once");
        run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("Python 3 with its module `venv` is needed")?;
        run(Command::new(folder.join("bin/pip"))
            .args(["install", "--quiet", "--disable-pip-version-check"])
            .arg(format!("openapi-generator-cli=={GENERATOR}")))?;
    }
    Ok(program)
}

fn generate(generator: &Path, language: &str, properties: &str, to: &Path) -> anyhow::Result<()> {
    let mut generate = Command::new(generator);
    generate.args(["generate", "-i", "docs/openapi.json", "-g", language, "-o"]).arg(to);
    // Its own tests need libraries that are not here.
    generate.args(["--global-property", "apis,models,supportingFiles,apiTests=false,modelTests=false"]);
    generate.args(["--additional-properties", properties]).current_dir(root());
    let output = generate.output().context("the generator did not start")?;
    if !output.status.success() {
        anyhow::bail!("{language}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

fn in_go(generator: &Path, folder: &Path, base_url: &str, key: &str) -> anyhow::Result<()> {
    generate(generator, "go", "packageName=messaging,withGoMod=true", folder)?;
    let (validator, program) = (folder.join("validator"), folder.join("calls"));
    fs::create_dir_all(&validator)?;
    fs::create_dir_all(&program)?;
    fs::write(validator.join("go.mod"), "module gopkg.in/validator.v2\n")?;
    fs::write(validator.join("validator.go"), VALIDATOR)?;
    fs::write(program.join("main.go"), CALLS)?;
    fs::write(
        folder.join("go.mod"),
        "module client\n\ngo 1.18\n\nrequire gopkg.in/validator.v2 v2.0.1\n\nreplace gopkg.in/validator.v2 => ./validator\n",
    )?;
    let go = |arguments: &[&str]| {
        let mut go = Command::new("go");
        go.args(arguments).current_dir(folder).env("GOPROXY", "off").env("GOFLAGS", "-mod=mod");
        go
    };
    run(&mut go(&["build", "./..."])).context("the client in Go does not compile")?;
    run(&mut go(&["vet", "./..."]))?;
    run(go(&["run", "./calls"]).env("SERVICE_URL", base_url).env("API_KEY", key))
        .context("the client in Go does not make its calls")
}

fn in_typescript(generator: &Path, tools: &Path, folder: &Path) -> anyhow::Result<()> {
    generate(generator, "typescript-fetch", "npmName=messaging", folder)?;
    let typescript = tools.join(format!("typescript-{TYPESCRIPT}"));
    let compiler = typescript.join("node_modules/.bin/tsc");
    if !compiler.exists() {
        say("installing TypeScript into target/tools, once");
        fs::create_dir_all(&typescript)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"]).arg(&typescript);
        run(install.arg(format!("typescript@{TYPESCRIPT}")))?;
    }
    // As its own `npm run build` does: every file, whether or not another names it.
    run(Command::new(compiler).args(["--noEmit", "--strict"]).current_dir(folder))
        .context("the client in TypeScript does not compile")
}
