//! Atomic operations.
//!
//! The channels follow each other. Shared local memory belongs to one host thread at a time, so that its
//! operations need no lock. rcx is the channel, r10 its place in the host, eax the old value, r9 whether a channel has
//! exchanged.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::memory::Lanes;
use crate::model::{AtomicOperation, AtomicStep, Space};
use crate::translate::{ALLOWED, Chosen, LEFT, Translator};

impl Translator {
    /// Translates what is usual; the caller executes `op` in any other case.
    pub(crate) fn atomic(&mut self, step: &AtomicStep, op: u32) {
        let memory = &step.memory;
        if !memory.is_usual() {
            return self.call(op);
        }
        let (ways, mut chosen) = self.begin(memory);
        // The loop goes by the message's lanes, of which an op of one channel has the first.
        if memory.channels == 1 && chosen == Chosen::All {
            dynasm!(self.ops ; mov esi, 1);
            chosen = Chosen::InEsi;
        }
        let lanes = self.distances(memory, chosen, ways.slow);
        self.inside(&lanes, ways.slow);
        self.aligned(&lanes);
        dynasm!(self.ops
            ; jnz =>ways.slow
            ; test al, 3
            ; jnz =>ways.slow
            ; mov r11, rax
        );
        self.spill(&lanes);
        let exchanges = step.operation == AtomicOperation::CompareExchange;
        if exchanges {
            dynasm!(self.ops ; xor r9d, r9d);
        }
        let next = self.each(memory, chosen);
        dynasm!(self.ops
            ; tzcnt ecx, edi
            ; mov r10d, [rsp + rcx * 4]
            ; add r10, r11
        );
        self.operate(step);
        if let Some(old) = step.old {
            dynasm!(self.ops ; mov [r12 + rcx * 4 + old as i32], eax);
        }
        dynasm!(self.ops ; blsr edi, edi ; jnz =>next);
        if let Some(old) = step.old {
            self.forget(old..old + memory.plane_bytes);
        }
        if exchanges {
            self.yield_unless_exchanged();
        }
        self.pool.release_all();
        self.meet(ways, op);
    }

    /// Ends the slice after the block unless a channel has exchanged, which r9 says: who waits for a lock lets
    /// its holder run.
    fn yield_unless_exchanged(&mut self) {
        let exchanged = self.ops.new_dynamic_label();
        dynasm!(self.ops
            ; test r9d, r9d
            ; jnz =>exchanged
            ; mov r8, [BYTE rbx + LEFT]
            ; sub [BYTE rbx + ALLOWED], r8
            ; mov QWORD [BYTE rbx + LEFT], 0
            ; =>exchanged
        );
    }

    /// Whether all distances are multiples of four, as the zero flag.
    fn aligned(&mut self, lanes: &Lanes) {
        let all = self.pool.take();
        let low = self.constant(3, 4);
        dynasm!(self.ops ; vmovdqa Ry(all), Ry(lanes.at[0]));
        for at in &lanes.at[1..lanes.chunks] {
            dynasm!(self.ops ; vpor Ry(all), Ry(all), Ry(*at));
        }
        dynasm!(self.ops ; vptest Ry(all), Ry(low));
        self.pool.release(low);
        self.pool.release(all);
    }

    /// The operation on the dword at r10 by channel rcx; eax is the old value.
    fn operate(&mut self, step: &AtomicStep) {
        use AtomicOperation as A;
        let local = step.memory.space == Space::Local;
        let first = step.memory.data as i32;
        let second = first + step.memory.plane_bytes as i32;
        match step.operation {
            A::Add | A::Subtract | A::Increment | A::Decrement => {
                match step.operation {
                    A::Increment => dynasm!(self.ops ; mov r8d, 1),
                    A::Decrement => dynasm!(self.ops ; mov r8d, -1),
                    A::Add => dynasm!(self.ops ; mov r8d, [r12 + rcx * 4 + first]),
                    _ => dynasm!(self.ops ; mov r8d, [r12 + rcx * 4 + first] ; neg r8d),
                }
                if local {
                    dynasm!(self.ops ; mov eax, [r10] ; add r8d, eax ; mov [r10], r8d);
                } else {
                    dynasm!(self.ops ; mov eax, r8d ; lock xadd [r10], eax);
                }
            }
            A::Exchange => {
                dynasm!(self.ops ; mov r8d, [r12 + rcx * 4 + first]);
                if local {
                    dynasm!(self.ops ; mov eax, [r10] ; mov [r10], r8d);
                } else {
                    dynasm!(self.ops ; mov eax, r8d ; xchg [r10], eax);
                }
            }
            A::CompareExchange => {
                dynasm!(self.ops
                    ; mov eax, [r12 + rcx * 4 + first]
                    ; mov r8d, [r12 + rcx * 4 + second]
                );
                if local {
                    dynasm!(self.ops ; cmpxchg [r10], r8d);
                } else {
                    dynasm!(self.ops ; lock cmpxchg [r10], r8d);
                }
                dynasm!(self.ops ; sete r8b ; or r9b, r8b);
            }
            _ => {
                let retry = self.ops.new_dynamic_label();
                dynasm!(self.ops
                    ; mov r9d, [r12 + rcx * 4 + first]
                    ; mov eax, [r10]
                    ; =>retry
                    ; mov r8d, r9d
                );
                match step.operation {
                    A::And => dynasm!(self.ops ; and r8d, eax),
                    A::Or => dynasm!(self.ops ; or r8d, eax),
                    A::Xor => dynasm!(self.ops ; xor r8d, eax),
                    A::SignedMax => dynasm!(self.ops ; cmp eax, r9d ; cmovge r8d, eax),
                    A::SignedMin => dynasm!(self.ops ; cmp eax, r9d ; cmovle r8d, eax),
                    A::UnsignedMax => dynasm!(self.ops ; cmp eax, r9d ; cmovae r8d, eax),
                    _ => dynasm!(self.ops ; cmp eax, r9d ; cmovbe r8d, eax),
                }
                if local {
                    dynasm!(self.ops ; mov [r10], r8d);
                } else {
                    dynasm!(self.ops ; lock cmpxchg [r10], r8d ; jne =>retry);
                }
            }
        }
    }
}
