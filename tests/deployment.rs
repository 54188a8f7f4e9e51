//! `docs/run/deployment`: what can be said of the files without a container engine or a cluster.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::Write as _,
    net::IpAddr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::Command,
};

use clap::Parser;
use domain::attachments::{Carriage, ContentType};
use reqwest::Method;
use serde_json::Value;
use server::{
    cli::Cli,
    config::{SETTINGS, Setting, Source},
};

use crate::support::{Api, Service, World, command, eventually, is_here, program};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Words of Prometheus's language with an underscore that are no metrics.
const FUNCTIONS: [&str; 3] = ["min_over_time", "max_over_time", "histogram_quantile"];
/// Selector of our own series in a Prometheus that others use, too.
const OURS: &str = "job=\"messaging-service\"";

/// Every file below the folder with its text.
fn below(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(below(&path));
        } else if let Ok(text) = fs::read_to_string(&path) {
            files.push((path, text));
        }
    }
    files
}

fn deployment() -> Vec<(PathBuf, String)> {
    below(&Path::new(ROOT).join("docs/run/deployment"))
}

/// The words of a text that such names are made of.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .filter(|word| !word.is_empty())
}

#[test]
fn every_setting_in_the_files_is_one() {
    let known: BTreeSet<String> = SETTINGS.iter().map(Setting::variable).collect();
    let mut found = 0;
    for (path, text) in deployment() {
        for word in words(&text).filter(|word| word.starts_with("MESSAGING_")) {
            assert!(known.contains(word), "{}: {word}", path.display());
            found += 1;
        }
    }
    assert!(found > 20, "{found}");
}

#[test]
fn every_command_in_the_files_is_one() {
    let lists = ["command: [", "args: [", "CMD ["];
    let mut commands: Vec<(PathBuf, Vec<String>)> = Vec::new();
    for (path, text) in deployment() {
        for line in text.lines() {
            let list = lists.iter().find_map(|list| line.trim().strip_prefix(list));
            let list =
                list.and_then(|list| list.strip_suffix(']')).filter(|list| !list.contains("pg_isready"));
            let unit = line.split_once("=/usr/local/bin/messaging-service ").map(|(_, rest)| rest);
            if let Some(words) = list {
                let words = words.split(',').map(|word| word.trim().trim_matches('"').to_owned());
                commands.push((path.clone(), words.collect()));
            } else if let Some(words) = unit {
                commands.push((path.clone(), words.split_whitespace().map(str::to_owned).collect()));
            }
        }
    }
    for (path, command) in &commands {
        let line = ["messaging-service".to_owned()].into_iter().chain(command.clone());
        assert!(Cli::try_parse_from(line).is_ok(), "{}: {command:?}", path.display());
    }
    assert!(commands.len() >= 8, "{commands:?}");
}

/// The names of all metrics that the sources write.
fn metrics() -> BTreeSet<String> {
    let sources = below(&Path::new(ROOT).join("crates"));
    let sources = sources.iter().filter(|(path, _)| path.extension().is_some_and(|is| is == "rs"));
    let mut names = BTreeSet::new();
    for (_, text) in sources {
        for macro_name in ["counter!(", "gauge!(", "histogram!("] {
            for rest in text.split(macro_name).skip(1) {
                let name = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
                names.extend(name.map(str::to_owned));
            }
        }
    }
    names
}

/// The metrics that an expression names; what is quoted are values of labels.
fn named(expression: &str) -> BTreeSet<String> {
    let expression = expression.split('"').step_by(2).collect::<Vec<_>>().join(" ");
    let metric = |word: &&str| word.contains('_') && word.starts_with(|letter: char| letter.is_lowercase());
    let of_language = |word: &&str| FUNCTIONS.contains(word);
    let words = words(&expression).filter(metric).filter(|word| !of_language(word));
    words.map(|word| word.strip_suffix("_bucket").unwrap_or(word).to_owned()).collect()
}

#[test]
fn alerts_and_dashboard_show_what_is_measured_and_all_of_it() {
    let known = metrics();
    let folder = Path::new(ROOT).join("docs/run/deployment/observability");
    let alerts = fs::read_to_string(folder.join("alerts.yaml")).unwrap();
    let expressions: Vec<&str> =
        alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).collect();
    assert!(expressions.len() >= 8 && expressions.len() == alerts.matches("- alert: ").count());
    for expression in expressions {
        let named = named(expression);
        assert!(!named.is_empty() && named.is_subset(&known), "{expression}: {named:?}");
        assert_eq!(
            expression.matches(OURS).count(),
            expression.matches("messaging_").count(),
            "{expression}"
        );
    }
    let dashboard = fs::read_to_string(folder.join("grafana-dashboard.json")).unwrap();
    let dashboard: Value = serde_json::from_str(&dashboard).unwrap();
    let mut shown = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let expression = target["expr"].as_str().unwrap();
            // What every process tells, ours among them, is shown as well.
            shown.extend(named(expression).into_iter().filter(|name| !name.starts_with("process_")));
            assert_eq!(expression.matches(OURS).count(), expression.matches('{').count(), "{expression}");
        }
    }
    assert_eq!(shown, known, "the dashboard shows every metric and no other");
    let page = fs::read_to_string(Path::new(ROOT).join("docs/run/operations.md")).unwrap();
    for name in known {
        assert!(page.contains(&format!("`{name}`")), "docs/run/operations.md does not name {name}");
    }
}

/// Whether a label's value is what a selector says, as far as our expressions go: a dot stands for any
/// letter, and `.+` at the end for any more of them.
fn fits(pattern: &str, value: &str) -> bool {
    let same = |(one, other): (char, char)| one == '.' || one == other;
    let (begins, value_begins) = match pattern.strip_suffix(".+") {
        Some(begins) => (begins, value.get(..begins.len()).filter(|begins| begins.len() < value.len())),
        None => (pattern, Some(value)),
    };
    value_begins.is_some_and(|value| {
        begins.chars().count() == value.chars().count() && begins.chars().zip(value.chars()).all(same)
    })
}

/// The counters that an expression names, each with the patterns of its labels; those of all but a value are
/// left out.
fn counters(expression: &str) -> Vec<(String, Vec<(String, String)>)> {
    let mut found = Vec::new();
    for (end, _) in expression.match_indices("_total") {
        let (before, rest) = expression.split_at(end);
        let rest = rest.strip_prefix("_total").unwrap();
        let name =
            before.rsplit(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').next().unwrap();
        let selector = rest.strip_prefix('{').and_then(|rest| rest.split('}').next()).unwrap_or_default();
        let labels = selector
            .split("\",")
            .filter_map(|label| label.split_once('='))
            .filter(|(name, _)| !name.ends_with('!') && *name != "job");
        let labels = labels.map(|(name, value)| (name.to_owned(), value.trim_matches(['~', '"']).to_owned()));
        found.push((format!("{name}_total"), labels.collect()));
    }
    found
}

/// A counter's first value is no increase: one that came with its first event would hide it from every rule.
#[tokio::test]
async fn what_is_counted_is_on_a_node_that_has_just_started_so_that_the_first_event_is_an_increase() {
    let world = World::new().await;
    let node = Service::start(&world.secrets).await;
    let metrics = Api::new(node.admin_url(), "").bare(Method::GET, "/metrics");
    let metrics = metrics.send().await.unwrap().text().await.unwrap();
    let folder = Path::new(ROOT).join("docs/run/deployment/observability");
    let alerts = fs::read_to_string(folder.join("alerts.yaml")).unwrap();
    let dashboard: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("grafana-dashboard.json")).unwrap()).unwrap();
    let panels = dashboard["panels"].as_array().unwrap().iter();
    let shown = panels
        .flat_map(|panel| panel["targets"].as_array().unwrap())
        .map(|one| one["expr"].as_str().unwrap());
    let rules = alerts.lines().filter_map(|line| line.trim().strip_prefix("expr: "));
    let named: BTreeSet<(String, Vec<(String, String)>)> = rules.chain(shown).flat_map(counters).collect();
    assert!(named.len() > 10, "{named:?}");
    for (name, labels) in named {
        let series: Vec<&str> = metrics
            .lines()
            .filter(|line| line.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['{', ' '])))
            .collect();
        assert!(!series.is_empty(), "{name} is not there: {metrics}");
        for (label, patterns) in labels {
            for pattern in patterns.split('|') {
                let of = |line: &&&str| {
                    let value =
                        line.split(&format!("{label}=\"")).nth(1).and_then(|rest| rest.split('"').next());
                    value.is_some_and(|value| fits(pattern, value))
                };
                assert!(series.iter().any(|line| of(&line)), "{name} has no {label} {pattern}: {series:?}");
            }
        }
    }
}

#[tokio::test]
async fn every_metric_of_a_node_has_a_help_text_a_unit_and_the_prefix() {
    let world = World::new().await;
    let api = Api::new(world.service.admin_url(), "");
    let metrics = eventually("what a node measures of itself", async || {
        let metrics = api.bare(Method::GET, "/metrics").send().await.unwrap().text().await.unwrap();
        metrics.contains("messaging_quarantine_posts").then_some(metrics)
    })
    .await;
    let told = |word: &str| -> BTreeMap<String, String> {
        let lines = metrics.lines().filter_map(|line| line.strip_prefix(word)?.split_once(' '));
        lines.map(|(name, rest)| (name.to_owned(), rest.to_owned())).collect()
    };
    let (helps, kinds) = (told("# HELP "), told("# TYPE "));
    for (name, kind) in &kinds {
        assert!(name.starts_with("messaging_") || name.starts_with("process_"), "{name}");
        assert!(helps.get(name).is_some_and(|help| help.len() > 5), "{name} has no help text");
        match kind.as_str() {
            // So is a process's by the convention of all exporters.
            "counter" => assert!(name.ends_with("_total"), "{name}"),
            "histogram" => assert!(name.ends_with("_seconds"), "{name}"),
            kind => assert_eq!(kind, "gauge", "{name}"),
        }
    }
    for name in [
        "messaging_build_info",
        "messaging_database_pool_connections_in_use",
        "messaging_database_pool_wait_seconds",
        "messaging_quarantine_posts",
        "process_resident_memory_bytes",
    ] {
        assert!(kinds.contains_key(name), "{name}: {metrics}");
    }
}

#[tokio::test]
async fn a_role_that_no_node_has_is_missed() {
    let world = World::new().await;
    let api = Service::start_with(&world.secrets, &[("MESSAGING_ROLES", "api")]).await;
    let told = async |service: &Service| {
        let metrics = Api::new(service.admin_url(), "").bare(Method::GET, "/metrics");
        let metrics = metrics.send().await.unwrap().text().await.unwrap();
        let roles = metrics.lines().filter_map(|line| line.strip_prefix("messaging_node_roles{role=\""));
        roles.map(|rest| rest.trim_end_matches("\"} 1").to_owned()).collect::<BTreeSet<String>>()
    };
    let all: BTreeSet<String> = ["api", "dispatcher", "worker"].map(str::to_owned).into();
    assert_eq!(told(&world.service).await, all);
    assert_eq!(told(&api).await, BTreeSet::from(["api".to_owned()]));
    let alerts = fs::read_to_string(Path::new(ROOT).join("docs/run/deployment/observability/alerts.yaml"));
    let alerts = alerts.unwrap();
    for role in all {
        assert!(
            alerts.contains(&format!("absent(messaging_node_roles{{{OURS},role=\"{role}\"}})")),
            "{role}: {alerts}"
        );
    }
}

#[test]
fn what_is_secret_or_built_here_goes_into_no_image_and_no_commit() {
    let lines = |name: &str| -> Vec<String> {
        fs::read_to_string(Path::new(ROOT).join(name)).unwrap().lines().map(str::to_owned).collect()
    };
    let (image, commit) = (lines(".dockerignore"), lines(".gitignore"));
    for left_out in [".git", "target", "**/*.env"] {
        assert!(image.iter().any(|line| line == left_out), "{left_out}: {image:?}");
    }
    for left_out in ["/target", "*.env", "!settings.example.env"] {
        assert!(commit.iter().any(|line| line == left_out), "{left_out}: {commit:?}");
    }
}

#[test]
fn a_proxy_on_the_machine_is_believed_with_and_without_a_container() {
    let example =
        fs::read_to_string(Path::new(ROOT).join("docs/run/deployment/settings.example.env")).unwrap();
    let said = |variable: &str| {
        let line = example.lines().find_map(|line| line.strip_prefix(variable)?.strip_prefix('='));
        line.map(str::to_owned)
    };
    let believed = Source::of(said, "", None).unwrap().dashboard().unwrap().trusted_proxies;
    for (address, wanted) in [
        ("127.0.0.1", true),
        ("::1", true),
        ("172.18.0.1", true),
        // Podman's own network, and those of its compose.
        ("10.88.0.1", true),
        ("10.89.3.1", true),
        ("10.0.0.1", false),
        ("10.90.0.1", false),
        ("192.0.2.1", false),
    ] {
        let address: IpAddr = address.parse().unwrap();
        assert_eq!(believed.iter().any(|range| range.contains(&address)), wanted, "{address}");
    }
}

#[test]
fn a_migration_in_the_unit_takes_as_long_as_it_takes() {
    let unit =
        fs::read_to_string(Path::new(ROOT).join("docs/run/deployment/messaging-service.service")).unwrap();
    let before = |line: &str| line.starts_with("ExecStartPre=") && line.ends_with(" migrate");
    assert!(unit.lines().any(before) && unit.lines().any(|line| line == "TimeoutStartSec=infinity"));
}

/// Five starts within ten seconds are the most that systemd makes otherwise, and an absent database ends one
/// at once.
#[test]
fn the_unit_waits_for_its_database_for_as_long_as_it_takes_and_a_refused_call_does_not_kill_it() {
    let unit =
        fs::read_to_string(Path::new(ROOT).join("docs/run/deployment/messaging-service.service")).unwrap();
    let (head, service) = unit.split_once("[Service]").unwrap();
    assert!(head.lines().any(|line| line == "StartLimitIntervalSec=0"), "{head}");
    for wanted in ["Restart=on-failure", "SystemCallErrorNumber=EPERM"] {
        assert!(service.lines().any(|line| line == wanted), "{wanted}: {service}");
    }
}

#[test]
fn the_proxies_let_through_what_the_service_takes() {
    let read =
        |name: &str| fs::read_to_string(Path::new(ROOT).join("docs/run/deployment").join(name)).unwrap();
    let (nginx, caddy) = (read("nginx.conf"), read("Caddyfile"));
    let operations = adapter_http::dashboard_operations();
    let (events, uploads) = ("/dashboard/api/events", "/dashboard/api/attachments");
    for path in [events, uploads] {
        assert!(operations.iter().any(|operation| operation.path == path), "{path}");
    }
    // The largest file that any network takes.
    let largest = Carriage::most_anywhere(ContentType::read("application/pdf")).unwrap();
    let megabytes = largest / (1024 * 1024);
    for wanted in [format!("client_max_body_size {megabytes}m;"), "proxy_request_buffering off;".to_owned()] {
        assert!(nginx.contains(&wanted), "{wanted}");
    }
    let location = nginx.split(&format!("location = {events} {{")).nth(1).unwrap();
    assert!(location.split('}').next().unwrap().contains("proxy_buffering off;"), "{location}");
    // Networks' posts are collected, and given up where they stop.
    let networks = nginx.split("location /networks/ {").nth(1).unwrap().split('}').next().unwrap();
    for wanted in ["proxy_request_buffering on;", "client_max_body_size 8m;"] {
        assert!(networks.contains(wanted), "{networks}");
    }
    assert!(caddy.contains("handle /networks/* {") && caddy.contains("request_buffers 8MiB"), "{caddy}");
    assert!(caddy.contains("read_timeout 5s 65536"), "{caddy}");
    // No node is held for dead, or a rolling restart would find none.
    let nodes = nginx.lines().filter(|line| line.trim().trim_start_matches("# ").starts_with("server 127."));
    assert!(nodes.clone().count() > 1 && nodes.clone().all(|node| node.ends_with("max_fails=0;")), "{nginx}");
    // Longer than a send waits for the network, and than live events are silent.
    let seconds = |text: &str, before: &str| -> u64 {
        let rest = text.split(before).nth(1).unwrap().trim_start();
        rest.split(|letter: char| !letter.is_ascii_digit()).next().unwrap().parse().unwrap()
    };
    assert!(seconds(networks, "client_body_timeout") <= 5);
    assert!(seconds(&nginx, "proxy_read_timeout") > 60 && seconds(&caddy, "response_header_timeout") > 60);
    // A node that goes away is missed before it takes nothing any more, and one that has come is found soon.
    let delay = Source::of(|_: &str| None, "", None).unwrap().serve().unwrap().stop_delay.as_secs();
    assert!(seconds(&caddy, "health_interval") < delay && seconds(&caddy, "lb_try_duration") > delay);
    // Caddy has no limit of its own for bodies.
    assert!(caddy.contains("flush_interval -1") && !caddy.contains("max_size"), "{caddy}");
}

/// Kubernetes names the Services of a namespace by variables that begin with their names.
#[test]
fn a_variable_that_kubernetes_makes_of_the_service_is_no_setting_so_pods_are_told_of_none() {
    let folder = Path::new(ROOT).join("docs/run/deployment/kubernetes");
    let refused =
        program().arg("migrate").env("MESSAGING_SERVICE_PORT", "tcp://10.0.0.1:80").output().unwrap();
    let said = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(1) && said.contains("MESSAGING_SERVICE_PORT"), "{said}");
    for (path, text) in below(&folder) {
        let pods = text.matches("containers:").count();
        assert_eq!(text.matches("enableServiceLinks: false").count(), pods, "{}", path.display());
    }
}

#[test]
fn the_probes_ask_the_admin_port_where_the_settings_put_it() {
    let folder = Path::new(ROOT).join("docs/run/deployment/kubernetes");
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let settings = read("kustomization.yaml");
    let port = |setting: &str| {
        let line = settings.lines().find_map(|line| line.trim().strip_prefix(&format!("- {setting}=")));
        line.and_then(|address| address.rsplit(':').next()).unwrap().to_owned()
    };
    let (api, worker) = (read("api.yaml"), read("worker.yaml"));
    let admin = port("MESSAGING_ADMIN_LISTEN");
    for text in [&api, &worker] {
        assert!(text.contains(&format!("name: admin, containerPort: {admin}")), "{text}");
        assert!(text.contains(&format!("prometheus.io/port: \"{admin}\"")), "{text}");
        let probes = text.lines().filter_map(|line| line.trim().strip_prefix("httpGet: "));
        let wanted = ["{ path: /healthz, port: admin }", "{ path: /readyz, port: admin }"];
        assert_eq!(probes.collect::<BTreeSet<_>>(), BTreeSet::from(wanted));
        // One pod alone is drained, too.
        assert!(text.contains("maxUnavailable: 1\n") && !text.contains("minAvailable"), "{text}");
    }
    let listens = port("MESSAGING_LISTEN");
    assert!(api.contains(&format!("name: api, containerPort: {listens}")), "{api}");
}

/// As `MemoryDenyWriteExecute` wants it.
#[tokio::test]
async fn no_memory_of_the_program_can_be_both_written_and_run() {
    fn rights(line: &str) -> &str {
        line.split(' ').nth(1).unwrap_or_default()
    }
    let world = World::new().await;
    let maps = fs::read_to_string(format!("/proc/{}/maps", world.service.id())).unwrap();
    let both = |line: &&str| rights(line).contains('w') && rights(line).contains('x');
    assert_eq!(maps.lines().filter(both).collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(maps.lines().any(|line| rights(line).contains('x')), "{maps}");
}

#[test]
fn the_unit_is_one_that_systemd_takes() {
    if is_here("systemd-analyze", "--version", "the check of the unit") {
        let text = fs::read_to_string(Path::new(ROOT).join("docs/run/deployment/messaging-service.service"));
        // It looks for the program, too.
        let text = text
            .unwrap()
            .replace("/usr/local/bin/messaging-service", env!("CARGO_BIN_EXE_messaging-service"));
        let folder = tempfile::tempdir().unwrap();
        let unit = folder.path().join("messaging-service.service");
        fs::write(&unit, text).unwrap();
        let output =
            Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&unit).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let ours: Vec<&str> = said.lines().filter(|line| line.contains("messaging-service")).collect();
        assert!(output.status.success() && ours.is_empty(), "{said}");
        // From 0 for what may do nothing to 100 for what may do everything, in tenths.
        let exposed = ["security", "--offline=true", "--no-pager", "--threshold=20"];
        let output = Command::new("systemd-analyze").args(exposed).arg(&unit).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn kustomize_renders_the_base_and_no_container_may_more_than_it_needs() {
    if is_here("kubectl", "help", "the check of the base") {
        let folder = Path::new(ROOT).join("docs/run/deployment/kubernetes");
        let output = Command::new("kubectl").arg("kustomize").arg(folder).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let parts: Vec<&str> = said.split("\n---\n").collect();
        let of = |kind: &str| parts.iter().filter(|part| part.contains(&format!("\nkind: {kind}\n"))).count();
        assert_eq!((of("Deployment"), of("Job"), of("PodDisruptionBudget"), of("Service")), (2, 1, 2, 1));
        let containers = parts.iter().filter(|part| part.contains("containers:"));
        for part in containers {
            for wanted in [
                "readOnlyRootFilesystem: true",
                "runAsNonRoot: true",
                "runAsUser: 65532",
                "allowPrivilegeEscalation: false",
                "enableServiceLinks: false",
                "image: registry.example/messaging-service:0.1.0",
                "name: messaging-service-secrets",
            ] {
                assert!(part.contains(wanted), "{wanted}: {part}");
            }
            let serves = part.contains("- serve");
            // A hook that migrates runs before the settings are there, and may know no more than where the
            // database is.
            assert_eq!(part.contains("name: messaging-service-settings-"), serves, "{part}");
            assert_eq!(part.contains("key: MESSAGING_DATABASE_URL"), !serves, "{part}");
            for probe in ["path: /readyz", "path: /healthz", "terminationGracePeriodSeconds: 90"] {
                assert_eq!(part.contains(probe), serves, "{probe}: {part}");
            }
        }
    }
}

/// The program as the unit and the containers run it: nothing of the machine may be written but the folder of
/// files, the user is nobody in particular and has no capability, and may never get one.
#[tokio::test]
async fn the_program_serves_with_a_root_that_it_cannot_write_and_without_any_right() {
    if !is_here("unshare", "--version", "the program under restrictions")
        || !is_here("setpriv", "--version", "the program under restrictions")
    {
        return;
    }
    let world = World::new().await;
    let files = tempfile::tempdir().unwrap();
    fs::set_permissions(files.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let inner = format!(
        "mount -o remount,bind,ro / && mount --bind {files} {files} && mount -o remount,bind,rw {files} && \
         exec setpriv --reuid=65532 --regid=65532 --clear-groups --bounding-set=-all --inh-caps=-all \
         --no-new-privs {program} \"$@\"",
        files = files.path().display(),
        program = env!("CARGO_BIN_EXE_messaging-service"),
    );
    let restricted = |arguments: &[&str]| {
        let mut unshare = Command::new("unshare");
        unshare.args(["--mount", "--propagation", "private", "sh", "-c", &inner, "sh"]).args(arguments);
        let secrets = &world.secrets;
        for (name, value) in command(secrets).get_envs() {
            match value {
                Some(value) => unshare.env(name, value),
                None => unshare.env_remove(name),
            };
        }
        unshare.env("MESSAGING_FILES_FOLDER", files.path());
        unshare
    };
    // Whoever runs the tests may be nobody who can lay out a root.
    let probe = restricted(&["settings"]).output().unwrap();
    let said = String::from_utf8_lossy(&probe.stderr);
    if said.contains("unshare failed") || said.contains("permission denied") {
        let _ = writeln!(std::io::stderr(), "SKIPPED: the program under restrictions: {said}");
        return;
    }
    assert!(probe.status.success(), "{said}");
    let migrated = restricted(&["migrate"]).output().unwrap();
    assert!(migrated.status.success(), "{}", String::from_utf8_lossy(&migrated.stderr));

    let mut service = Service::start_as(restricted(&["serve"]), &[]).await;
    let status = fs::read_to_string(format!("/proc/{}/status", service.id())).unwrap();
    for line in [
        "Uid:\t65532\t65532\t65532\t65532",
        "CapEff:\t0000000000000000",
        "CapBnd:\t0000000000000000",
        "NoNewPrivs:\t1",
    ] {
        assert!(status.contains(line), "{line}: {status}");
    }
    let admin = service.admin_url().strip_prefix("http://").unwrap().to_owned();
    // It would say if it could not keep files, too.
    let json = "{\"message\":\"alive\"}\n";
    for (arguments, wanted) in
        [(&["health"][..], "alive\n"), (&["health", "--ready"], "ready\n"), (&["health", "--json"], json)]
    {
        let asked = restricted(arguments).env("MESSAGING_ADMIN_LISTEN", &admin).output().unwrap();
        let said = (String::from_utf8(asked.stdout).unwrap(), String::from_utf8(asked.stderr).unwrap());
        assert_eq!(said, (wanted.to_owned(), String::new()));
    }
    assert!(service.terminate(), "{:?}", service.log());

    let gone = restricted(&["health"]).env("MESSAGING_ADMIN_LISTEN", &admin).output().unwrap();
    assert_eq!(gone.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&gone.stderr).contains("the service does not answer"));
}
