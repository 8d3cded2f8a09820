//! Stores of bytes and words that are a few bytes apart, as the components of pixels are: a chunk of channels as one
//! store of their bytes, between which memory stays as it is.
//!
//! rax, rdx and rcx are as in [`memory`](super::memory).

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use super::memory::{Distances, Portion};
use super::{BYTES, WRITTEN};
use crate::evex::{
    Lanes, Operand, RIGHT, VMOVDQU8_STORE, VPMOVDB, VPMOVDW, VPSHIFTD, VPSHUFB, VSHUFI64X2, general,
};
use crate::model::MemoryStep;
use crate::registers::Zmm;
use crate::translate::Translator;

/// Bytes from element to element, of which sixteen are in a register, by their size.
const fn strides(element: u8) -> &'static [u8] {
    match element {
        1 => &[4, 3, 2],
        2 => &[4, 3],
        _ => &[],
    }
}

/// The bytes of so many elements, each `stride` bytes after the one before it, as bits.
const fn bytes(element: u8, stride: u8, lanes: usize) -> u64 {
    let mut bytes = 0;
    let mut lane = 0;
    while lane < lanes {
        let own = u64::MAX >> (64 - element);
        bytes |= own << (lane * stride as usize);
        lane += 1;
    }
    bytes
}

impl Translator {
    /// All channels are served. What is done here goes on at `done`.
    pub(super) fn wide_strided(
        &mut self,
        step: &MemoryStep,
        portions: &[Portion],
        to: &Distances,
        [slow, done]: [DynamicLabel; 2],
    ) {
        for &stride in strides(step.element) {
            let other = self.ops.new_dynamic_label();
            let firsts = self.runs(to, stride, false, [slow, other]);
            let (t, out) = (self.wide_take(), self.wide_take());
            // Words that are no dword apart are stored as their low bytes, and as their high ones.
            let parts = if stride == 3 { step.element } else { 1 };
            let element = step.element / parts;
            let served = bytes(element, stride, to.lanes);
            dynasm!(self.ops ; mov rbp, QWORD served as i64);
            self.wide_mask_from(WRITTEN, general::RBP);
            for portion in portions {
                let value = self.stores_from(portion, t);
                self.lowest_into_ecx(firsts[portion.chunk(to)]);
                for part in 0..parts {
                    let mut low = value;
                    if part > 0 {
                        let right = (RIGHT, Lanes::All);
                        let whole = Operand::Register(value);
                        self.evex_with(VPSHIFTD, BYTES, right, out, whole, 8 * part);
                        low = out;
                    }
                    let spread = self.spread_bytes(low, out, (element, stride));
                    let more = portion.more + i32::from(part);
                    let memory = Operand::Indexed(general::RAX, general::RCX, more);
                    let all = (usize::from(stride) * to.lanes).next_power_of_two();
                    let served = (spread, Lanes::Merge(WRITTEN));
                    self.evex(VMOVDQU8_STORE, all, served, 0, memory);
                }
            }
            self.release_runs(to, firsts);
            self.wide.release(t);
            self.wide.release(out);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
    }

    /// The low parts of dwords, `stride` bytes apart: in `out`, unless they are so already. What is between them is
    /// anything.
    fn spread_bytes(&mut self, value: Zmm, out: Zmm, (element, stride): (u8, u8)) -> Zmm {
        let (all, result) = (Lanes::All, Operand::Register(out));
        match (element, stride) {
            (1, 2) => self.evex(VPMOVDW, BYTES, (value, all), 0, result),
            (1, 3) => {
                self.evex(VPMOVDB, BYTES, (value, all), 0, result);
                // Each part of sixteen bytes has all of them to choose from.
                self.evex_with(VSHUFI64X2, BYTES, (out, all), out, result, 0);
                let places = (0..8u64).map(|qword| {
                    let byte = |byte| (8 * qword + byte) / 3 % 16;
                    (0..8).fold(0, |places, at| places | byte(at) << (8 * at))
                });
                let places: Vec<_> = places.collect();
                let table = self.table(&places);
                dynasm!(self.ops ; lea rbp, [=>table]);
                let places = Operand::Memory(general::RBP, 0);
                self.evex(VPSHUFB, BYTES, (out, all), out, places);
            }
            _ => return value,
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_between_elements_are_no_ones() {
        assert_eq!(bytes(1, 3, 16), 0x2492_4924_9249);
        assert_eq!(bytes(1, 2, 8), 0x5555);
        assert_eq!(bytes(2, 4, 16), 0x3333_3333_3333_3333);
    }
}
