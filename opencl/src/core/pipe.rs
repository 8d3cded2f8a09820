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

use std::sync::{Arc, Mutex, Weak};

use super::event::Event;
use super::memory::Mem;
use super::queue::Queue;
use crate::error::Result;

/// Where the lock is.
const LOCK: u64 = 64;
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

/// The command that clears the lock of a pipe.
pub(crate) fn unlock(mem: &Mem, queue: &Queue) -> Result<Option<umd::Command>> {
    let memory = mem.pipe.as_ref().and(mem.buffers.get(queue.place));
    let fill = |memory| umd::Command::fill_buffer(&queue.umd, (memory, LOCK), 4, &[0; 4]);
    Ok(memory.map(fill).transpose()?)
}

/// Pipes that a command takes, each once, in the order in which they are locked.
pub(crate) fn in_order(mut pipes: Vec<&Arc<Mem>>) -> Vec<&Arc<Mem>> {
    pipes.sort_by_key(|mem| Arc::as_ptr(mem));
    pipes.dedup_by(|a, b| Arc::ptr_eq(a, b));
    pipes
}
