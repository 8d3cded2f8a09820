//! A command streamer: where it is, and how commands reach memory.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use batchbuffer::{Decoded, Field};
use devinfo::GpuAddress;
use softgpu_memory::{Fault, View};

use super::environment::{Environment, Ring};
use super::failure::Failure;
use super::family::{Traits, traits};
use super::state::State;
use crate::dispatch::Kit;

/// A command streamer in a batch.
pub(super) struct Streamer<'a> {
    pub environment: &'a Environment<'a>,
    pub view: &'a View<'a>,
    pub global: Option<&'a View<'a>>,
    pub state: &'a mut State,
    /// The current command.
    pub at: GpuAddress,
    /// The start of its batch or ring.
    pub start: GpuAddress,
    /// Whether that is in global memory.
    pub in_global: bool,
    /// Whether the command's reads and writes go to global memory.
    pub data_in_global: bool,
    pub ring: Option<Ring>,
    /// Where the ring, and the batch that called a second-level batch, will continue.
    pub callers: Vec<Caller>,
    /// When the batch last made progress that a hang does not make: its start, or a dispatch's end.
    pub quiet_since: Instant,
    pub fetched: Vec<u32>,
    /// How many commands it has executed.
    pub steps: u32,
    /// What walkers run with.
    pub kit: &'a mut Kit,
    /// Where rules are checked, the number of the first thread since it last waited: hardware runs walkers beside
    /// each other until a command waits for them.
    pub since: Option<u32>,
}

/// Where commands continue after a batch.
#[derive(Clone, Copy)]
pub(super) struct Caller {
    pub at: GpuAddress,
    pub start: GpuAddress,
    pub in_global: bool,
}

/// How long a preempted batch sleeps between checks of its engine.
const PREEMPTED: Duration = Duration::from_micros(100);

impl Streamer<'_> {
    /// The ring, while commands come from it.
    pub fn in_ring(&self) -> Option<Ring> {
        self.ring.filter(|_| self.callers.is_empty())
    }

    /// The place of the command's dword `index`.
    pub fn dword_at(&self, index: u64) -> GpuAddress {
        match self.in_ring() {
            Some(ring) => ring.place(self.at.offset(4 * index).get() - ring.start.get()),
            None => self.at.offset(4 * index),
        }
    }

    /// Sets whether the command's accesses go to global memory. Only rings, and batches in global
    /// memory, are privileged to do that.
    pub fn use_global(&mut self, packet: &Decoded<'_>, global: bool) -> Result<(), Failure> {
        if global && !(self.in_global && self.global.is_some()) {
            return Err(self.refuse(packet, "accesses by the global GTT need a privileged batch"));
        }
        self.data_in_global = global;
        Ok(())
    }

    /// The memory that the command's accesses go to.
    pub fn data(&self) -> &View<'_> {
        self.memory(self.data_in_global)
    }

    pub fn memory(&self, global: bool) -> &View<'_> {
        self.global.filter(|_| global).unwrap_or(self.view)
    }

    /// Picks up bindings that changed meanwhile.
    pub fn refresh(&self) {
        self.view.refresh();
        if let Some(global) = self.global {
            global.refresh();
        }
    }

    /// Waits while other batches have the engine, and ends endless batches.
    pub(super) fn check_progress(&mut self, packet: &'static str) -> Result<(), Failure> {
        self.check_engine()?;
        self.check_hang(packet)
    }

    /// Waits while other batches have the engine.
    pub fn check_engine(&mut self) -> Result<(), Failure> {
        loop {
            if self.environment.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            if self.environment.claim.may_run() {
                return Ok(());
            }
            std::thread::sleep(PREEMPTED);
            // This wait is not a hang.
            self.quiet_since = Instant::now();
        }
    }

    pub fn check_hang(&self, packet: &'static str) -> Result<(), Failure> {
        if self.quiet_since.elapsed() > self.environment.hang_timeout {
            return Err(Failure::Hang {
                packet,
                address: self.at,
            });
        }
        Ok(())
    }

    pub(super) fn traits(&self) -> Traits {
        traits(self.environment.family())
    }

    /// A failure of `packet` with its own reason.
    pub fn refuse(&self, packet: &Decoded<'_>, why: impl Into<String>) -> Failure {
        Failure::Packet {
            packet: packet.name(),
            address: self.at,
            why: why.into(),
        }
    }

    /// Refuses an address that depends on the tile that executes the command.
    pub fn refuse_partition(
        &self,
        packet: &Decoded<'_>,
        field: &'static Field,
    ) -> Result<(), Failure> {
        if packet.flag(field) {
            return Err(self.refuse(packet, "partitions over several tiles are not modelled"));
        }
        Ok(())
    }

    /// A memory fault of `packet`.
    pub fn access(&self, packet: &Decoded<'_>, fault: Fault) -> Failure {
        Failure::Access {
            fault,
            packet: packet.name(),
            address: self.at,
        }
    }

    pub fn read_u32(&self, packet: &Decoded<'_>, address: GpuAddress) -> Result<u32, Failure> {
        self.data()
            .read_u32(address)
            .map_err(|fault| self.access(packet, fault))
    }

    pub fn read_u64(&self, packet: &Decoded<'_>, address: GpuAddress) -> Result<u64, Failure> {
        self.data()
            .read_u64(address)
            .map_err(|fault| self.access(packet, fault))
    }

    pub fn write_u32(
        &self,
        packet: &Decoded<'_>,
        address: GpuAddress,
        value: u32,
    ) -> Result<(), Failure> {
        self.data()
            .write_u32(address, value)
            .map_err(|fault| self.access(packet, fault))
    }

    pub fn write_u64(
        &self,
        packet: &Decoded<'_>,
        address: GpuAddress,
        value: u64,
    ) -> Result<(), Failure> {
        self.data()
            .write_u64(address, value)
            .map_err(|fault| self.access(packet, fault))
    }
}
