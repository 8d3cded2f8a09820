//! TBX: a simulator's protocol over a socket. The messages of both sides, and a [`Bus`](super::Bus)
//! that speaks to a server.
//!
//! A client writes registers, entries of the global GTT and physical memory, and reads registers and
//! memory; nothing else is answered. The server does not reach memory of the client. [`Tbx`] therefore
//! sends what has changed before each submission, and reads what the device has changed when an engine
//! has nothing more to do. While an engine runs, the two do not see each other's writes.
//!
//! Source: NEO 22.43, `tbx_sockets_imp.cpp`, `tbx_proto.h`, and what it was seen to send.

mod client;
mod message;
mod mirror;

pub use client::Tbx;
pub use message::{Answer, Bank, MOST_DATA, MessageError, Request};
