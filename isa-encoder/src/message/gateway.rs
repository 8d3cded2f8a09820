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

/// A gateway message. Source: TGL PRM vol 7 "Message Gateway"; IGA's gateway table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// The thread ends (XeHPG and later).
    EndOfThread,
    /// Signals an event.
    SignalEvent,
    /// Monitors an event.
    MonitorEvent,
    /// Stops monitoring.
    MonitorNoEvent,
    /// Signals the thread group's barrier.
    Barrier,
    /// Waits for an event.
    WaitForEvent,
}

const OPCODES: &[(u32, Gateway)] = &[
    (0, Gateway::EndOfThread),
    (1, Gateway::SignalEvent),
    (2, Gateway::MonitorEvent),
    (3, Gateway::MonitorNoEvent),
    (4, Gateway::Barrier),
    (6, Gateway::WaitForEvent),
];

pub(super) fn decode(descriptor: u32) -> Result<Gateway, DescriptorError> {
    let opcode = OPCODE.get(descriptor);
    OPCODES
        .iter()
        .find(|(number, _)| *number == opcode)
        .map(|(_, message)| *message)
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
        if family < Family::XeHpg {
            return Err(DescriptorError::Unsupported {
                what: "end of thread at the gateway",
                family,
            });
        }
        descriptor = THREAD_SPAWNER_NO_DEREFERENCE;
    }
    let opcode = OPCODES
        .iter()
        .find(|(_, row)| *row == message)
        .map_or(0, |(number, _)| *number);
    OPCODE.put(&mut descriptor, "opcode", opcode)?;
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

impl fmt::Display for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::EndOfThread => "end of thread",
            Self::SignalEvent => "signal event",
            Self::MonitorEvent => "monitor event",
            Self::MonitorNoEvent => "monitor no event",
            Self::Barrier => "signal barrier",
            Self::WaitForEvent => "wait for event",
        })
    }
}
