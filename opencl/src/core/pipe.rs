//! Pipes: packets in memory, as the code of Intel's compiler has them (intel-graphics-compiler,
//! `IGC/BiFModule/Implementation/pipe.cl`).
//!
//! Three dwords begin the memory: one more than the packets that it holds, the place of the next read,
//! and that of the next write. A dword at 64 is the lock: negative while kernels read, positive while
//! they write. The packets begin at 128; one place is always free.
//!
//! The code does not release the lock where a read finds no packet, or a write no room. A kernel reads a
//! pipe or writes it, never both, so the lock is cleared before each kernel that takes the pipe, and
//! such kernels run one after the other, on whatever queues they are.

use std::sync::{Mutex, Weak};

use super::event::Event;

/// Where the lock is: four bytes.
pub(crate) const LOCK: u64 = 64;
/// Bytes before the packets.
const CONTROL: usize = 128;

/// What a pipe is besides its memory.
#[derive(Debug)]
pub(crate) struct Pipe {
    /// Bytes of a packet.
    pub packet_size: u32,
    pub max_packets: u32,
    /// The end of the last kernel that takes it.
    pub last: Mutex<Weak<Event>>,
}

impl Pipe {
    pub(crate) fn new(packet_size: u32, max_packets: u32) -> Self {
        Self {
            packet_size,
            max_packets,
            last: Mutex::default(),
        }
    }

    /// Bytes of its memory; `None` if that is more than there can be.
    pub(crate) fn bytes(&self) -> Option<usize> {
        let places = (self.max_packets as usize).checked_add(1)?;
        CONTROL.checked_add(places.checked_mul(self.packet_size as usize)?)
    }

    /// What its memory begins with.
    pub(crate) fn control(&self) -> [u8; CONTROL] {
        let mut control = [0; CONTROL];
        if let Some(places) = control.first_chunk_mut() {
            *places = self.max_packets.saturating_add(1).to_le_bytes();
        }
        control
    }
}
