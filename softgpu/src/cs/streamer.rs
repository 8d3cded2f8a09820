//! The fetch loop: packet by packet, through jumps, calls and returns.

use std::sync::atomic::Ordering;
use std::time::Instant;

use batchbuffer::packets::{mi_batch_buffer_start, mi_conditional_batch_buffer_end};
use batchbuffer::{DecodeError, Decoded, PacketId, decode};
use devinfo::GpuAddress;

use super::environment::Environment;
use super::failure::Failure;
use super::state::State;
use super::{blit, flush, mi, states, walker};
use crate::Fault;
use crate::fault::Access;
use crate::mem::View;

/// Runs the batch that begins at `batch` to its end.
///
/// # Errors
/// Why it did not end well; commands before have had their effect.
pub fn run(
    state: &mut State,
    environment: &Environment<'_>,
    batch: GpuAddress,
) -> Result<(), Failure> {
    let view = environment.space.view();
    let mut streamer = Streamer {
        environment,
        view: &view,
        state,
        at: batch,
        start: batch,
        caller: None,
        quiet_since: Instant::now(),
        fetched: Vec::new(),
    };
    while streamer.step()? {}
    Ok(())
}

/// A command streamer in a batch.
pub(super) struct Streamer<'a> {
    pub environment: &'a Environment<'a>,
    pub view: &'a View<'a>,
    pub state: &'a mut State,
    /// The command that is executed.
    pub at: GpuAddress,
    /// The start of the batch it lies in.
    start: GpuAddress,
    /// Where a second-level batch returns to, and that batch's start.
    caller: Option<(GpuAddress, GpuAddress)>,
    /// When the batch last showed progress that a hang does not: its start, or a dispatch's end.
    pub quiet_since: Instant,
    fetched: Vec<u32>,
}

/// Where the streamer goes on.
pub(super) enum Next {
    Following,
    Jump(GpuAddress),
    Call(GpuAddress),
    End,
}

impl Streamer<'_> {
    /// Executes one command. Returns whether the batch goes on.
    fn step(&mut self) -> Result<bool, Failure> {
        let mut dwords = std::mem::take(&mut self.fetched);
        let outcome = self.fetch(&mut dwords).and_then(|()| {
            let packet = decode(self.environment.family(), self.environment.engine, &dwords)
                .map_err(|error| self.not_a_command(error))?;
            if let Some(issue) = packet.issue {
                tracing::debug!("softgpu: {} at {}: {issue}", packet.name(), self.at);
            }
            tracing::trace!(
                "softgpu: {} {} {:08x?}",
                self.at,
                packet.name(),
                packet.dwords()
            );
            self.check_progress(packet.name())?;
            let next = self.execute(&packet)?;
            Ok((next, packet.len()))
        });
        self.fetched = dwords;
        let (next, length) = outcome?;
        let following = self.at.offset(4 * length as u64);
        match next {
            Next::Following => self.at = following,
            Next::Jump(target) => (self.at, self.start) = (target, target),
            Next::Call(target) => {
                self.caller = Some((following, self.start));
                (self.at, self.start) = (target, target);
            }
            Next::End => match self.caller.take() {
                Some((at, start)) => (self.at, self.start) = (at, start),
                None => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Reads the command at `at`, as long as its header says.
    fn fetch(&self, dwords: &mut Vec<u32>) -> Result<(), Failure> {
        dwords.clear();
        let access = |fault| Failure::Access {
            fault: as_fetch(fault),
            packet: "command fetch",
            address: self.at,
        };
        dwords.push(self.view.read_u32(self.at).map_err(access)?);
        let family = self.environment.family();
        let Err(DecodeError::Truncated { needed, .. }) =
            decode(family, self.environment.engine, dwords)
        else {
            return Ok(());
        };
        for index in 1..needed as u64 {
            dwords.push(
                self.view
                    .read_u32(self.at.offset(4 * index))
                    .map_err(access)?,
            );
        }
        Ok(())
    }

    fn not_a_command(&self, error: DecodeError) -> Failure {
        Failure::Command {
            address: self.at,
            offset: self.at.get().wrapping_sub(self.start.get()),
            error,
        }
    }

    /// Sees to it that endless batches end.
    pub(super) fn check_progress(&mut self, packet: &'static str) -> Result<(), Failure> {
        if self.environment.stop.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        if self.quiet_since.elapsed() > self.environment.hang_timeout {
            return Err(Failure::Hang {
                packet,
                address: self.at,
            });
        }
        Ok(())
    }

    fn execute(&mut self, packet: &Decoded<'_>) -> Result<Next, Failure> {
        let ends_predication = matches!(packet.id, PacketId::MiSetPredicate);
        if self.state.predicate.skip && !ends_predication && is_predicable(packet.id) {
            return Ok(Next::Following);
        }
        match packet.id {
            PacketId::MiBatchBufferEnd => return Ok(Next::End),
            PacketId::MiBatchBufferStart => return Ok(self.batch_buffer_start(packet)),
            PacketId::MiConditionalBatchBufferEnd => return self.conditional_end(packet),
            id if mi::executes(id) => mi::execute(self, packet)?,
            PacketId::PipeControl => flush::pipe_control(self, packet)?,
            PacketId::MiFlushDw => flush::flush_dw(self, packet)?,
            PacketId::GpgpuWalker => walker::gpgpu_walker(self, packet)?,
            PacketId::ComputeWalker => walker::compute_walker(self, packet)?,
            id if states::executes(id) => states::execute(self, packet)?,
            id if blit::executes(id) => blit::execute(self, packet)?,
            _ => return Err(self.refuse(packet, "the software GPU does not execute it")),
        }
        Ok(Next::Following)
    }

    fn batch_buffer_start(&mut self, packet: &Decoded<'_>) -> Next {
        use mi_batch_buffer_start as bbs;
        if packet.flag(bbs::PREDICATION_ENABLE) && !mi::predicate_holds(self.state) {
            return Next::Following;
        }
        let target = packet.address(bbs::BATCH_BUFFER_START_ADDRESS);
        // Within a second-level batch, "second level" chains: there is one return address. A
        // first-level jump from there leaves it behind.
        match (packet.flag(bbs::SECOND_LEVEL_BATCH_BUFFER), self.caller) {
            (true, None) => Next::Call(target),
            (true, Some(_)) => Next::Jump(target),
            (false, _) => {
                self.caller = None;
                Next::Jump(target)
            }
        }
    }

    fn conditional_end(&mut self, packet: &Decoded<'_>) -> Result<Next, Failure> {
        use mi_conditional_batch_buffer_end as end;
        let address = packet.address(end::COMPARE_ADDRESS);
        let operand = packet.get32(end::COMPARE_DATA_DWORD);
        let value = if packet.flag(end::COMPARE_MASK_MODE) {
            // A qword: the mask, then the value.
            let pair = self.read_u64(packet, address)?;
            pair as u32 & (pair >> 32) as u32
        } else {
            self.read_u32(packet, address)?
        };
        // The batch goes on while the value is greater.
        Ok(if value > operand {
            Next::Following
        } else {
            Next::End
        })
    }

    /// A failure of `packet` for a reason of its own.
    pub fn refuse(&self, packet: &Decoded<'_>, why: impl Into<String>) -> Failure {
        Failure::Packet {
            packet: packet.name(),
            address: self.at,
            why: why.into(),
        }
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
        self.view
            .read_u32(address)
            .map_err(|fault| self.access(packet, fault))
    }

    pub fn read_u64(&self, packet: &Decoded<'_>, address: GpuAddress) -> Result<u64, Failure> {
        self.view
            .read_u64(address)
            .map_err(|fault| self.access(packet, fault))
    }

    pub fn write_u32(
        &self,
        packet: &Decoded<'_>,
        address: GpuAddress,
        value: u32,
    ) -> Result<(), Failure> {
        self.view
            .write_u32(address, value)
            .map_err(|fault| self.access(packet, fault))
    }

    pub fn write_u64(
        &self,
        packet: &Decoded<'_>,
        address: GpuAddress,
        value: u64,
    ) -> Result<(), Failure> {
        self.view
            .write_u64(address, value)
            .map_err(|fault| self.access(packet, fault))
    }
}

/// Commands that MI_SET_PREDICATE can turn off: all but those that end and order batches.
fn is_predicable(id: PacketId) -> bool {
    !matches!(
        id,
        PacketId::MiBatchBufferEnd | PacketId::MiArbCheck | PacketId::MiUserInterrupt
    )
}

fn as_fetch(fault: Fault) -> Fault {
    match fault {
        Fault::Page { address, .. } => Fault::Page {
            address,
            access: Access::Fetch,
        },
        other => other,
    }
}
