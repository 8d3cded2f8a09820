//! One connection: a device of its own.

use std::io::{self, Read, Write};
use std::time::Duration;

use softgpu_device::Failure;

use super::message::{self, MessageError, Request, number};
use crate::{Bank, BusError, Machine};

/// Why a connection was closed. A client has no other way to learn that its work failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// What came is no request, or the socket failed.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The device refused a request.
    #[error(transparent)]
    Bus(#[from] BusError),
    /// Work failed.
    #[error(transparent)]
    Failed(#[from] Failure),
    /// Work did not end.
    #[error("work did not end within {0:?}")]
    Endless(Duration),
}

/// What a connection did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Session {
    /// Requests that were read.
    pub requests: u64,
    /// Bytes that the client wrote to memory.
    pub written: u64,
    /// Bytes that the client read from memory.
    pub read: u64,
}

/// How long a read waits for work that has begun. Work that hangs is ended earlier.
const PATIENCE: Duration = Duration::from_secs(600);

/// Serves a client of `machine` until it closes its end.
///
/// A read of memory waits for the work that was submitted before it, which is what the client would
/// do by reading again.
///
/// # Errors
/// Why the connection must be closed.
pub fn serve(
    machine: &Machine,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<Session, SessionError> {
    let mut session = Session::default();
    while let Some((transaction, request)) = message::read(input)? {
        session.requests += 1;
        let reply = match request {
            Request::Control => continue,
            Request::Register {
                offset,
                value: Some(value),
            } => {
                machine.write_register(offset, value)?;
                continue;
            }
            Request::Register {
                offset,
                value: None,
            } => {
                let value = machine.read_register(offset)?;
                message::answer(number::MMIO_ANSWER, transaction, &[value], &[])
            }
            Request::GlobalEntry {
                index,
                value: Some(value),
            } => {
                machine.set_global_entry(index, value)?;
                continue;
            }
            Request::GlobalEntry { index, value: None } => {
                let entry = machine.global_entry(index)?;
                let body = [entry as u32, (entry >> 32) as u32];
                message::answer(number::GTT_ANSWER, transaction, &body, &[])
            }
            Request::Write {
                bank,
                address,
                data,
            } => {
                machine.write(bank, address, &data)?;
                session.written += data.len() as u64;
                continue;
            }
            Request::Read { address, bytes } => {
                settled(machine)?;
                let mut data = vec![0; bytes as usize];
                let system = machine.exists(Bank::System, address);
                let bank = match !system && machine.exists(Bank::Local, address) {
                    true => Bank::Local,
                    false => Bank::System,
                };
                machine.read(bank, address, &mut data)?;
                session.read += u64::from(bytes);
                let body = [(address >> 32 << 24) as u32, address as u32, bytes];
                message::answer(number::READ_DATA_ANSWER, transaction, &body, &data)
            }
        };
        let sent: io::Result<()> = output.write_all(&reply);
        sent.map_err(MessageError::Socket)?;
    }
    settled(machine)?;
    Ok(session)
}

/// Waits for all work.
fn settled(machine: &Machine) -> Result<(), SessionError> {
    match machine.settle(PATIENCE)? {
        true => Ok(()),
        false => Err(SessionError::Endless(PATIENCE)),
    }
}
