//! `docs/use/getting-started.md`, followed to the letter: its commands in their order, from an empty database
//! to a notice that was delivered, and on to what a deployment begins with. What is clicked at Meta, the
//! stand-in has already.

use std::{
    collections::BTreeMap,
    fs,
    io::Write as _,
    net::TcpListener,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
    time::{Duration, Instant},
};

use adapter_postgres::testing::TestDatabase;
use local_postgres::{create_database, drop_database};
use network_simulator::{Config, Simulator};
use secrecy::SecretString;

use crate::support::{Api, Rows, SHOP, Service, eventually, is_here, program};

const GUIDE: &str = include_str!("../docs/use/getting-started.md");
const TOKEN: &str = "token-of-the-demo";
const APP_SECRET: &str = "app-secret-of-the-guide";

/// The commands by the step that they stand in, each as one line.
fn commands() -> Vec<(u32, String)> {
    let (mut step, mut all) = (0, Vec::<(u32, String)>::new());
    let mut goes_on = false;
    for line in GUIDE.lines() {
        if let Some(number) = line.strip_prefix("## ").and_then(|title| title.split_once('.')) {
            step = number.0.parse().unwrap_or(step);
        }
        let Some(text) = line.strip_prefix("    ").filter(|_| step > 0) else { continue };
        let text = text.trim();
        if goes_on {
            all.last_mut().expect("what goes on").1.push_str(text.trim_end_matches('\\'));
        } else {
            all.push((step, text.trim_end_matches('\\').to_owned()));
        }
        goes_on = text.ends_with('\\');
    }
    all
}

/// What the reader exports for their own lines.
const NAMES: [&str; 3] = ["WORKSPACE", "ACCOUNT", "KEY"];

/// Whoever follows the guide: a folder, a shell with the program in its path, and what they have exported.
struct Reader {
    folder: tempfile::TempDir,
    exported: BTreeMap<String, String>,
    commands: u32,
}

impl Reader {
    fn new(known: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        symlink(env!("CARGO_BIN_EXE_messaging-service"), folder.path().join("messaging-service")).unwrap();
        let exported = known.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Self { exported: exported.collect(), folder, commands: 0 }
    }

    fn shell(&self, line: &str) -> Command {
        // As the tests' other programs are started: without a setting that is not the guide's.
        let mut shell = Command::new("bash");
        for (name, _) in program().get_envs() {
            shell.env_remove(name);
        }
        #[expect(clippy::disallowed_methods, reason = "where programs are is no setting of the service")]
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.folder.path().display());
        shell.args(["-euc", line]).current_dir(self.folder.path()).env("PATH", path).envs(&self.exported);
        shell
    }

    /// Runs a line; it must end well.
    fn run(&mut self, line: &str) -> String {
        self.commands += 1;
        let output = self.shell(line).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{line}: {said}{}", String::from_utf8_lossy(&output.stderr));
        said
    }

    /// Runs a line that exports, and keeps what it did.
    fn export(&mut self, line: &str) {
        let all = self.run(&format!("{line}\nenv -0"));
        let named = all.split('\0').filter_map(|one| one.split_once('='));
        let named = named.filter(|(name, _)| name.starts_with("MESSAGING_") || NAMES.contains(name));
        self.exported.extend(named.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    /// What the doctor finds well and what it does not.
    fn doctor(&self) -> (Vec<String>, Vec<String>) {
        let output = self.shell("messaging-service doctor").output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        let of = |word: &str| -> Vec<String> {
            said.lines().filter_map(|line| Some(line.strip_prefix(word)?.trim().to_owned())).collect()
        };
        let (well, wrong) = (of("ok "), of("WRONG "));
        assert_eq!(output.status.success(), wrong.is_empty(), "{said}");
        (well, wrong)
    }
}

fn write(folder: &Path, name: &str) {
    fs::write(folder.join(name), format!("{TOKEN}\n")).unwrap();
}

/// The word after another in what a command printed.
fn after(said: &str, word: &str) -> String {
    let rest = said.lines().find_map(|line| line.strip_prefix(word)).expect("the word");
    rest.trim().to_owned()
}

/// What is done at Meta in step 4: the callback is entered, and verified at once.
async fn enter_callback(simulator: &Simulator, base: &str, verify_token: &str) {
    simulator.set_webhook_url(Some(format!("{base}/networks/meta/webhook").parse().unwrap())).unwrap();
    let verify = serde_json::json!({ "verifyToken": verify_token });
    let played = Api::new(simulator.url().as_str().trim_end_matches('/'), "");
    let verified = played.post("/control/handshake", &verify).await;
    assert_eq!(verified.body["verified"], true, "{:?}", verified.body);
}

/// Waits until what was sent with this answer is delivered.
async fn is_delivered(database: &str, answer: &str) {
    let sent: serde_json::Value = serde_json::from_str(answer).unwrap_or_else(|_| panic!("{answer}"));
    let id = sent.pointer("/message/id").or_else(|| sent.pointer("/id")).and_then(serde_json::Value::as_str);
    let id = id.unwrap_or_else(|| panic!("{sent}"));
    let rows = Rows::of(database).await;
    let delivered = format!("SELECT id::text FROM sends WHERE id = '{id}' AND delivered_at IS NOT NULL");
    eventually("the notice's delivery", async || rows.texts(&delivered).await.pop()).await;
}

#[expect(clippy::too_many_lines, reason = "it is the guide, from its first command to its last")]
#[tokio::test]
async fn whoever_follows_the_guide_has_a_notice_delivered() {
    for (tool, version) in [("bash", "--version"), ("openssl", "version"), ("curl", "--version")] {
        if !is_here(tool, version, "the guide") {
            return;
        }
    }
    let _ = rustls::crypto::ring::default_provider().install_default();
    let began = Instant::now();
    // An empty one beside the tests' own.
    let beside = TestDatabase::fresh().await;
    let name = format!("{}_guide", beside.url().rsplit('/').next().unwrap());
    let database = create_database(beside.url(), &name, None).await.unwrap();
    // By the time that the reader connects anything, they have made it at Meta.
    let token = SecretString::from(TOKEN);
    let mut config = Config::new(APP_SECRET, "not known yet");
    config.accounts = network_simulator::demo_accounts(&token).unwrap();
    config.pages = vec![network_simulator::demo_page(&token)];
    config.require_appsecret_proof = true;
    config.status_delay = Duration::ZERO;
    let app_id = config.app_id.clone();
    let simulator = Simulator::start(config).await.unwrap();

    let listen = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let base = format!("http://{listen}");
    // Where a deployment looks.
    let root = tempfile::tempdir().unwrap();
    let mut reader = Reader::new(&[
        ("MESSAGING_GRAPH_URL", simulator.url().as_str()),
        ("MESSAGING_LOG_FORMAT", "json"),
        ("MESSAGING_STOP_DELAY", "0"),
    ]);
    write(reader.folder.path(), "token.txt");
    write(reader.folder.path(), "page-token.txt");

    // What is copied from one step to the next.
    let (mut workspace, mut key) = (String::new(), String::new());
    let (mut service, mut answer) = (None, String::new());
    let mut before = 0;
    for (step, line) in commands() {
        if step != before && before == 3 {
            let (well, _) = reader.doctor();
            let wanted = ["settings", "database", "keys", "files", "clock", "callback"];
            assert!(wanted.iter().all(|check| well.iter().any(|found| found == check)), "{well:?}");
            enter_callback(&simulator, &base, &reader.exported["MESSAGING_VERIFY_TOKEN"]).await;
        }
        if step != before && before == 7 {
            let (well, wrong) = reader.doctor();
            assert!(wrong.is_empty() && well.len() > 12, "{wrong:?} {well:?}");
        }
        before = step;
        let line = line
            .replace("postgres://…", &database)
            .replace("MESSAGING_APP_ID=…", &format!("MESSAGING_APP_ID={app_id}"))
            .replace("MESSAGING_APP_SECRET=…", &format!("MESSAGING_APP_SECRET={APP_SECRET}"))
            .replace("https://messages.example", &base)
            .replace("WORKSPACE=…", &format!("WORKSPACE={workspace}"))
            .replace("ACCOUNT=…", &format!("ACCOUNT={SHOP}"))
            .replace("KEY=…", &format!("KEY={key}"))
            .replace("+964…", "+9647701234567")
            .replace(" /etc/", &format!(" {}/etc/", root.path().display()))
            .replace(" /var/", &format!(" {}/var/", root.path().display()));
        assert!(!line.contains(['…', '<']) || line.contains(" < "), "nobody says what belongs here: {line}");
        // What a line needs, lines before it have given.
        let given = |name: &&str| !line.contains(&format!("${name}")) || reader.exported.contains_key(*name);
        assert!(NAMES.iter().all(given), "{line}");
        let command = line.split(" #").next().unwrap().trim();
        if command.starts_with("export ") {
            reader.export(command);
        } else if command == "messaging-service serve 2> serve.log &" {
            reader.commands += 1;
            // In the background of this test, which reads what it logs.
            let serve = reader.shell("exec messaging-service serve");
            let listen = [("MESSAGING_LISTEN", listen.as_str())];
            service = Some(Service::start_as(serve, &listen).await);
        } else if command == "kill %1 && wait %1" {
            reader.commands += 1;
            let conversations = Api::new(&base, &key).get("/v1/conversations").await;
            assert_eq!(conversations.status, 200, "{:?}", conversations.body);
            is_delivered(&database, &answer).await;
            let mut service: Service = service.take().expect("it serves");
            assert!(service.terminate(), "{:?}", service.log());
        } else {
            let said = reader.run(command);
            if command.contains(" workspace create ") {
                workspace = after(&said, "workspace");
            }
            if command.contains(" key create ") {
                key = said.lines().find(|line| line.starts_with("msk_")).expect("a key").to_owned();
            }
            answer = said;
        }
    }
    let [message] = &simulator.messages()[..] else { panic!("one message was sent") };
    assert!(message.to_string().contains("A-1042"), "{message}");

    assert!(service.is_none(), "the guide ends what it has started");
    let settings = root.path().join("etc/messaging-service/settings.env");
    let kept = fs::read_to_string(&settings).unwrap();
    for name in ["MESSAGING_DATABASE_URL", "MESSAGING_MASTER_KEY", "MESSAGING_VERIFY_TOKEN"] {
        assert!(kept.contains(&format!("{name}={}\n", reader.exported[name])), "{name}: {kept}");
    }
    assert_eq!(fs::metadata(&settings).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(root.path().join("var/lib/messaging-service/files").is_dir());
    drop_database(beside.url(), &name).await.unwrap();
    let told = format!("the steps have {} commands", reader.commands);
    assert!(GUIDE.contains(&told), "the guide is to say that {told}");
    let _ = writeln!(
        std::io::stderr(),
        "the guide: {} commands, {:.1} s to the first delivered notice",
        reader.commands,
        began.elapsed().as_secs_f64()
    );
}
