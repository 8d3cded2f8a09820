//! Loads and stores of some channels, of elements of at most a dword, where those that are served are in one run of
//! memory or load from one place.
//!
//! rax, rdx and rcx are as in [`memory`](super::memory).

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use super::memory::{Distances, NOT_EQUAL, Portion};
use super::{BYTES, FIRST, SECOND, WRITTEN};
use crate::evex::{
    Evex, Lanes, Operand, VMOVDQU32_LOAD, VMOVDQU32_STORE, VPBROADCAST_GENERAL, VPBROADCASTD,
    VPCMPD, VPCOMPRESSD, VPMOVDB, VPMOVDW, VPMOVZXBD, VPMOVZXWD, VPSUBD, general,
};
use crate::model::MemoryStep;
use crate::registers::Zmm;
use crate::translate::{Chosen, Translator};

/// Loads a step's elements into dwords, or stores them from dwords.
pub(super) fn elements_of_dwords(step: &MemoryStep) -> Evex {
    match (step.element, step.stores) {
        (1, false) => VPMOVZXBD,
        (2, false) => VPMOVZXWD,
        (1, true) => VPMOVDB,
        (2, true) => VPMOVDW,
        (_, false) => VMOVDQU32_LOAD,
        (_, true) => VMOVDQU32_STORE,
    }
}

impl Translator {
    /// The channels of esi are served, whose elements are in the window. What is done here goes on at `done`.
    pub(super) fn wide_masked(
        &mut self,
        step: &MemoryStep,
        portions: &[Portion],
        to: &Distances,
        done: DynamicLabel,
    ) {
        let other = self.ops.new_dynamic_label();
        self.masked_consecutive(step, portions, to, other);
        dynasm!(self.ops ; jmp =>done ; =>other);
        if !step.stores {
            let other = self.ops.new_dynamic_label();
            self.masked_uniform(step, portions, to, other);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
    }

    /// The served channels' distances, less `stride` for each channel before, which are one for each chunk: in all lanes
    /// of a register, zeroes where none is served. Goes to `other` where they differ.
    fn agreed(&mut self, to: &Distances, stride: u8, other: DynamicLabel) -> [Zmm; 2] {
        let width = to.width();
        let t = self.wide_take();
        let mut agreed = [0; 2];
        for (chunk, agreed) in agreed.iter_mut().enumerate().take(to.chunks) {
            *agreed = self.wide_take();
            let mut own = to.at[chunk];
            if stride != 0 {
                let steps = self.offsets(0, stride);
                dynasm!(self.ops ; lea rbp, [=>steps]);
                let steps = Operand::Memory(general::RBP, 0);
                self.evex(VPSUBD, width, (t, Lanes::All), own, steps);
                own = t;
            }
            let lowest = Operand::Register(*agreed);
            let wrong = if chunk == 0 { FIRST } else { SECOND };
            self.mask_from_esi(wrong, chunk * to.lanes);
            self.evex(VPCOMPRESSD, width, (own, Lanes::Zero(wrong)), 0, lowest);
            self.evex(VPBROADCASTD, BYTES, (*agreed, Lanes::All), 0, lowest);
            let at = (wrong.0, Lanes::Merge(wrong));
            self.evex_with(VPCMPD, width, at, own, lowest, NOT_EQUAL);
        }
        self.test_masks(FIRST, if to.chunks == 2 { SECOND } else { FIRST });
        dynasm!(self.ops ; jnz =>other);
        self.wide.release(t);
        agreed
    }

    /// The elements of the channels that are served lie as if those of all followed each other; else at `other`.
    fn masked_consecutive(
        &mut self,
        step: &MemoryStep,
        portions: &[Portion],
        to: &Distances,
        other: DynamicLabel,
    ) {
        let firsts = self.agreed(to, step.element, other);
        let t = self.wide_take();
        let access = elements_of_dwords(step);
        for portion in portions {
            self.lowest_into_ecx(firsts[portion.chunk(to)]);
            self.mask_from_esi(WRITTEN, portion.first);
            // Where channel 0 would be may lie before the window.
            dynasm!(self.ops ; movsxd rcx, ecx);
            let value = match step.stores {
                true => self.stores_from(portion, t),
                false => self.loads_into(portion, Chosen::InEsi, t),
            };
            let served = (value, Lanes::Merge(WRITTEN));
            let memory = portion.run(step, to);
            self.evex(access, portion.bytes, served, 0, memory);
            if !step.stores {
                self.loaded(portion, value);
            }
        }
        self.release_runs(to, firsts);
        self.wide.release(t);
    }

    /// The channels that are served load from one place for each chunk; else at `other`.
    fn masked_uniform(
        &mut self,
        step: &MemoryStep,
        portions: &[Portion],
        to: &Distances,
        other: DynamicLabel,
    ) {
        let places = self.agreed(to, 0, other);
        let t = self.wide_take();
        for portion in portions {
            // Without channels, the place is the window's first one.
            self.lowest_into_ecx(places[portion.chunk(to)]);
            self.mask_from_esi(WRITTEN, portion.first);
            let more = portion.more;
            match step.element {
                1 => dynasm!(self.ops ; movzx ebp, BYTE [rax + rcx + more]),
                2 => dynasm!(self.ops ; movzx ebp, WORD [rax + rcx + more]),
                _ => dynasm!(self.ops ; mov ebp, [rax + rcx + more]),
            }
            let value = self.loads_into(portion, Chosen::InEsi, t);
            let served = (value, Lanes::Merge(WRITTEN));
            let from = Operand::Register(general::RBP);
            self.evex(VPBROADCAST_GENERAL, portion.bytes, served, 0, from);
            self.loaded(portion, value);
        }
        self.release_runs(to, places);
        self.wide.release(t);
    }
}
