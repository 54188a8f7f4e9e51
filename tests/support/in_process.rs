//! The service inside the test's own process, on a clock that the test moves.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, testing::ManualClock, webhooks::DeliverDue};
use server::{
    config::{Role, Source},
    serve::{self, Listeners, Running},
    system::SystemClock,
    wiring::{Foundation, Operations, UseCases, deliver_due, guarded_client},
};
use url::Url;

use super::Secrets;

/// The wiring of the program with the settings of a world; the clock stands at the time it was made.
pub(crate) struct InProcess {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) foundation: Foundation,
    source: Source,
}

/// A service that serves inside the test.
pub(crate) struct Serving {
    pub(crate) base_url: String,
    pub(crate) admin_url: String,
    running: Running,
}

impl InProcess {
    pub(crate) fn over(secrets: &Secrets) -> Self {
        Self::mailing(secrets, None)
    }

    /// One that hands its mail to a server.
    pub(crate) fn mailing(secrets: &Secrets, mail_server: Option<&str>) -> Self {
        let source = source(secrets, mail_server);
        let clock = Arc::new(ManualClock::at(SystemClock.now()));
        let foundation = Foundation::open_by(&source.store().unwrap(), clock.clone()).unwrap();
        Self { clock, foundation, source }
    }

    /// Serves in these roles.
    pub(crate) fn serve(&self, roles: &[Role]) -> Serving {
        serve_over(&self.foundation, &self.source, roles)
    }

    /// What the operator's commands do.
    pub(crate) fn operations(&self) -> Operations {
        Operations::new(
            &self.foundation,
            guarded_client(self.source.policy().unwrap(), &self.foundation.trust).unwrap(),
        )
    }

    /// Delivers webhooks, as the dispatcher has it done.
    pub(crate) fn deliver_due(&self) -> DeliverDue {
        deliver_due(
            &self.foundation,
            guarded_client(self.source.policy().unwrap(), &self.foundation.trust).unwrap(),
        )
    }
}

impl Serving {
    pub(crate) fn network_webhook(&self) -> Url {
        format!("{}/networks/meta/webhook", self.base_url).parse().unwrap()
    }

    pub(crate) fn use_cases(&self) -> &UseCases {
        &self.running.use_cases
    }

    pub(crate) async fn stop(self) {
        self.running.stop(Duration::ZERO).await;
    }
}

/// Serves in every role by the time of the database, on a machine with this clock.
pub(crate) async fn serve_by(secrets: &Secrets, machine: Arc<dyn Clock>) -> Serving {
    let source = source(secrets, None);
    let foundation = Foundation::open(&source.store().unwrap(), machine).unwrap();
    foundation.ready().await.unwrap();
    serve_over(&foundation, &source, &[Role::Api, Role::Dispatcher, Role::Worker])
}

fn serve_over(on: &Foundation, source: &Source, roles: &[Role]) -> Serving {
    let local = "127.0.0.1:0".parse().unwrap();
    let listeners = Listeners::bind(local, local, roles).unwrap();
    // Who answers no requests has no address.
    let base_url = listeners.listen().map(|listen| format!("http://{listen}")).unwrap_or_default();
    let admin_url = format!("http://{}", listeners.admin.local_addr().unwrap());
    let (network, policy) = (source.network().unwrap(), source.policy().unwrap());
    let running = serve::start(
        on,
        serve::Outside { network: &network, files: &source.files().unwrap(), model: None },
        policy,
        &source.dashboard().unwrap(),
        listeners,
        roles,
    )
    .unwrap();
    Serving { base_url, admin_url, running }
}

/// What the program reads its settings from, in a world that may hand its mail to a server.
pub(super) fn source(secrets: &Secrets, mail_server: Option<&str>) -> Source {
    let said = |variable: &str| {
        let text = match variable {
            "MESSAGING_DATABASE_URL" => &secrets.database_url,
            "MESSAGING_MASTER_KEY" => &secrets.master_key,
            "MESSAGING_APP_SECRET" => &secrets.app_secret,
            "MESSAGING_VERIFY_TOKEN" => &secrets.verify_token,
            "MESSAGING_GRAPH_URL" => &secrets.graph_url,
            "MESSAGING_FILES_FOLDER" => secrets.files_folder.path().to_str().unwrap(),
            "MESSAGING_ALLOW_NETWORKS" => "127.0.0.0/8",
            // A test says by `X-Forwarded-For` who asks.
            "MESSAGING_TRUSTED_PROXIES" => "127.0.0.1/32",
            "MESSAGING_SMTP_URL" => mail_server?,
            "MESSAGING_MAIL_FROM" => mail_server.and(Some("no-reply@messages.example"))?,
            _ => return None,
        };
        Some(text.to_owned())
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    Source::of(said, "", None).unwrap()
}
