//! The stand-in as a program.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use clap::Parser;
use model_simulator::{Config, Error, Fault, ModelSimulator};
use simulator_kit::{run_program, until_interrupted};

/// A stand-in for a language model, on loopback.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// The port on 127.0.0.1; 0 takes a free one
    #[arg(long, default_value_t = 8460)]
    port: u16,
    /// A fault to start with. Can be given again; `GET /control/faults` lists them all
    #[arg(long = "fault", value_name = "NAME", value_parser = fault)]
    faults: Vec<Fault>,
}

fn fault(name: &str) -> Result<Fault, String> {
    Fault::read(name).ok_or_else(|| "there is no such fault".to_owned())
}

#[tokio::main]
async fn main() -> ExitCode {
    let Arguments { port, faults } = Arguments::parse();
    run_program(async move {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let model = ModelSimulator::start(Config { listen, ..Config::default() }).await?;
        model.switch_on(&faults);
        until_interrupted(&format!("base {}\ncontrol {}", model.base_url(), model.control_url())).await;
        model.stop().await;
        Ok::<_, Error>(())
    })
    .await
}
