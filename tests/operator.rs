//! The operator's commands: what each prints when it works, and the one line it prints when it does not.

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    net::TcpListener,
    os::unix::ffi::OsStrExt as _,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use adapter_postgres::testing::TestDatabase;
use clap::{CommandFactory as _, Parser as _};
use local_postgres::{create_database, drop_database};
use reqwest::Method;
use serde_json::{Value, json};
use server::cli::Cli;

use crate::support::{
    Api, Browser, CLINIC, CODES_NUMBER, Receiver, Rows, SHOP, SHOP_NUMBER, Service, World, command,
    eventually, program,
};

/// An id that nothing has.
const NOBODY: &str = "0197f3c2-7c1a-7e55-9d0e-000000000000";
const MASTER_KEY: &str = "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a";

/// Asserts that it ended with 1 and one line of complaint, and answers the line.
#[track_caller]
fn complaint(command: &mut Command, about: &str) -> String {
    complaint_with(1, command, about)
}

/// Asserts the same of a command that ends with `code`.
#[track_caller]
fn complaint_with(code: i32, command: &mut Command, about: &str) -> String {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{about}: {said}");
    assert_eq!(said.trim_end().lines().count(), 1, "{about}: {said}");
    assert!(said.starts_with("messaging-service: "), "{about}: {said}");
    assert_eq!(output.stdout, b"", "{about}");
    said
}

fn with_input(command: &mut Command, input: &str) -> Output {
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[tokio::test]
async fn a_member_is_named_by_id_or_address_and_a_script_reads_errors_as_json() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let listed = world.operator(&["member", "list", workspace, "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let (id, email) =
        (listed["rows"][0]["id"].as_str().unwrap(), listed["rows"][0]["email"].as_str().unwrap());
    Browser::joined(world.service.base_url(), &world.secrets, workspace, "b@palm.example", "agent").await;
    for named in [&[id][..], &[email], &["--email", email]] {
        let of = |what: &'static str| [&["member", what, workspace], named].concat();
        assert!(world.operator(&of("show")).contains(email), "{named:?}");
    }
    let joined = world.operator(&["member", "show", workspace, "--email", "B@palm.example", "--json"]);
    let joined: Value = serde_json::from_str(&joined).unwrap();
    for named in [&[joined["id"].as_str().unwrap()][..], &["b@palm.example"], &["--email", "b@palm.example"]]
    {
        let said = world.operator(&[&["member", "reset", workspace], named].concat());
        assert!(said.contains("/dashboard/"), "{named:?}: {said}");
    }
    for (arguments, code, words) in [
        (vec!["member", "show", workspace, "nobody@palm.example", "--json"], 1, "no such member"),
        (vec!["member", "reset", workspace, "--json"], 2, "required"),
        (
            vec!["--json", "member", "show", workspace, "a", "--email", "a@b.example"],
            2,
            "cannot be used with",
        ),
        (vec!["--json", "member", "shew"], 2, "unrecognized subcommand"),
    ] {
        let output = command(&world.secrets).args(&arguments).stdin(Stdio::null()).output().unwrap();
        assert_eq!((output.status.code(), &*output.stdout), (Some(code), &b""[..]), "{arguments:?}");
        let said: Value = serde_json::from_slice(&output.stderr).unwrap();
        assert!(said["error"].as_str().unwrap().contains(words), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn each_command_says_what_it_did() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let said = |arguments: &[&str]| world.operator(arguments);
    let create =
        ["workspace", "create", "--name", " Palm ", "--owner-email", "o@palm.example", "--locale", "en"];
    let made = said(&create);
    let lines: Vec<&str> = made.lines().collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with("workspace ") && lines[1].starts_with("owner "),
        "{made}"
    );

    assert_eq!(said(&["workspace", "plan", workspace, "--limit", "5"]), "plan: 5 active customers a month\n");
    let paused = "plan: 5 active customers a month, paused\n";
    assert_eq!(said(&["workspace", "plan", workspace, "--paused"]), paused);
    let notice = json!({ "to": "0770 123 4567", "template": "store_hours" });
    let paused = json!({ "reason": "subscription_paused" });
    world.api().send(&notice).await.assert_refused(409, "plan_limit", &paused, "paused");
    // What is not named stays as it is.
    let paused = "plan: 7 active customers a month, paused\n";
    assert_eq!(said(&["workspace", "plan", workspace, "--limit", "7"]), paused);
    assert_eq!(said(&["workspace", "plan", workspace]), paused);
    let active = "plan: 7 active customers a month\n";
    assert_eq!(said(&["workspace", "plan", workspace, "--active"]), active);
    assert_eq!(said(&["workspace", "plan", workspace, "--unlimited"]), "plan: unlimited\n");

    let numbers = said(&["number", "list", workspace]);
    assert_eq!(numbers.lines().count(), 4, "{numbers}");
    let line = format!("{CODES_NUMBER}  106540352242933  {SHOP}  yes");
    assert!(numbers.lines().any(|number| number == line), "{numbers}");
    // In any spelling.
    let off = said(&["number", "send-only", workspace, "٠٧٧٠ ٠٠٠ ٠٠٠٢", "--off"]);
    assert_eq!(off, "the number is an ordinary one\n");
    assert!(!said(&["number", "list", workspace]).contains("yes"));
    let on = said(&["number", "send-only", workspace, "00964 (770) 000-0002"]);
    assert_eq!(on, "the number is send-only\n");

    let templates = said(&["template", "list", workspace]);
    let templates: Vec<String> =
        templates.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for words in ["order_ready ar UTILITY approved", "win_a_prize ar MARKETING rejected", "paused"] {
        assert!(templates.iter().any(|line| line.contains(words)), "{words}: {templates:?}");
    }
    let synced = said(&["account", "sync", workspace, "--id", &format!(" {SHOP} ")]);
    assert_eq!(synced, "templates: 18\n");
    let banned = json!({ "phoneNumberId": "106540352242944", "status": "BANNED" });
    world.control(Method::PUT, "numbers", &banned).await;
    let mute = said(&["account", "sync", workspace, "--id", CLINIC]);
    assert!(
        mute.contains("no number of this account can send") && mute.contains("WhatsApp Manager"),
        "{mute}"
    );
    // Again with a token that no list of processes shows.
    let mut connect = command(&world.secrets);
    let output =
        with_input(connect.args(["account", "connect", workspace, "--id", SHOP]), "token-of-the-demo\n");
    assert!(output.status.success(), "{output:?}");

    let created = said(&["key", "create", workspace, "--label", "till", "--scope", "contacts:read"]);
    let lines: Vec<&str> = created.lines().collect();
    assert!(lines.len() == 3 && lines[1].starts_with("msk_"), "{created}");
    let api = Api::new(world.service.base_url(), lines[1]);
    assert_eq!(api.get("/v1/me").await.body["key"]["scopes"], json!(["contacts:read"]));
    let id = lines[0].strip_prefix("key ").unwrap();
    assert_eq!(said(&["key", "revoke", workspace, id]), "revoked\n");
    assert_eq!(api.get("/v1/me").await.status, 401);

    let receiver = Receiver::start().await;
    let added = said(&["webhook", "add", workspace, receiver.url(), "--event", "message.failed"]);
    let lines: Vec<&str> = added.lines().collect();
    assert!(lines.len() == 3 && lines[1].starts_with("whsec_"), "{added}");
    let id = lines[0].strip_prefix("address ").unwrap();
    assert_eq!(said(&["webhook", "ping", workspace, id]), "a ping is on its way\n");
    assert_eq!(receiver.next().await.kind(), "ping");
    assert_eq!(said(&["migrate"]), "the schema is up to date\n");
    // A list of nothing has no line.
    assert_eq!(said(&["quarantine", "list"]), "");
}

#[tokio::test]
async fn each_command_says_in_one_line_what_is_wrong() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let unknown = "there is no such workspace";
    // The neighbour's account, before the neighbour has connected it.
    let connect = ["account", "connect", NOBODY, "--id", "102290129340416", "--token", "token-of-the-demo"];
    assert!(complaint(command(&world.secrets).args(connect), "connect").contains(unknown));
    let (neighbour, _) = world.neighbour();
    let before = world.rows().await.all_counts().await;
    let owner = ["--owner-email", "o@palm.example"];
    for (arguments, words) in [
        (&["workspace", "create", "--name", " ", owner[0], owner[1]][..], "a name"),
        (&["workspace", "create", "--name", &"x".repeat(201), owner[0], owner[1]], "1 to 200 characters"),
        (&["workspace", "plan", NOBODY, "--limit", "3"], unknown),
        (&["account", "connect", workspace, "--id", SHOP, "--token", "a-wrong-token"], "190"),
        (&["account", "connect", workspace, "--id", "42", "--token", "token-of-the-demo"], "100"),
        (&["account", "connect", workspace, "--id", SHOP], "the token is empty"),
        (
            &["account", "connect", &neighbour, "--id", SHOP, "--token", "token-of-the-demo"],
            "another workspace",
        ),
        (&["account", "sync", workspace, "--id", "42"], "has not connected this account"),
        (&["account", "sync", NOBODY, "--id", SHOP], unknown),
        (&["account", "connect", NOBODY, "--id", SHOP, "--token", "token-of-the-demo"], unknown),
        (&["account", "disconnect", NOBODY, "--id", SHOP], unknown),
        (&["page", "connect", NOBODY, "--token", "token-of-the-demo"], unknown),
        (&["number", "list", NOBODY], unknown),
        (&["number", "send-only", NOBODY, SHOP_NUMBER], unknown),
        (&["number", "send-only", workspace, "+9647709999999"], "no such connected number"),
        (&["template", "list", NOBODY], unknown),
        (&["key", "create", NOBODY, "--label", "x", "--scope", "messages:send"], unknown),
        (&["key", "revoke", workspace, NOBODY], "no such key"),
        (&["webhook", "add", NOBODY, "http://127.0.0.1:1/"], unknown),
        (&["webhook", "ping", workspace, NOBODY], "no such address"),
    ] {
        let said = complaint(command(&world.secrets).args(arguments), &format!("{arguments:?}"));
        assert!(said.contains(words), "{arguments:?}: {said}");
        assert!(!said.contains("a-wrong-token") && !said.contains("token-of-the-demo"), "{said}");
    }
    // A key of another workspace is none of this one's.
    let key = world.rows().await.texts("SELECT id::text FROM api_keys LIMIT 1").await.remove(0);
    complaint(command(&world.secrets).args(["key", "revoke", &neighbour, &key]), "another's key");
    assert_eq!(world.rows().await.all_counts().await, before);
}

#[tokio::test]
async fn an_account_that_is_connected_and_cannot_be_read_is_said_to_be_connected() {
    let world = World::new().await;
    let (neighbour, _) = world.neighbour();
    let read = json!([{ "kind": "error", "code": 200, "on": "reads" }]);
    world.simulator.set_faults(&read).unwrap();
    let connect = ["account", "connect", &world.workspace, "--id", SHOP, "--token", "token-of-the-demo"];
    let said = complaint(command(&world.secrets).args(connect), "connected, not read");
    let words = ["the account is connected", "`account sync` with `--id 102", "the network refused (200)"];
    assert!(words.iter().all(|words| said.contains(words)), "{said}");
    // What was not connected is not said to be.
    let connect = ["account", "connect", &neighbour, "--id", SHOP, "--token", "token-of-the-demo"];
    assert!(!complaint(command(&world.secrets).args(connect), "elsewhere").contains("is connected"));
}

#[tokio::test]
async fn an_account_is_no_page_and_a_page_no_account() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    world.connect_page();
    let pages = world.operator(&["page", "list", workspace]);
    let page = pages.lines().nth(1).and_then(|line| line.split_whitespace().next()).unwrap();
    for what in ["sync", "show", "disconnect"] {
        let said = complaint(command(&world.secrets).args(["account", what, workspace, "--id", page]), what);
        assert!(said.contains("has not connected this account: it is a page"), "{said}");
    }
    for what in ["show", "disconnect"] {
        let said = complaint(command(&world.secrets).args(["page", what, workspace, "--id", SHOP]), what);
        assert!(said.contains("has not connected this page: it is a business account"), "{said}");
    }
    let gone = ["page", "disconnect", workspace, "--id", page];
    assert_eq!(world.operator(&gone), "disconnected\n");
}

#[tokio::test]
async fn what_cannot_be_read_ends_with_2_and_nothing_is_changed() {
    let world = World::new().await;
    let workspace = world.workspace.as_str();
    let before = world.rows().await.all_counts().await;
    let (missing, base) = ("/no/such/file", "https://shop.example");
    for (arguments, words) in [
        (&["workspace", "create", "--name", "Palm", "--owner-email", "nobody"][..], "e-mail address"),
        (&["number", "send-only", workspace, "12"], "phone number"),
        (&["key", "show", workspace, "till"], "must be an id, such as"),
        (&["webhook", "resend-window", workspace, NOBODY, "--since", "yesterday"], "must be a day"),
        (&["webhook", "deliveries", workspace, NOBODY, "--limit", "0"], "1..=100"),
        (&["system", "calls", workspace, "--limit", "101"], "1..=100"),
        (&["system", "connect", workspace, base, "--secret-file", missing], "the secret cannot be read"),
        (&["assistant", "key", "set", workspace, "--key-file", missing], "the key cannot be read"),
        (&["assistant", "set", workspace, "--facts-file", missing], "the facts cannot be read"),
        (&["assistant", "set", workspace, "--instructions-file", missing], "the instructions cannot be read"),
        (&["assistant", "set", workspace, "--facts-file", "-", "--instructions-file", "-"], "not both"),
        (&["contacts", "import", workspace, missing], "cannot be read"),
        (&["contract", "check", base, "--secret-file", missing], "the secret cannot be read"),
        (&["system", "connect", workspace, "shop.example", "--secret-file", "/dev/null"], "must be a URL"),
        (&["account", "connect", workspace, "--id", "palm", "--token", "x"], "1 to 32 digits"),
        (&["system", "calls", workspace, "--cursor", "zz"], "was not issued for this list"),
        (&["broadcast", "list", workspace, "--cursor", "zz"], "was not issued for this list"),
        (
            &[
                "workspace",
                "create",
                "--name",
                "Palm",
                "--owner-email",
                "o@palm.example",
                "--locale",
                "English",
            ],
            "the locale must be a language",
        ),
    ] {
        let output = command(&world.secrets).args(arguments).stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && said.contains(words), "{arguments:?}: {said}");
        assert_eq!(output.stdout, b"", "{arguments:?}");
    }
    assert_eq!(world.rows().await.all_counts().await, before);
}

#[tokio::test]
async fn a_workspace_has_ten_webhook_addresses() {
    let world = World::new().await;
    let add = |n: usize| {
        let mut command = command(&world.secrets);
        command.args(["webhook", "add", &world.workspace, &format!("http://127.0.0.1:1/{n}")]);
        command
    };
    for n in 2..=10 {
        assert!(add(n).output().unwrap().status.success(), "{n}");
    }
    assert!(complaint(&mut add(11), "the eleventh").contains("at most 10 webhook addresses"));
}

#[tokio::test]
async fn a_wrong_or_missing_setting_is_named_and_its_value_is_not_shown() {
    let database = TestDatabase::fresh().await;
    let complete = [
        ("MESSAGING_DATABASE_URL", database.url()),
        ("MESSAGING_MASTER_KEY", MASTER_KEY),
        ("MESSAGING_APP_SECRET", "app-hunter2"),
        ("MESSAGING_VERIFY_TOKEN", "verify-hunter2"),
    ];
    let serve = ["serve"];
    let list = ["number", "list", NOBODY];
    for (arguments, setting, value) in [
        (&list[..], "MESSAGING_DATABASE_URL", None),
        (&list, "MESSAGING_MASTER_KEY", None),
        (&list, "MESSAGING_MASTER_KEY", Some("hunter2")),
        (&list, "MESSAGING_MASTER_KEY", Some("")),
        (&list, "MESSAGING_PREVIOUS_MASTER_KEYS", Some("hunter2")),
        (&list, "MESSAGING_POOL_SIZE", Some("0")),
        (&list, "MESSAGING_POOL_SIZE", Some("1001")),
        (&list, "MESSAGING_POOL_SIZE", Some("-1")),
        (&list, "MESSAGING_POOL_SIZE", Some("many")),
        (&list, "MESSAGING_ALLOW_NETWORKS", Some("10.0.0.0/hunter2")),
        (&serve, "MESSAGING_APP_SECRET", None),
        (&serve, "MESSAGING_VERIFY_TOKEN", None),
        (&serve, "MESSAGING_GRAPH_URL", Some("hunter2")),
        (&serve, "MESSAGING_GRAPH_VERSION", Some("25")),
        (&serve, "MESSAGING_LISTEN", Some("8080")),
        (&serve, "MESSAGING_ADMIN_LISTEN", Some("hunter2:1")),
        (&serve, "MESSAGING_ROLES", Some("api,janitor")),
        (&serve, "MESSAGING_ROLES", Some(" , ")),
        (&serve, "MESSAGING_LOG", Some("info,=hunter2=")),
        (&serve, "MESSAGING_LOG", Some("hunter2")),
        (&serve, "MESSAGING_GRAPH_URL", Some("http://hunter2.example")),
        (&serve, "MESSAGING_LOG_FORMAT", Some("xml")),
        (&["migrate"], "MESSAGING_DATABASE_URL", Some("")),
    ] {
        let mut command = program();
        command.envs(complete).args(arguments);
        match value {
            Some(value) => command.env(setting, value),
            None => command.env_remove(setting),
        };
        let said = complaint(&mut command, &format!("{setting} {value:?}"));
        assert!(said.contains(&format!("configuration: {setting}: ")), "{setting} {value:?}: {said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[tokio::test]
async fn settings_may_stand_in_a_file_and_a_wrong_file_is_named() {
    let database = TestDatabase::fresh().await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("service.toml");
    let path = file.to_str().unwrap();
    let list = ["--config", path, "number", "list", NOBODY];
    // What cannot be read ends with 2; what is read and is wrong ends with 1, as in the environment.
    let said = complaint_with(2, program().args(list), "no file");
    assert!(said.contains("service.toml: No such file"), "{said}");
    let nowhere = ["--config", folder.path().to_str().unwrap(), "number", "list", NOBODY];
    assert!(complaint_with(2, program().args(nowhere), "a folder").contains("directory"));
    for (text, code, words) in [
        (&b"master_key = \"hunter2\""[..], 1, "service.toml: master_key"),
        (b"mastre_key = \"hunter2\"", 1, "there is no such setting"),
        (b"pool_size = { of = \"hunter2\" }", 1, "pool_size"),
        (b"master_key = hunter2", 2, "not TOML"),
        (b"master_key = \"hunter2\xff\"", 2, "UTF-8"),
    ] {
        fs::write(&file, text).unwrap();
        let mut with_it = program();
        with_it.env("MESSAGING_DATABASE_URL", database.url()).args(list);
        let said = complaint_with(code, &mut with_it, words);
        assert!(said.contains(words) && !said.contains("hunter2\""), "{words}: {said}");
    }
    let mut no_text = program();
    no_text.env("MESSAGING_MASTER_KEY", OsStr::from_bytes(b"hunter2\xff")).args(["number", "list", NOBODY]);
    let said = complaint(&mut no_text, "no text");
    assert!(said.contains("configuration: MESSAGING_MASTER_KEY: is not UTF-8"), "{said}");
    let right =
        format!("database_url = \"{}\"\nmaster_key = \"{MASTER_KEY}\"\npool_size = 2\n", database.url());
    fs::write(&file, right).unwrap();
    let create = ["workspace", "create", "--name", "Palm", "--owner-email", "o@palm.example"];
    let output = program().args(["--config", path]).args(create).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn a_database_that_cannot_be_used_is_said_without_its_password() {
    let database = TestDatabase::fresh().await;
    let missing = format!("{}_missing", database.url());
    let create = ["workspace", "create", "--name", "Palm", "--owner-email", "o@palm.example"];
    for (url, words) in [
        ("postgres://me:hunter2@127.0.0.1:1/x", "error connecting to server: Connection refused"),
        ("postgres://me:hunter2@127.0.0.1:1/x?connect_timeout=soon", "connect_timeout"),
        ("hunter2", "invalid"),
        (&missing, "there is no such database (3D000)"),
    ] {
        for arguments in [&create[..], &["migrate"], &["serve"]] {
            let mut command = program();
            command
                .args(arguments)
                .env("MESSAGING_DATABASE_URL", url)
                .env("MESSAGING_MASTER_KEY", MASTER_KEY);
            command.env("MESSAGING_APP_SECRET", "a").env("MESSAGING_VERIFY_TOKEN", "b");
            command.env("MESSAGING_LISTEN", "127.0.0.1:0").env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0");
            let said = complaint(&mut command, &format!("{arguments:?} {url}"));
            assert!(said.contains("database") || said.contains("store"), "{arguments:?} {url}: {said}");
            assert!(said.contains(words), "{arguments:?} {url}: {said}");
            let names_it = said.contains("MESSAGING_DATABASE_URL") || arguments[0] == "migrate";
            assert!(url != "hunter2" || names_it, "{arguments:?}: {said}");
            assert!(said.matches("Connection refused").count() < 2 && !said.contains("object"), "{said}");
            assert!(!said.contains("hunter2"), "{said}");
        }
    }
}

#[tokio::test]
async fn a_database_without_its_schema_is_not_served_from_until_it_is_migrated() {
    let database = TestDatabase::fresh().await;
    let name = format!("{}_empty", database.url().rsplit('/').next().unwrap());
    let url = create_database(database.url(), &name, None).await.unwrap();
    let run = |arguments: &[&str]| {
        let mut command = program();
        command.args(arguments).env("MESSAGING_DATABASE_URL", &url).env("MESSAGING_MASTER_KEY", MASTER_KEY);
        command.env("MESSAGING_APP_SECRET", "a").env("MESSAGING_VERIFY_TOKEN", "b");
        command.env("MESSAGING_LISTEN", "127.0.0.1:0").env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0");
        command
    };
    for arguments in [&["serve"][..], &["number", "list", NOBODY], &["master-key", "adopt"]] {
        let said = complaint(&mut run(arguments), &format!("{arguments:?}"));
        assert!(said.contains("the database is not ready"), "{arguments:?}: {said}");
        assert!(said.contains("`migrate` applies them"), "it says what to do: {said}");
    }
    for wanted in ["0001", "up to date"] {
        let migrated = run(&["migrate"]).output().unwrap();
        let said = String::from_utf8(migrated.stdout).unwrap();
        assert!(migrated.status.success() && said.contains(wanted), "{said}");
        // While it works it says which one of how many it is at.
        let told = String::from_utf8(migrated.stderr).unwrap();
        let all = if wanted == "0001" { said.lines().count() } else { 0 };
        let lines = said.lines().take(all).zip(1..);
        let lines: Vec<String> =
            lines.map(|(version, nth)| format!("migration {version}, {nth} of {all}")).collect();
        assert_eq!(told.lines().collect::<Vec<_>>(), lines);
    }
    // A later version was here: this one changes nothing, and says so.
    Rows::of(&url).await.change("INSERT INTO __diesel_schema_migrations VALUES ('9999')").await;
    let migrated = run(&["migrate"]).output().unwrap();
    let said = String::from_utf8(migrated.stdout).unwrap();
    let later = "migrations of a later version are applied, up to 9999; the release right before that one runs on them, too";
    assert!(migrated.status.success() && said == format!("the schema is up to date\n{later}\n"), "{said}");
    drop_database(database.url(), &name).await.unwrap();
}

#[tokio::test]
async fn a_taken_port_is_said_in_one_line() {
    let world = World::new().await;
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    for (listen, admin) in [(&*address, "127.0.0.1:0"), ("127.0.0.1:0", &*address)] {
        let mut serve = command(&world.secrets);
        serve.arg("serve").env("MESSAGING_LISTEN", listen).env("MESSAGING_ADMIN_LISTEN", admin);
        let said = complaint(&mut serve, listen);
        assert!(said.contains(&address) && said.contains("in use"), "{said}");
    }
    // Who answers no requests needs no port for them.
    let settings = [("MESSAGING_ROLES", "dispatcher,worker"), ("MESSAGING_LISTEN", &*address)];
    let mut worker = Service::start_with(&world.secrets, &settings).await;
    assert!(worker.terminate());
}

#[tokio::test]
async fn a_folder_that_cannot_be_used_is_named_with_its_setting() {
    let world = World::new().await;
    let mut serve = command(&world.secrets);
    serve.arg("serve").env("MESSAGING_LISTEN", "127.0.0.1:0").env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0");
    let said = complaint(serve.env("MESSAGING_FILES_FOLDER", "/dev/null/files"), "no folder");
    assert!(said.contains("MESSAGING_FILES_FOLDER: /dev/null/files: the folder cannot be used"), "{said}");
}

#[tokio::test]
async fn a_token_sealed_with_another_master_key_is_not_opened_and_the_old_key_helps() {
    let world = World::new().await;
    let mut secrets = world.secrets.clone();
    secrets.master_key = "6b".repeat(32);
    let sync = ["account", "sync", &world.workspace, "--id", SHOP];
    let said = complaint(command(&secrets).args(sync), "another key");
    assert!(!said.contains("6b6b") && !said.contains("5a5a"), "{said}");
    let mut with_old = command(&secrets);
    with_old.args(sync).env("MESSAGING_PREVIOUS_MASTER_KEYS", &world.secrets.master_key);
    let output = with_old.output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[tokio::test]
async fn help_and_settings_need_nothing_and_name_everything() {
    let say = |arguments: &[&str]| {
        let output = program().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let help = say(&["--help"]);
    for name in
        ["serve", "migrate", "sandbox", "workspace", "account", "number", "template", "key", "webhook"]
    {
        assert!(help.contains(&format!("\n  {name} ")), "{name}: {help}");
        assert!(say(&[name, "--help"]).len() > 100, "{name}");
    }
    let settings = say(&["settings"]);
    for setting in server::config::SETTINGS {
        assert!(settings.contains(&setting.variable()), "{settings}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_asked_to_end_answers_what_it_has_in_hand() {
    let mut world = World::new().await;
    world.simulator.set_faults(&json!([{ "kind": "latency", "ms": 2_000 }])).unwrap();
    let (api, rows) = (world.api(), world.rows().await);
    let body = json!({ "to": "0770 123 4567", "template": "store_hours" });
    let waiting = tokio::spawn(async move { api.send(&body).await });
    let in_hand = "SELECT id::text FROM sends WHERE state = 'in_flight'";
    eventually("a send under way", async || rows.texts(in_hand).await.pop()).await;

    let (mut service, world) = {
        let service = std::mem::replace(&mut world.service, Service::start(&world.secrets).await);
        (service, world)
    };
    let base = service.base_url().to_owned();
    let ended = tokio::task::spawn_blocking(move || (service.terminate(), service.log()));
    let answer = tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap().unwrap();
    assert_eq!(answer.status, 201, "{:?}", answer.body);
    let (well, log) = ended.await.unwrap();
    assert!(well, "{log:?}");
    assert!(log.iter().any(|line| line.contains("\"stopped\"")), "{log:?}");
    assert!(Api::new(&base, "").bare(Method::GET, "/v1/me").send().await.is_err());
    assert_eq!(rows.texts("SELECT state FROM sends").await, ["sent"]);
    assert_eq!(world.simulator.messages().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_interrupts_a_service_that_is_stopping_waits_for_nothing() {
    let mut world = World::new().await;
    world.simulator.set_faults(&json!([{ "kind": "latency", "ms": 15_000 }])).unwrap();
    let (api, rows) = (world.api(), world.rows().await);
    let body = json!({ "to": "0770 123 4567", "template": "store_hours" });
    let waiting = tokio::spawn(async move { api.send(&body).await });
    let in_hand = "SELECT id::text FROM sends WHERE state = 'in_flight'";
    eventually("a send under way", async || rows.texts(in_hand).await.pop()).await;

    world.service.interrupt();
    eventually("it is stopping", async || {
        world.service.log().iter().any(|line| line.contains("\"stopping\"")).then_some(())
    })
    .await;
    let began = Instant::now();
    world.service.interrupt();
    let code = world.service.ended();
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let log = world.service.log();
    assert!(code == Some(1) && log.iter().any(|line| line.contains("ending at once")), "{code:?} {log:?}");
    waiting.abort();
}

/// Every command without others below it, as it is typed, with what it is for.
fn commands(of: &clap::Command, above: &str) -> Vec<(String, String)> {
    let below = of.get_subcommands().filter(|command| command.get_name() != "help");
    let mut all = Vec::new();
    for command in below {
        let typed = format!("{above}{}", command.get_name());
        if command.has_subcommands() {
            all.extend(commands(command, &format!("{typed} ")));
        } else {
            let about =
                command.get_about().unwrap_or_else(|| panic!("{typed} says what it does")).to_string();
            let first = about.split(['.', ';', ':']).next().unwrap_or_default().trim().to_owned();
            assert!(!first.is_empty(), "{typed} says what it does");
            all.push((typed, first));
        }
    }
    all
}

/// Those that belong together are named in one row; one that stands alone says what it is for.
#[test]
fn the_page_lists_every_command_and_no_other() {
    const PAGE: &str = include_str!("../docs/run/command-line.md");
    let chapter = PAGE.lines().skip_while(|line| *line != "## Every command").skip(1);
    let chapter = chapter.take_while(|line| !line.starts_with("## "));
    let listed: Vec<&str> = chapter.filter(|line| line.starts_with("| `")).collect();
    let mut rows: Vec<(String, Vec<String>)> = Vec::new();
    for (typed, about) in commands(&Cli::command(), "") {
        let (first, cell) = match typed.split_once(' ') {
            Some((first, rest)) => (first.to_owned(), format!("`{rest}`")),
            None => (typed, about),
        };
        match rows.last_mut() {
            Some((above, cells)) if *above == first => cells.push(cell),
            _ => rows.push((first, vec![cell])),
        }
    }
    let row = |(first, cells): (String, Vec<String>)| format!("| `{first}` | {} |", cells.join(", "));
    let wanted: Vec<String> = rows.into_iter().map(row).collect();
    assert!(listed == wanted, "the page is to have under \"## Every command\":\n{}", wanted.join("\n"));
}

/// The words of a line as a shell hands them over, with something in place of what stands for it.
fn typed(line: &str) -> Vec<String> {
    let ends = [" < ", " > ", " 2> ", " #", " | "];
    let line = ends.iter().fold(line, |line, end| line.split(end).next().unwrap_or_default());
    let mut line = line.replace("show|verify|disconnect|calls", "show").replace("Palm Store", "Palm");
    for number in ["<WhatsApp Business Account ID>", "<number>"] {
        line = line.replace(number, "42");
    }
    for id in ["<workspace>", "$WORKSPACE", "<address>", "<delivery>", "<id>"] {
        line = line.replace(id, NOBODY);
    }
    line.split_whitespace().map(|word| word.trim_matches(['"', '\'']).to_owned()).collect()
}

#[test]
fn every_command_on_the_pages_is_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![root.join("README.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|is| is == "md") {
                pages.push(path);
            }
        }
    }
    let mut commands = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap().replace("\\\n", " ");
        for line in text.lines().filter_map(|line| line.strip_prefix("    messaging-service ")) {
            let words = typed(line);
            let whole = ["messaging-service".to_owned()].into_iter().chain(words.clone());
            assert!(Cli::try_parse_from(whole).is_ok(), "{}: {words:?}", page.display());
            commands += 1;
        }
    }
    assert!(commands >= 30, "{commands}");
}
