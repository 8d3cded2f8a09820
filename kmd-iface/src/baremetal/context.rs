//! A queue's context: its image, and its ring.

use std::sync::Arc;

use batchbuffer::Engine;
use batchbuffer::execlists::{Context as Layout, place};
use devinfo::{Family, GpuAddress};

use super::dma::Link;
use super::global::Global;
use super::ring;
use crate::{KmdError, KmdResult};

/// A context in memory.
#[derive(Debug)]
pub(super) struct Context {
    target: (Family, Engine),
    image: Global,
    ring: Global,
    tail: u32,
    /// The bytes that were written since the engine had the context last.
    written: u32,
    descriptor: u64,
}

impl Context {
    /// A context that has not run. `id` tells it from others.
    pub(super) fn new(
        link: &Arc<Link>,
        target: (Family, Engine),
        root: GpuAddress,
        id: u32,
    ) -> KmdResult<Self> {
        let (family, engine) = target;
        let image = Global::new(link, Layout::image_bytes(family, engine))?;
        let ring = Global::new(link, ring::BYTES.into())?;
        let layout = Layout {
            engine,
            ring: ring.address(),
            ring_bytes: ring::BYTES,
            root,
        };
        let registers = layout.registers(family);
        let registers =
            registers.map_err(|error| KmdError::BareMetal(format!("a context image: {error}")))?;
        for (index, register) in registers.iter().enumerate() {
            let offset = place::REGISTERS + 4 * index as u64;
            image.memory().write(offset, *register);
        }
        let mut context = Self {
            target,
            descriptor: Layout::descriptor(family, engine, image.address(), id),
            image,
            ring,
            tail: 0,
            written: 0,
        };
        context.write(&ring::begin(family, engine)?);
        Ok(context)
    }

    /// The image's address in the global GTT.
    pub(super) const fn image(&self) -> u32 {
        self.image.address()
    }

    /// The number of the last submission that has ended.
    pub(super) fn done(&self) -> u64 {
        self.image.memory().read_qword(place::SEQNO)
    }

    /// Writes what runs a batch into the ring, if there is room. Returns whether there was.
    pub(super) fn append(&mut self, batch: GpuAddress, seqno: u64) -> KmdResult<bool> {
        let commands = ring::batch(self.target, self.image(), batch, seqno)?;
        let bytes = 4 * commands.len() as u32;
        // Commands do not go across the ring's end, and a full ring would look empty.
        let skipped = match self.tail + bytes > ring::BYTES {
            true => ring::BYTES - self.tail,
            false => 0,
        };
        if self.written + skipped + bytes >= ring::BYTES {
            return Ok(false);
        }
        self.write(&vec![0; skipped as usize / 4]);
        self.write(&commands);
        Ok(true)
    }

    fn write(&mut self, commands: &[u32]) {
        for command in commands {
            self.ring.memory().write(self.tail.into(), *command);
            self.tail = (self.tail + 4) % ring::BYTES;
        }
        self.written += 4 * commands.len() as u32;
    }

    /// Makes what was written the engine's, which has done all that came before. Returns what to
    /// submit.
    pub(super) fn submit(&mut self) -> u64 {
        self.image.memory().write(place::TAIL, self.tail);
        self.written = 0;
        self.descriptor
    }
}
