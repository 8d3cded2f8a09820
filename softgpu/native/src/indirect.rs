//! Moves of dwords from and to registers whose addresses are in registers.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::memory::Ways;
use crate::model::{Indirect, IndirectStep, StagedStep};
use crate::translate::{Chosen, Translator};

impl Translator {
    /// Translates a move; the caller executes `op` where the registers end, or if it is none that can be.
    pub(crate) fn indirect(&mut self, step: &IndirectStep, op: u32) {
        if !self.moves(step) {
            return self.call(op);
        }
        let ways = self.ways();
        self.transfer(step, ways);
        self.meet(ways, op);
    }

    /// Translates an operation with moves; the same.
    pub(crate) fn staged(&mut self, step: &StagedStep, op: u32) {
        let mut moves = step.before.iter().chain(&step.after);
        if !moves.all(|step| self.moves(step)) || self.job(&step.vector, 32).is_none() {
            return self.call(op);
        }
        (self.predicates, self.replaced) = (false, false);
        let ways = self.ways();
        for before in &step.before {
            self.transfer(before, ways);
        }
        if !self.wide_vector(&step.vector) {
            self.vector(&step.vector);
        }
        if let Some(after) = &step.after {
            self.transfer(after, ways);
        }
        self.whole = None;
        self.meet(ways, op);
    }

    /// Whether a move has a usual case.
    fn moves(&self, step: &IndirectStep) -> bool {
        let lanes = step.bytes >= 4 * u32::from(step.lanes) && !(step.flushes && self.flushes());
        match step.way {
            Indirect::Gather { .. } => lanes && matches!(step.lanes, 8 | 16 | 32),
            Indirect::Scatter { .. } => lanes && matches!(step.lanes, 1 | 8 | 16 | 32),
            Indirect::Block { bytes, .. } => bytes != 0 && bytes <= step.bytes,
        }
    }

    fn transfer(&mut self, step: &IndirectStep, ways: Ways) {
        match step.way {
            Indirect::Gather { to } => self.gather_registers(step, to),
            Indirect::Scatter { from, all } => self.scatter_registers(step, (from, all), ways),
            Indirect::Block { to, bytes } => self.block_of_registers(step, (to, bytes), ways),
        }
    }

    /// rax = the place of the one address, from which so many bytes on are registers.
    fn place(&mut self, step: &IndirectStep, bytes: u32, ways: Ways) {
        dynasm!(self.ops
            ; movzx eax, WORD [r12 + step.addresses as i32]
            ; add eax, step.offset
            ; cmp eax, (step.bytes - bytes) as i32
            ; ja =>ways.slow
            ; lea rax, [r12 + rax + step.general as i32]
        );
    }

    /// Consecutive bytes. There is room for a register behind the last ones.
    fn block_of_registers(&mut self, step: &IndirectStep, (to, bytes): (u32, u32), ways: Ways) {
        self.place(step, bytes, ways);
        let t = self.pool.take();
        let whole = bytes.next_multiple_of(32);
        for at in (0..whole as i32).step_by(32) {
            dynasm!(self.ops
                ; vmovdqu Ry(t), [rax + at]
                ; vmovdqu [r12 + to as i32 + at], Ry(t)
            );
        }
        self.pool.release_all();
        self.forget(to..to + whole);
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
                let chosen = self.mask_of_esi(&step.masking, step.lanes.into(), 8 * chunk, 4);
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
    fn scatter_registers(&mut self, step: &IndirectStep, (from, all): (u32, bool), ways: Ways) {
        let chosen = self.mask(&step.masking, step.lanes);
        if step.masking.predicate.is_some() && all && step.lanes > 1 {
            return self.scatter_few(step, from, ways);
        }
        if chosen == Chosen::InEsi {
            dynasm!(self.ops ; test esi, esi ; jz =>ways.skip);
        }
        self.place(step, 4 * u32::from(step.lanes), ways);
        if step.lanes == 1 {
            dynasm!(self.ops ; mov ecx, [r12 + from as i32] ; mov [rax], ecx);
        }
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
                let chosen = self.mask_of_esi(&step.masking, step.lanes.into(), 8 * chunk, 4);
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
        self.pool.release_all();
        self.forget_general(step);
    }

    /// One element to the places of the channels in esi, one after the other. Compilers store a channel's element so, each
    /// under a flag of one bit. Vector registers stay as they are.
    fn scatter_few(&mut self, step: &IndirectStep, from: u32, ways: Ways) {
        let [again, none] = [(); 2].map(|()| self.ops.new_dynamic_label());
        dynasm!(self.ops ; test esi, esi ; jz =>none);
        self.place(step, 4 * u32::from(step.lanes), ways);
        dynasm!(self.ops
            ; mov edx, [r12 + from as i32]
            ; =>again
            ; tzcnt ecx, esi
            ; mov [rax + rcx * 4], edx
            ; blsr esi, esi
            ; jnz =>again
            ; =>none
        );
        self.forget_general(step);
    }

    /// Any general register may have been written.
    fn forget_general(&mut self, step: &IndirectStep) {
        self.forget(step.general..step.general + step.bytes);
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::HostIsa;

    use super::*;
    use crate::model::{Grouping, Layout, Masking, Predicate};
    use crate::registers::Content;

    #[test]
    fn stores_of_few_channels_forget_general_registers_alone() {
        let step = IndirectStep {
            masking: Masking {
                predicate: Some(Predicate {
                    flag_bit: 0,
                    inverse: false,
                    grouping: Grouping::Own,
                }),
                ..Masking::OF_TESTS
            },
            lanes: 8,
            addresses: 512,
            offset: 0,
            general: 4096,
            bytes: 4096,
            flushes: false,
            way: Indirect::Scatter {
                from: 5000,
                all: true,
            },
        };
        let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx2);
        let constant = translator.constant(7, 4);
        let [before, general] = [512, 4128].map(|at| translator.bytes(at));
        translator.pool.release_all();
        translator.indirect(&step, 0);
        let known = translator.pool.contents();
        assert!(known.contains(&(constant, Content::Constant(7, 4))));
        assert!(known.contains(&(before, Content::Bytes(512, 32))));
        assert!(known.iter().all(|(register, _)| *register != general));
    }
}
