//! What the operator's commands show: lists for people, JSON for scripts, completions and the manual.

use serde_json::{Value, json};

use crate::support::{CODES_NUMBER, SHOP, SHOP_NUMBER, World, command, is_here, program};

const NOBODY: &str = "0197f3c2-7c1a-7e55-9d0e-000000000000";

/// What a command says to a script.
fn script(world: &World, arguments: &[&str]) -> Value {
    let said = world.operator(&[arguments, &["--json"]].concat());
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{arguments:?}: {error}: {said}"))
}

#[tokio::test]
async fn whatever_is_listed_is_shown_by_itself_and_says_the_same() {
    let world = World::new().await;
    world.neighbour();
    let workspace = world.workspace.as_str();
    world.operator(&["page", "connect", workspace, "--token", "token-of-the-demo"]);
    for (noun, first, more) in [
        ("workspace", &[][..], "activeCustomers"),
        ("member", &[workspace], "email"),
        ("key", &[workspace], "creator"),
        ("account", &[workspace], "syncedAt"),
        ("page", &[workspace], "connections"),
        ("number", &[workspace], "connectedAt"),
        ("template", &[workspace], "variables"),
        ("webhook", &[workspace], "events"),
    ] {
        let listed = script(&world, &[&[noun, "list"], first].concat());
        let row = listed["rows"][0].clone();
        let text = world.operator(&[&[noun, "list"], first].concat());
        let rows = listed["rows"].as_array().unwrap().len();
        assert!(rows > 0 && text.lines().count() == rows + 1, "{noun}: {text}");
        let heads = text.lines().next().unwrap();
        assert!(heads.len() > 4 && heads == heads.to_uppercase(), "{noun}: {heads}");
        let of = |key: &str| row[key].as_str().unwrap().to_owned();
        let name = match noun {
            "account" | "page" => vec!["--id".to_owned(), of("networkId")],
            "number" => vec![of("phone")],
            "template" => vec![of("name"), "--language".to_owned(), of("language")],
            _ => vec![of("id")],
        };
        let name: Vec<&str> = name.iter().map(String::as_str).collect();
        let shown = script(&world, &[&[noun, "show"], first, &name].concat());
        assert!(shown.get(more).is_some(), "{noun}: {shown}");
        for (key, value) in row.as_object().unwrap() {
            assert_eq!(&shown[key], value, "{noun}: {key}");
        }
    }
    let workspaces = script(&world, &["workspace", "list", "--limit", "1"]);
    let first = workspaces["rows"][0]["id"].as_str().unwrap();
    // Who sees a part of a list is told that there is more, and where it begins.
    assert_eq!(workspaces["nextAfter"], json!(first), "{workspaces}");
    let part = world.operator(&["workspace", "list", "--limit", "1"]);
    assert!(part.ends_with(&format!("\nnext: --after {first}\n")), "{part}");
    let rest = script(&world, &["workspace", "list", "--after", first]);
    assert_eq!(
        (rest["rows"].as_array().map(Vec::len), &rest["nextAfter"]),
        (Some(1), &Value::Null),
        "{rest}"
    );
    let whole = script(&world, &["workspace", "list", "--limit", "2"]);
    assert_eq!((whole["rows"].as_array().map(Vec::len), &whole["nextAfter"]), (Some(2), &Value::Null));
}

#[tokio::test]
async fn what_people_type_is_found_as_they_type_it() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let member = script(&world, &["member", "list", workspace])["rows"][0].clone();
    let (id, email) = (member["id"].as_str().unwrap(), member["email"].as_str().unwrap());
    for typed in [email.to_uppercase(), format!(" {email} "), id.to_uppercase()] {
        assert_eq!(script(&world, &["member", "show", workspace, &typed])["id"], json!(id), "{typed}");
    }
    let number = script(&world, &["number", "show", workspace, SHOP_NUMBER]);
    let id = number["id"].as_str().unwrap();
    for typed in ["+964 770 000 0001", "00964 7700000001", "0770-000-0001", "٠٧٧٠ ٠٠٠ ٠٠٠١", id] {
        assert_eq!(script(&world, &["number", "show", workspace, typed]), number, "{typed}");
    }
}

#[tokio::test]
async fn a_template_has_one_form_for_a_script_and_its_language_any_spelling() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let listed = script(&world, &["template", "list", workspace]);
    let listed = listed["rows"].as_array().unwrap();
    let of = |name: &Value| listed.iter().filter(|row| row["name"] == *name).count();
    let (one, several): (Vec<&Value>, Vec<&Value>) = listed.iter().partition(|row| of(&row["name"]) == 1);
    for template in [one.first(), several.first()].into_iter().flatten() {
        let name = template["name"].as_str().unwrap();
        let rows = script(&world, &["template", "show", workspace, name])["rows"].clone();
        assert_eq!(rows.as_array().map(Vec::len), Some(of(&template["name"])), "{name}: {rows}");
    }
    let english = listed.iter().find(|row| row["language"] == "en_US").unwrap();
    let name = english["name"].as_str().unwrap();
    for typed in ["en_US", "en-US", "en_us"] {
        let shown = script(&world, &["template", "show", workspace, name, "--language", typed]);
        assert_eq!(&shown, english, "{typed}");
    }
}

/// The assistant, and filters of broadcasts, are given a group by its id.
#[tokio::test]
async fn groups_are_listed_with_who_is_in_them_and_shown_by_id_or_name() {
    const SALES: &str = "0197f3c2-7c1a-7e55-9d0e-0000000000a1";
    const SUPPORT: &str = "0197f3c2-7c1a-7e55-9d0e-0000000000a2";
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    assert_eq!(world.operator(&["group", "list", workspace]).trim(), "");
    let member = script(&world, &["member", "list", workspace])["rows"][0].clone();
    let (id, email) = (member["id"].as_str().unwrap(), member["email"].as_str().unwrap());
    let rows = world.rows().await;
    rows.change(&format!(
        "INSERT INTO groups VALUES
            ('{workspace}', '{SUPPORT}', 'Support', now()), ('{workspace}', '{SALES}', 'Sales', now());
         INSERT INTO group_members VALUES ('{workspace}', '{SALES}', '{id}')"
    ))
    .await;
    let text = world.operator(&["group", "list", workspace]);
    let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines, [["ID", "NAME", "MEMBERS"], [SALES, "Sales", email], [SUPPORT, "Support", "-"]]);
    let listed = script(&world, &["group", "list", workspace]);
    for group in ["Sales", SALES] {
        let shown = script(&world, &["group", "show", workspace, group]);
        assert_eq!(shown, listed["rows"][0], "{group}");
        assert_eq!((&shown["members"], &shown["memberIds"]), (&json!([email]), &json!([id])));
    }
    let set = script(&world, &["assistant", "set", workspace, "--group", SALES]);
    assert_eq!(set["groupId"], json!(SALES));
    // Another workspace's are nobody's here.
    let (neighbour, _) = world.neighbour();
    assert_eq!(script(&world, &["group", "list", &neighbour]), json!({ "rows": [] }));
}

#[tokio::test]
async fn what_is_not_there_is_not_shown() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    for arguments in [
        &["workspace", "show", NOBODY][..],
        &["member", "show", workspace, "nobody@palm.example"],
        &["key", "list", NOBODY],
        &["group", "list", NOBODY],
        &["group", "show", workspace, "Sales"],
        &["group", "show", workspace, NOBODY],
        &["key", "show", workspace, NOBODY],
        &["account", "show", workspace, "--id", "42"],
        &["page", "show", workspace, "--id", SHOP],
        &["page", "list", NOBODY],
        &["number", "show", workspace, "+9647709999999"],
        &["template", "show", workspace, "no_such_template"],
        &["webhook", "show", workspace, NOBODY],
    ] {
        let output = command(&world.secrets).args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(1) && output.stdout.is_empty(), "{arguments:?}: {said}");
        assert!(said.contains("no such") || said.contains("not connected"), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn a_script_reads_what_a_command_made_or_changed() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let made = script(&world, &["workspace", "create", "--name", "Palm", "--owner-email", "o@palm.example"]);
    assert_eq!(script(&world, &["workspace", "show", made["id"].as_str().unwrap()])["owner"], made["owner"]);
    let plan = script(&world, &["workspace", "plan", workspace, "--limit", "9"]);
    assert_eq!(plan, json!({ "activeCustomerLimit": 9, "paused": false }));
    let key = script(&world, &["key", "create", workspace, "--label", "till", "--scope", "contacts:read"]);
    assert!(key["key"].as_str().unwrap().starts_with("msk_"));
    let id = key["id"].as_str().unwrap();
    assert_eq!(script(&world, &["key", "show", workspace, id])["revokedAt"], Value::Null);
    // Nobody is asked where there is no terminal.
    assert_eq!(script(&world, &["key", "revoke", workspace, id]), json!({ "message": "revoked" }));
    assert!(script(&world, &["key", "show", workspace, id])["revokedAt"].is_string());
    let synced = script(&world, &["account", "sync", workspace, "--id", SHOP]);
    assert_eq!(synced["templates"], 18);
    let number = script(&world, &["number", "show", workspace, CODES_NUMBER]);
    assert_eq!((&number["account"], &number["sendOnly"]), (&json!(SHOP), &json!(true)));
    assert_ne!(number["networkId"], script(&world, &["number", "show", workspace, SHOP_NUMBER])["networkId"]);

    let added = script(&world, &["webhook", "add", workspace, "http://127.0.0.1:9/more"]);
    let address = added["id"].as_str().unwrap();
    let since = "2026-01-01T00:00:00Z";
    let window = ["webhook", "resend-window", workspace, address, "--since", since, "--dry-run"];
    let nothing = json!({ "dryRun": true, "failed": 0, "held": 0, "waiting": 0 });
    assert_eq!(script(&world, &window), nothing);
    // What would be refused is refused when it is only tried, too.
    let backwards = [&window[..], &["--until", "2025-12-31"]].concat();
    let output = command(&world.secrets).args(backwards).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("must end after it begins"), "{said}");
    let paused = script(&world, &["webhook", "pause", workspace, address]);
    for paused in [paused, script(&world, &["webhook", "show", workspace, address])] {
        assert_eq!(
            (&paused["state"], &paused["reason"]),
            (&json!("disabled"), &json!("paused by its owner"))
        );
    }
    let addresses = script(&world, &["webhook", "list", workspace]);
    let enabled = addresses["rows"].as_array().unwrap().iter().find(|row| row["id"] != address).unwrap();
    assert_eq!((&enabled["state"], &enabled["reason"]), (&json!("enabled"), &Value::Null));
    script(&world, &["webhook", "resume", workspace, address]);
    let resend = ["webhook", "resend-window", workspace, address, "--since", since];
    let resend = script(&world, &resend);
    let is_known = ["under_way", "done"].contains(&resend["state"].as_str().unwrap());
    assert!(is_known && resend["reason"] == Value::Null && resend.get("reason").is_some(), "{resend}");
}

/// What bash offers for the last of these words.
fn completed(words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let [.., previous, last] = &quoted[..] else { panic!("a command has a word: {words:?}") };
    let line = format!(
        "eval \"$('{}' completions bash)\"; COMP_WORDS=({}); COMP_CWORD={}
         _messaging__service messaging-service {last} {previous}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        program().get_program().display(),
        quoted.join(" "),
        words.len() - 1
    );
    let output = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_behind_the_first_word() {
    if !is_here("bash", "--version", "completions") {
        return;
    }
    assert!(completed(&["messaging-service", "work"]).contains(&"workspace".to_owned()));
    let below = completed(&["messaging-service", "workspace", ""]);
    assert!(["create", "list", "show"].iter().all(|word| below.iter().any(|one| one == word)), "{below:?}");
    let begun = completed(&["messaging-service", "webhook", "re"]);
    assert!(begun.contains(&"resend-window".to_owned()), "{begun:?}");
    assert!(begun.iter().all(|word| word.starts_with("re")), "{begun:?}");
    // A word with a hyphen of its own.
    let options = completed(&["messaging-service", "webhook", "resend-window", "--dry"]);
    assert_eq!(options, ["--dry-run"]);
}

#[test]
fn what_needs_no_settings_runs_without_them_and_a_variable_that_is_no_setting_is_refused() {
    for shell in ["bash", "zsh", "fish"] {
        let output = program().args(["completions", shell]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && said.contains("resend-window"), "{shell}");
    }
    let folder = tempfile::tempdir().unwrap();
    let output = program().arg("manual").arg(folder.path()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let page = std::fs::read_to_string(folder.path().join("messaging-service-webhook-resend-window.1"));
    assert!(page.unwrap().contains("dry\\-run"));
    let whole = std::fs::read_to_string(folder.path().join("messaging-service.1")).unwrap();
    assert!(whole.contains("Exit codes"), "{whole}");

    let mut wrong = program();
    let output = wrong.args(["workspace", "list"]).env("MESSAGING_DATABASE_URI", "x").output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(said.contains("MESSAGING_DATABASE_URI") && said.contains("did you mean MESSAGING_DATABASE_URL?"));
    // An argument that cannot be read.
    assert_eq!(program().args(["workspace", "show", "42"]).output().unwrap().status.code(), Some(2));
}
