//! What the sandbox is told.

use std::path::PathBuf;

use adapter_assistant::Dialect;
use clap::{Args, ValueEnum};
use secrecy::SecretString;
use url::Url;

/// Options of the sandbox.
#[derive(Debug, Clone, Args)]
pub struct SandboxArgs {
    /// Port of the API; without it 8080, or any free one where that is taken.
    #[arg(long)]
    pub port: Option<u16>,
    /// Also deliver every event to this address, which may be on this machine. Can be given again.
    #[arg(long, value_name = "URL")]
    pub webhook: Vec<Url>,
    /// Connect the system at this base instead of the reference shop; it may be on this machine.
    #[arg(long, value_name = "URL", requires = "system_secret")]
    pub system: Option<String>,
    /// The secret that this system issued.
    #[arg(long, value_name = "SECRET", requires = "system")]
    pub system_secret: Option<SecretString>,
    /// Let the assistant be asked at this server of a language model instead of the stand-in, such as
    /// `http://127.0.0.1:11434/v1`.
    #[arg(long, value_name = "URL")]
    pub model: Option<Url>,
    /// Which of that server's models.
    #[arg(long, value_name = "NAME", default_value = "default", requires = "model")]
    pub model_name: String,
    /// The form that this server speaks: openai, anthropic or gemini.
    #[arg(long, value_name = "DIALECT", default_value = "openai", requires = "model", value_parser = dialect)]
    pub model_dialect: Dialect,
    /// The file that holds the key of that server.
    #[arg(long, value_name = "FILE", requires = "model")]
    pub model_key_file: Option<PathBuf>,
    /// Whether the assistant answers: `on` unless `--json` is given.
    #[arg(long, value_enum)]
    pub assistant: Option<AssistantChoice>,
    /// When ready, print one line of JSON for scripts instead of text for people.
    #[arg(long)]
    pub json: bool,
    /// Send a notice and a one-time code, chat with the shop up to an order, wait for the events, print all
    /// of it, and end.
    #[arg(long, conflicts_with = "json")]
    pub demo: bool,
}

/// Whether the assistant answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AssistantChoice {
    /// Nobody is answered by it.
    Off,
    /// Only the customer of the examples, and nothing is ordered, booked or cancelled.
    Test,
    /// Everybody is answered by it.
    On,
}

fn dialect(text: &str) -> Result<Dialect, String> {
    let known = Dialect::ALL.map(Dialect::as_str).join(", ");
    Dialect::read(text).ok_or_else(|| format!("must be one of: {known}"))
}

impl SandboxArgs {
    /// Whether the assistant answers: scripts are surprised by answers that they did not ask for.
    pub fn assistant(&self) -> AssistantChoice {
        let usual = if self.json { AssistantChoice::Off } else { AssistantChoice::On };
        self.assistant.unwrap_or(usual)
    }
}
