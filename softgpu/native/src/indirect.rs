//! Moves of dwords from and to registers whose addresses are in registers.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::model::{Indirect, IndirectStep};
use crate::translate::{Chosen, Translator};

impl Translator {
    /// Translates a move; the caller executes `op` where the registers end, or if it is none that can be.
    pub(crate) fn indirect(&mut self, step: &IndirectStep, op: u32) {
        let whole = matches!(step.lanes, 8 | 16 | 32) && step.bytes >= 4 * u32::from(step.lanes);
        if !whole || step.flushes && self.flushes() {
            return self.call(op);
        }
        match step.way {
            Indirect::Gather { to } => self.gather_registers(step, to),
            Indirect::Scatter { from, all } => self.scatter_registers(step, (from, all), op),
        }
    }

    /// Elements from the address of each lane. One outside of the registers is zero.
    fn gather_registers(&mut self, step: &IndirectStep, to: u32) {
        let chosen = self.mask(&step.masking, step.lanes);
        let chunks = usize::from(step.lanes) / 8;
        let last = self.constant((step.bytes - 4).into(), 4);
        let mut results = [0; 4];
        dynasm!(self.ops ; lea rax, [r12 + step.general as i32]);
        for (chunk, result) in results.iter_mut().enumerate().take(chunks) {
            let (at, inside, out) = (self.pool.take(), self.pool.take(), self.pool.take());
            let from = step.addresses as i32 + 16 * chunk as i32;
            dynasm!(self.ops ; vpmovzxwd Ry(at), [r12 + from]);
            if step.offset != 0 {
                let offset = self.constant(u64::from(step.offset as u32), 4);
                dynasm!(self.ops ; vpaddd Ry(at), Ry(at), Ry(offset));
                self.pool.release(offset);
            }
            dynasm!(self.ops
                ; vpminud Ry(inside), Ry(at), Ry(last)
                ; vpcmpeqd Ry(inside), Ry(inside), Ry(at)
                ; vpxor Ry(out), Ry(out), Ry(out)
            );
            self.gather_dwords(out, at, inside, 0);
            self.pool.release(at);
            self.pool.release(inside);
            *result = out;
        }
        for (chunk, &result) in results.iter().enumerate().take(chunks) {
            let at = to as i32 + 32 * chunk as i32;
            if chosen == Chosen::InEsi {
                let chosen = self.lanes_of_esi(chunk);
                let old = self.pool.take();
                dynasm!(self.ops
                    ; vmovdqu Ry(old), [r12 + at]
                    ; vblendvps Ry(result), Ry(old), Ry(result), Ry(chosen)
                );
                self.pool.release(chosen);
                self.pool.release(old);
            }
            dynasm!(self.ops ; vmovdqu [r12 + at], Ry(result));
        }
        self.pool.release_all();
        self.forget(to..to + 4 * u32::from(step.lanes));
    }

    /// Elements to consecutive places.
    fn scatter_registers(&mut self, step: &IndirectStep, (from, all): (u32, bool), op: u32) {
        let ways = self.ways();
        let chosen = self.mask(&step.masking, step.lanes);
        if chosen == Chosen::InEsi {
            dynasm!(self.ops ; test esi, esi ; jz =>ways.skip);
        }
        let most = step.bytes - 4 * u32::from(step.lanes);
        dynasm!(self.ops
            ; movzx eax, WORD [r12 + step.addresses as i32]
            ; add eax, step.offset
            ; cmp eax, most as i32
            ; ja =>ways.slow
            ; lea rax, [r12 + rax + step.general as i32]
        );
        let chunks = usize::from(step.lanes) / 8;
        let mut sources = [0; 4];
        for (chunk, source) in sources.iter_mut().enumerate().take(chunks) {
            *source = self.pool.take();
            if all {
                dynasm!(self.ops ; vpbroadcastd Ry(*source), [r12 + from as i32]);
            } else {
                let at = from as i32 + 32 * chunk as i32;
                dynasm!(self.ops ; vmovdqu Ry(*source), [r12 + at]);
            }
        }
        for (chunk, &source) in sources.iter().enumerate().take(chunks) {
            let at = 32 * chunk as i32;
            if chosen == Chosen::InEsi {
                let chosen = self.lanes_of_esi(chunk);
                let old = self.pool.take();
                dynasm!(self.ops
                    ; vmovdqu Ry(old), [rax + at]
                    ; vblendvps Ry(source), Ry(old), Ry(source), Ry(chosen)
                );
                self.pool.release(chosen);
                self.pool.release(old);
            }
            dynasm!(self.ops ; vmovdqu [rax + at], Ry(source));
        }
        // It may have written any register.
        self.pool.clear();
        self.wide.clear();
        self.meet(ways, op);
    }

    /// All ones in the dwords whose bits in esi are set, pinned.
    fn lanes_of_esi(&mut self, chunk: usize) -> u8 {
        let lanes = self.pool.take();
        dynasm!(self.ops ; vmovd Rx(lanes), esi);
        self.spread_from(lanes, 8 * chunk, 4);
        lanes
    }
}
