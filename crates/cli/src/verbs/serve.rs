//! `serve`: the page and the protocol over HTTP.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
#[cfg(all(target_os = "linux", target_env = "gnu"))]
use std::process::Command;

use banmen_arena::Store;
use banmen_protocol::{Policy, TablePolicy};
use banmen_server::{Config, Server};

use super::{Ask, Done};
use crate::args::Serve;
use crate::failure::Failure;
use crate::output::{remark, say};

/// The default port, which is tried first.
const PORT: u16 = 8080;

/// Starts the program anew, in the same process, with glibc set to give every block of a mebibyte and more back to the
/// system once it is free. By default glibc raises that threshold to the largest table freed so far, and keeps the
/// tables of ended searches for each thread that allocated one. Returns where that is already so, or cannot be had.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn return_memory() {
    use std::os::unix::process::CommandExt;
    const VARIABLE: &str = "MALLOC_MMAP_THRESHOLD_";
    let mut arguments = std::env::args_os();
    let (Ok(program), Some(name), None) = (std::env::current_exe(), arguments.next(), std::env::var_os(VARIABLE))
    else {
        return;
    };
    // Returns only if it fails; then the server merely takes more memory.
    let _ = Command::new(program).arg0(name).args(arguments).env(VARIABLE, (1 << 20).to_string()).exec();
}

pub(crate) fn run(args: &Serve, ask: Ask) -> Done {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    return_memory();
    let store = ask.store_to_read();
    // A store that was named is one. Without its usual store the page can still be played on.
    if let Some(path) = store.as_ref().filter(|path| ask.names_store && path.exists()) {
        Store::reading(path)?;
    }
    let catalog = ask.service.catalog;
    let config = |listen: SocketAddr| {
        let config = Config::new(listen);
        // Only whoever uses this machine reaches the server, so the data directory and the store are their own.
        let own = listen.ip().is_loopback() && args.host.is_empty() && args.origin.is_empty();
        Config {
            policy: if own {
                Policy { tables: TablePolicy::OnRequest, experiments: true, ..config.policy }
            } else {
                config.policy
            },
            hosts: args.host.clone(),
            origins: args.origin.clone(),
            threads: args.threads.unwrap_or(config.threads),
            connections: args.connections.unwrap_or(config.connections),
            connections_per_peer: args.connections_per_peer.unwrap_or(config.connections_per_peer),
            metrics: args.metrics,
            store: store.clone(),
            ..config
        }
    };
    let bind = |listen| Server::bind(catalog.clone(), config(listen));
    let server = match args.listen {
        Some(listen) => bind(listen).map_err(|error| failed(listen, error))?,
        None => {
            let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
            let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            match bind(usual) {
                Err(error) if error.kind() == io::ErrorKind::AddrInUse => bind(free),
                result => result,
            }
            .map_err(|error| failed(usual, error))?
        }
    };
    for warning in server.warnings() {
        remark(&warning);
    }
    say(&format!("Banmen plays at http://{}/ (Ctrl-C ends it)", server.address()));
    server.run().map_err(|error| Failure::System("the server".to_owned(), error))?;
    Ok(0)
}

fn failed(address: SocketAddr, error: io::Error) -> Failure {
    Failure::System(format!("cannot listen on {address}"), error)
}
