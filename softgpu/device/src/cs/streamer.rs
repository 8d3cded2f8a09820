//! The fetch loop: packet by packet, through jumps, calls and returns.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use batchbuffer::packets::{
    mi_batch_buffer_end, mi_batch_buffer_start, mi_conditional_batch_buffer_end, mi_math,
};
use batchbuffer::registers::own;
use batchbuffer::{DecodeError, Decoded, Engine, PacketId, decode};
use devinfo::GpuAddress;

use super::environment::Environment;
use super::failure::Failure;
use super::family::{Traits, traits};
use super::state::State;
use super::{blit, flush, mi, states, walker};
use softgpu_memory::Fault;
use softgpu_memory::View;

/// Runs the batch that begins at `batch` to its end.
///
/// # Errors
/// Why it did not end well; commands before have had their effect.
pub fn run(
    state: &mut State,
    environment: &Environment<'_>,
    batch: GpuAddress,
) -> Result<(), Failure> {
    let view = View::new(environment.space);
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

/// How long a preempted batch sleeps between two looks at its engine.
const PREEMPTED: Duration = Duration::from_micros(100);

/// Where the streamer goes on.
pub(super) enum Next {
    Following,
    Jump(GpuAddress),
    Call(GpuAddress),
    /// The end of this level.
    End,
    /// The end of all levels.
    EndAll,
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
            // Bindings change while batches of xe run.
            self.view.refresh();
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
            Next::EndAll => return Ok(false),
        }
        Ok(true)
    }

    /// Reads the command at `at`, as long as its header says.
    fn fetch(&self, dwords: &mut Vec<u32>) -> Result<(), Failure> {
        dwords.clear();
        let access = |fault: Fault| Failure::Access {
            fault: fault.of_fetch(),
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

    /// Stands still while the engine is another's, and sees to it that endless batches end.
    pub(super) fn check_progress(&mut self, packet: &'static str) -> Result<(), Failure> {
        loop {
            if self.environment.stop.load(Ordering::Relaxed) {
                return Err(Failure::Stopped);
            }
            if self.environment.claim.may_run() {
                break;
            }
            std::thread::sleep(PREEMPTED);
            // Standing still is no hang.
            self.quiet_since = Instant::now();
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
        if self.state.predicate.skip && self.is_predicable(packet) {
            return Ok(Next::Following);
        }
        match packet.id {
            PacketId::MiBatchBufferEnd => return Ok(Next::End),
            PacketId::MiBatchBufferStart => return self.batch_buffer_start(packet),
            PacketId::MiConditionalBatchBufferEnd => return self.conditional_end(packet),
            id if mi::executes(id) => mi::execute(self, packet)?,
            PacketId::PipeControl => flush::pipe_control(self, packet)?,
            PacketId::MiFlushDw => flush::flush_dw(self, packet)?,
            PacketId::GpgpuWalker => walker::gpgpu_walker(self, packet)?,
            PacketId::ComputeWalker => walker::compute_walker(self, packet)?,
            id if states::executes(id) => states::execute(self, packet)?,
            id if blit::executes(id) => blit::execute(self, packet)?,
            PacketId::MiReportPerfCount => {
                return Err(self.refuse(packet, "there are no performance counters to report"));
            }
            PacketId::MiStoreDataIndex | PacketId::MiReportHead => {
                return Err(self.refuse(packet, "the status page is not a client's to write"));
            }
            _ => return Err(self.refuse(packet, "the software GPU does not execute it")),
        }
        Ok(Next::Following)
    }

    /// Jumps, or calls a second level. There are two levels: kernel drivers turn the third one,
    /// which Gen12 has, off (Linux, `fakewa_disable_nestedbb_mode`).
    fn batch_buffer_start(&mut self, packet: &Decoded<'_>) -> Result<Next, Failure> {
        use mi_batch_buffer_start as bbs;
        let registers = &self.state.registers;
        if packet.flag(bbs::PREDICATION_ENABLE)
            && self.traits().start_predicate_register
            && self.environment.engine == Engine::Render
            && registers.own(own::PREDICATE_RESULT_1) & 1 == 0
        {
            return Ok(Next::Following);
        }
        if packet.flag(bbs::ADD_OFFSET_ENABLE) || packet.flag(bbs::INDIRECT_ADDRESS_ENABLE) {
            return Err(self.refuse(packet, "start addresses from registers are not modelled"));
        }
        let target = packet.address(bbs::BATCH_BUFFER_START_ADDRESS);
        // Within a second-level batch, "second level" chains: there is one return address. A
        // first-level jump from there leaves it behind.
        Ok(
            match (packet.flag(bbs::SECOND_LEVEL_BATCH_BUFFER), self.caller) {
                (true, None) => Next::Call(target),
                (true, Some(_)) => Next::Jump(target),
                (false, _) => {
                    self.caller = None;
                    Next::Jump(target)
                }
            },
        )
    }

    fn conditional_end(&mut self, packet: &Decoded<'_>) -> Result<Next, Failure> {
        use mi_conditional_batch_buffer_end as end;
        mi::refuse_global(self, packet, packet.flag(end::USE_GLOBAL_GTT))?;
        // Without it nothing is compared, and the batch goes on.
        if !packet.flag(end::COMPARE_SEMAPHORE) {
            return Ok(Next::Following);
        }
        let address = packet.address(end::COMPARE_ADDRESS);
        let operand = packet.get32(end::COMPARE_DATA_DWORD);
        let value = if packet.flag(end::COMPARE_MASK_MODE) {
            // A qword: the mask, then the value.
            let pair = self.read_u64(packet, address)?;
            pair as u32 & (pair >> 32) as u32
        } else {
            self.read_u32(packet, address)?
        };
        let code = packet.get(end::COMPARE_OPERATION);
        match mi::compares(code, value, operand) {
            Some(true) => Ok(Next::Following),
            Some(false) if packet.flag(end::END_CURRENT_BATCH_BUFFER_LEVEL) => Ok(Next::End),
            Some(false) => Ok(Next::EndAll),
            None => Err(self.refuse(packet, format!("comparison {code} is reserved"))),
        }
    }

    /// Whether MI_SET_PREDICATE turns the command off: all but those that end and order batches.
    /// From XeHPG on some commands say themselves.
    fn is_predicable(&self, packet: &Decoded<'_>) -> bool {
        let own = match packet.id {
            PacketId::MiSetPredicate | PacketId::MiArbCheck | PacketId::MiUserInterrupt => {
                return false;
            }
            PacketId::MiBatchBufferEnd => {
                return packet.flag(mi_batch_buffer_end::PREDICATE_ENABLE);
            }
            PacketId::MiBatchBufferStart => mi_batch_buffer_start::PREDICATION_ENABLE,
            PacketId::MiMath => mi_math::PREDICATION_ENABLE,
            PacketId::MiConditionalBatchBufferEnd => {
                mi_conditional_batch_buffer_end::PREDICATE_ENABLE
            }
            _ => return true,
        };
        !self.traits().predication_bits || packet.flag(own)
    }

    fn traits(&self) -> Traits {
        traits(self.environment.family())
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
