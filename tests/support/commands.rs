//! Operators' commands, carried out inside the test's own process as the program carries them out.

use std::sync::Arc;

use clap::Parser;
use server::{
    cli::{Cli, Command, Webhook},
    operate,
    system::SystemClock,
    wiring::{Foundation, Operations, UseCases, guarded_client},
};

use super::{Secrets, in_process::source};

/// The commands that a world is made by: starting the program for each of them would take longer than most
/// tests do. A test of a command starts the program.
pub(crate) struct Commands {
    foundation: Foundation,
    operations: Operations,
    use_cases: UseCases,
}

impl Commands {
    pub(crate) async fn over(secrets: &Secrets) -> Self {
        let source = source(secrets, None);
        let foundation = Foundation::open(&source.store().unwrap(), Arc::new(SystemClock)).unwrap();
        Box::pin(foundation.check(&source)).await.unwrap();
        let client = guarded_client(source.policy().unwrap(), &foundation.trust).unwrap();
        let operations = Operations::new(&foundation, client);
        let use_cases = UseCases::new(&foundation, &source.network().unwrap(), None).unwrap();
        Self { foundation, operations, use_cases }
    }

    /// What the command prints; it must succeed.
    pub(crate) async fn run(&self, arguments: &[&str]) -> String {
        let words = std::iter::once("messaging-service").chain(arguments.iter().copied());
        let (operations, stores) = (&self.operations, &self.foundation.stores);
        let said = match Cli::try_parse_from(words).unwrap().command {
            Command::Workspace(command) => Box::pin(operate::workspace(command, operations)).await,
            Command::Account(command) => Box::pin(operate::account(command, &self.use_cases, stores)).await,
            Command::Number(command) => Box::pin(operate::number(command, operations)).await,
            Command::Key(command) => Box::pin(operate::key(command, operations)).await,
            Command::Webhook(Webhook::Address(command)) => {
                Box::pin(operate::webhook(command, operations)).await
            }
            _ => panic!("no world is made by {arguments:?}"),
        };
        said.unwrap().printed(false).to_owned()
    }
}
