//! Threads of a group that take turns: where one waits at the barrier, or has ended, another one goes on.

use core::mem::offset_of;

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use crate::barrier::{BARRIER, GENERATION, PASSED, SIGNALLED};
use crate::branch::Place;
use crate::frame::Frame;
use crate::model::{Channels, Left, Seat};
use crate::translate::{ACTIVE, ALLOWED, CHANNELS, LEFT, PARKED, REGS, Translator};

const SEAT: i32 = offset_of!(Frame, seat) as i32;
const CALLS: i32 = offset_of!(Frame, calls) as i32;
const OWN_REGS: i32 = offset_of!(Seat, regs) as i32;
const RESUME: i32 = offset_of!(Seat, resume) as i32;
const NEXT: i32 = offset_of!(Seat, next) as i32;
const OWN_LEFT: i32 = offset_of!(Seat, left) as i32;
const OWN_INSTRUCTIONS: i32 = offset_of!(Seat, instructions) as i32;
const OWN_CHANNELS: i32 = offset_of!(Seat, channels) as i32;
const OWN_ACTIVE: i32 = offset_of!(Seat, active) as i32;
const OWN_GENERATION: i32 = offset_of!(Seat, generation) as i32;
const WAS: i32 = offset_of!(Seat, was) as i32;
const OP: i32 = offset_of!(Seat, op) as i32;

impl Translator {
    /// Passes the barrier that the thread has signalled, with the op `op` of so many channels, or lets another
    /// one go on meanwhile; at `ask`, what is left to the caller.
    pub(crate) fn pass_barrier(
        &mut self,
        next: Place,
        (channels, op): (u8, u32),
        ask: dynasmrt::DynamicLabel,
    ) {
        let [passed, resume] = [(); 2].map(|()| self.ops.new_dynamic_label());
        let ([waits, _], notification) = (self.turns, self.layout.notification as i32);
        if self.channels == Channels::Any {
            dynasm!(self.ops ; cmp DWORD [BYTE rbx + PARKED], 0 ; jne =>ask);
        }
        dynasm!(self.ops
            ; cmp DWORD [rbx + SIGNALLED], 0
            ; je =>ask
            ; cmp DWORD [rbx + CALLS], 0
            ; jne =>ask
            ; mov rax, [rbx + BARRIER]
            ; mov ecx, [rbx + GENERATION]
            ; mov edx, [rax + PASSED]
            ; cmp ecx, edx
            ; jne =>passed
            ; mov rsi, [rbx + SEAT]
            ; test rsi, rsi
            ; jz =>ask
            ; lea rdi, [=>resume]
            ; mov r8d, op as i32
            ; mov r9d, i32::from(channels)
            ; call =>waits
            ; jmp =>ask
            ; =>resume
        );
        if self.rounds {
            self.round(self.rounding);
        }
        dynasm!(self.ops
            ; sub QWORD [BYTE rbx + LEFT], 1
            ; add QWORD [BYTE rbx + CHANNELS], i32::from(channels)
            ; =>passed
            ; mov DWORD [rbx + SIGNALLED], 0
            ; mov DWORD [r12 + notification], 0
        );
        self.go_together(next);
    }

    /// The thread ends with the op `op` of so many channels, unless no other one can go on.
    pub(crate) fn end_turn(&mut self, channels: u8, op: u32) {
        let ([_, ends], none) = (self.turns, self.ops.new_dynamic_label());
        dynasm!(self.ops
            ; mov rsi, [rbx + SEAT]
            ; test rsi, rsi
            ; jz =>none
            ; mov rax, [rbx + BARRIER]
            ; mov edx, [rax + PASSED]
            ; mov r8d, op as i32
            ; mov r9d, i32::from(channels)
            ; call =>ends
            ; =>none
        );
    }

    /// What barriers and ends of threads call. They return if no other thread can go on.
    ///
    /// rsi is the thread's seat, edx the barrier's generation, r8d the op, r9d its channels; for a barrier, rdi is
    /// where the thread goes on behind it, and ecx the generation in which it has signalled.
    pub(crate) fn turns(&mut self) {
        let [waits, ends] = self.turns;
        let [took, taken] = [(); 2].map(|()| self.ops.new_dynamic_label());
        dynasm!(self.ops ; .arch x64 ; =>waits);
        self.find_seat();
        // The op is executed when the thread goes on.
        dynasm!(self.ops
            ; mov [rsi + RESUME], rdi
            ; mov [rsi + OWN_ACTIVE], r13d
            ; mov [rsi + OWN_GENERATION], ecx
            ; mov DWORD [rsi + WAS], Left::Waits as i32
            ; mov rcx, [BYTE rbx + ALLOWED]
            ; mov rax, [BYTE rbx + LEFT]
            ; add rax, 1
            ; sub rcx, rax
            ; mov rdx, [BYTE rbx + CHANNELS]
            ; sub rdx, r9
            ; jmp =>took
            ; =>ends
        );
        self.find_seat();
        dynasm!(self.ops
            ; mov DWORD [rsi + WAS], Left::Ended as i32
            ; mov rcx, [BYTE rbx + ALLOWED]
            ; mov rax, [BYTE rbx + LEFT]
            ; sub rcx, rax
            ; add rcx, 1
            ; mov rdx, [BYTE rbx + CHANNELS]
            ; add rdx, r9
            ; =>took
            ; mov [rsi + OP], r8d
            ; mov [rsi + OWN_LEFT], rax
            ; mov [rsi + OWN_INSTRUCTIONS], rcx
            ; mov [rsi + OWN_CHANNELS], rdx
            ; =>taken
            ; add rsp, 8
            ; mov [rbx + SEAT], r10
            ; mov r12, [r10 + OWN_REGS]
            ; mov [rbx + REGS], r12
            ; mov r13d, [r10 + OWN_ACTIVE]
            ; mov [BYTE rbx + ACTIVE], r13d
            ; mov rax, [r10 + OWN_LEFT]
            ; mov [BYTE rbx + LEFT], rax
            ; add rax, [r10 + OWN_INSTRUCTIONS]
            ; mov [BYTE rbx + ALLOWED], rax
            ; mov rax, [r10 + OWN_CHANNELS]
            ; mov [BYTE rbx + CHANNELS], rax
            ; mov DWORD [rbx + SIGNALLED], 0
            ; mov DWORD [r10 + WAS], Left::Not as i32
            ; mov rax, [r10 + RESUME]
            ; mov QWORD [r10 + RESUME], 0
        );
        self.reload_flags();
        dynasm!(self.ops ; jmp rax);
    }

    /// r10 = the next seat whose thread can go on; returns if there is none.
    fn find_seat(&mut self) {
        dynasm!(self.ops
            ; mov r10, rsi
            ; next:
            ; mov r10, [r10 + NEXT]
            ; cmp r10, rsi
            ; je >none
            ; cmp QWORD [r10 + RESUME], 0
            ; je <next
            ; cmp [r10 + OWN_GENERATION], edx
            ; jne >found
            ; jmp <next
            ; none:
            ; ret
            ; found:
        );
    }
}
