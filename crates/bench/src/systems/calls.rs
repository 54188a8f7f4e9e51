//! Calls to a customer's system, and the client that makes them.

use std::{num::NonZeroU32, sync::Arc, time::Duration};

use adapter_custom_system::{CustomSystemClient, LIMITS};
use anyhow::{Context, ensure};
use async_trait::async_trait;
use clap::ValueEnum;
use domain::{
    clock::Clock,
    external_id::ExternalId,
    orders::{CreationKey, DeliveryAddress, OrderRequest, OrderedLine, Recipient},
    phone::{PhoneNumber, Region},
    systems::{
        ProductQuery, SystemBase, SystemSecret,
        ports::{CustomSystem, SystemCall},
    },
    text::PlainText,
};
use guarded_http::{GuardedClient, Policy};
use time::OffsetDateTime;

pub(super) const SECRET: &str = "bench-secret";
/// Deadline of a call, as a conversation has it.
const WITHIN: Duration = Duration::from_secs(25);

/// A call that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// A search that finds 50 products.
    Search,
    /// An order of two lines.
    Order,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Search => "a search of 50 products",
            Self::Order => "an order",
        }
    }

    pub(super) const fn argument(self) -> &'static str {
        match self {
            Self::Search => "search",
            Self::Order => "order",
        }
    }
}

#[derive(Debug)]
struct MachineClock;

#[async_trait]
impl Clock for MachineClock {
    #[expect(clippy::disallowed_methods, reason = "the bench's own clock")]
    fn now(&self) -> OffsetDateTime {
        OffsetDateTime::now_utc()
    }

    async fn sleep(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }
}

/// The service's client and its requests.
#[derive(Clone)]
pub(super) struct Caller {
    client: Arc<CustomSystemClient>,
    call: Arc<SystemCall>,
    query: Arc<ProductQuery>,
    order: Arc<OrderRequest>,
}

impl Caller {
    /// Returns a caller of the system at `base`, on loopback.
    pub(super) fn new(base: &str) -> anyhow::Result<Self> {
        let client = GuardedClient::new(Policy { allowed: vec!["127.0.0.0/8".parse()?] }, LIMITS)?;
        Ok(Self {
            client: Arc::new(CustomSystemClient::new(client, Arc::new(MachineClock))),
            call: Arc::new(call_to(base)?),
            query: Arc::new(ProductQuery {
                words: text("حفاضات بامبرز")?, limit: 50, category: None
            }),
            order: Arc::new(an_order()?),
        })
    }

    /// Returns the same client, calling another system.
    pub(super) fn calling(&self, base: &str) -> anyhow::Result<Self> {
        Ok(Self { call: Arc::new(call_to(base)?), ..self.clone() })
    }

    /// Calls once and checks that the whole answer was parsed.
    pub(super) async fn ask(&self, kind: Kind) -> anyhow::Result<()> {
        let unusable = match kind {
            Kind::Search => {
                let answered = self.client.search_products(&self.call, &self.query).await?;
                ensure!(answered.value.len() == 50, "{} products were read", answered.value.len());
                answered.unusable
            }
            Kind::Order => self.client.place_order(&self.call, &self.order).await?.unusable,
        };
        ensure!(unusable.is_empty(), "what was answered could not be used: {unusable:?}");
        Ok(())
    }
}

fn call_to(base: &str) -> anyhow::Result<SystemCall> {
    Ok(SystemCall {
        workspace: uuid::Uuid::nil().into(),
        base: SystemBase::parse(base)?,
        secret: SystemSecret::parse(SECRET)?,
        within: WITHIN,
    })
}

fn text(text: &str) -> anyhow::Result<PlainText> {
    PlainText::read(text, 400).context("a text")
}

fn an_order() -> anyhow::Result<OrderRequest> {
    let line = |id: &str| {
        let variant = ExternalId::of_text(id).context("an id")?;
        anyhow::Ok(OrderedLine { variant, quantity: NonZeroU32::MIN })
    };
    Ok(OrderRequest {
        key: CreationKey::parse("bench-order-1").context("a key")?,
        lines: vec![line("1001-2")?, line("1002")?],
        recipient: Recipient {
            name: text("سارة")?,
            phone: PhoneNumber::from_e164("+9647701234567").context("a phone")?,
            email: None,
        },
        address: DeliveryAddress {
            line1: text("شارع السعدون")?,
            city: text("بغداد")?,
            province: text("بغداد")?,
            country: Region::default(),
            notes: None,
        },
        note: None,
    })
}
