//! The state of a thread while it runs.

use devinfo::thread;

use super::family::Rules;
use super::lines::Lines;
use super::op::{Op, Pred};
use super::operand::LANES;
use super::ops::value::FpMode;
use super::regs::{self, Registers};
use super::shadow::Shadow;
use super::thread::{Counters, ThreadStart};
use super::vector;
use crate::GroupEnv;

/// The architecture state.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub rules: Rules,
    pub regs: Registers,
    /// The register bytes that may have been written.
    pub dirty: Lines,
    /// The next instruction, in bytes from the instruction base.
    pub ip: u32,
    /// Channels that execute at `ip`.
    pub active: u32,
    /// The channels that the thread started with, and the number that its kernel is compiled for.
    pub dispatched: u32,
    pub simd: u8,
    /// Channels that wait until the instruction pointer reaches their entry of `channel_ip`.
    pub parked: u32,
    /// The channels that the running function was called with; only these wake in it. (A function
    /// that calls itself passes places where channels of the outer call wait.)
    pub call_mask: u32,
    pub channel_ip: [u32; LANES],
    /// The lowest address above `ip` at which a parked channel waits.
    pub next_wake: u32,
    /// cr0.0, of which the modes below are: host code changes only the register.
    pub control: u32,
    /// Its modes, decoded.
    pub fp: FpMode,
    /// The same for vector routines, and whether they round as the modes require.
    pub fp_modes: eu_lanes::Modes,
    pub usual_fp: bool,
    /// The barrier generation to wait for.
    pub barrier: Option<u32>,
    pub counters: Counters,
    /// The thread's slot, which names its part of scratch surfaces.
    pub thread_slot: u32,
    /// From XeHPG on, the thread's number in its group (r0.2 bits 7:0 as dispatched).
    pub number: u32,
    /// Bytes of general registers that the thread started with.
    pub payload: u32,
    /// What is known of the registers, while rules are checked.
    pub shadow: Option<Box<Shadow>>,
}

/// The channels of a mask.
pub(super) fn lanes(mut mask: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.checked_sub(1)?;
        Some(lane)
    })
}

impl State {
    /// Sets n0.0 if the barrier that the thread signalled has passed. Code that does not wait at
    /// once polls bit 0 of it (IGC for XeHPC); since time passes in slices, once per slice is
    /// enough.
    pub fn notify(&mut self, env: &GroupEnv<'_>) {
        if let Some(generation) = self.barrier {
            let passed = env.barrier.is_released(generation);
            self.regs.set_dword(regs::NOTIFICATION, passed.into());
        }
    }

    /// The channels of `op` that write, bit `i` for its channel `i`.
    #[inline(always)]
    pub fn write_mask(&self, op: &Op) -> u32 {
        let enabled = if op.no_mask {
            u32::MAX
        } else {
            self.active >> op.channel_offset
        };
        let mask = enabled & op.size_mask();
        if op.pred == Pred::Always {
            mask
        } else {
            mask & self.predicate(op)
        }
    }

    /// The channels of `op` that are enabled, regardless of its predicate.
    #[inline(always)]
    pub fn enabled(&self, op: &Op) -> u32 {
        let enabled = if op.no_mask {
            u32::MAX
        } else {
            self.active >> op.channel_offset
        };
        enabled & op.size_mask()
    }

    pub fn flag_bits(&self, bit: u32) -> u32 {
        let all = u128::from_le_bytes(self.regs.load(regs::FLAG));
        all.checked_shr(bit).unwrap_or(0) as u32
    }

    /// The predicate of each channel of `op`.
    #[inline(always)]
    pub fn predicate(&self, op: &Op) -> u32 {
        if op.pred != Pred::Own {
            return self.grouped_predicate(op);
        }
        let bit = u32::from(op.flag_bit);
        let word = u64::from_le_bytes(self.regs.load(regs::FLAG + 4 * (bit as usize / 32)));
        let bits = (word >> (bit % 32)) as u32 >> op.channel_offset;
        let flip = if op.pred_inverse { u32::MAX } else { 0 };
        (bits ^ flip) & op.size_mask()
    }

    fn grouped_predicate(&self, op: &Op) -> u32 {
        let offset = u32::from(op.channel_offset);
        // Flag bits are numbered by the thread's channels.
        let bits = self.flag_bits(u32::from(op.flag_bit));
        let own = |bits: u32| bits >> offset;
        let group = |size: u32, all: bool| {
            let mut result = 0;
            let mask = u32::MAX >> (32 - size);
            for lane in 0..u32::from(op.exec_size) {
                let first = (offset + lane) & !(size - 1) & 31;
                let group = bits >> first & mask;
                let holds = if all { group == mask } else { group != 0 };
                result |= u32::from(holds) << lane;
            }
            result
        };
        let plain = match op.pred {
            Pred::Always => u32::MAX,
            Pred::Own => own(bits),
            Pred::AnyV => own(self.flag_bits(0) | self.flag_bits(32)),
            Pred::AllV => own(self.flag_bits(0) & self.flag_bits(32)),
            Pred::Any(size) => group(size.into(), false),
            Pred::All(size) => group(size.into(), true),
        };
        let inverted = if op.pred_inverse { !plain } else { plain };
        inverted & op.size_mask()
    }

    /// Sets the flag bits of the channels in `mask` to `bits`.
    #[inline(always)]
    pub fn set_flags(&mut self, op: &Op, mask: u32, bits: u32) {
        // A register holds the 32 channels of a thread; its second half is also a flag.
        let shift = u32::from(op.flag_bit) + u32::from(op.channel_offset);
        let at = regs::FLAG + 4 * (shift as usize / 32);
        let shift = shift % 32;
        let (mask, bits) = (u64::from(mask) << shift, u64::from(bits) << shift);
        let old = u64::from_le_bytes(self.regs.load(at));
        let new = (old & !mask) | (bits & mask);
        self.regs.store(at, new.to_le_bytes());
    }

    /// Moves the instruction pointer to `ip` with the active channels, and wakes the channels that
    /// wait there.
    #[inline]
    pub fn go_to(&mut self, ip: u32) {
        self.ip = ip;
        if self.parked != 0 {
            self.wake();
        } else {
            self.next_wake = u32::MAX;
        }
    }

    /// Wakes the channels parked at `ip` and finds the next address where one waits.
    #[cold]
    pub fn wake(&mut self) {
        self.next_wake = u32::MAX;
        for lane in lanes(self.parked & self.call_mask) {
            let at = self.channel_ip[lane];
            if at == self.ip {
                self.parked &= !(1 << lane);
                self.active |= 1 << lane;
            } else if at > self.ip {
                self.next_wake = self.next_wake.min(at);
            }
        }
    }

    /// The lowest address at which a channel waits.
    pub fn lowest_wake(&self) -> u32 {
        let waiting = lanes(self.parked & self.call_mask);
        let places = waiting.map(|lane| self.channel_ip[lane]);
        places.min().unwrap_or(u32::MAX)
    }

    /// Takes `channels` (of the thread) out of execution until the instruction pointer is `ip`.
    pub fn park(&mut self, channels: u32, ip: u32) {
        let parked = channels & self.active;
        self.active &= !parked;
        self.parked |= parked;
        for lane in lanes(parked) {
            self.channel_ip[lane] = ip;
        }
    }

    /// Stores the registers that change by themselves, before `op` reads them.
    pub fn refresh(&mut self, op: &Op) {
        self.regs.set_dword(regs::IP, op.ip);
        self.regs.set_dword(regs::CHANNEL_ENABLE, self.active);
        // A clock that never stops and is the same in every run.
        let clock = self.counters.instructions;
        self.regs.store(regs::TIMESTAMP, clock.to_le_bytes());
    }

    /// Applies the modes of cr0 if host code may have written to it.
    #[inline(always)]
    pub fn follow_control(&mut self) {
        if self.regs.dword(regs::CONTROL) != self.control {
            self.reload_control();
        }
    }

    /// Makes this the state of a thread that begins at `ip`, with these channels; its registers are another
    /// matter.
    #[inline(always)]
    pub fn begin(&mut self, ip: u32, channels: u32) {
        self.ip = ip;
        self.active = channels;
        self.dispatched = channels;
        self.parked = 0;
        self.call_mask = u32::MAX;
        self.next_wake = u32::MAX;
        self.barrier = None;
        self.counters = Counters::default();
    }

    /// Sets the registers with which a thread begins, but for the payload that all groups have.
    pub fn set_start(&mut self, start: &ThreadStart<'_>) {
        let has_header = start.payload.len() >= 32;
        for (field, id) in thread::GROUP.into_iter().zip(start.group) {
            if has_header {
                self.regs.set_dword(regs::GRF_BASE + 4 * field.dword, id);
            }
        }
        let values = [
            (regs::STATE, start.sr0),
            (regs::STATE + 8, start.dispatch_mask),
            (regs::MESSAGE_CONTROL, start.msg0),
            (regs::CONTROL, start.cr0),
        ];
        for (at, value) in values {
            self.regs.set_dword(at, value);
        }
    }

    /// Applies the modes of cr0 after a write to it.
    pub fn reload_control(&mut self) {
        self.set_control(self.regs.dword(regs::CONTROL));
    }

    /// Applies the modes of this value of cr0.
    pub fn set_control(&mut self, control: u32) {
        self.control = control;
        self.fp = FpMode::from_cr0(self.control);
        self.fp_modes = vector::modes(self.fp);
        self.usual_fp = vector::is_usual(self.fp);
    }
}
