//! The fetch loop: packet by packet, through jumps, calls and returns.

use std::time::Instant;

use batchbuffer::packets::mi_batch_buffer_start::AddressSpaceIndicator;
use batchbuffer::packets::{
    mi_batch_buffer_end, mi_batch_buffer_start, mi_conditional_batch_buffer_end, mi_math,
};
use batchbuffer::registers::own;
use batchbuffer::{DecodeError, Decoded, Engine, PacketId, decode};
use devinfo::GpuAddress;
use softgpu_memory::{Fault, View};

use super::environment::{Commands, Environment};
use super::failure::Failure;
use super::state::State;
use super::streamer::{Caller, Streamer};
use super::{blit, flush, mi, states, walker};
use crate::dispatch::Kit;

/// Runs `commands` to their end, walkers with the `kit` of the calling thread.
///
/// # Errors
/// Why they failed; the earlier commands have had their effect.
pub fn run(
    state: &mut State,
    environment: &Environment<'_>,
    commands: Commands,
    kit: &mut Kit,
) -> Result<(), Failure> {
    let view = View::new(environment.space);
    let global = environment.global.map(View::new);
    let (at, start, ring) = match commands {
        Commands::Batch(start) => (start, start, None),
        Commands::Ring(ring) if ring.is_valid() => (ring.place(ring.head), ring.start, Some(ring)),
        Commands::Ring(ring) => return Err(Failure::Ring { ring }),
    };
    let mut streamer = Streamer {
        environment,
        view: &view,
        global: global.as_ref(),
        state,
        at,
        start,
        in_global: ring.is_some() && global.is_some(),
        data_in_global: false,
        ring,
        callers: Vec::new(),
        quiet_since: Instant::now(),
        since: None,
        fetched: Vec::new(),
        steps: 0,
        kit,
    };
    while streamer.step()? {}
    Ok(())
}

/// After how many commands a batch looks whether it takes too long: to look takes as long as a short
/// command.
const LOOK: u32 = 64;

/// Where the streamer continues.
enum Next {
    Following,
    Jump(Target),
    Call(Target),
    /// The end of this level.
    End,
    /// The end of all levels.
    EndAll,
}

/// The first command of a batch, and whether it is in global memory.
struct Target(GpuAddress, bool);

impl Streamer<'_> {
    /// Executes one command. Returns whether there is another.
    fn step(&mut self) -> Result<bool, Failure> {
        if self
            .in_ring()
            .is_some_and(|ring| self.at == ring.place(ring.tail))
        {
            return Ok(false);
        }
        self.data_in_global = false;
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
            self.check_engine()?;
            self.steps = self.steps.wrapping_add(1);
            if self.steps.is_multiple_of(LOOK) {
                self.check_hang(packet.name())?;
            }
            // Bindings change while batches of xe run.
            self.refresh();
            let next = self.execute(&packet)?;
            Ok((next, packet.len()))
        });
        self.fetched = dwords;
        let (next, length) = outcome?;
        let following = self.dword_at(length as u64);
        match next {
            Next::Following => self.at = following,
            Next::Jump(target) => self.enter(target),
            Next::Call(target) => {
                self.callers.push(Caller {
                    at: following,
                    start: self.start,
                    in_global: self.in_global,
                });
                self.enter(target);
            }
            Next::End => return Ok(self.leave()),
            Next::EndAll => {
                self.callers.truncate(self.ring.iter().len());
                return Ok(self.leave());
            }
        }
        Ok(true)
    }

    fn enter(&mut self, Target(start, in_global): Target) {
        (self.at, self.start, self.in_global) = (start, start, in_global);
    }

    /// Returns to the caller. The result is whether there is one.
    fn leave(&mut self) -> bool {
        let Some(caller) = self.callers.pop() else {
            return false;
        };
        (self.at, self.start, self.in_global) = (caller.at, caller.start, caller.in_global);
        true
    }

    /// Reads the command at `at`, as long as its header says.
    fn fetch(&self, dwords: &mut Vec<u32>) -> Result<(), Failure> {
        dwords.clear();
        let access = |fault: Fault| Failure::Access {
            fault: fault.of_fetch(),
            packet: "command fetch",
            address: self.at,
        };
        let memory = self.memory(self.in_global);
        dwords.push(memory.read_u32(self.at).map_err(access)?);
        let family = self.environment.family();
        let Err(DecodeError::Truncated { needed, .. }) =
            decode(family, self.environment.engine, dwords)
        else {
            return Ok(());
        };
        for index in 1..needed as u64 {
            dwords.push(memory.read_u32(self.dword_at(index)).map_err(access)?);
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

    fn execute(&mut self, packet: &Decoded<'_>) -> Result<Next, Failure> {
        if self.state.predicate.skip && self.is_predicable(packet) {
            return Ok(Next::Following);
        }
        match packet.id {
            PacketId::MiBatchBufferEnd if self.in_ring().is_some() => {
                return Err(self.refuse(packet, "a ring ends at its tail"));
            }
            PacketId::MiBatchBufferEnd => return Ok(Next::End),
            PacketId::MiBatchBufferStart => return self.batch_buffer_start(packet),
            PacketId::MiConditionalBatchBufferEnd => return self.conditional_end(packet),
            id if mi::executes(id) => mi::execute(self, packet)?,
            PacketId::PipeControl => flush::pipe_control(self, packet)?,
            PacketId::MiFlushDw => flush::flush_dw(self, packet)?,
            PacketId::GpgpuWalker => walker::gpgpu_walker(self, packet)?,
            PacketId::ComputeWalker => walker::compute_walker(self, packet)?,
            PacketId::ExecuteIndirectDispatch => walker::indirect_dispatch(self, packet)?,
            id if states::executes(id) => states::execute(self, packet)?,
            id if blit::executes(id) => blit::execute(self, packet)?,
            // Kept by the hardware for draws, which end the batch below.
            id if id.is_pipeline_state() => {}
            id if id.draws() => {
                return Err(self.refuse(
                    packet,
                    "the software GPU computes and copies, it does not draw",
                ));
            }
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

    /// Jumps, or calls a second level. There are two levels: kernel drivers turn off Gen12's third
    /// one (Linux, `fakewa_disable_nestedbb_mode`).
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
        if packet.flag(bbs::ADD_OFFSET_ENABLE) {
            return Err(self.refuse(packet, "an offset of the start address is not modelled"));
        }
        // Only privileged code may choose the memory; other code stays in its own.
        let in_global = self.in_global
            && packet.named(bbs::ADDRESS_SPACE_INDICATOR) == Some(AddressSpaceIndicator::GGTT);
        let start = match packet.flag(bbs::INDIRECT_ADDRESS_ENABLE) {
            // Always this register (NEO: `encodeRegistersBeforeDependencyCheckers`).
            true => GpuAddress::new(registers.gpr(0) & !3),
            false => packet.address(bbs::BATCH_BUFFER_START_ADDRESS),
        };
        let target = Target(start, in_global);
        if self.in_ring().is_some() {
            return Ok(Next::Call(target));
        }
        let levels = self.ring.iter().len();
        let nested = self.callers.len() > levels;
        // Within a second-level batch, "second level" chains: there is one return address. A
        // first-level jump from there drops it.
        Ok(
            match (packet.flag(bbs::SECOND_LEVEL_BATCH_BUFFER), nested) {
                (true, false) => Next::Call(target),
                (true, true) => Next::Jump(target),
                (false, _) => {
                    self.callers.truncate(levels);
                    Next::Jump(target)
                }
            },
        )
    }

    fn conditional_end(&mut self, packet: &Decoded<'_>) -> Result<Next, Failure> {
        use mi_conditional_batch_buffer_end as end;
        self.use_global(packet, packet.flag(end::USE_GLOBAL_GTT))?;
        // Without it nothing is compared, and the batch continues.
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

    /// Whether MI_SET_PREDICATE disables the command: all but those that end and order batches.
    /// From XeHPG on, a bit of some commands decides.
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
}
