//! The shop as a program.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::Parser;
use reference_shop::{Config, Error, Fault, ReferenceShop};
use secrecy::SecretString;
use simulator_kit::{run_program, until_interrupted};

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
    let Arguments { port, secret, faults } = Arguments::parse();
    run_program(async move {
        let mut config = Config::new(secret);
        config.listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let shop = ReferenceShop::start(config).await?;
        shop.switch_on(&faults);
        until_interrupted(&format!("base {}\ncontrol {}", shop.base_url(), shop.control_url())).await;
        shop.stop().await;
        Ok::<_, Error>(())
    })
    .await
}
