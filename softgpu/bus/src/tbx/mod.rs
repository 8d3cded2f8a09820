//! A server of TBX: a device for each connection. The messages, and a client, are
//! [`kmd_iface::baremetal::tbx`].

mod server;
mod session;

pub use server::{Server, ServerOptions};
pub use session::{Session, SessionError, serve};
