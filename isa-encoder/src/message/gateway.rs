//! Gateway and thread spawner messages.

use core::fmt;

use devinfo::Family;

use super::bits::Field;
use super::{DescriptorError, Message};
use crate::Sfid;

const OPCODE: Field = Field::new(3, 0);
const TS_OPCODE: Field = Field::bit(0);

/// Thread spawner descriptor: "do not dereference the URB handle" (bit 4), as compilers emit it.
pub(super) const THREAD_SPAWNER_NO_DEREFERENCE: u32 = 1 << 4;

/// A gateway message. Sources: SKL and TGL PRM vol 7 "Message Gateway", IGA's gateway table, Mesa
/// `brw_eu_defines.h`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// Opens a thread's gateway to messages of others (to Gen11).
    Open,
    /// Closes it (to Gen11).
    Close,
    /// Forwards data to another thread's registers (to Gen11).
    Forward,
    /// Reads the time stamp (to Gen11).
    Timestamp,
    /// Changes what the gateway knows of a thread (to Gen11).
    UpdateState,
    /// Reads or writes a memory-mapped register (to Gen11).
    Mmio,
    /// The thread ends (XeHPG and later).
    EndOfThread,
    /// Signals an event (Gen12LP and later).
    SignalEvent,
    /// Monitors an event (Gen12LP and later).
    MonitorEvent,
    /// Stops monitoring (Gen12LP and later).
    MonitorNoEvent,
    /// Signals the thread group's barrier.
    Barrier,
    /// Waits for an event (Gen12LP and later).
    WaitForEvent,
}

/// `(opcode, message, first family, last family)`.
const OPCODES: &[(u32, Gateway, Family, Family)] = {
    use Family::{Gen8, Gen11, Gen12Lp, Xe2, XeHpg};
    &[
        (0, Gateway::Open, Gen8, Gen11),
        (1, Gateway::Close, Gen8, Gen11),
        (2, Gateway::Forward, Gen8, Gen11),
        (3, Gateway::Timestamp, Gen8, Gen11),
        (5, Gateway::UpdateState, Gen8, Gen11),
        (6, Gateway::Mmio, Gen8, Gen11),
        (0, Gateway::EndOfThread, XeHpg, Xe2),
        (1, Gateway::SignalEvent, Gen12Lp, Xe2),
        (2, Gateway::MonitorEvent, Gen12Lp, Xe2),
        (3, Gateway::MonitorNoEvent, Gen12Lp, Xe2),
        (4, Gateway::Barrier, Gen8, Xe2),
        (6, Gateway::WaitForEvent, Gen12Lp, Xe2),
    ]
};

pub(super) fn decode(family: Family, descriptor: u32) -> Result<Gateway, DescriptorError> {
    let opcode = OPCODE.get(descriptor);
    OPCODES
        .iter()
        .find(|(number, _, first, last)| *number == opcode && (*first..=*last).contains(&family))
        .map(|(_, message, ..)| *message)
        .ok_or(DescriptorError::Field {
            function: Sfid::Gateway,
            field: "opcode",
            value: opcode,
            descriptor,
        })
}

pub(super) fn encode(family: Family, message: Gateway) -> Result<u32, DescriptorError> {
    let mut descriptor = 0;
    if message == Gateway::EndOfThread {
        descriptor = THREAD_SPAWNER_NO_DEREFERENCE;
    }
    let (opcode, ..) = OPCODES
        .iter()
        .find(|(_, row, first, last)| *row == message && (*first..=*last).contains(&family))
        .ok_or(DescriptorError::Unsupported {
            what: message.name(),
            family,
        })?;
    OPCODE.put(&mut descriptor, "opcode", *opcode)?;
    Ok(descriptor)
}

/// Thread spawner: opcode 0 ends the thread; there is no other for EU threads.
pub(super) fn decode_thread_spawner(descriptor: u32) -> Result<Message, DescriptorError> {
    if TS_OPCODE.is_set(descriptor) {
        return Err(DescriptorError::Field {
            function: Sfid::ThreadSpawner,
            field: "opcode",
            value: 1,
            descriptor,
        });
    }
    Ok(Message::EndOfThread)
}

impl Gateway {
    const fn name(self) -> &'static str {
        match self {
            Self::Open => "open gateway",
            Self::Close => "close gateway",
            Self::Forward => "forward message",
            Self::Timestamp => "get time stamp",
            Self::UpdateState => "update gateway state",
            Self::Mmio => "read or write mmio",
            Self::EndOfThread => "end of thread",
            Self::SignalEvent => "signal event",
            Self::MonitorEvent => "monitor event",
            Self::MonitorNoEvent => "monitor no event",
            Self::Barrier => "signal barrier",
            Self::WaitForEvent => "wait for event",
        }
    }
}

impl fmt::Display for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
