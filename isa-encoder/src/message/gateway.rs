//! Gateway and thread spawner messages.

use core::fmt;

use devinfo::Family;

use super::bits::Field;
use super::{DescriptorError, Message};
use crate::Sfid;

const OPCODE: Field = Field::new(3, 0);
const ACTIVE_ONLY: Field = Field::bit(11);
/// What the thread spawner is asked for: 0 ends the thread.
const TS_OPCODE: Field = Field::new(2, 0);

/// Thread spawner descriptor: "do not dereference the URB handle" (bit 4), as compilers emit it.
pub(super) const THREAD_SPAWNER_NO_DEREFERENCE: u32 = 1 << 4;

/// A message to the gateway, which signals between threads.
///
/// Payload: one register ([`Lengths::message`](super::Lengths::message) 1), no header; the opcode
/// is descriptor bits 3:0 (2:0 to XeHPC). There is no response but where said.
///
/// Sources: SKL and TGL PRM vol 7 "Message Gateway"; Mesa `brw_eu_defines.h`
/// (`BRW_MESSAGE_GATEWAY_SFID_*`); IGC `visa/Common_GEN.h` (`MDC_GATEWAY_SUBFUNC`), which both
/// know the codes of Gen8 to Gen11; IGA `MessageDecoderOther.cpp` (`tryDecodeGTWY`, names in
/// quotes below), which knows the later ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gateway {
    /// Opens a thread's gateway to messages of others (to Gen11).
    Open,
    /// Closes it (to Gen11).
    Close,
    /// Forwards data to another thread's registers (to Gen11).
    Forward,
    /// Reads the time stamp (to Gen11). The response is one register.
    Timestamp,
    /// Changes what the gateway knows of a thread (to Gen11).
    UpdateState,
    /// Reads or writes a memory-mapped register (to Gen11). The response is one register.
    Mmio,
    /// The thread ends ("MSD_EOT", XeHPG and later). Payload: r0 of the thread.
    EndOfThread,
    /// Signals an event ("MSD_SIGNAL_EVENT", Gen12LP and later).
    SignalEvent,
    /// Monitors an event ("MSD_MONITOR_EVENT", Gen12LP and later).
    MonitorEvent,
    /// Stops monitoring ("MSD_MONITOR_NO_EVENT", Gen12LP and later).
    MonitorNoEvent,
    /// Signals a barrier of the thread group ("MSD_BARRIER", all families).
    ///
    /// Payload: dword 2 is r0.2, whose bits name the barrier. From XeHPG on they are: the number
    /// of a named barrier in 7:0 (0 is the group's own), its type in 15:14 (0 producer and
    /// consumer, 1 producer, 2 consumer), the threads that signal in 23:16 and those that wait in
    /// 31:24 (IGC `visa/VisaToG4/TranslateSendSync.cpp`). The thread then waits with `wait n0.0`
    /// (to Gen11) or `sync.bar`.
    Barrier,
    /// As [`Gateway::Barrier`], among the active threads only (bit 11). Gen12LP and later
    /// according to iga64 1.1.0; its later sources have it from Xe2 on.
    ActiveBarrier,
    /// Waits for an event ("MSD_WAIT_FOR_EVENT", Gen12LP and later). Payload: the time out.
    WaitForEvent,
    /// Reads the state of the barriers ("MSD_SAVE_BARRIER", Xe2). The response is one register.
    SaveBarriers,
    /// Writes the state of the barriers ("MSD_RESTORE_BARRIER", Xe2).
    RestoreBarriers,
    /// A thread that was preempted is restored ("MSD_END_OF_RESTORE", Xe2).
    EndOfRestore,
    /// Restores a stack of bindless threads ("MSD_RESTORE_BTD_STACK", Xe2).
    RestoreStack,
    /// The barrier of system routines ("MSD_SIP_BARRIER", Xe2). The response is one register.
    SystemBarrier,
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
        (4, Gateway::ActiveBarrier, Gen12Lp, Xe2),
        (6, Gateway::WaitForEvent, Gen12Lp, Xe2),
        (0x8, Gateway::SaveBarriers, Xe2, Xe2),
        (0x9, Gateway::RestoreBarriers, Xe2, Xe2),
        (0xa, Gateway::EndOfRestore, Xe2, Xe2),
        (0xb, Gateway::RestoreStack, Xe2, Xe2),
        (0xc, Gateway::SystemBarrier, Xe2, Xe2),
    ]
};

pub(super) fn decode(family: Family, descriptor: u32) -> Result<Gateway, DescriptorError> {
    let opcode = OPCODE.get(descriptor);
    let message = OPCODES
        .iter()
        .find(|(number, _, first, last)| *number == opcode && (*first..=*last).contains(&family))
        .map(|(_, message, ..)| *message)
        .ok_or(DescriptorError::Field {
            function: Sfid::Gateway,
            field: "opcode",
            value: opcode,
            descriptor,
        })?;
    Ok(match message {
        Gateway::Barrier if family >= Family::Gen12Lp && ACTIVE_ONLY.is_set(descriptor) => {
            Gateway::ActiveBarrier
        }
        message => message,
    })
}

pub(super) fn encode(family: Family, message: Gateway) -> Result<u32, DescriptorError> {
    let mut descriptor = 0;
    match message {
        Gateway::EndOfThread => descriptor = THREAD_SPAWNER_NO_DEREFERENCE,
        Gateway::ActiveBarrier => {
            ACTIVE_ONLY.put(&mut descriptor, "active threads only", 1)?;
        }
        _ => {}
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

/// Opcode 0 ends the thread. Spawning child threads (opcode 1, media of Gen8 and Gen9) stays a
/// number: no source at hand has its payload.
pub(super) fn decode_thread_spawner(descriptor: u32) -> Result<Message, DescriptorError> {
    if TS_OPCODE.is_set(descriptor) {
        return Err(DescriptorError::Field {
            function: Sfid::ThreadSpawner,
            field: "opcode",
            value: TS_OPCODE.get(descriptor),
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
            Self::ActiveBarrier => "signal barrier of active threads",
            Self::WaitForEvent => "wait for event",
            Self::SaveBarriers => "save barriers",
            Self::RestoreBarriers => "restore barriers",
            Self::EndOfRestore => "end of restore",
            Self::RestoreStack => "restore stack",
            Self::SystemBarrier => "system routine barrier",
        }
    }
}

impl fmt::Display for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
