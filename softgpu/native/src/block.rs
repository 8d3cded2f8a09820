//! Blocks of consecutive bytes.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::memory::GENERAL;
use crate::model::{Base, BlockStep, FenceStep, SCRATCH_BASE};
use crate::translate::{Chosen, Translator};

impl Translator {
    /// Translates the usual case of a block; the caller executes `op` in any other.
    pub(crate) fn block_access(&mut self, step: &BlockStep, op: u32) {
        if step.space.is_buffer() && step.offset != 0 || step.bytes > 1 << 10 {
            return self.call(op);
        }
        let ways = self.ways();
        if self.mask(&step.masking, step.channels) == Chosen::InEsi {
            if step.first_only {
                dynasm!(self.ops ; test esi, 1);
            } else {
                dynasm!(self.ops ; test esi, esi);
            }
            dynasm!(self.ops ; jz =>ways.skip);
        }
        self.window(step.space, step.bytes, 0, ways.slow);
        let at = step.address as i32;
        match step.base {
            Base::Qword => dynasm!(self.ops ; mov rcx, [r12 + at]),
            Base::Dword(16) => dynasm!(self.ops ; mov ecx, [r12 + at] ; shl rcx, 4),
            Base::Dword(_) => dynasm!(self.ops ; mov ecx, [r12 + at]),
            Base::General => dynasm!(self.ops
                ; mov ecx, [r12 + at]
                ; and ecx, SCRATCH_BASE as i32
                ; add rcx, [rbx + GENERAL]
            ),
            Base::Offset => dynasm!(self.ops
                ; mov ecx, [r12 + at]
                ; add rcx, [rbx + GENERAL]
            ),
            Base::Stateless { unit, base } => {
                dynasm!(self.ops ; mov ecx, [r12 + at]);
                if unit == 16 {
                    dynasm!(self.ops ; shl rcx, 4);
                }
                dynasm!(self.ops
                    ; mov r8d, [r12 + base as i32]
                    ; and r8d, SCRATCH_BASE as i32
                    ; add rcx, r8
                    ; add rcx, [rbx + GENERAL]
                );
            }
        }
        self.distance(step.space, step.offset, ways.slow);
        self.copy(step.stores, step.data, step.bytes);
        if !step.stores {
            self.forget(step.data..step.data + step.bytes);
        }
        self.meet(ways, op);
    }

    /// A thread's accesses are performed in order, but this processor lets loads pass stores before them.
    pub(crate) fn fence(&mut self, step: &FenceStep) {
        let over = self.ops.new_dynamic_label();
        let zero = self.constant(0, 4);
        if self.mask(&step.masking, step.channels) == Chosen::InEsi {
            dynasm!(self.ops ; test esi, esi ; jz =>over);
        }
        if step.shared {
            // Any locked instruction orders stores before loads, and takes a fraction of what `mfence` does.
            dynasm!(self.ops ; lock or DWORD [rsp], 0);
        }
        for at in (step.at..step.at + step.bytes).step_by(32) {
            dynasm!(self.ops ; vmovdqu [r12 + at as i32], Ry(zero));
        }
        dynasm!(self.ops ; =>over);
        self.pool.release(zero);
        self.forget(step.at..step.at + step.bytes);
    }
}
