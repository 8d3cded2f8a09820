//! Blocks of consecutive bytes.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::memory::GENERAL;
use crate::model::{Base, BlockStep, End, FenceStep, SCRATCH_BASE, Step};
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
        self.window(step.space, (step.bytes, 0), 0, ways.slow);
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

    /// A thread's accesses are performed in order, but this processor lets loads pass stores before them: that is
    /// nothing to the `last` fence of a thread, which no load follows.
    pub(crate) fn fence(&mut self, step: &FenceStep, last: bool) {
        let over = self.ops.new_dynamic_label();
        let zero = self.constant(0, 4);
        if self.mask(&step.masking, step.channels) == Chosen::InEsi {
            dynasm!(self.ops ; test esi, esi ; jz =>over);
        }
        if step.shared && !last {
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

/// Whether a thread accesses no memory any more in these steps, which are its last if it ends with them.
pub(crate) fn is_last(steps: &[Step], end: &End) -> bool {
    let ends = matches!(end, End::Thread(_));
    ends && steps
        .iter()
        .all(|step| matches!(step, Step::Vector(_) | Step::Fence(_) | Step::Nothing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_is_the_last_before_the_end_of_its_thread_alone() {
        let end = End::Thread(8);
        assert!(is_last(&[], &end));
        assert!(is_last(&[Step::Nothing], &end));
        assert!(!is_last(&[], &End::Leave) && !is_last(&[], &End::Next(None)));
        assert!(!is_last(&[Step::Nothing, Step::Call], &end));
    }
}
