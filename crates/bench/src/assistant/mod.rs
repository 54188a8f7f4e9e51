//! `bench assistant`: the time that the assistant adds to its model's, and that nothing is doubled, late or
//! begun too late, whatever is killed or comes in between. The stand-in for the model answers at once.

mod crowd;
mod interleavings;
mod judging;
mod kills;
mod listening;
mod overhead;
mod people;
mod stage;

use self::stage::Stage;
use crate::{figures::Figures, say::say, world::Options};

/// Measures turns and notes the figures.
pub async fn run(options: &Options, figures: &mut Figures) -> anyhow::Result<()> {
    // Fails only if a provider is already installed.
    let _ = rustls::crypto::ring::default_provider().install_default();
    say("judging");
    judging::measure(figures)?;
    let mut stage = Stage::start(options).await?;
    let many = |whole: usize, small: usize| if options.small { small } else { whole };
    say("turns one after the other");
    overhead::measure(&mut stage, many(300, 10), figures).await?;
    say("50 conversations at once");
    crowd::measure(&mut stage, many(5, 1), figures).await?;
    say("take-overs, replies, closes and messages thrown in");
    interleavings::measure(&mut stage, many(1_000, 20), figures).await?;
    say("kills");
    kills::measure(stage, many(1_000, 20), figures).await
}
