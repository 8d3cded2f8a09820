//! `serve`: let clients that drive a GPU without a kernel driver use the software GPU.

use std::net::SocketAddr;
use std::time::Duration;

use devinfo::Target;
use softgpu_bus::tbx::{Server, ServerOptions};
use softgpu_device::{Execution, Settings};

use crate::args::number;
use crate::exit::Error;
use crate::{files, platform, talk};

/// Serve a simulator's protocol: TBX, which Intel's runtime speaks with
/// SetCommandStreamReceiver=2.
///
/// Each connection gets a device and memory of its own. The address is printed to stdout when
/// clients may connect. When a client's work fails, the reason is logged and its connection is
/// closed, unless the client reads the registers that tell of failures.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  intel-gpu-run serve --tbx 127.0.0.1:4321 --platform skl &
  NEOReadDebugKeys=1 SetCommandStreamReceiver=2 ProductFamilyOverride=skl ./program
  intel-gpu-run run kernel.asm --device tbx:127.0.0.1:4321:skl ...

Intel's runtime 22.43 speaks TBX on bdw, skl, icl, tgl and dg2 (there with EnableLocalMemory=0).")]
pub struct Args {
    /// Where to listen; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    tbx: SocketAddr,

    /// The platform of the devices, as `NAME[:REVISION]`
    #[arg(short, long, value_name = "PLATFORM", value_parser = platform::parse)]
    platform: Target,

    /// Listen for other machines, too: everybody who can connect may use this machine's memory and
    /// processors
    #[arg(long)]
    public: bool,

    /// The most bytes of memory that a connection may write
    #[arg(long, default_value = "4G", value_parser = number::bytes, value_name = "BYTES")]
    memory: u64,

    /// The most connections at a time; Intel's runtime opens one for each engine
    #[arg(long, default_value_t = 16, value_name = "COUNT")]
    connections: usize,

    /// Host threads that run EU threads for each connection [default: one for each core]
    #[arg(long, value_name = "COUNT")]
    threads: Option<usize>,

    /// Seconds after which work that makes no progress counts as hung
    #[arg(long, default_value = "60", value_parser = number::seconds, value_name = "SECONDS")]
    hang_timeout: Duration,
}

/// Serves until it is ended.
///
/// # Errors
/// [`Error::Usage`] for an address of other machines or a platform that cannot be served,
/// [`Error::Failed`] if the address cannot be had.
pub fn run(args: &Args) -> Result<(), Error> {
    if !args.tbx.ip().is_loopback() && !args.public {
        return Err(Error::Usage(format!(
            "--tbx {}: other machines could connect; name a loopback address such as 127.0.0.1, or \
             add --public",
            args.tbx
        )));
    }
    let options = ServerOptions {
        platform: args.platform.platform,
        settings: Settings {
            threads: args.threads.unwrap_or(0),
            hang_timeout: args.hang_timeout,
            check: false,
            execution: Execution::default(),
        },
        memory: args.memory,
        connections: args.connections,
    };
    let refused = |error| Error::Failed(format!("--tbx {}: {error}", args.tbx));
    let server = Server::bind(args.tbx, options).map_err(|error| match error.get_ref() {
        Some(why) => Error::Usage(format!("--platform {}: {why}", args.platform)),
        None => refused(error),
    })?;
    let address = server.address().map_err(refused)?;
    files::print(&format!("{address}\n"))?;
    talk::say(format_args!(
        "serving {} at {address} by TBX",
        args.platform.platform.title
    ));
    server.run().map_err(refused)
}
