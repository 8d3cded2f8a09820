//! Messages of several elements for each channel, where those of all channels lie in one piece of memory: one element
//! further on for each channel, or all of one channel behind those of the channel before it.
//!
//! rax, rdx and rcx are as in [`memory`](super::memory).

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use super::BYTES;
use super::memory::Distances;
use crate::evex::{Lanes, Operand, VMOVDQU32_LOAD, VMOVDQU32_STORE, VPERMI2D, general};
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
        let firsts = self.runs(to, step.element, false, [slow, other]);
        let bytes = to.lanes as u32 * u32::from(step.element);
        for (data, more) in step.elements() {
            for (chunk, &first) in firsts.iter().enumerate().take(to.chunks) {
                self.lowest_into_ecx(first);
                dynasm!(self.ops ; add rcx, more);
                self.copy(step.stores, data + chunk as u32 * bytes, bytes);
            }
        }
        self.release_runs(to, firsts);
        dynasm!(self.ops ; jmp =>done ; =>other);
        if step.planes.is_whole() && step.planes.count() <= MOST {
            let other = self.ops.new_dynamic_label();
            let stride = step.element * step.planes.count() as u8;
            // Stores go plane by plane, which shows where chunks meet.
            let firsts = self.runs(to, stride, step.stores, [slow, other]);
            for (chunk, &first) in firsts.iter().enumerate().take(to.chunks) {
                self.lowest_into_ecx(first);
                self.interleaved(step, (chunk * to.lanes, to.lanes));
            }
            self.release_runs(to, firsts);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
    }

    /// Loads or stores elements of which all of one channel are followed by those of the next, for so many channels
    /// from `begin` on, the first of which has the distance rcx.
    fn interleaved(&mut self, step: &MemoryStep, (begin, channels): (usize, usize)) {
        let element = usize::from(step.element);
        let lanes = channels.min(BYTES / element);
        let width = lanes * element;
        let planes = step.planes.count() as usize;
        let mut sources = [0; MOST as usize];
        for first in (0..channels).step_by(lanes) {
            let place = |memory: bool, number: usize| {
                if memory {
                    let more = first * element * planes + number * width;
                    return Operand::Indexed(general::RAX, general::RCX, more as i32);
                }
                let plane = number as u32 * step.plane_bytes;
                Operand::registers(step.data + plane + ((begin + first) * element) as u32)
            };
            for (number, source) in sources.iter_mut().enumerate().take(planes) {
                *source = self.wide_take();
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
            let next = self.wide_take();
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
