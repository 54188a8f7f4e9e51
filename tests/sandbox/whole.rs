//! What a sandbox has for an operator and for members.

use std::{os::unix::fs::PermissionsExt, path::Path};

use adapter_postgres::testing::TestDatabase;
use serde_json::json;

use super::Sandbox;
use crate::support::{Browser, program};

#[tokio::test]
async fn an_operators_command_works_with_its_file_and_its_members_sign_in() {
    let database = TestDatabase::fresh().await;
    let sandbox = Sandbox::start(Some(&database), &[]).await;
    let (file, workspace) = (sandbox.text("/configuration"), sandbox.text("/workspaceId"));
    let said = |arguments: &[&str]| {
        let output = program().args(["--config", file]).args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(std::fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(std::fs::read_to_string(file).unwrap().contains(sandbox.text("/masterKey")));

    // The database and its keys, the network, and where events may go.
    let team = said(&["member", "list", workspace]);
    let joined = team.lines().filter(|line| line.contains("  yes  ")).count();
    assert_eq!((team.lines().count(), joined), (3, 2), "{team}");
    assert!(said(&["master-key", "check"]).contains("The keys are this database's."));
    assert!(said(&["account", "sync", workspace, "--id", "102290129340398"]).starts_with("templates: "));
    assert!(said(&["webhook", "add", workspace, "http://127.0.0.1:9/events"]).contains("whsec_"));
    let link = said(&["member", "invite", workspace, "--email", "more@rafidain.example"]);
    assert!(link.contains(&format!("{}/invitation#", sandbox.text("/dashboardUrl"))), "{link}");

    // Its ports, and its model.
    assert!(said(&["health"]).contains("alive"));
    assert!(said(&["assistant", "show", workspace]).contains("stand-in"));
    said(&["assistant", "set", workspace, "--mode", "on"]);

    let members = sandbox.ready["members"].as_array().unwrap();
    let roles: Vec<&str> = members.iter().map(|member| member["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["owner", "agent"]);
    for (member, may) in members.iter().zip([200, 403]) {
        let text = |name: &str| member[name].as_str().unwrap();
        assert!(team.contains(text("email")), "{team}");
        let base_url = sandbox.text("/dashboardUrl").strip_suffix("/dashboard").unwrap();
        let mut browser = Browser::new(base_url);
        let given = json!({ "email": text("email"), "password": text("password") });
        let signed_in = browser.post("/sign-in", &given).await;
        assert_eq!(signed_in.status, 200, "{signed_in:?}");
        browser.keep(&signed_in);
        assert_eq!(browser.get("/me").await.text("/member/role"), text("role"));
        assert_eq!(browser.get("/api-keys").await.status, may);
    }
    let file = file.to_owned();
    assert_eq!(sandbox.end("-TERM").await, (Vec::new(), Some(0)));
    assert!(!Path::new(&file).exists(), "it holds keys");
}
