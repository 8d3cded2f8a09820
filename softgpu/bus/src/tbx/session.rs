//! One connection: a device of its own.

use std::io::{self, Read, Write};
use std::time::Duration;

use batchbuffer::Engine;
use batchbuffer::execlists::execlists;
use batchbuffer::registers::{base, own};
use kmd_iface::baremetal::tbx::{Answer, MessageError, Request};
use softgpu_device::Failure;

use crate::{Bank, BusError, Machine};

/// Why a connection was closed. A client that does not read the registers of failures has no other way to
/// learn that its work failed.
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
/// do by reading again. A client that has read a register in which engines tell of failures is served at
/// once, and finds failures there.
///
/// # Errors
/// Why the connection must be closed.
pub fn serve(
    machine: &Machine,
    input: &mut impl Read,
    output: &mut impl Write,
) -> Result<Session, SessionError> {
    let mut session = Session::default();
    let mut looks = false;
    while let Some((transaction, request)) = Request::read(input)? {
        session.requests += 1;
        let answer = match request {
            Request::Control { .. } => continue,
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
                looks |= tells_of_failures(machine, offset);
                Answer::Register(machine.read_register(offset)?)
            }
            Request::GlobalEntry {
                index,
                value: Some(value),
            } => {
                machine.set_global_entry(index, value)?;
                continue;
            }
            Request::GlobalEntry { index, value: None } => {
                Answer::GlobalEntry(machine.global_entry(index)?)
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
                if !looks {
                    settled(machine)?;
                }
                let mut data = vec![0; bytes as usize];
                let system = machine.exists(Bank::System, address);
                let bank = match !system && machine.exists(Bank::Local, address) {
                    true => Bank::Local,
                    false => Bank::System,
                };
                machine.read(bank, address, &mut data)?;
                session.read += u64::from(bytes);
                Answer::Memory { address, data }
            }
        };
        let sent: io::Result<()> = output.write_all(&answer.encode(transaction));
        sent.map_err(MessageError::Socket)?;
    }
    if !looks {
        settled(machine)?;
    }
    Ok(session)
}

/// Whether engines tell of failures in a register.
fn tells_of_failures(machine: &Machine, offset: u32) -> bool {
    let faults = &execlists(machine.platform().family).faults;
    let errors =
        [Engine::Render, Engine::Blitter, Engine::Compute].map(|engine| base(engine) + own::ERRORS);
    offset == faults.fault || errors.contains(&offset)
}

/// Waits for all work.
fn settled(machine: &Machine) -> Result<(), SessionError> {
    match machine.settle(PATIENCE)? {
        true => Ok(()),
        false => Err(SessionError::Endless(PATIENCE)),
    }
}
