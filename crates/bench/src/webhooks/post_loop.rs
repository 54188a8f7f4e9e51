//! The ceiling: a loop that signs and posts the same bodies, and stores nothing. It runs as a process of its
//! own, so that its CPU time is nobody else's.

use std::{
    process::Stdio,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use anyhow::{Context, ensure};
use data_encoding::HEXLOWER;
use ring::hmac::{self, HMAC_SHA256, Key};
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use tokio::{process::Command, task::JoinSet};
use uuid::Uuid;

use super::bodies::{EVENT, body};
use crate::{load::float, machine::Usage};

const IN_FLIGHT: usize = 64;

/// Result of the loop.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct PostLoop {
    /// Posts per second.
    pub rate: f64,
    /// CPU time per post, in milliseconds.
    pub cpu: f64,
}

impl PostLoop {
    /// Runs the loop in a process of its own.
    pub(super) async fn measure(url: &str, count: u64) -> anyhow::Result<Self> {
        let own = std::env::current_exe()?;
        let arguments = ["post-loop", url, &count.to_string()];
        let output = Command::new(own).args(arguments).stderr(Stdio::inherit()).output().await?;
        ensure!(output.status.success(), "the bare loop failed");
        serde_json::from_slice(&output.stdout).context("what the bare loop printed")
    }
}

/// Posts `count` bodies to `url`, 64 in flight; the first that is refused is an error.
pub async fn run(url: &str, count: u64) -> anyhow::Result<PostLoop> {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = reqwest::Client::builder().no_proxy().no_gzip().build()?;
    let next = Arc::new(AtomicU64::new(0));
    let key = Key::new(HMAC_SHA256, format!("whsec_{}", "0".repeat(64)).as_bytes());
    let before = Usage::of(std::process::id())?;
    let started = Instant::now();
    let mut posters = JoinSet::new();
    for _ in 0..IN_FLIGHT {
        let (client, next, key, url) = (client.clone(), Arc::clone(&next), key.clone(), url.to_owned());
        posters.spawn(async move {
            while next.fetch_add(1, Ordering::Relaxed) < count {
                post(&client, &url, &key).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(poster) = posters.join_next().await {
        poster??;
    }
    let seconds = started.elapsed().as_secs_f64();
    let cpu = Usage::of(std::process::id())?.since_per(before, count);
    Ok(PostLoop { rate: float(count) / seconds, cpu })
}

async fn post(client: &reqwest::Client, url: &str, key: &Key) -> anyhow::Result<()> {
    #[expect(clippy::disallowed_methods, reason = "a signature is dated")]
    let now = OffsetDateTime::now_utc();
    let id = Uuid::from_u128(7);
    let body = body(id, id, now)?;
    let t = now.unix_timestamp();
    let signature = hmac::sign(key, format!("{t}.{body}").as_bytes());
    let answer = client
        .post(url)
        .header("content-type", "application/json")
        .header("user-agent", "Bench/1.0")
        .header("x-service-event", EVENT)
        .header("x-service-delivery", id.to_string())
        .header("x-service-signature", format!("t={t},v1={}", HEXLOWER.encode(signature.as_ref())))
        .body(body)
        .send()
        .await?;
    answer.error_for_status()?.bytes().await?;
    Ok(())
}
