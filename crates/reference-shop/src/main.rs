//! The shop as a program.

use std::io::{self, Write as _};
use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::Parser;
use reference_shop::{Config, Error, Fault, ReferenceShop};
use secrecy::SecretString;
use tracing_subscriber::EnvFilter;

/// A small shop that implements the contract for customers' own systems, on loopback and in memory.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8450)]
    port: u16,
    /// The bearer secret that every route asks for
    #[arg(long, default_value = "reference-shop-secret")]
    secret: SecretString,
    /// A fault to start with. Can be given again; `GET /control/faults` lists them all
    #[arg(long = "fault", value_name = "NAME", value_parser = fault)]
    faults: Vec<Fault>,
}

fn fault(name: &str) -> Result<Fault, String> {
    Fault::read(name).ok_or_else(|| "there is no such fault".to_owned())
}

#[tokio::main]
async fn main() -> ExitCode {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr).init();
    match run(Arguments::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tracing::error!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(arguments: Arguments) -> Result<(), Error> {
    let mut config = Config::new(arguments.secret);
    config.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, arguments.port));
    let shop = ReferenceShop::start(config).await?;
    shop.switch_on(&arguments.faults);
    // If the pipe was closed, nobody wants to know.
    let _closed = writeln!(io::stdout(), "base {}\ncontrol {}", shop.base_url(), shop.control_url());
    // Without a signal handler there is nothing to wait for.
    let _unavailable = tokio::signal::ctrl_c().await;
    shop.stop().await;
    Ok(())
}
