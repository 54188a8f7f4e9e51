//! Every setting of a workspace is kept, shown, documented, set by somebody, and told of by the log of
//! changes.

use std::{
    fmt::Debug,
    sync::{Arc, mpsc},
};

use adapter_postgres::testing::TestDatabase;
use clap::CommandFactory;
use domain::{
    access::members::ports::MockMemberStore,
    audit::{Acting, Action, AuditEntry},
    automations::{
        ManageAutomations, Settings,
        ports::{AutomationStore, MockAutomationStore},
    },
    groups::ports::MockGroupStore,
    ids::MemberId,
    testing::{ManualClock, SequentialIds, a_moment, a_vault, a_workspace, deps_of},
    workspaces::{
        ChangeWorkspace, Plan, SetPlan, WantedLimit, Workspace, WorkspaceSettings,
        ports::{MockWorkspaceStore, WorkspaceStore},
    },
    zone::Zone,
};
use serde_json::json;
use server::cli::Cli;

use crate::fields::{differences, fields, forgotten};

/// A setting.
struct Setting {
    /// Name in the domain.
    name: &'static str,
    /// Name at the dashboard, and in the log of changes.
    wire: &'static str,
    /// Body in which the dashboard shows it.
    shown: &'static str,
    /// Body by which owners change it; `None` if they may not.
    changed: Option<&'static str>,
    /// Field of the page's form; `None` if owners may not change it.
    field: Option<&'static str>,
    /// Command of operators that sets it, with its argument.
    command: Option<(&'static str, &'static str)>,
}

impl Setting {
    /// Creates a setting of the workspace as a whole.
    const fn of_workspace(name: &'static str) -> Self {
        let command = Some(("workspace create", name));
        let changed = Some("SettingsBody");
        Self { name, wire: name, shown: "WorkspaceBody", changed, field: Some(name), command }
    }

    /// Creates a setting of the workspace's conversations. Operators have no command for these.
    const fn of_conversations(name: &'static str, wire: &'static str, field: &'static str) -> Self {
        let body = "Settings";
        Self { name, wire, shown: body, changed: Some(body), field: Some(field), command: None }
    }

    /// Creates a setting of the plan, which only operators set.
    const fn of_plan(name: &'static str, wire: &'static str, argument: &'static str) -> Self {
        let command = Some(("workspace plan", argument));
        Self { name, wire, shown: "UsageBody", changed: None, field: None, command }
    }
}

const OF_WORKSPACE: [Setting; 4] = [
    Setting::of_workspace("name"),
    Setting::of_workspace("locale"),
    Setting::of_workspace("region"),
    Setting {
        wire: "timeZone",
        field: Some("time-zone"),
        command: Some(("workspace create", "time-zone")),
        ..Setting::of_workspace("time_zone")
    },
];

const OF_CONVERSATIONS: [Setting; 3] = [
    Setting::of_conversations("hours", "hours", "has-hours"),
    Setting::of_conversations("idle_close", "idleClose", "idle-close"),
    Setting::of_conversations("unanswered_return", "unansweredReturn", "unanswered-return"),
];

const OF_PLAN: [Setting; 2] = [
    Setting::of_plan("active_customer_limit", "activeCustomerLimit", "limit"),
    Setting::of_plan("paused", "paused", "paused"),
];

/// A setting of owners that is in none of the structs: a column of `workspaces`, with a form of its own.
struct Alone {
    column: &'static str,
    /// Name in the log of changes.
    told: &'static str,
    /// Field of the page's form.
    field: &'static str,
}

const ALONE: [Alone; 2] = [
    Alone { column: "marks_read", told: "marksRead", field: "marks-read" },
    Alone { column: "reset_by_mail", told: "resetByMail", field: "by-mail" },
];

/// Columns of `workspaces` that are no settings.
const NO_SETTINGS: [&str; 2] = ["workspace_id", "created_at"];

/// The tables as the migrations make them, which a test of the store holds to be so.
const SCHEMA: &str = include_str!("../../crates/adapter-postgres/src/schema.rs");

/// What the dashboard shows and takes: bodies of its own, and the domain's settings of conversations.
const BODIES: &str = concat!(
    include_str!("../../crates/adapter-http/src/dashboard/me.rs"),
    include_str!("../../crates/adapter-http/src/pages/settings.rs"),
    include_str!("../../crates/adapter-http/src/pages/workspace.rs"),
    include_str!("../../crates/domain/src/automations/settings.rs"),
);

/// The forms of the settings of a workspace, and of its conversations.
const FORMS: [&str; 2] = [
    include_str!("../../crates/dashboard-pages/templates/workspaces/workspace.html"),
    include_str!("../../crates/dashboard-pages/templates/automations/automations.html"),
];

/// What the details of the log of changes are called on pages.
const WORDS: &str = include_str!("../../crates/dashboard-pages/src/words/changes.rs");

/// Where a setting has to show.
struct Places<'a> {
    /// The bodies that the dashboard shows and takes.
    bodies: &'a str,
    /// The page with the form for it; empty where none has one.
    form: &'a str,
    /// The commands with their arguments, each by its name.
    commands: &'a [(String, Vec<String>)],
    /// What the log of changes tells when all are changed.
    logged: &'a [String],
    /// The words for that on pages.
    words: &'a str,
}

/// What is missing of the settings. `there` are those that the domain has.
fn faults(there: &[String], listed: &[Setting], places: &Places<'_>) -> Vec<String> {
    let names: Vec<_> = listed.iter().map(|setting| setting.name).collect();
    let mut faults = differences(
        there,
        "is a setting, and no list here says where it shows",
        &names,
        "is in a list of settings here and is none",
    );
    for Setting { name, wire, shown, changed, field, command } in listed {
        if !has_property(places.bodies, shown, name) {
            faults.push(format!("`{name}` is not in the dashboard's `{shown}`"));
        }
        if changed.is_some_and(|changed| !has_property(places.bodies, changed, name)) {
            faults.push(format!("owners cannot set `{wire}`"));
        }
        if field.is_some_and(|field| !has_field(places.form, field)) {
            faults.push(format!("no form of a page sets `{wire}`"));
        }
        if let Some((command, argument)) = command {
            let found = places.commands.iter().find(|(name, _)| name == command);
            if !found.is_some_and(|(_, arguments)| arguments.iter().any(|it| it == argument)) {
                faults.push(format!("`{command}` has no `--{argument}`"));
            }
        }
        if changed.is_none() && command.is_none() {
            faults.push(format!("nobody can set `{name}`"));
        }
        if !places.logged.iter().any(|key| key == wire) {
            faults.push(format!("the log of changes does not tell of `{wire}`"));
        }
        if !has_words(places.words, wire) {
            faults.push(format!("pages have no words for `{wire}`"));
        }
    }
    faults
}

/// Whether the body has the property.
fn has_property(bodies: &str, body: &str, property: &str) -> bool {
    let (_, rest) = bodies.split_once(&format!("struct {body} {{")).unwrap_or_default();
    let properties = rest.split("\n}").next().unwrap_or_default().lines().map(str::trim);
    properties
        .map(|line| line.trim_start_matches("pub "))
        .any(|line| line.starts_with(&format!("{property}: ")))
}

/// Whether a form on the page has the field.
fn has_field(page: &str, field: &str) -> bool {
    page.contains(&format!(" name=\"{field}\""))
}

/// Whether a detail of the log of changes has words.
fn has_words(words: &str, detail: &str) -> bool {
    words.contains(&format!("\"{detail}\" => self."))
}

/// What is missing of the table `workspaces` and of the settings that are in none of the structs.
fn faults_of_table(columns: &[String], alone: &[Alone], form: &str) -> Vec<String> {
    let in_structs = OF_WORKSPACE.iter().chain(&OF_PLAN).map(|setting| setting.name);
    let listed: Vec<_> = in_structs.chain(NO_SETTINGS).chain(alone.iter().map(|it| it.column)).collect();
    let mut faults = differences(
        columns,
        "is a column of `workspaces`, and no list here has it",
        &listed,
        "is in a list here, and is no column of `workspaces`",
    );
    for Alone { column, told, field } in alone {
        if !has_field(form, field) {
            faults.push(format!("no form of a page sets `{column}`"));
        }
        if !has_words(WORDS, told) {
            faults.push(format!("pages have no words for `{told}`"));
        }
    }
    faults
}

/// Lists the columns of a table.
fn columns(schema: &str, table: &str) -> Vec<String> {
    let lines = schema.lines().map(str::trim).skip_while(|line| !line.starts_with(&format!("{table} (")));
    let columns = lines.skip(1).take_while(|line| *line != "}");
    columns.filter_map(|line| line.split_once(" -> ")).map(|(name, _)| name.to_owned()).collect()
}

/// Other settings than `a_workspace` has.
fn other_settings() -> WorkspaceSettings {
    WorkspaceSettings {
        name: Some("Date Store".to_owned()),
        locale: Some("en".to_owned()),
        region: Some("DE".parse().unwrap()),
        time_zone: Some(Zone::named("Europe/Berlin").unwrap()),
    }
}

fn conversation_settings() -> Settings {
    serde_json::from_value(json!({
        "hours": { "zone": "Asia/Baghdad", "week": { "monday": [["09:00", "17:00"]] } },
        "idleClose": 60, "unansweredReturn": 30,
    }))
    .unwrap()
}

const PLAN: Plan = Plan { active_customer_limit: Some(1_000), paused: true };

/// A workspace that has nothing as it would be by itself, and nothing as the settings above change it.
fn a_workspace_of_its_own() -> Workspace {
    Workspace {
        name: "Fig Store".to_owned(),
        locale: "fr".to_owned(),
        region: "FR".parse().unwrap(),
        time_zone: Zone::named("Europe/Paris").unwrap(),
        plan: Plan { active_customer_limit: Some(500), paused: true },
        ..a_workspace()
    }
}

fn keys(entry: &AuditEntry) -> Vec<String> {
    let mut keys: Vec<String> = entry.details.keys().cloned().collect();
    keys.sort_unstable();
    keys
}

/// What the log tells when all settings of each kind are changed.
async fn logged() -> [Vec<String>; 3] {
    let (told, heard) = mpsc::channel();
    let by = Acting::operator(a_workspace().id);
    let clock = || Arc::new(ManualClock::at(a_moment()));
    let ids = || Arc::new(SequentialIds::default());

    let mut workspaces = MockWorkspaceStore::new();
    let tell = told.clone();
    workspaces.expect_change().returning(move |_, _, entry| {
        tell.send(entry.clone()).unwrap();
        Ok(Some(a_workspace()))
    });
    workspaces.expect_find().returning(|_| Ok(Some(a_workspace())));
    let tell = told.clone();
    workspaces.expect_set_plan().returning(move |_, _, entry| {
        tell.send(entry.clone()).unwrap();
        Ok(true)
    });
    let mut automations = MockAutomationStore::new();
    automations.expect_set().returning(move |_, _, entry| {
        told.send(entry.clone()).unwrap();
        Ok(true)
    });
    let store = Arc::new(workspaces);
    let change = ChangeWorkspace { store: store.clone(), deps: deps_of(clock(), ids()) };
    change.run(by, other_settings()).await.unwrap();
    let of_workspace = heard.recv().unwrap();
    let manage = ManageAutomations {
        store: Arc::new(automations),
        groups: Arc::new(MockGroupStore::new()),
        members: Arc::new(MockMemberStore::new()),
        deps: deps_of(clock(), ids()),
    };
    manage.set(by, &conversation_settings()).await.unwrap();
    let of_conversations = heard.recv().unwrap();
    let plan = SetPlan { store, deps: deps_of(clock(), ids()) };
    plan.run(by, WantedLimit::AtMost(1_000), Some(true)).await.unwrap().unwrap();
    [of_workspace, of_conversations, heard.recv().unwrap()].map(|entry| keys(&entry))
}

/// Every command of the program with its arguments.
fn commands() -> Vec<(String, Vec<String>)> {
    fn walk(command: &clap::Command, path: &str, all: &mut Vec<(String, Vec<String>)>) {
        for inner in command.get_subcommands() {
            let path = format!("{path} {}", inner.get_name()).trim_start().to_owned();
            let arguments = inner.get_arguments().filter_map(clap::Arg::get_long).map(str::to_owned);
            all.push((path.clone(), arguments.collect()));
            walk(inner, &path, all);
        }
    }
    let mut all = Vec::new();
    walk(&Cli::command(), "", &mut all);
    all
}

#[tokio::test]
async fn every_setting_shows_wherever_one_has_to() {
    let commands = commands();
    let there = [fields(&other_settings()), fields(&conversation_settings()), fields(&PLAN)];
    let listed: [&[Setting]; 3] = [&OF_WORKSPACE, &OF_CONVERSATIONS, &OF_PLAN];
    let mut all = Vec::new();
    let [form, automations_form] = FORMS;
    let forms = [form, automations_form, ""];
    for (((there, listed), form), logged) in there.iter().zip(listed).zip(forms).zip(logged().await) {
        let places = Places { bodies: BODIES, form, commands: &commands, logged: &logged, words: WORDS };
        all.extend(faults(there, listed, &places));
    }
    // What a workspace has beside its id and its plan are settings.
    let of_workspace = fields(&a_workspace()).into_iter().filter(|name| name != "id" && name != "plan");
    all.extend(differences(
        &of_workspace.collect::<Vec<_>>(),
        "is in a workspace, and is no setting of it",
        &OF_WORKSPACE.map(|setting| setting.name),
        "is a setting, and is not in a workspace",
    ));
    all.extend(faults_of_table(&columns(SCHEMA, "workspaces"), &ALONE, form));
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[tokio::test]
async fn every_setting_is_kept() {
    fn same(wanted: &impl Debug, read: &impl Debug) {
        assert_eq!(forgotten(wanted, read), Vec::<String>::new());
    }
    let database = TestDatabase::fresh().await;
    let ids = Arc::new(SequentialIds::default());
    let stores = database.stores(Arc::new(a_vault()), ids.clone());
    let workspace = a_workspace_of_its_own();
    let entry = || Acting::operator(workspace.id).does(Action::PlanSet, a_moment(), &*ids);
    let owner = MemberId::new(&*ids);
    WorkspaceStore::create(&*stores.workspaces, &workspace, owner, "o@o.example", &entry()).await.unwrap();
    let created = WorkspaceStore::find(&*stores.workspaces, workspace.id).await.unwrap().unwrap();
    same(&workspace, &created);
    same(&workspace.plan, &created.plan);

    let wanted = other_settings();
    let changed =
        WorkspaceStore::change(&*stores.workspaces, workspace.id, &wanted, &entry()).await.unwrap().unwrap();
    let plan = Plan { paused: false, ..PLAN };
    WorkspaceStore::set_plan(&*stores.workspaces, workspace.id, plan, &entry()).await.unwrap();
    let found = WorkspaceStore::find(&*stores.workspaces, workspace.id).await.unwrap().unwrap();
    let set = WorkspaceSettings {
        name: Some(found.name.clone()),
        locale: Some(found.locale.clone()),
        region: Some(found.region),
        time_zone: Some(found.time_zone.clone()),
    };
    same(&wanted, &set);
    same(&plan, &found.plan);
    assert_eq!(Workspace { plan, ..changed }, found);
    AutomationStore::set(&*stores.automations, workspace.id, &conversation_settings(), &entry())
        .await
        .unwrap();
    same(
        &conversation_settings(),
        &AutomationStore::settings(&*stores.automations, workspace.id).await.unwrap(),
    );
}

/// Bodies with the one property.
fn bodies(names: &[&str]) -> String {
    let body = |name: &&str| format!("pub struct {name} {{\n    pub currency: String,\n}}\n");
    names.iter().map(body).collect::<Vec<_>>().concat()
}

/// What is there, and what is missing of it.
type Case<'a> = (&'a str, &'a str, &'a [(String, Vec<String>)], &'a [String], &'a str, &'a [&'a str]);

#[test]
fn of_a_setting_that_is_half_there_each_missing_half_is_named() {
    let there = vec!["currency".to_owned()];
    let listed = [Setting::of_workspace("currency")];
    let [shown, changed] = ["WorkspaceBody", "SettingsBody"];
    let whole = bodies(&[shown, changed]);
    let commands = [("workspace create".to_owned(), vec!["name".to_owned(), "currency".to_owned()])];
    let without = [("workspace create".to_owned(), vec!["name".to_owned()])];
    let form = "<input name=\"currency\">";
    let words = "\"currency\" => self.currency,";
    let cases: [Case<'_>; 7] = [
        (&whole, form, &commands, &there, words, &[]),
        (&whole, form, &commands, &there, "", &["pages have no words for `currency`"]),
        (&whole, form, &commands, &[], words, &["the log of changes does not tell of `currency`"]),
        (&whole, form, &without, &there, words, &["`workspace create` has no `--currency`"]),
        (&whole, "<input name=\"name\">", &commands, &there, words, &["no form of a page sets `currency`"]),
        (&bodies(&[shown]), form, &commands, &there, words, &["owners cannot set `currency`"]),
        (
            &bodies(&[changed]),
            form,
            &commands,
            &there,
            words,
            &["`currency` is not in the dashboard's `WorkspaceBody`"],
        ),
    ];
    for (bodies, form, commands, logged, words, wanted) in cases {
        assert_eq!(faults(&there, &listed, &Places { bodies, form, commands, logged, words }), wanted);
    }
}

#[test]
fn a_column_that_no_list_has_and_a_setting_without_a_form_are_named() {
    let schema = "diesel::table! {
    workspace_notes (workspace_id, id) {
        text -> Text,
    }
}

diesel::table! {
    workspaces (workspace_id) {
        workspace_id -> Uuid,
        currency -> Text,
    }
}";
    assert_eq!(columns(schema, "workspaces"), ["workspace_id", "currency"]);
    let known =
        columns(SCHEMA, "workspaces").into_iter().filter(|name| !ALONE.iter().any(|it| it.column == name));
    let known: Vec<_> = known.chain(["currency".to_owned()]).collect();
    let there = "<input name=\"currency\">";
    let whole = [Alone { column: "currency", told: "currency", field: "currency" }];
    assert_eq!(faults_of_table(&known, &whole, there), Vec::<String>::new());
    assert_eq!(faults_of_table(&known, &whole, ""), ["no form of a page sets `currency`"]);
    assert_eq!(
        faults_of_table(&known, &[], there),
        ["`currency` is a column of `workspaces`, and no list here has it"]
    );
}

#[test]
fn a_setting_that_is_only_in_the_domain_or_that_nobody_can_set_is_named() {
    let there = vec!["currency".to_owned(), "theme".to_owned()];
    let setting = Setting {
        name: "currency",
        wire: "currency",
        shown: "UsageBody",
        changed: None,
        field: None,
        command: None,
    };
    let places = Places {
        bodies: &bodies(&["UsageBody"]),
        form: "",
        commands: &[],
        logged: &["currency".to_owned()],
        words: WORDS,
    };
    assert_eq!(
        faults(&there, &[setting], &places),
        ["`theme` is a setting, and no list here says where it shows", "nobody can set `currency`"]
    );
}
