//! What registers hold: register bytes, and constants.

use dynasmrt::{DynasmApi, dynasm};

use super::BYTES;
use crate::evex::{
    Lanes, Operand, VEXTRACTI32X8, VINSERTI32X8, VMOVDQU32_LOAD, VMOVQ_LOAD, VPBROADCASTD,
    VPBROADCASTQ, VPTERNLOGD, VPXORD, general,
};
use crate::registers::{Content, Ymm, Zmm};
use crate::translate::Translator;

impl Translator {
    /// The register that holds so many register bytes from there on, pinned.
    pub(crate) fn known_bytes(&mut self, at: u32, bytes: usize) -> Option<Zmm> {
        for longer in [64u8, 32, 16, 8] {
            if usize::from(longer) >= bytes
                && let Some(known) = self.wide.find(Content::Bytes(at, longer))
            {
                return Some(known);
            }
        }
        let known = Content::Bytes(at, 32);
        (bytes <= 32).then(|| self.pool.find(known)).flatten()
    }

    /// Whether a load of so many bytes would wait until halves that were stored alone are in memory.
    pub(super) fn is_parted(&self, at: u32, bytes: usize) -> bool {
        let mut halves = [at, at + 32].into_iter();
        bytes == BYTES && halves.any(|half| self.halves.contains(&half))
    }

    /// The register bytes from there on, pinned: 32 may be in a register of the other kind. A load of 64 that were stored
    /// in halves would wait until these are in memory.
    pub(crate) fn wide_bytes(&mut self, at: u32, bytes: usize) -> Zmm {
        if let Some(known) = self.known_bytes(at, bytes) {
            return known;
        }
        let register = self.wide_take();
        let to = (register, Lanes::All);
        let halves = [at, at + 32];
        let lower = at.checked_sub(32).filter(|_| bytes == 32);
        let whole = lower.and_then(|lower| self.wide.holder(Content::Bytes(lower, 64)));
        let is_owed = |own: &Self, half: u32| {
            let held = own.wide.held(Content::Bytes(half, 32));
            held.is_some_and(|register| own.wide.owed_by(register).is_some())
        };
        if let Some(whole) = whole {
            let upper = Operand::Register(register);
            self.evex_with(VEXTRACTI32X8, BYTES, (whole, Lanes::All), 0, upper, 1);
        } else if self.is_parted(at, bytes)
            || bytes == BYTES && halves.iter().any(|&half| is_owed(self, half))
        {
            let [low, high] = halves.map(|half| {
                let content = Content::Bytes(half, 32);
                let held = self
                    .pool
                    .holder(content)
                    .or_else(|| self.wide.holder(content));
                if held.is_none() {
                    self.settle(half..half + 32);
                }
                held
            });
            if low.is_none() {
                self.evex(VMOVDQU32_LOAD, 32, to, 0, Operand::registers(at));
            }
            let upper = high.map_or(Operand::registers(at + 32), Operand::Register);
            self.evex_with(VINSERTI32X8, BYTES, to, low.unwrap_or(register), upper, 1);
        } else {
            self.settle(at..at + bytes as u32);
            // No more than was stored: a load that is longer than the store before it waits.
            let load = if bytes < 16 {
                VMOVQ_LOAD
            } else {
                VMOVDQU32_LOAD
            };
            self.evex(load, bytes, to, 0, Operand::registers(at));
        }
        self.wide.set(register, Content::Bytes(at, bytes as u8));
        register
    }

    /// Brings 32 bytes that a register holds to one of the other kind; false if none does.
    pub(crate) fn half_from_wide(&mut self, to: Ymm, at: u32) -> bool {
        let all = Lanes::All;
        for bytes in [32, 64] {
            if let Some(known) = self.wide.find(Content::Bytes(at, bytes)) {
                self.evex(VMOVDQU32_LOAD, 32, (to, all), 0, Operand::Register(known));
                self.wide.release(known);
                return true;
            }
        }
        let lower = at.checked_sub(32);
        let whole = lower.and_then(|lower| self.wide.find(Content::Bytes(lower, 64)));
        if let Some(known) = whole {
            let upper = Operand::Register(to);
            self.evex_with(VEXTRACTI32X8, BYTES, (known, all), 0, upper, 1);
            self.wide.release(known);
        }
        whole.is_some()
    }

    /// A register whose lanes of `lane` bytes all have this value, pinned.
    pub(crate) fn wide_constant(&mut self, value: u64, lane: usize) -> Zmm {
        let content = Content::Constant(value, lane as u8);
        if let Some(known) = self.wide.find(content) {
            return known;
        }
        let register = self.wide_take();
        self.fill(register, value, lane);
        self.wide.set(register, content);
        register
    }

    /// Brings a register's content back.
    pub(crate) fn wide_restore(&mut self, register: Zmm, content: Content) {
        let to = (register, Lanes::All);
        match content {
            Content::Bytes(at, bytes) => {
                self.evex(VMOVDQU32_LOAD, bytes.into(), to, 0, Operand::registers(at));
            }
            Content::Splat(at, 8) => self.evex(VPBROADCASTQ, BYTES, to, 0, Operand::registers(at)),
            Content::Splat(at, _) => self.evex(VPBROADCASTD, BYTES, to, 0, Operand::registers(at)),
            Content::Constant(value, lane) => self.fill(register, value, lane.into()),
            // These are in registers of the other kind.
            Content::Mask(_) => {}
        }
    }

    /// Gives all lanes this value.
    pub(crate) fn fill(&mut self, register: Zmm, value: u64, lane: usize) {
        let all = (register, Lanes::All);
        if value == 0 {
            return self.evex(VPXORD, BYTES, all, register, Operand::Register(register));
        }
        if value == u64::MAX >> (64 - 8 * lane) {
            return self.evex_with(
                VPTERNLOGD,
                BYTES,
                all,
                register,
                Operand::Register(register),
                0xff,
            );
        }
        if lane == 8 {
            dynasm!(self.ops ; mov rbp, QWORD value as i64);
        } else {
            dynasm!(self.ops ; mov ebp, value as i32);
        }
        self.broadcast_general(register, general::RBP, lane);
    }
}
