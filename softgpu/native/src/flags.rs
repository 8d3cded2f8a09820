//! Flags, as what predicates and comparisons use. r14d is f0 and r15d f1, at any time: stores to the register
//! bytes write the whole of them, too, so that no load finds there what was stored in parts, for which it
//! would wait. Others are in memory only.

use core::ops::Range;

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::Element;

use crate::model::{Grouping, Predicate};
use crate::registers::Ymm;
use crate::store::Target;
use crate::translate::Translator;
use crate::vector::Written;

/// The bytes that operations on flags may change.
const FLAG_BYTES: u32 = 32;
/// The bits of a flag register that has a host register.
const BITS: u32 = 32;
/// These host registers.
const HELD: [u8; 2] = [14, 15];

impl Translator {
    /// Loads the flags' registers: memory may have others.
    pub(crate) fn reload_flags(&mut self) {
        let at = self.layout.flags as i32;
        dynasm!(self.ops ; mov r14d, [r12 + at] ; mov r15d, [r12 + at + 4]);
    }

    /// Whether some of these register bytes are flags.
    pub(crate) fn has_flags(&self, range: &Range<u32>) -> bool {
        let flags = self.layout.flags;
        range.start < flags + FLAG_BYTES && flags < range.end
    }

    /// What registers hold of so many flag bits from this one on, besides r14d and r15d, is out of date.
    pub(crate) fn forget_flags(&mut self, bit: u32, count: u32) {
        let flags = self.layout.flags;
        self.forget(flags + bit / 8..flags + (bit + count).div_ceil(8));
    }

    /// The host register that has so many bits from this one on, and the place of the first there.
    fn held(bit: u32, count: u32) -> Option<(u8, u8)> {
        let first = bit % BITS;
        let register = *HELD.get((bit / BITS) as usize)?;
        (first.saturating_add(count) <= BITS).then_some((register, first as u8))
    }

    /// Brings an element, extended, from the host register that has it to another one; false if none has.
    pub(crate) fn flag_to(&mut self, register: u8, element: Element, at: u32) -> bool {
        let bytes = element.bytes() as u32;
        let first = at.checked_sub(self.layout.flags).filter(|_| bytes <= 4);
        let Some((held, bit)) = first.and_then(|first| Self::held(8 * first, 8 * bytes)) else {
            return false;
        };
        dynasm!(self.ops ; mov Rd(register), Rd(held));
        if bit != 0 {
            dynasm!(self.ops ; shr Rd(register), bit as i8);
        }
        match (bytes, element.is_signed()) {
            (1, false) => dynasm!(self.ops ; movzx Rd(register), Rb(register)),
            (1, true) => dynasm!(self.ops ; movsx Rd(register), Rb(register)),
            (2, false) => dynasm!(self.ops ; movzx Rd(register), Rw(register)),
            (2, true) => dynasm!(self.ops ; movsx Rd(register), Rw(register)),
            _ => {}
        }
        true
    }

    /// ecx = the predicate of an op's channels, of which the first is the thread's channel `offset`.
    /// Bits beyond its `lanes` are anything.
    pub(crate) fn predicate_to_ecx(&mut self, predicate: Predicate, offset: u32, lanes: usize) {
        let bit = u32::from(predicate.flag_bit);
        let group = |size: u8| {
            let size = u32::from(size.clamp(1, 32));
            (
                bit + (offset & !(size - 1)),
                (u32::MAX >> (32 - size)) as i32,
            )
        };
        match predicate.grouping {
            Grouping::Own => self.flag_to_ecx(bit + offset, lanes),
            Grouping::Any(size) => {
                let (first, bits) = group(size);
                self.flag_to_ecx(first, size.into());
                dynasm!(self.ops ; and ecx, bits ; neg ecx ; sbb ecx, ecx);
            }
            Grouping::All(size) => {
                let (first, bits) = group(size);
                self.flag_to_ecx(first, size.into());
                dynasm!(self.ops ; and ecx, bits ; xor ecx, bits ; cmp ecx, 1 ; sbb ecx, ecx);
            }
        }
        if predicate.inverse {
            dynasm!(self.ops ; not ecx);
        }
    }

    /// Goes to a label unless a predicate holds for the thread's channel `offset`.
    pub(crate) fn unless_holds(&mut self, predicate: Predicate, offset: u32, label: DynamicLabel) {
        let bit = u32::from(predicate.flag_bit);
        let (first, count) = match predicate.grouping {
            Grouping::Own => (bit + offset, 1),
            Grouping::Any(size) => {
                let size = u32::from(size.clamp(1, 32));
                (bit + (offset & !(size - 1)), size)
            }
            Grouping::All(_) => (0, u32::MAX),
        };
        match Self::held(first, count) {
            Some((register, place)) if !self.stale => {
                let bits = u32::MAX >> (32 - count) << place;
                dynasm!(self.ops ; test Rd(register), bits as i32);
                if predicate.inverse {
                    dynasm!(self.ops ; jnz =>label);
                } else {
                    dynasm!(self.ops ; jz =>label);
                }
            }
            _ => {
                self.predicate_to_ecx(predicate, offset, 1);
                dynasm!(self.ops ; test ecx, 1 ; jz =>label);
            }
        }
    }

    /// Sets `lanes` flag bits from this one on: all, or those in esi, which has no more.
    pub(crate) fn set_all_flags(&mut self, bit: u32, lanes: u32, all: bool) {
        let size = u32::MAX >> (32 - lanes);
        let Some((register, first)) = Self::held(bit, lanes) else {
            dynasm!(self.ops ; mov eax, size as i32);
            return self.set_flags(bit, lanes, all);
        };
        self.forget_flags(bit, lanes);
        if all {
            dynasm!(self.ops ; or Rd(register), (size << first) as i32);
        } else if first == 0 {
            dynasm!(self.ops ; or Rd(register), esi);
        } else {
            dynasm!(self.ops ; mov eax, esi ; shl eax, first as i8 ; or Rd(register), eax);
        }
        self.store_flags(register);
    }

    /// ecx = so many flag bits from this one on. What is beyond them is anything.
    pub(crate) fn flag_to_ecx(&mut self, bit: u32, lanes: usize) {
        if self.stale {
            self.pool.give_up();
        }
        if let Some((register, first)) = Self::held(bit, lanes as u32) {
            dynasm!(self.ops ; mov ecx, Rd(register));
            if first != 0 {
                dynasm!(self.ops ; shr ecx, first as i8);
            }
            return;
        }
        // It reads no more than was written, if it can, because a load that is wider than the store before it waits.
        let byte = (self.layout.flags + bit / 8) as i32;
        match (lanes, bit % 8) {
            (..=8, 0) => return dynasm!(self.ops ; movzx ecx, BYTE [r12 + byte]),
            (..=16, 0) => return dynasm!(self.ops ; movzx ecx, WORD [r12 + byte]),
            (_, 0) if bit.is_multiple_of(32) => return dynasm!(self.ops ; mov ecx, [r12 + byte]),
            _ => {}
        }
        let at = (self.layout.flags + 4 * (bit / 32)) as i32;
        dynasm!(self.ops ; mov rcx, [r12 + at] ; shr rcx, (bit % 32) as i8);
    }

    /// Sets `lanes` flag bits from this one on to the bits of eax: all, or those in esi, which has no more.
    pub(crate) fn set_flags(&mut self, bit: u32, lanes: u32, all: bool) {
        self.forget_flags(bit, lanes);
        let size = u32::MAX >> (32 - lanes);
        let Some((register, first)) = Self::held(bit, lanes) else {
            return self.set_flags_in_memory(bit, size, all);
        };
        if all {
            if !matches!(lanes, 8 | 16 | BITS) {
                dynasm!(self.ops ; and eax, size as i32);
            }
            return self.put_bits((register, first), lanes);
        }
        dynasm!(self.ops ; mov ecx, esi);
        if first != 0 {
            dynasm!(self.ops ; shl eax, first as i8 ; shl ecx, first as i8);
        }
        dynasm!(self.ops
            ; and eax, ecx
            ; andn Rd(register), ecx, Rd(register)
            ; or Rd(register), eax
        );
        self.store_flags(register);
    }

    /// Replaces so many bits of a flag by eax, which has no more.
    fn put_bits(&mut self, (register, first): (u8, u8), count: u32) {
        if count == BITS {
            dynasm!(self.ops ; mov Rd(register), eax);
        } else {
            let bits = u32::MAX >> (BITS - count) << first;
            if first != 0 {
                dynasm!(self.ops ; shl eax, first as i8);
            }
            dynasm!(self.ops
                ; and Rd(register), !bits as i32
                ; or Rd(register), eax
            );
        }
        self.store_flags(register);
    }

    /// Stores a flag that has a host register to the register bytes.
    fn store_flags(&mut self, register: u8) {
        let at = self.layout.flags as i32 + 4 * i32::from(register - HELD[0]);
        dynasm!(self.ops ; mov [r12 + at], Rd(register));
    }

    /// Stores a result of one channel, if it is a part of a flag that has a host register; false if it is none.
    pub(crate) fn store_to_flags(&mut self, result: Ymm, target: Target, written: Written) -> bool {
        if self.held_by(target).is_none() {
            return false;
        }
        dynasm!(self.ops ; vmovd eax, Rx(result));
        self.eax_to_flags(target, written)
    }

    /// The same of a result in eax.
    pub(crate) fn eax_to_flags(&mut self, target: Target, written: Written) -> bool {
        let Some((bit, held)) = self.held_by(target) else {
            return false;
        };
        let bits = 8 * target.size as u32;
        let skip = self.ops.new_dynamic_label();
        if written == Written::Masked {
            dynasm!(self.ops ; test esi, 1 ; jz =>skip);
        }
        if bits < BITS {
            dynasm!(self.ops ; and eax, (u32::MAX >> (BITS - bits)) as i32);
        }
        self.put_bits(held, bits);
        dynasm!(self.ops ; =>skip);
        self.forget_flags(bit, bits);
        true
    }

    /// The same of a value that is known.
    pub(crate) fn number_to_flags(&mut self, value: u32, target: Target) -> bool {
        let Some((bit, (register, first))) = self.held_by(target) else {
            return false;
        };
        let bits = 8 * target.size as u32;
        let size = u32::MAX >> (BITS - bits);
        let value = value & size;
        if value != size {
            dynasm!(self.ops ; and Rd(register), !(size << first) as i32);
        }
        if value != 0 {
            dynasm!(self.ops ; or Rd(register), (value << first) as i32);
        }
        self.store_flags(register);
        self.forget_flags(bit, bits);
        true
    }

    /// The first flag bit of a destination of one channel, and the host register that has all of it.
    fn held_by(&self, target: Target) -> Option<(u32, (u8, u8))> {
        let bit = 8 * target.at.checked_sub(self.layout.flags)?;
        let bits = 8 * target.size as u32;
        let held = Self::held(bit, bits).filter(|_| bits <= BITS)?;
        Some((bit, held))
    }

    /// The same of flags that are in memory, or that two registers have.
    fn set_flags_in_memory(&mut self, bit: u32, size: u32, all: bool) {
        if all {
            dynasm!(self.ops ; mov esi, size as i32);
        }
        let at = (self.layout.flags + 4 * (bit / 32)) as i32;
        let shift = (bit % 32) as i8;
        dynasm!(self.ops ; and eax, esi);
        if shift != 0 {
            dynasm!(self.ops ; shl rax, shift ; shl rsi, shift);
        }
        dynasm!(self.ops
            ; not rsi
            ; and rsi, [r12 + at]
            ; or rsi, rax
            ; mov [r12 + at], rsi
        );
        if bit / BITS < HELD.len() as u32 {
            self.reload_flags();
        }
    }
}
