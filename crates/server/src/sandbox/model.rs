//! The assistant's language model: a stand-in, or a server of the user's own.

use std::path::Path;

use anyhow::Context;
use domain::{
    assistant::{AssistantMode, AssistantSettings, Fact, Prices},
    audit::Acting,
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use model_simulator::{Config, ModelSimulator};
use secrecy::SecretString;

use super::ready;
use crate::{
    cli::{AssistantChoice, SandboxArgs},
    config::ModelConfig,
    wiring::{Foundation, assistant_settings},
};

const STAND_IN: &str = "stand-in";
/// Number that may try the assistant in the mode `test`: the customer of the sandbox's examples.
const CUSTOMER: &str = "+9647701234567";

fn read_key(file: &Path) -> anyhow::Result<SecretString> {
    let key = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
    Ok(SecretString::from(key.trim().to_owned()))
}

pub(super) struct Model {
    config: ModelConfig,
    /// Runs as long as the sandbox; `None` beside a server of the user's own.
    stand_in: Option<ModelSimulator>,
}

impl Model {
    /// Starts the stand-in where no server was asked for.
    pub(super) async fn open(arguments: &SandboxArgs) -> anyhow::Result<Self> {
        if let Some(base_url) = &arguments.model {
            let (base_url, model) = (base_url.clone(), arguments.model_name.clone());
            let key = arguments.model_key_file.as_deref().map(read_key).transpose()?;
            let dialect = arguments.model_dialect;
            let config = adapter_assistant::Config { dialect, base_url, key, model };
            return Ok(Self {
                config: ModelConfig {
                    first: config,
                    fallback: None,
                    own_keys: false,
                    reads_pictures: false,
                    prices: Prices::default(),
                },
                stand_in: None,
            });
        }
        let stand_in = ModelSimulator::start(Config::default()).await?;
        let base_url = stand_in.base_url().parse()?;
        let dialect = adapter_assistant::Dialect::OpenAi;
        let config = adapter_assistant::Config { dialect, base_url, key: None, model: STAND_IN.to_owned() };
        Ok(Self {
            config: ModelConfig {
                first: config,
                fallback: None,
                own_keys: false,
                reads_pictures: false,
                prices: Prices::default(),
            },
            stand_in: Some(stand_in),
        })
    }

    pub(super) const fn config(&self) -> &ModelConfig {
        &self.config
    }

    pub(super) async fn set(
        &self,
        on: &Foundation,
        workspace: WorkspaceId,
        choice: AssistantChoice,
    ) -> anyhow::Result<ready::Model> {
        let mode = match choice {
            AssistantChoice::Off => AssistantMode::Off,
            AssistantChoice::Test => AssistantMode::Test,
            AssistantChoice::On => AssistantMode::On,
        };
        let fact = |title: &str, text: &str| Fact {
            title: title.to_owned(),
            text: text.to_owned(),
            ..Fact::default()
        };
        let settings = AssistantSettings {
            mode,
            test_numbers: vec![PhoneNumber::from_e164(CUSTOMER)?],
            facts: vec![fact("التوصيل", "داخل بغداد خلال يومين، والدفع عند الاستلام")],
            ..AssistantSettings::default()
        };
        let manage = assistant_settings(on, Some(self.config.first.model.clone()), None);
        manage.set(Acting::operator(workspace), &settings).await.context("the assistant")?;
        Ok(ready::Model {
            base_url: self.config.first.base_url.as_str().trim_end_matches('/').to_owned(),
            control_url: self.stand_in.as_ref().map(ModelSimulator::control_url),
            assistant: mode.as_str(),
        })
    }

    pub(super) async fn close(self) {
        if let Some(stand_in) = self.stand_in {
            stand_in.stop().await;
        }
    }
}
