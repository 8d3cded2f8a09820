//! A TBX server in this process.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use devinfo::Target;
use softgpu_bus::tbx::{Server, ServerOptions};
use softgpu_device::{Execution, Settings};

/// How its devices behave.
pub fn settings() -> Settings {
    Settings {
        threads: 1,
        hang_timeout: Duration::from_secs(60),
        check: false,
        execution: Execution::default(),
    }
}

/// Serves a platform in a thread that ends with the process.
///
/// # Panics
/// If it cannot be served, or no socket is free.
pub fn serve(platform: &str) -> SocketAddr {
    let options = ServerOptions {
        platform: Target::parse(platform).expect("a platform").platform,
        settings: settings(),
        memory: 1 << 32,
        connections: 16,
    };
    let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), options);
    let server = server.expect("a server");
    let address = server.address().expect("its address");
    thread::spawn(move || server.run());
    address
}
