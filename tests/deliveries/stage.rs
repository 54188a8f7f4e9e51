//! A workspace with one address, and the receiver behind it.

use std::{
    net::{Ipv4Addr, TcpListener},
    sync::{Arc, Mutex},
    time::Duration,
};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    http::StatusCode,
    web::{self, Bytes, Data},
};
use adapter_postgres::testing::TestDatabase;
use domain::{
    audit::Acting,
    events::EventType,
    ids::{WebhookAddressId, WorkspaceId},
    phone::Region,
    webhooks::{
        DeliverDue, WebhookSecret,
        ports::{AttemptRecord, ClaimLimits},
    },
    workspaces::NewWorkspace,
};
use server::wiring::Operations;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};
use tokio::sync::{Mutex as AsyncMutex, mpsc};

use crate::support::{Delivery, InProcess, Rows, Secrets};

/// How a receiver answers.
#[derive(Clone, Copy)]
pub(super) enum Manner {
    Status(u16),
    /// To another path of the same server.
    Redirect(u16),
    /// Not at all.
    Never,
}

type Posts = mpsc::UnboundedSender<Delivery>;

/// A customer's server that answers as it is told.
pub(super) struct Misbehaving {
    pub(super) url: String,
    manner: Arc<Mutex<Manner>>,
    posts: AsyncMutex<mpsc::UnboundedReceiver<Delivery>>,
    pub(super) handle: ServerHandle,
}

impl Misbehaving {
    pub(super) fn start(manner: Manner) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/events", listener.local_addr().unwrap());
        let (sender, posts) = mpsc::unbounded_channel::<Delivery>();
        let manner = Arc::new(Mutex::new(manner));
        let (posted, told) = (Data::new(sender), Data::from(Arc::clone(&manner)));
        let app = move || {
            App::new().app_data(posted.clone()).app_data(told.clone()).default_service(web::to(answer))
        };
        let server = HttpServer::new(app).workers(1).disable_signals().listen(listener).unwrap().run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, manner, posts: AsyncMutex::new(posts), handle }
    }

    pub(super) fn behave(&self, manner: Manner) {
        *self.manner.lock().unwrap() = manner;
    }

    pub(super) async fn next(&self) -> Delivery {
        self.posts.lock().await.recv().await.unwrap()
    }

    /// Counts the deliveries that came and were not taken.
    pub(super) async fn waiting(&self) -> usize {
        self.posts.lock().await.len()
    }
}

impl Drop for Misbehaving {
    fn drop(&mut self) {
        drop(self.handle.stop(false));
    }
}

async fn answer(
    request: HttpRequest,
    raw: Bytes,
    posts: Data<Posts>,
    manner: Data<Mutex<Manner>>,
) -> HttpResponse {
    let header = |(name, value): (&_, &actix_web::http::header::HeaderValue)| {
        let name: &actix_web::http::header::HeaderName = name;
        (name.as_str().to_owned(), value.to_str().unwrap_or_default().to_owned())
    };
    let body = serde_json::from_slice(&raw).unwrap_or_default();
    // Whoever hears of a delivery may change the manner of the next one, and not of this one.
    let manner = *manner.lock().unwrap();
    let _ = posts.send(Delivery {
        headers: request.headers().iter().map(header).collect(),
        raw: raw.to_vec(),
        body,
    });
    match manner {
        Manner::Status(status) => HttpResponse::build(StatusCode::from_u16(status).unwrap()).finish(),
        Manner::Redirect(status) => HttpResponse::build(StatusCode::from_u16(status).unwrap())
            .insert_header(("Location", "/elsewhere"))
            .finish(),
        Manner::Never => std::future::pending().await,
    }
}

/// A workspace with one address, at a receiver that misbehaves; nobody delivers but the test.
pub(super) struct Stage {
    pub(super) receiver: Misbehaving,
    pub(super) process: InProcess,
    pub(super) operations: Operations,
    pub(super) deliver: DeliverDue,
    pub(super) workspace: WorkspaceId,
    address: WebhookAddressId,
    pub(super) secret: WebhookSecret,
    pub(super) rows: Rows,
    _database: TestDatabase,
}

impl Stage {
    pub(super) async fn set(manner: Manner) -> Self {
        let database = TestDatabase::fresh().await;
        let secrets = Secrets::alone(database.url());
        let process = InProcess::over(&secrets);
        let operations = process.operations();
        let new = NewWorkspace {
            name: "Palm Store".to_owned(),
            locale: "ar".to_owned(),
            region: Region::default(),
            time_zone: domain::zone::Zone::default(),
            owner_email: "owner@palm.example".parse().unwrap(),
        };
        let workspace = operations.create_workspace.run(new).await.unwrap().0.id;
        let receiver = Misbehaving::start(manner);
        let events = EventType::SUBSCRIBABLE.to_vec();
        let address = operations
            .register_address
            .run(Acting::operator(workspace), receiver.url.clone(), events)
            .await
            .unwrap();
        let deliver = process.deliver_due();
        let rows = Rows::of(database.url()).await;
        Self {
            receiver,
            process,
            operations,
            deliver,
            workspace,
            address: address.id,
            secret: address.secret,
            rows,
            _database: database,
        }
    }

    /// Adds a delivery that is owed to the address.
    pub(super) async fn owe(&self) {
        assert!(
            self.operations
                .manage_addresses
                .ping(Acting::operator(self.workspace), self.address)
                .await
                .unwrap()
                .is_some()
        );
    }

    /// Adds a delivery that is owed to another address of the workspace.
    pub(super) async fn owe_to(&self, url: String) {
        let events = EventType::SUBSCRIBABLE.to_vec();
        let by = Acting::operator(self.workspace);
        let address = self.operations.register_address.run(by, url, events).await.unwrap();
        let by = Acting::operator(self.workspace);
        assert!(self.operations.manage_addresses.ping(by, address.id).await.unwrap().is_some());
    }

    /// Attempts what is due now, and records it.
    pub(super) async fn turn(&self) -> Vec<AttemptRecord> {
        let claimed = self.deliver.claim(self.workspace, &ClaimLimits::any(1_000)).await.unwrap();
        let mut records = claimed.unreadable;
        for delivery in claimed.due {
            records.push(self.deliver.attempt(&delivery).await.unwrap());
        }
        self.deliver.record(self.workspace, &records).await.unwrap();
        records
    }

    /// Returns when the only queued delivery is due again; `None` if nothing is queued.
    pub(super) async fn due_at(&self) -> Option<OffsetDateTime> {
        let due = "SELECT to_char(due_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"') FROM delivery_queue";
        let due = self.rows.texts(due).await;
        assert!(due.len() < 2, "{due:?}");
        due.first().map(|due| OffsetDateTime::parse(due, &Rfc3339).unwrap())
    }

    /// State and attempts of every delivery, oldest first.
    pub(super) async fn deliveries(&self) -> Vec<String> {
        self.rows
            .texts("SELECT concat(state, ' after ', attempts) FROM deliveries ORDER BY created_at, id")
            .await
    }

    /// Every attempt: its number, the answer's status, why it failed, how long it took.
    pub(super) async fn attempts(&self) -> Vec<String> {
        let attempt =
            "concat_ws(', ', attempt, coalesce(status::text, 'no answer'), failure, duration_ms || ' ms')";
        self.rows.texts(&format!("SELECT {attempt} FROM delivery_attempts ORDER BY attempt")).await
    }

    pub(super) fn pass(&self, time: Duration) {
        self.process.clock.advance(time);
    }
}
