//! `doctor` and the guide that it goes with, played against the simulator by the real program.

use std::{collections::BTreeSet, process::Command};

use clap::Parser;
use reqwest::Method;
use serde_json::{Value, json};
use server::{
    cli::Cli,
    config::{SETTINGS, Setting},
};

use crate::support::{Answer, Api, CLINIC, Mailbox, SHOP, Service, World, command, program};

const GUIDE: &str = include_str!("../docs/use/getting-started.md");

/// Runs the doctor; returns its report and its exit code.
fn examined(command: &mut Command) -> (Value, Option<i32>) {
    let output = command.args(["doctor", "--json"]).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let report = serde_json::from_str(&said)
        .unwrap_or_else(|_| panic!("{said}{}", String::from_utf8_lossy(&output.stderr)));
    (report, output.status.code())
}

/// The checks that found something wrong, with what.
fn wrong(report: &Value) -> Vec<(String, String)> {
    let checks = report["checks"].as_array().unwrap().iter().filter(|check| check["ok"] == false);
    let text = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
    let wrong = checks.inspect(|check| assert!(!text(check, "mend").contains('\n'), "{check}"));
    wrong.map(|check| (text(check, "check"), text(check, "problem"))).collect()
}

fn of(world: &World) -> Command {
    let mut doctor = command(&world.secrets);
    doctor.env("MESSAGING_PUBLIC_URL", world.service.base_url());
    doctor
}

#[tokio::test]
async fn where_everything_is_in_place_the_doctor_says_so_of_every_check() {
    let world = World::new().await;
    world.operator(&["page", "connect", &world.workspace, "--token", "token-of-the-demo"]);
    let (report, code) = examined(of(&world).env("MESSAGING_APP_ID", ""));
    assert_eq!((wrong(&report), code), (Vec::new(), Some(0)), "{report:#}");
    let names: BTreeSet<&str> =
        report["checks"].as_array().unwrap().iter().map(|check| check["check"].as_str().unwrap()).collect();
    let wanted = [
        "settings",
        "database",
        "keys",
        "files",
        "clock",
        "callback",
        "app-secret",
        "token",
        "permissions",
        "subscription",
        "fields",
        "numbers",
        "templates",
    ];
    assert_eq!(names, BTreeSet::from(wanted));
    let one = of(&world).args(["doctor", &world.workspace]).output().unwrap();
    let said = String::from_utf8(one.stdout).unwrap();
    assert!(said.ends_with("everything is in place\n") && said.contains(&format!("of {CLINIC}")), "{said}");
    let nobody = of(&world).args(["doctor", "0197f3c2-7c1a-7e55-9d0e-000000000000"]).output().unwrap();
    let found = String::from_utf8(nobody.stdout).unwrap();
    let mend = "WRONG  accounts: there is no such workspace\n       mend: name a workspace by its id";
    assert!(nobody.status.code() == Some(1) && found.contains(mend), "{found}");
    for secret in [&world.secrets.master_key, &world.secrets.app_secret, &world.secrets.verify_token] {
        assert!(!said.contains(secret.as_str()) && !report.to_string().contains(secret.as_str()));
    }
}

#[tokio::test]
async fn what_is_wrong_here_is_named_with_a_mend() {
    let world = World::new().await;
    let no_database = format!("{}_missing", world.secrets.database_url);
    let joined = if world.secrets.database_url.contains('?') { '&' } else { '?' };
    let read_only = "options=-c%20default_transaction_read_only%3Don";
    let standby = format!("{}{joined}{read_only}", world.secrets.database_url);
    let other_key = "77".repeat(32);
    let nowhere = "http://127.0.0.1:1";
    for (variable, value, check, words, mend) in [
        ("MESSAGING_LISTEN", "8080", "settings", "MESSAGING_LISTEN", "settings"),
        ("MESSAGING_APP_SECRET", "", "settings", "MESSAGING_APP_SECRET", "settings"),
        ("MESSAGING_OTLP_URL", "collector", "settings", "MESSAGING_OTLP_URL", "settings"),
        ("MESSAGING_ALLOW_NETWORKS", "10.0.0.0/x", "settings", "MESSAGING_ALLOW_NETWORKS", "settings"),
        ("MESSAGING_DATABASE_URL", &*no_database, "database", "no such database", "MESSAGING_DATABASE_URL"),
        ("MESSAGING_DATABASE_URL", &standby, "database", "takes no changes", "MESSAGING_DATABASE_URL"),
        ("MESSAGING_MASTER_KEY", &other_key, "keys", "MESSAGING_MASTER_KEY", "keys"),
        ("MESSAGING_FILES_FOLDER", "/dev/null/files", "files", "MESSAGING_FILES_FOLDER", "folder"),
        ("MESSAGING_LOG", "debg", "settings", "MESSAGING_LOG", "settings"),
        ("MESSAGING_LOG", "info,foo=bar", "settings", "MESSAGING_LOG", "settings"),
        ("MESSAGING_GRAPH_URL", "http://meta.example", "settings", "MESSAGING_GRAPH_URL", "settings"),
        ("MESSAGING_TLS_KEY", "/nofile", "settings", "MESSAGING_TLS_CERTIFICATE: is empty", "settings"),
        ("MESSAGING_S3_ENDPOINT", "http://127.0.0.1:1", "settings", "MESSAGING_S3_BUCKET", "settings"),
        ("MESSAGING_SMTP_URL", "smtp://127.0.0.1:1", "mail", "127.0.0.1:1", "MESSAGING_SMTP_URL"),
        (
            "MESSAGING_PUBLIC_URL",
            "",
            "callback",
            "MESSAGING_PUBLIC_URL is not set",
            "set MESSAGING_PUBLIC_URL",
        ),
        ("MESSAGING_PUBLIC_URL", nowhere, "callback", "no answer: Connection refused", "start the service"),
        ("MESSAGING_VERIFY_TOKEN", "another", "callback", "another verify token", "MESSAGING_VERIFY_TOKEN"),
        ("MESSAGING_APP_SECRET", "another", "app-secret", "proof", "MESSAGING_APP_SECRET"),
        ("MESSAGING_APP_ID", "42", "token", "MESSAGING_APP_ID is 42", "set MESSAGING_APP_ID"),
        // What cannot be reached has a clock of which nothing is known, and a token that may be right.
        (
            "MESSAGING_GRAPH_URL",
            nowhere,
            "clock",
            "no answer: Connection refused",
            "reach MESSAGING_GRAPH_URL",
        ),
        ("MESSAGING_GRAPH_URL", nowhere, "token", "", "reach MESSAGING_GRAPH_URL"),
    ] {
        let mut doctor = of(&world);
        doctor.env("MESSAGING_MAIL_FROM", "no-reply@palm.example").env(variable, value);
        let (report, code) = examined(&mut doctor);
        let found = wrong(&report);
        assert_eq!(code, Some(1), "{variable}: {report:#}");
        assert!(
            found.iter().any(|(name, problem)| name == check && problem.contains(words)),
            "{variable}: {found:?}"
        );
        let of_it = |found: &&Value| {
            found["check"] == check
                && found["problem"].as_str().is_some_and(|problem| problem.contains(words))
        };
        let told = report["checks"].as_array().unwrap().iter().find(of_it).unwrap();
        assert!(told["mend"].as_str().unwrap().contains(mend), "{variable}: {told}");
        let text = String::from_utf8(doctor.output().unwrap().stdout).unwrap();
        assert!(!text.contains(&other_key), "{text}");
    }
}

#[tokio::test]
async fn a_folder_for_files_is_tried_and_never_made() {
    let world = World::new().await;
    let elsewhere = tempfile::tempdir().unwrap();
    // By default it stands where the program is run.
    for folder in ["", "below/files"] {
        let mut doctor = of(&world);
        doctor.current_dir(elsewhere.path());
        match folder {
            "" => doctor.env_remove("MESSAGING_FILES_FOLDER"),
            folder => doctor.env("MESSAGING_FILES_FOLDER", folder),
        };
        let (report, code) = examined(&mut doctor);
        assert_eq!((wrong(&report), code), (Vec::new(), Some(0)), "{report:#}");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{folder}");
    }
}

#[tokio::test]
async fn a_certificate_that_cannot_be_served_is_one_of_the_settings() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let [one, other] =
        [(), ()].map(|()| rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap());
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let certificate = file("certificate.pem", &one.cert.pem());
    let key = file("key.pem", &one.signing_key.serialize_pem());
    let other = file("other.pem", &other.signing_key.serialize_pem());
    for (certificate, key, words) in [
        (&*certificate, &*key, None),
        (&*certificate, "", Some("MESSAGING_TLS_KEY: is empty")),
        ("/nofile", &*key, Some("MESSAGING_TLS_CERTIFICATE: cannot read /nofile")),
        (&*certificate, "/nofile", Some("MESSAGING_TLS_KEY: cannot read /nofile")),
        (&*key, &*key, Some("key.pem holds no certificate in PEM form")),
        (&*certificate, &*other, Some("other.pem cannot be used together")),
    ] {
        let settings = [("MESSAGING_TLS_CERTIFICATE", certificate), ("MESSAGING_TLS_KEY", key)];
        let (report, _) = examined(of(&world).envs(settings));
        match words {
            None => assert_eq!(wrong(&report), Vec::new()),
            Some(words) => {
                let found = wrong(&report);
                let is_it =
                    |(check, problem): &(String, String)| check == "settings" && problem.contains(words);
                assert!(found.len() == 1 && found.iter().all(is_it), "{words}: {found:?}");
                // The service does not start with it either, for the same reason.
                let mut serve = command(&world.secrets);
                serve.env("MESSAGING_LISTEN", "127.0.0.1:0").env("MESSAGING_ADMIN_LISTEN", "127.0.0.1:0");
                let ended = serve.envs(settings).arg("serve").output().unwrap();
                let said = String::from_utf8(ended.stderr).unwrap();
                assert!(said.contains(words) && !ended.status.success(), "{words}: {said}");
            }
        }
    }
}

#[test]
fn all_settings_that_are_missing_are_told_at_once_and_nothing_is_said_of_what_they_are_for() {
    let (report, code) = examined(program().env("MESSAGING_MASTER_KEY", ""));
    let wanted = [
        "MESSAGING_DATABASE_URL: is not set",
        "MESSAGING_MASTER_KEY: is empty",
        "MESSAGING_APP_SECRET: is not set",
        "MESSAGING_VERIFY_TOKEN: is not set",
    ];
    let wanted = wanted.map(|problem| ("settings".to_owned(), problem.to_owned()));
    assert_eq!((wrong(&report), code), (wanted.to_vec(), Some(1)), "{report:#}");
}

#[tokio::test]
async fn a_certificate_that_nobody_trusts_is_named_with_its_own_mend() {
    let world = World::new().await;
    let folder = tempfile::tempdir().unwrap();
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let certificate = file("certificate.pem", &made.cert.pem());
    let key = file("key.pem", &made.signing_key.serialize_pem());
    let tls = [("MESSAGING_TLS_CERTIFICATE", certificate.as_str()), ("MESSAGING_TLS_KEY", key.as_str())];
    let service = Service::start_with(&world.secrets, &tls).await;
    let mut doctor = of(&world);
    doctor.env("MESSAGING_PUBLIC_URL", service.base_url().replace("http://", "https://"));
    let (report, code) = examined(&mut doctor);
    let checks = report["checks"].as_array().unwrap();
    let callback = checks.iter().find(|check| check["check"] == "callback" && check["about"].is_null());
    let callback = callback.unwrap();
    let says = |key: &str, words: &str| callback[key].as_str().is_some_and(|said| said.contains(words));
    assert!(code == Some(1) && says("problem", "the certificate is not trusted: "), "{callback}");
    assert!(says("mend", "with a certificate that Meta and browsers trust"), "{callback}");
    let verify_token = world.secrets.verify_token.as_str();
    assert!(!report.to_string().contains(verify_token), "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_server_has_to_take_what_it_is_given_and_not_only_the_connection() {
    let world = World::new().await;
    let mailbox = Mailbox::open().await;
    let plain = mailbox.url();
    for (url, words) in [
        (plain.to_owned(), None),
        (plain.replace("smtp://", "smtp://user:hunter2@"), Some("authentication mechanism")),
        (format!("{plain}?tls=required"), Some("STARTTLS")),
        (plain.replace("smtp://", "smtps://"), Some("cannot be reached")),
    ] {
        let mut doctor = of(&world);
        doctor.env("MESSAGING_MAIL_FROM", "no-reply@palm.example").env("MESSAGING_SMTP_URL", &url);
        let (report, _) = examined(&mut doctor);
        let found: Vec<(String, String)> = wrong(&report);
        match words {
            None => assert_eq!(found, Vec::new(), "{url}"),
            Some(words) => assert!(
                found.len() == 1 && found[0].0 == "mail" && found[0].1.contains(words),
                "{url}: {found:?}"
            ),
        }
        assert!(!report.to_string().contains("hunter2"), "{report}");
    }
    let mut doctor = of(&world);
    let (report, _) = examined(doctor.env("MESSAGING_MAIL_FROM", "nobody").env("MESSAGING_SMTP_URL", plain));
    assert!(wrong(&report).iter().any(|(check, problem)| check == "mail" && problem.contains("the sender")));
    let checks = report["checks"].as_array().unwrap();
    let mail = checks.iter().find(|check| check["check"] == "mail").unwrap();
    assert!(mail["mend"].as_str().unwrap().starts_with("set MESSAGING_MAIL_FROM"), "{mail}");
    assert_eq!(mailbox.mails(), Vec::<String>::new());
}

#[tokio::test]
async fn what_is_wrong_at_the_network_is_named_with_the_account() {
    let world = World::new().await;
    world.simulator.set_faults(&json!([{ "kind": "error", "code": 190, "on": "reads" }])).unwrap();
    let (report, _) = examined(&mut of(&world));
    assert!(
        wrong(&report).iter().any(|(check, problem)| check == "token" && problem.contains("190")),
        "{report:#}"
    );
    // It is reached, so that no firewall is in the way.
    world.simulator.set_faults(&json!([{ "kind": "error", "code": 2, "on": "reads" }])).unwrap();
    let (report, _) = examined(&mut of(&world));
    let checks = report["checks"].as_array().unwrap();
    let token = checks.iter().find(|check| check["check"] == "token").unwrap();
    let mend = token["mend"].as_str().unwrap();
    assert!(mend.contains("run the doctor again") && !mend.contains("firewall"), "{token}");
    world.simulator.set_faults(&json!([])).unwrap();

    let pending = json!({ "phoneNumberId": "106540352242944", "status": "BANNED" });
    world.control(Method::PUT, "numbers", &pending).await;
    let (report, code) = examined(&mut of(&world));
    let found = wrong(&report);
    assert!(code == Some(1) && found.len() == 1, "{found:?}");
    assert!(found[0].0 == "numbers" && found[0].1.contains("BANNED"), "{found:?}");
    let about = report["checks"].as_array().unwrap().iter().find(|check| check["ok"] == false).unwrap();
    assert_eq!(about["about"], CLINIC);
    // What the mend says does not help while the number is banned, and says why.
    assert!(about["mend"].as_str().unwrap().contains("WhatsApp Manager"), "{about}");
    world
        .control(
            Method::PUT,
            "numbers",
            &json!({ "phoneNumberId": "106540352242944", "status": "CONNECTED" }),
        )
        .await;
    world.operator(&["account", "sync", &world.workspace, "--id", CLINIC]);

    // One of two numbers, and then nobody has read that it is back.
    let number = "106540352242922";
    world.control(Method::PUT, "numbers", &json!({ "phoneNumberId": number, "status": "BANNED" })).await;
    let problem = |report: &Value| wrong(report).into_iter().map(|(_, problem)| problem).collect::<Vec<_>>();
    assert_eq!(problem(&examined(&mut of(&world)).0), ["+964 770 000 0001 is BANNED"]);
    world.operator(&["account", "sync", &world.workspace, "--id", SHOP]);
    assert_eq!(problem(&examined(&mut of(&world)).0), Vec::<String>::new());
    world.control(Method::PUT, "numbers", &json!({ "phoneNumberId": number, "status": "CONNECTED" })).await;
    assert_eq!(problem(&examined(&mut of(&world)).0), ["+964 770 000 0001 is not connected here"]);
    world.operator(&["account", "sync", &world.workspace, "--id", SHOP]);

    world.operator(&["account", "disconnect", &world.workspace, "--id", SHOP]);
    world.operator(&["account", "disconnect", &world.workspace, "--id", CLINIC]);
    let (report, _) = examined(&mut of(&world));
    let found = wrong(&report);
    assert!(found.iter().all(|(check, _)| check == "accounts"), "{found:?}");
}

/// Calls the network in the name of an account's owner, as somebody with its token could.
async fn at_meta(world: &World, method: Method, path: &str) {
    let (secret, token) = (world.secrets.app_secret.clone().into(), "token-of-the-demo".to_owned().into());
    let proof = graph_client::signature::appsecret_proof(&secret, &token);
    let base = world.secrets.graph_url.trim_end_matches('/');
    let joined = if path.contains('?') { '&' } else { '?' };
    let path = format!("/v25.0/{path}{joined}appsecret_proof={proof}");
    let answer = Answer::to(Api::new(base, "token-of-the-demo").request(method, &path)).await;
    assert_eq!(answer.body, json!({ "success": true }));
}

#[tokio::test]
async fn what_somebody_forgot_at_the_network_is_named_with_the_account() {
    let world = World::new().await;
    world.connect_page();
    let (page, instagram) = ("1234567890", "17841400000000001");
    let found = |about: &str| {
        let (report, _) = examined(&mut of(&world));
        let checks = report["checks"].as_array().unwrap().clone();
        let wrong = checks.iter().filter(|check| check["ok"] == false && check["about"] == about);
        wrong
            .map(|check| {
                format!("{}: {}", check["check"].as_str().unwrap(), check["problem"].as_str().unwrap())
            })
            .collect::<Vec<_>>()
    };
    assert_eq!(found(SHOP), Vec::<String>::new());

    let forgotten = json!({ "withheldPermissions": ["whatsapp_business_messaging", "pages_messaging"] });
    world.control(Method::PUT, "app", &forgotten).await;
    assert_eq!(found(SHOP), ["permissions: it lacks whatsapp_business_messaging"]);
    assert_eq!(found(page), ["permissions: it lacks pages_messaging"]);

    world
        .control(Method::PUT, "app", &json!({ "withheldFields": ["user_preferences", "account_update"] }))
        .await;
    assert_eq!(found(SHOP), ["fields: it lacks user_preferences, account_update"]);
    assert_eq!(found(page), Vec::<String>::new());
    let forgotten = json!({
        "withheldPermissions": ["instagram_manage_messages"],
        "withheldFields": ["messaging_seen", "message_reads"],
    });
    world.control(Method::PUT, "app", &forgotten).await;
    assert_eq!(found(page), ["permissions: it lacks instagram_manage_messages"]);
    world
        .control(Method::PUT, "app", &json!({ "withheldFields": ["messaging_seen", "message_reads"] }))
        .await;
    assert_eq!(found(page), ["fields: it lacks message_reads"]);
    assert_eq!(found(instagram), ["fields: it lacks messaging_seen"]);
    world.control(Method::PUT, "app", &json!({})).await;

    // The app at the network still has the address of an installation before.
    world
        .simulator
        .set_webhook_url(Some("http://127.0.0.1:1/networks/meta/webhook".parse().unwrap()))
        .unwrap();
    let here = world.service.network_webhook();
    let elsewhere =
        format!("callback: the network posts to http://127.0.0.1:1/networks/meta/webhook, and not to {here}");
    for about in [SHOP, CLINIC, page, instagram] {
        assert_eq!(found(about), [elsewhere.as_str()], "{about}");
    }
    world.simulator.set_webhook_url(Some(here)).unwrap();

    at_meta(&world, Method::DELETE, &format!("{SHOP}/subscribed_apps")).await;
    assert_eq!(found(SHOP), ["subscription: the network sends nothing of this account"]);
    assert_eq!(found(CLINIC), Vec::<String>::new());
    let some = "messages,messaging_postbacks,message_deliveries,message_reads,message_echoes,message_reactions,message_edits";
    at_meta(&world, Method::POST, &format!("{page}/subscribed_apps?subscribed_fields={some}")).await;
    assert_eq!(found(page), ["subscription: it lacks messaging_optins, messaging_referrals, standby"]);
    // The mend is the one that the doctor names.
    world.connect_page();
    world.operator(&["account", "connect", &world.workspace, "--id", SHOP, "--token", "token-of-the-demo"]);
    assert_eq!((found(page), found(SHOP)), (Vec::new(), Vec::new()));

    let pending = json!([{ "name": "order_ready", "language": "ar", "status": "PENDING", "category": "UTILITY",
        "components": [{ "type": "BODY", "text": "..." }] }]);
    world
        .control(
            Method::PUT,
            "templates",
            &json!({ "accountId": CLINIC, "templates": pending, "replace": true }),
        )
        .await;
    world.operator(&["account", "sync", &world.workspace, "--id", CLINIC]);
    assert_eq!(found(CLINIC), ["templates: no template is approved"]);
}

#[test]
fn the_guide_has_the_fields_that_the_doctor_looks_for() {
    let row = |product: &str| {
        let line = GUIDE.lines().find(|line| line.starts_with(&format!("| {product}"))).unwrap();
        line.split('`').skip(1).step_by(2).collect::<Vec<_>>()
    };
    assert_eq!(row("WhatsApp Business Account |"), adapter_whatsapp::subscribed_fields().collect::<Vec<_>>());
    assert_eq!(row("Instagram |"), adapter_messenger::instagram_fields().collect::<Vec<_>>());
    assert_eq!(row("Page (for Messenger)"), adapter_messenger::subscribed_fields().collect::<Vec<_>>());
}

/// The guide's commands are run in `guide`.
#[test]
fn every_command_and_setting_of_the_guide_is_one() {
    let known: BTreeSet<String> = SETTINGS.iter().map(Setting::variable).collect();
    let names = GUIDE.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    for name in names.filter(|name| name.starts_with("MESSAGING_") && *name != "MESSAGING_") {
        assert!(known.contains(name), "{name}");
    }
    let id = "0197f3c2-7c1a-7e55-9d0e-000000000000";
    let mut commands = 0;
    for line in GUIDE.lines().filter_map(|line| line.strip_prefix("    messaging-service ")) {
        let ends = [" < ", " 2> ", " #"];
        let line = ends.iter().fold(line, |line, end| line.split(end).next().unwrap());
        let line = line.replace("\"$WORKSPACE\"", id).replace("\"$ACCOUNT\"", "42");
        let words = line.replace("\"Palm Store\"", "Palm");
        let words = ["messaging-service"].into_iter().chain(words.split_whitespace());
        let parsed = Cli::try_parse_from(words.clone());
        assert!(parsed.is_ok(), "{:?}", words.collect::<Vec<_>>());
        commands += 1;
    }
    assert!(commands >= 10, "{commands}");
}
