//! Messages of several elements for each channel, where those of all channels lie in one piece of memory: one element
//! further on for each channel, or all of one channel behind those of the channel before it.
//!
//! rax, rdx and rcx are as in [`memory`](super::memory).

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use super::memory::{Distances, NOT_EQUAL};
use super::{BYTES, FIRST, SECOND};
use crate::evex::{
    Lanes, Operand, VMOVDQU32_LOAD, VMOVDQU32_STORE, VPADDD, VPCMPD, VPERMI2D, general,
};
use crate::model::MemoryStep;
use crate::registers::Zmm;
use crate::translate::Translator;

/// The most elements of a channel for which shuffles are worth it.
const MOST: u32 = 4;

impl Translator {
    /// All channels are served. What is done here goes on at `done`.
    pub(super) fn wide_pieces(
        &mut self,
        step: &MemoryStep,
        to: &Distances,
        [slow, done]: [DynamicLabel; 2],
    ) {
        let other = self.ops.new_dynamic_label();
        self.apart(step, to, step.element, [slow, other]);
        let whole = u32::from(step.element) * u32::from(step.lanes);
        let mut before = 0;
        for (data, more) in step.elements() {
            dynasm!(self.ops ; add rcx, more - before);
            before = more;
            self.copy(step.stores, data, whole);
        }
        dynasm!(self.ops ; jmp =>done ; =>other);
        if step.planes.is_whole() && step.planes.count() <= MOST {
            let other = self.ops.new_dynamic_label();
            let stride = step.element * step.planes.count() as u8;
            self.apart(step, to, stride, [slow, other]);
            self.interleaved(step);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
    }

    /// rcx = the first channel's distance, if the addresses are `stride` bytes apart; else at `other`.
    fn apart(
        &mut self,
        step: &MemoryStep,
        to: &Distances,
        stride: u8,
        [slow, other]: [DynamicLabel; 2],
    ) {
        let (first, t) = (self.first_distance(to), self.wide.take());
        for chunk in 0..to.chunks {
            let steps = self.offsets((chunk * to.lanes) as u32 * u32::from(stride), stride);
            dynasm!(self.ops ; lea rbp, [=>steps]);
            let steps = Operand::Memory(general::RBP, 0);
            self.evex(VPADDD, to.width(), (t, Lanes::All), first, steps);
            let wrong = if chunk == 0 { FIRST } else { SECOND };
            let at = Operand::Register(to.at[chunk]);
            self.evex_with(VPCMPD, to.width(), (wrong.0, Lanes::All), t, at, NOT_EQUAL);
        }
        self.test_masks(FIRST, if to.chunks == 2 { SECOND } else { FIRST });
        dynasm!(self.ops ; jnz =>other);
        self.lowest_into_ecx(first);
        dynasm!(self.ops
            ; lea rdi, [rcx + i32::from(stride) * (i32::from(step.lanes) - 1)]
            ; cmp rdi, rdx
            ; ja =>slow
        );
        self.wide.release(first);
        self.wide.release(t);
    }

    /// Loads or stores elements of which all of one channel are followed by those of the next, from the distance rcx
    /// on.
    fn interleaved(&mut self, step: &MemoryStep) {
        let element = usize::from(step.element);
        let lanes = usize::from(step.lanes).min(BYTES / element);
        let width = lanes * element;
        let planes = step.planes.count() as usize;
        let mut sources = [0; MOST as usize];
        for first in (0..usize::from(step.lanes)).step_by(lanes) {
            let place = |memory: bool, number: usize| {
                if memory {
                    let more = first * element * planes + number * width;
                    return Operand::Indexed(general::RAX, general::RCX, more as i32);
                }
                let plane = number as u32 * step.plane_bytes;
                Operand::registers(step.data + plane + (first * element) as u32)
            };
            for (number, source) in sources.iter_mut().enumerate().take(planes) {
                *source = self.wide.take();
                let from = place(!step.stores, number);
                self.evex(VMOVDQU32_LOAD, width, (*source, Lanes::All), 0, from);
            }
            for number in 0..planes {
                let from = |lane: usize| match step.stores {
                    true => {
                        let at = number * lanes + lane;
                        (at % planes, at / planes)
                    }
                    false => {
                        let at = lane * planes + number;
                        (at / lanes, at % lanes)
                    }
                };
                let made = self.permuted(&sources[..planes], (element, lanes), from);
                let to = place(step.stores, number);
                self.evex(VMOVDQU32_STORE, width, (made, Lanes::All), 0, to);
                self.wide.release(made);
            }
            for &source in &sources[..planes] {
                self.wide.release(source);
            }
        }
    }

    /// A register whose lanes come from those of others, at least two: `from` says which one and which lane.
    fn permuted(
        &mut self,
        sources: &[Zmm],
        (element, lanes): (usize, usize),
        from: impl Fn(usize) -> (usize, usize),
    ) -> Zmm {
        let mut made = sources[0];
        for (number, &source) in sources.iter().enumerate().skip(1) {
            // What was collected before is the first of two tables, in its place but for the first time.
            let indices = (0..lanes).map(|lane| match from(lane) {
                (register, at) if register == number => lanes + at,
                (0, at) if number == 1 => at,
                _ => lane,
            });
            let bits = 8 * element;
            let indices: Vec<_> = indices.collect();
            let qwords = indices.chunks(8 / element).map(|indices| {
                let placed = indices.iter().enumerate();
                placed.fold(0, |all, (at, &index)| all | (index as u64) << (bits * at))
            });
            let qwords: Vec<_> = qwords.collect();
            let table = self.table(&qwords);
            let next = self.wide.take();
            dynasm!(self.ops ; lea rbp, [=>table]);
            let indices = Operand::Memory(general::RBP, 0);
            let width = lanes * element;
            self.evex(VMOVDQU32_LOAD, width, (next, Lanes::All), 0, indices);
            let source = Operand::Register(source);
            self.evex(
                VPERMI2D.of(element),
                width,
                (next, Lanes::All),
                made,
                source,
            );
            if number > 1 {
                self.wide.release(made);
            }
            made = next;
        }
        made
    }
}
