//! Barriers: signals. The threads of a group have one host thread, so that nothing here is atomic.

use core::mem::offset_of;

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::frame::Frame;
use crate::model::{Arrivals, SignalStep};
use crate::translate::Translator;

pub(crate) const BARRIER: i32 = offset_of!(Frame, barrier) as i32;
pub(crate) const SIGNALLED: i32 = offset_of!(Frame, signalled) as i32;
pub(crate) const GENERATION: i32 = offset_of!(Frame, generation) as i32;
const THREADS: i32 = offset_of!(Arrivals, threads) as i32;
const ARRIVED: i32 = offset_of!(Arrivals, arrived) as i32;
pub(crate) const PASSED: i32 = offset_of!(Arrivals, generation) as i32;

impl Translator {
    /// Translates a signal; the caller executes `op` if it is not of the group's barrier.
    pub(crate) fn signal(&mut self, step: &SignalStep, op: u32) {
        let ways = self.ways();
        let notification = self.layout.notification;
        dynasm!(self.ops
            ; mov rax, [rbx + BARRIER]
            ; movzx edx, BYTE [rax + THREADS]
        );
        // Byte by byte: compilers store two of them apart from the rest, and a load of all would wait for that store.
        let bytes = step.mask.to_le_bytes().into_iter();
        for ((mask, threads), at) in bytes.zip(step.of_each.to_le_bytes()).zip(step.at as i32..) {
            match (mask, threads) {
                (0, _) => continue,
                (_, 0) => dynasm!(self.ops ; test BYTE [r12 + at], mask as i8),
                _ => dynasm!(self.ops
                    ; movzx ecx, BYTE [r12 + at]
                    ; and ecx, i32::from(mask)
                    ; imul edi, edx, i32::from(threads)
                    ; cmp ecx, edi
                ),
            }
            dynasm!(self.ops ; jne =>ways.slow);
        }
        dynasm!(self.ops
            ; mov ecx, [rax + PASSED]
            ; mov DWORD [rbx + SIGNALLED], 1
            ; mov [rbx + GENERATION], ecx
            ; mov edx, [rax + ARRIVED]
            ; add edx, 1
            ; xor edi, edi
            ; cmp edx, [rax + THREADS]
            ; jne >waits
            ; xor edx, edx
            ; add ecx, 1
            ; mov [rax + PASSED], ecx
            ; mov edi, 1
            ; waits:
            ; mov [rax + ARRIVED], edx
            ; mov [r12 + notification as i32], edi
        );
        self.forget(notification..notification + 4);
        self.meet(ways, op);
    }
}
