//! TBX: a simulator's protocol, which Intel's runtime speaks over a socket.
//!
//! A client writes registers, entries of the global GTT and physical memory, and reads memory until
//! its tag is there; nothing else is answered. Source: NEO 22.43, `tbx_sockets_imp.cpp`,
//! `tbx_proto.h`, and what it was seen to send.

mod message;
mod server;
mod session;

pub use message::MessageError;
pub use server::{Server, ServerOptions};
pub use session::{Session, SessionError, serve};
