//! Loads and stores.
//!
//! Memory is reached through windows ([`Window`](crate::Window)): the bytes at an address are at
//! the same distance in the host. The caller executes what is not entirely in the window, which it
//! may move then. All checks come before the first access, and addresses are read before the first
//! write: a response may be where the addresses are.
//!
//! rax is the place of the window's first byte, edx the highest distance from there that an element
//! may have.

use core::mem::{offset_of, size_of};

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::HostIsa;

use crate::frame::{Frame, Window};
use crate::model::{LOCAL_OFFSET, MemoryStep, Space};
use crate::planes::Planes;
use crate::registers::{Content, Ymm};
use crate::translate::{Chosen, Translator};

const LOCAL: i32 = offset_of!(Frame, local) as i32;
const LOCAL_BYTES: i32 = offset_of!(Frame, local_bytes) as i32;
const WINDOWS: i32 = offset_of!(Frame, windows) as i32;
pub(crate) const GENERAL: i32 = offset_of!(Frame, general) as i32;

/// The offset of a field of a window.
const fn field(window: u32, offset: usize) -> i32 {
    (window as usize * size_of::<Window>() + offset) as i32
}

/// The offset of the address of a window's first byte.
pub(crate) const fn window_start(window: u32) -> i32 {
    field(window, offset_of!(Window, start))
}

/// The channels of a message, eight at a time.
pub(crate) struct Lanes {
    pub chunks: usize,
    /// The distances of each chunk's elements, as dwords.
    pub at: [Ymm; 4],
    /// All ones for the channels that are served, unless all are.
    masks: Option<[Ymm; 4]>,
}

/// The ways round the usual path of a step.
#[derive(Clone, Copy)]
pub(crate) struct Ways {
    /// The caller executes it.
    pub slow: DynamicLabel,
    /// There is nothing to do.
    pub skip: DynamicLabel,
    done: DynamicLabel,
    /// See [`Translator::spilled`].
    spilled: u16,
}

impl Translator {
    pub(crate) fn ways(&mut self) -> Ways {
        self.part_ways();
        Ways {
            slow: self.ops.new_dynamic_label(),
            skip: self.ops.new_dynamic_label(),
            done: self.ops.new_dynamic_label(),
            spilled: self.spilled,
        }
    }

    /// Translates what is usual; the caller executes `op` in any other case.
    pub(crate) fn memory(&mut self, step: &MemoryStep, op: u32) {
        if !step.is_usual() {
            return self.call(op);
        }
        let wide = step.channels > 1 && self.isa >= HostIsa::Avx512;
        if wide {
            self.settle_message(step);
        }
        let (ways, chosen) = self.begin(step);
        let mut loaded = Vec::new();
        if step.channels == 1 {
            self.one(step, ways.slow);
        } else if wide {
            loaded = self.wide_many(step, chosen, ways.slow);
        } else {
            self.many(step, chosen, ways.slow);
        }
        if !step.stores {
            self.forget(step.data_bytes());
        }
        self.join_ways();
        for portion in loaded {
            if let Some(register) = portion.register {
                self.hold(register, portion.at, portion.bytes);
            }
        }
        self.pool.release_all();
        self.wide.release_all();
        self.meet(ways, op);
    }

    /// The channels that are served, at least one, and the window.
    pub(crate) fn begin(&mut self, step: &MemoryStep) -> (Ways, Chosen) {
        let ways = self.ways();
        let mut chosen = self.mask(&step.masking, step.channels);
        match chosen {
            Chosen::InEsi => dynasm!(self.ops ; test esi, esi ; jz =>ways.skip),
            Chosen::All if step.channels < step.lanes && step.channels > 1 => {
                let size = u32::MAX >> (32 - u32::from(step.channels));
                dynasm!(self.ops ; mov esi, size as i32);
                chosen = Chosen::InEsi;
            }
            Chosen::All => {}
        }
        let offset = match step.space {
            Space::Buffer(_) | Space::Named { .. } => step.offset as u32,
            Space::Local | Space::Flat(_) | Space::General(_) => 0,
        };
        let reach = (step.reach(), step.beyond());
        self.window(step.space, reach, offset, ways.slow);
        (ways, chosen)
    }

    /// Where the ways of a step meet.
    pub(crate) fn meet(&mut self, ways: Ways, op: u32) {
        let Ways {
            slow,
            skip,
            done,
            spilled,
        } = ways;
        // Not all ways have put masks on the stack.
        self.spilled = spilled;
        dynasm!(self.ops ; =>done);
        self.defer(op, [slow, skip, done]);
    }

    /// rax and edx, for accesses of `reach` bytes, `offset` bytes further on. The last `beyond` of them may lie behind
    /// the window.
    pub(crate) fn window(
        &mut self,
        space: Space,
        (reach, beyond): (u32, u8),
        offset: u32,
        slow: DynamicLabel,
    ) {
        match space {
            Space::Local => dynasm!(self.ops
                ; mov rax, [rbx + LOCAL]
                ; mov edx, [rbx + LOCAL_BYTES]
                ; sub edx, reach as i32
                ; jb =>slow
            ),
            Space::Buffer(window)
            | Space::Named { window, .. }
            | Space::Flat(window)
            | Space::General(window) => {
                dynasm!(self.ops ; mov rcx, [rbx + WINDOWS]);
                if let Space::Named { name, .. } = space {
                    dynasm!(self.ops
                        ; mov r8d, [r12 + name as i32]
                        ; cmp r8, [rcx + window_start(window)]
                        ; jne =>slow
                    );
                }
                dynasm!(self.ops
                    ; mov rax, [rcx + field(window, offset_of!(Window, host))]
                    ; mov rdx, [rcx + field(window, offset_of!(Window, bytes))]
                );
                if beyond != 0 {
                    // Of three bytes, words need two.
                    dynasm!(self.ops
                        ; mov r8d, [rcx + field(window, offset_of!(Window, beyond))]
                        ; and r8d, i32::from(beyond)
                        ; add rdx, r8
                    );
                }
                if offset != 0 {
                    dynasm!(self.ops
                        ; add rax, offset as i32
                        ; sub rdx, offset as i32
                        ; jb =>slow
                    );
                }
                dynasm!(self.ops ; sub rdx, reach as i32 ; jb =>slow);
            }
        }
        // rdi is what the window's first byte has for an address: no address in it is beyond 32 bits.
        if let Space::General(window) = space {
            dynasm!(self.ops
                ; mov rdi, [rcx + window_start(window)]
                ; sub rdi, [rbx + GENERAL]
                ; lea r8, [rdi + rdx + reach as i32 - 1]
                ; or r8, rdi
                ; shr r8, 32
                ; jnz =>slow
            );
        }
    }

    /// rcx = the distance of the address in rcx; not beyond `edx`.
    pub(crate) fn distance(&mut self, space: Space, offset: i32, slow: DynamicLabel) {
        match space {
            Space::Local => {
                if offset != 0 {
                    dynasm!(self.ops ; add ecx, offset);
                }
                dynasm!(self.ops ; and ecx, LOCAL_OFFSET as i32);
            }
            Space::Buffer(_) | Space::Named { .. } => {}
            Space::General(_) => dynasm!(self.ops ; sub rcx, rdi),
            Space::Flat(window) => {
                if offset != 0 {
                    dynasm!(self.ops ; add rcx, offset);
                }
                dynasm!(self.ops
                    ; mov rdi, [rbx + WINDOWS]
                    ; sub rcx, [rdi + window_start(window)]
                );
            }
        }
        dynasm!(self.ops ; cmp rcx, rdx ; ja =>slow);
    }

    /// A message of one channel.
    fn one(&mut self, step: &MemoryStep, slow: DynamicLabel) {
        let at = step.addresses as i32;
        match step.space {
            Space::Flat(_) => dynasm!(self.ops ; mov rcx, [r12 + at]),
            Space::Local | Space::Buffer(_) | Space::Named { .. } | Space::General(_) => {
                dynasm!(self.ops ; mov ecx, [r12 + at]);
            }
        }
        self.distance(step.space, step.offset, slow);
        for (data, more) in step.elements() {
            let register = data as i32;
            match (step.stores, step.element) {
                (false, 1) => dynasm!(self.ops ; movzx r8d, BYTE [rax + rcx + more]),
                (false, 2) => dynasm!(self.ops ; movzx r8d, WORD [rax + rcx + more]),
                (false, 4) => dynasm!(self.ops ; mov r8d, [rax + rcx + more]),
                (false, _) => dynasm!(self.ops ; mov r8, [rax + rcx + more]),
                (true, 8) => dynasm!(self.ops ; mov r8, [r12 + register]),
                (true, _) => dynasm!(self.ops ; mov r8d, [r12 + register]),
            }
            match (step.stores, step.element) {
                (true, 1) => dynasm!(self.ops ; mov [rax + rcx + more], r8b),
                (true, 2) => dynasm!(self.ops ; mov [rax + rcx + more], r8w),
                (true, 4) => dynasm!(self.ops ; mov [rax + rcx + more], r8d),
                (true, _) => dynasm!(self.ops ; mov [rax + rcx + more], r8),
                (false, 8) => dynasm!(self.ops ; mov [r12 + register], r8),
                (false, _) => dynasm!(self.ops ; mov [r12 + register], r8d),
            }
        }
    }

    /// A message of several channels.
    fn many(&mut self, step: &MemoryStep, chosen: Chosen, slow: DynamicLabel) {
        let lanes = self.distances(step, chosen, slow);
        // What the paths below need is there before they part.
        let narrow = match step.element {
            1 => Some(self.constant(0xff, 4)),
            2 => Some(self.constant(0xffff, 4)),
            _ => None,
        };
        let done = self.ops.new_dynamic_label();
        if chosen == Chosen::All && step.planes == Planes::ONE {
            let other = self.ops.new_dynamic_label();
            self.consecutive(step, &lanes, narrow, [slow, other]);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
        if chosen == Chosen::All && !step.stores {
            let other = self.ops.new_dynamic_label();
            self.uniform_load(step, &lanes, [slow, other]);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
        self.inside(&lanes, slow);
        if !step.stores && step.element <= 4 {
            self.gather_elements(step, &lanes, narrow);
        } else {
            self.spill(&lanes);
            self.channel_by_channel(step, chosen);
        }
        dynasm!(self.ops ; =>done);
    }

    /// The distance of each channel's address from the window's begin: 0 for channels that are not
    /// served, which may have any address.
    pub(crate) fn distances(
        &mut self,
        step: &MemoryStep,
        chosen: Chosen,
        slow: DynamicLabel,
    ) -> Lanes {
        let chunks = usize::from(step.lanes) / 8;
        let mut lanes = Lanes {
            chunks,
            at: [0; 4],
            masks: (chosen == Chosen::InEsi).then_some([0; 4]),
        };
        if let Some(masks) = &mut lanes.masks {
            for (chunk, mask) in masks.iter_mut().enumerate().take(chunks) {
                *mask = if step.channels == step.lanes {
                    self.mask_of_esi(&step.masking, step.channels.into(), 8 * chunk, 4)
                } else {
                    let some = self.pool.take();
                    dynasm!(self.ops ; vmovd Rx(some), esi);
                    self.spread_from(some, 8 * chunk, 4);
                    some
                };
            }
        }
        match step.space {
            Space::Flat(window) => self.flat_distances(step, window, &mut lanes, slow),
            Space::Local | Space::Buffer(_) | Space::Named { .. } | Space::General(_) => {
                for chunk in 0..chunks {
                    lanes.at[chunk] = self.dword_distances(step, &lanes, chunk);
                }
            }
        }
        lanes
    }

    fn dword_distances(&mut self, step: &MemoryStep, lanes: &Lanes, chunk: usize) -> Ymm {
        let from = self.bytes(step.addresses + 32 * chunk as u32);
        let at = self.pool.take();
        let mut now = from;
        if step.space == Space::Local {
            if step.offset != 0 {
                let more = self.constant(u64::from(step.offset as u32), 4);
                dynasm!(self.ops ; vpaddd Ry(at), Ry(now), Ry(more));
                self.pool.release(more);
                now = at;
            }
            let bits = self.constant(LOCAL_OFFSET, 4);
            dynasm!(self.ops ; vpand Ry(at), Ry(now), Ry(bits));
            self.pool.release(bits);
            now = at;
        }
        if let Space::General(_) = step.space {
            let start = self.pool.take();
            dynasm!(self.ops
                ; vmovd Rx(start), edi
                ; vpbroadcastd Ry(start), Rx(start)
                ; vpsubd Ry(at), Ry(now), Ry(start)
            );
            self.pool.release(start);
            now = at;
        }
        match &lanes.masks {
            Some(masks) => dynasm!(self.ops ; vpand Ry(at), Ry(now), Ry(masks[chunk])),
            None if now != at => dynasm!(self.ops ; vmovdqa Ry(at), Ry(now)),
            None => {}
        }
        self.pool.release(from);
        at
    }

    fn flat_distances(
        &mut self,
        step: &MemoryStep,
        window: u32,
        lanes: &mut Lanes,
        slow: DynamicLabel,
    ) {
        let (start, beyond) = (self.pool.take(), self.pool.take());
        dynasm!(self.ops ; mov rcx, [rcx + window_start(window)]);
        if step.offset != 0 {
            dynasm!(self.ops ; sub rcx, step.offset);
        }
        dynasm!(self.ops ; vmovq Rx(start), rcx ; vpbroadcastq Ry(start), Rx(start));
        for chunk in 0..lanes.chunks {
            let from = step.addresses + 64 * chunk as u32;
            let (low, high) = (self.pool.take(), self.pool.take());
            for (register, from) in [(low, from), (high, from + 32)] {
                let qwords = self.bytes(from);
                dynasm!(self.ops ; vpsubq Ry(register), Ry(qwords), Ry(start));
                self.pool.release(qwords);
            }
            let upper = self.pool.take();
            self.shuffle(upper, [low, high], 0xdd);
            self.shuffle(low, [low, high], 0x88);
            dynasm!(self.ops ; vpermq Ry(low), Ry(low), 0xd8u8 as i8);
            if let Some(masks) = &lanes.masks {
                dynasm!(self.ops
                    ; vpermq Ry(upper), Ry(upper), 0xd8u8 as i8
                    ; vpand Ry(upper), Ry(upper), Ry(masks[chunk])
                    ; vpand Ry(low), Ry(low), Ry(masks[chunk])
                );
            }
            if chunk == 0 {
                dynasm!(self.ops ; vmovdqa Ry(beyond), Ry(upper));
            } else {
                dynasm!(self.ops ; vpor Ry(beyond), Ry(beyond), Ry(upper));
            }
            self.pool.release(upper);
            self.pool.release(high);
            lanes.at[chunk] = low;
        }
        dynasm!(self.ops ; vptest Ry(beyond), Ry(beyond) ; jnz =>slow);
        self.pool.release(beyond);
        self.pool.release(start);
    }

    /// The 32 register bytes from there on, pinned.
    pub(crate) fn bytes(&mut self, at: u32) -> Ymm {
        if let Some(known) = self.pool.find(Content::Bytes(at, 32)) {
            return known;
        }
        let register = self.pool.take();
        if !self.half_from_wide(register, at) {
            dynasm!(self.ops ; vmovdqu Ry(register), [r12 + at as i32]);
        }
        self.pool.set(register, Content::Bytes(at, 32));
        register
    }

    /// The elements of all channels follow each other; else at `other`.
    fn consecutive(
        &mut self,
        step: &MemoryStep,
        lanes: &Lanes,
        narrow: Option<Ymm>,
        [slow, other]: [DynamicLabel; 2],
    ) {
        let element = i32::from(step.element);
        let (first, t) = (self.pool.take(), self.pool.take());
        let wrong = self.pool.take();
        dynasm!(self.ops ; vpbroadcastd Ry(first), Rx(lanes.at[0]));
        for chunk in 0..lanes.chunks {
            let steps = self.offsets(8 * chunk as u32 * u32::from(step.element), step.element);
            dynasm!(self.ops
                ; vpaddd Ry(t), Ry(first), [=>steps]
                ; vpxor Ry(t), Ry(t), Ry(lanes.at[chunk])
            );
            if chunk == 0 {
                dynasm!(self.ops ; vmovdqa Ry(wrong), Ry(t));
            } else {
                dynasm!(self.ops ; vpor Ry(wrong), Ry(wrong), Ry(t));
            }
        }
        let all = element * i32::from(step.lanes);
        dynasm!(self.ops
            ; vptest Ry(wrong), Ry(wrong)
            ; jnz =>other
            ; vmovd ecx, Rx(first)
            ; lea rdi, [rcx + all - element]
            ; cmp rdi, rdx
            ; ja =>slow
        );
        match narrow {
            Some(bits) if step.stores => self.pack(step, lanes.chunks, bits, t),
            Some(_) => {
                for chunk in 0..lanes.chunks as i32 {
                    match element {
                        1 => dynasm!(self.ops
                            ; vmovq Rx(t), [rax + rcx + 8 * chunk]
                            ; vpmovzxbd Ry(t), Rx(t)
                        ),
                        _ => dynasm!(self.ops ; vpmovzxwd Ry(t), [rax + rcx + 16 * chunk]),
                    }
                    dynasm!(self.ops ; vmovdqu [r12 + step.data as i32 + 32 * chunk], Ry(t));
                }
            }
            None => self.copy(step.stores, step.data, all as u32),
        }
        for used in [first, t, wrong] {
            self.pool.release(used);
        }
    }

    /// Stores the low bytes or words of dwords.
    fn pack(&mut self, step: &MemoryStep, chunks: usize, bits: Ymm, t: Ymm) {
        for chunk in 0..chunks as i32 {
            dynasm!(self.ops
                ; vpand Ry(t), Ry(bits), [r12 + step.data as i32 + 32 * chunk]
                ; vpackusdw Ry(t), Ry(t), Ry(t)
                ; vpermq Ry(t), Ry(t), 8
            );
            if step.element == 2 {
                dynasm!(self.ops ; vmovdqu [rax + rcx + 16 * chunk], Rx(t));
            } else {
                dynasm!(self.ops
                    ; vpackuswb Rx(t), Rx(t), Rx(t)
                    ; vmovq [rax + rcx + 8 * chunk], Rx(t)
                );
            }
        }
    }

    /// Copies so many bytes between the registers from `data` on and the distance rcx.
    pub(crate) fn copy(&mut self, stores: bool, data: u32, bytes: u32) {
        let t = self.pool.take();
        let mut at = match self.isa {
            HostIsa::Avx2 => 0,
            HostIsa::Avx512 => self.wide_copy(stores, data, bytes) as i32,
        };
        while at < bytes as i32 {
            let register = data as i32 + at;
            let left = bytes as i32 - at;
            match (left, stores) {
                (32.., false) => dynasm!(self.ops
                    ; vmovdqu Ry(t), [rax + rcx + at] ; vmovdqu [r12 + register], Ry(t)),
                (32.., true) => dynasm!(self.ops
                    ; vmovdqu Ry(t), [r12 + register] ; vmovdqu [rax + rcx + at], Ry(t)),
                (16.., false) => dynasm!(self.ops
                    ; vmovdqu Rx(t), [rax + rcx + at] ; vmovdqu [r12 + register], Rx(t)),
                (16.., true) => dynasm!(self.ops
                    ; vmovdqu Rx(t), [r12 + register] ; vmovdqu [rax + rcx + at], Rx(t)),
                (8.., false) => dynasm!(self.ops
                    ; mov r8, [rax + rcx + at] ; mov [r12 + register], r8),
                (8.., true) => dynasm!(self.ops
                    ; mov r8, [r12 + register] ; mov [rax + rcx + at], r8),
                (_, false) => dynasm!(self.ops
                    ; mov r8d, [rax + rcx + at] ; mov [r12 + register], r8d),
                (_, true) => dynasm!(self.ops
                    ; mov r8d, [r12 + register] ; mov [rax + rcx + at], r8d),
            }
            at += match left {
                32.. => 32,
                16.. => 16,
                8.. => 8,
                _ => 4,
            };
        }
        self.pool.release(t);
    }

    /// All channels load from one address; else at `other`.
    fn uniform_load(&mut self, step: &MemoryStep, lanes: &Lanes, [slow, other]: [DynamicLabel; 2]) {
        let (first, t, wrong) = (self.pool.take(), self.pool.take(), self.pool.take());
        dynasm!(self.ops
            ; vpbroadcastd Ry(first), Rx(lanes.at[0])
            ; vpxor Ry(wrong), Ry(first), Ry(lanes.at[0])
        );
        for chunk in 1..lanes.chunks {
            dynasm!(self.ops
                ; vpxor Ry(t), Ry(first), Ry(lanes.at[chunk])
                ; vpor Ry(wrong), Ry(wrong), Ry(t)
            );
        }
        dynasm!(self.ops
            ; vptest Ry(wrong), Ry(wrong)
            ; jnz =>other
            ; vmovd ecx, Rx(first)
            ; cmp ecx, edx
            ; ja =>slow
        );
        for (data, more) in step.elements() {
            match step.element {
                1 => dynasm!(self.ops
                    ; movzx r8d, BYTE [rax + rcx + more]
                    ; vmovd Rx(t), r8d
                    ; vpbroadcastd Ry(t), Rx(t)
                ),
                2 => dynasm!(self.ops
                    ; movzx r8d, WORD [rax + rcx + more]
                    ; vmovd Rx(t), r8d
                    ; vpbroadcastd Ry(t), Rx(t)
                ),
                4 => dynasm!(self.ops ; vpbroadcastd Ry(t), [rax + rcx + more]),
                _ => dynasm!(self.ops ; vpbroadcastq Ry(t), [rax + rcx + more]),
            }
            let to = data as i32;
            let whole = i32::from(step.lanes) * i32::from(step.slot);
            for at in (0..whole).step_by(32) {
                dynasm!(self.ops ; vmovdqu [r12 + to + at], Ry(t));
            }
        }
        for used in [first, t, wrong] {
            self.pool.release(used);
        }
    }

    /// No element is beyond the window.
    pub(crate) fn inside(&mut self, lanes: &Lanes, slow: DynamicLabel) {
        let (limit, t) = (self.pool.take(), self.pool.take());
        dynasm!(self.ops ; vmovd Rx(limit), edx ; vpbroadcastd Ry(limit), Rx(limit));
        for chunk in 0..lanes.chunks {
            dynasm!(self.ops
                ; vpminud Ry(t), Ry(limit), Ry(lanes.at[chunk])
                ; vpxor Ry(t), Ry(t), Ry(lanes.at[chunk])
                ; vptest Ry(t), Ry(t)
                ; jnz =>slow
            );
        }
        self.pool.release(limit);
        self.pool.release(t);
    }

    /// Loads elements of at most a dword.
    fn gather_elements(&mut self, step: &MemoryStep, lanes: &Lanes, narrow: Option<Ymm>) {
        for (data, more) in step.elements() {
            for chunk in 0..lanes.chunks {
                let to = data as i32 + 32 * chunk as i32;
                let more = more as i8;
                let (out, mask) = (self.pool.take(), self.pool.take());
                match &lanes.masks {
                    None => dynasm!(self.ops ; vpcmpeqd Ry(mask), Ry(mask), Ry(mask)),
                    Some(masks) => dynasm!(self.ops ; vmovdqa Ry(mask), Ry(masks[chunk])),
                }
                dynasm!(self.ops ; vpxor Ry(out), Ry(out), Ry(out));
                self.gather_dwords(out, lanes.at[chunk], mask, more);
                if let Some(bits) = narrow {
                    dynasm!(self.ops ; vpand Ry(out), Ry(out), Ry(bits));
                }
                if let Some(masks) = &lanes.masks {
                    dynasm!(self.ops
                        ; vmovdqu Ry(mask), [r12 + to]
                        ; vblendvps Ry(out), Ry(mask), Ry(out), Ry(masks[chunk])
                    );
                }
                dynasm!(self.ops ; vmovdqu [r12 + to], Ry(out));
                self.pool.release(out);
                self.pool.release(mask);
            }
        }
    }

    /// `vpgatherdd out, [rax + at + displacement], mask`: the assembler does not take registers
    /// that it does not know for its index.
    pub(crate) fn gather_dwords(&mut self, out: Ymm, at: Ymm, mask: Ymm, displacement: i8) {
        let high = u8::from(out < 8) << 7 | u8::from(at < 8) << 6;
        for byte in [
            0xc4,
            0x22 | high,
            0x05 | (!mask & 15) << 3,
            0x90,
            0x44 | (out & 7) << 3,
            (at & 7) << 3,
            displacement as u8,
        ] {
            self.ops.push(byte);
        }
    }

    /// Stores the distances to the stack.
    pub(crate) fn spill(&mut self, lanes: &Lanes) {
        for chunk in 0..lanes.chunks {
            dynasm!(self.ops ; vmovdqu [rsp + 32 * chunk as i32], Ry(lanes.at[chunk]));
        }
    }

    /// Begins a loop over the channels in edi.
    pub(crate) fn each(&mut self, step: &MemoryStep, chosen: Chosen) -> DynamicLabel {
        match chosen {
            Chosen::All => {
                let all = u32::MAX >> (32 - u32::from(step.lanes));
                dynasm!(self.ops ; mov edi, all as i32);
            }
            Chosen::InEsi => dynasm!(self.ops ; mov edi, esi),
        }
        let next = self.ops.new_dynamic_label();
        dynasm!(self.ops ; =>next);
        next
    }

    /// The channels one after the other, plane by plane: the last of those that store to one place
    /// wins. Their distances are on the stack.
    pub(crate) fn channel_by_channel(&mut self, step: &MemoryStep, chosen: Chosen) {
        for (data, more) in step.elements() {
            let registers = data as i32;
            let next = self.each(step, chosen);
            dynasm!(self.ops
                ; tzcnt ecx, edi
                ; mov r8d, [rsp + rcx * 4]
            );
            match (step.stores, step.element) {
                (true, 1) => dynasm!(self.ops
                    ; mov r9d, [r12 + rcx * 4 + registers] ; mov [rax + r8 + more], r9b),
                (true, 2) => dynasm!(self.ops
                    ; mov r9d, [r12 + rcx * 4 + registers] ; mov [rax + r8 + more], r9w),
                (true, 4) => dynasm!(self.ops
                    ; mov r9d, [r12 + rcx * 4 + registers] ; mov [rax + r8 + more], r9d),
                (true, _) => dynasm!(self.ops
                    ; mov r9, [r12 + rcx * 8 + registers] ; mov [rax + r8 + more], r9),
                // Others are gathered.
                (false, _) => dynasm!(self.ops
                    ; mov r9, [rax + r8 + more] ; mov [r12 + rcx * 8 + registers], r9),
            }
            dynasm!(self.ops ; blsr edi, edi ; jnz =>next);
        }
    }
}
