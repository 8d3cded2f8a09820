//! Threads that begin in host code: one after the other, in one register file.

use core::mem::{offset_of, size_of};

use dynasmrt::{AssemblyOffset, DynasmApi, DynasmLabelApi, dynasm};

use crate::barrier::SIGNALLED;
use crate::frame::Frame;
use crate::model::{Channels, Rounding};
use crate::translate::{ACTIVE, ALLOWED, CHANNELS, LEFT, PARKED, Translator};

/// What a thread that begins has of its own.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entrant {
    /// The first register that it starts with, its first 32 bytes.
    pub header: [u32; 8],
    /// The general registers that it starts with, but for those.
    pub payload: *const u8,
    /// sr0.0.
    pub state: u32,
    /// msg0.0.
    pub message: u32,
    /// The caller's own.
    pub slot: u32,
    /// The same.
    pub number: u32,
}

/// The threads that begin in a run, and what they have in common.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Threads {
    /// The one that is next, and how many there are from there on.
    pub next: *const Entrant,
    /// See [`next`](Self::next).
    pub waiting: u64,
    /// Offsets of 64 register bytes that are zeroed first, and how many.
    pub clean: *const u32,
    /// See [`clean`](Self::clean).
    pub clean_count: u32,
    /// The payload's size in units of 32 bytes.
    pub chunks: u32,
    /// How many ops each may execute.
    pub slice: u64,
    /// The channels.
    pub dispatched: u32,
    /// cr0.0.
    pub control: u32,
}

impl Threads {
    /// No threads.
    pub const NONE: Self = Self {
        next: core::ptr::null(),
        waiting: 0,
        clean: core::ptr::null(),
        clean_count: 0,
        chunks: 0,
        slice: 0,
        dispatched: 0,
        control: 0,
    };
}

const NEXT: i32 = offset_of!(Frame, threads.next) as i32;
const WAITING: i32 = offset_of!(Frame, threads.waiting) as i32;
const CLEAN: i32 = offset_of!(Frame, threads.clean) as i32;
const CLEAN_COUNT: i32 = offset_of!(Frame, threads.clean_count) as i32;
const CHUNKS: i32 = offset_of!(Frame, threads.chunks) as i32;
const SLICE: i32 = offset_of!(Frame, threads.slice) as i32;
const DISPATCHED: i32 = offset_of!(Frame, threads.dispatched) as i32;
const CONTROL: i32 = offset_of!(Frame, threads.control) as i32;
const FIRST: i32 = offset_of!(Frame, first) as i32;
const HEADER: i32 = offset_of!(Entrant, header) as i32;
const PAYLOAD: i32 = offset_of!(Entrant, payload) as i32;
const STATE: i32 = offset_of!(Entrant, state) as i32;
const MESSAGE: i32 = offset_of!(Entrant, message) as i32;

impl Translator {
    /// The code that begins the next thread, of which there is one.
    pub(crate) fn threads(&mut self) -> AssemblyOffset {
        let start = self.ops.offset();
        let (next, layout) = (self.next_thread, self.layout);
        let [general, state, message, control] =
            [layout.general, layout.state, layout.message, layout.control].map(|at| at as i32);
        dynasm!(self.ops ; .arch x64 ; =>next);
        if self.rounds {
            self.round(Rounding::Nearest);
        }
        dynasm!(self.ops
            ; mov rsi, [rbx + NEXT]
            ; add QWORD [rbx + NEXT], size_of::<Entrant>() as i32
            ; sub QWORD [rbx + WAITING], 1
            ; mov rax, [rbx + SLICE]
            ; mov rcx, rax
            ; sub rcx, [BYTE rbx + LEFT]
            ; add [BYTE rbx + ALLOWED], rcx
            ; mov [BYTE rbx + LEFT], rax
            ; mov DWORD [rbx + SIGNALLED], 0
            ; mov rdi, [rbx + CLEAN]
            ; mov ecx, [rbx + CLEAN_COUNT]
            ; vpxor ymm0, ymm0, ymm0
            ; test ecx, ecx
            ; jz >cleaned
            ; clean:
            ; mov eax, [rdi]
            ; vmovdqu [r12 + rax], ymm0
            ; vmovdqu [r12 + rax + 32], ymm0
            ; add rdi, 4
            ; sub ecx, 1
            ; jnz <clean
            ; cleaned:
            ; mov rdi, [rsi + PAYLOAD]
            ; mov ecx, [rbx + CHUNKS]
            ; lea rdx, [r12 + general]
            ; vmovdqu ymm0, [rsi + HEADER]
            ; test ecx, ecx
            ; jz >filled
            ; fill:
            ; vmovdqu [rdx], ymm0
            ; add rdi, 32
            ; add rdx, 32
            ; sub ecx, 1
            ; jz >filled
            ; vmovdqu ymm0, [rdi]
            ; jmp <fill
            ; filled:
            ; mov eax, [rsi + STATE]
            ; mov [r12 + state], eax
            ; mov r13d, [rbx + DISPATCHED]
            ; mov [BYTE rbx + ACTIVE], r13d
            ; mov [r12 + state + 8], r13d
            ; mov eax, [rsi + MESSAGE]
            ; mov [r12 + message], eax
            ; mov eax, [rbx + CONTROL]
            ; mov [r12 + control], eax
        );
        self.reload_flags();
        dynasm!(self.ops ; jmp QWORD [rbx + FIRST]);
        start
    }

    /// The op at `op`, of so many channels, ends the thread. The next one begins, or another one of
    /// the group goes on; if there is none, or the slice ends before the op, the caller goes on there.
    pub(crate) fn end_thread(&mut self, channels: u8, op: u32) {
        let [out, turns] = [(); 2].map(|()| self.ops.new_dynamic_label());
        let next = self.next_thread;
        if self.channels == Channels::Any {
            dynasm!(self.ops ; cmp DWORD [BYTE rbx + PARKED], 0 ; jne =>out);
        }
        dynasm!(self.ops
            ; cmp QWORD [BYTE rbx + LEFT], 0
            ; je =>out
            ; cmp QWORD [rbx + WAITING], 0
            ; je =>turns
            ; sub QWORD [BYTE rbx + LEFT], 1
            ; add QWORD [BYTE rbx + CHANNELS], i32::from(channels)
            ; jmp =>next
            ; =>turns
        );
        self.end_turn(channels, op);
        dynasm!(self.ops ; =>out);
        self.leave_at(op);
    }
}
