//! The server: a device for each connection.

use std::io::{self, BufReader};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use devinfo::Platform;
use kmd_iface::baremetal::tbx::MessageError;
use softgpu_device::Settings;

use super::{SessionError, serve};
use crate::{BusError, Machine};

/// What a server gives its clients.
#[derive(Clone, Debug)]
pub struct ServerOptions {
    /// The device that each connection gets.
    pub platform: &'static Platform,
    /// How it behaves.
    pub settings: Settings,
    /// The most bytes that a connection writes to each memory.
    pub memory: u64,
    /// The most connections at a time; further ones are closed at once.
    pub connections: usize,
}

/// A socket on which clients are expected.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    options: Arc<ServerOptions>,
    open: Arc<AtomicUsize>,
}

impl Server {
    /// Listens at `address`; port 0 takes a free one.
    ///
    /// # Errors
    /// The address is taken or is not this machine's; the platform cannot be served.
    pub fn bind(address: SocketAddr, options: ServerOptions) -> io::Result<Self> {
        machine(&options).map_err(io::Error::other)?;
        Ok(Self {
            listener: TcpListener::bind(address)?,
            options: Arc::new(options),
            open: Arc::default(),
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The socket's.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves clients for ever.
    ///
    /// # Errors
    /// The socket is no listener any more.
    pub fn run(&self) -> io::Result<()> {
        for number in 1u64.. {
            let (stream, peer) = match self.listener.accept() {
                Ok(accepted) => accepted,
                Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Err(error),
                // The client has gone already, or the host is short of something for a while.
                Err(error) => {
                    tracing::warn!("connection {number} was not accepted: {error}");
                    thread::sleep(Duration::from_millis(100));
                    continue;
                }
            };
            let place = Place::take(&self.open);
            if self.open.load(Ordering::Relaxed) > self.options.connections {
                let limit = self.options.connections;
                tracing::warn!("connection {number} of {peer} is closed: {limit} are open");
                continue;
            }
            let options = Arc::clone(&self.options);
            let spawned = thread::Builder::new()
                .name(format!("tbx-{number}"))
                .spawn(move || {
                    let _place = place;
                    report(number, connection(&options, &stream));
                });
            if let Err(error) = spawned {
                tracing::warn!("connection {number} of {peer} is closed: no thread: {error}");
            }
        }
        Ok(())
    }
}

/// A connection's place among those that are open, given back when it ends in whichever way.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(open: &Arc<AtomicUsize>) -> Self {
        open.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(open))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn machine(options: &ServerOptions) -> Result<Machine, BusError> {
    Machine::new(options.platform, options.settings.clone(), options.memory)
}

fn connection(options: &ServerOptions, stream: &TcpStream) -> Result<super::Session, SessionError> {
    let machine = machine(options)?;
    let socket = |error| SessionError::Message(MessageError::Socket(error));
    stream.set_nodelay(true).map_err(socket)?;
    serve(
        &machine,
        &mut BufReader::with_capacity(1 << 16, stream),
        &mut &*stream,
    )
}

fn report(number: u64, result: Result<super::Session, SessionError>) {
    match result {
        Ok(session) => tracing::info!(
            "connection {number} ended: {} requests, {} bytes written, {} bytes read",
            session.requests,
            session.written,
            session.read
        ),
        Err(error) => tracing::error!("connection {number} is closed: {error}"),
    }
}
