//! Loads and stores of several channels: sixteen at a time, under the mask in esi unless all are served.
//!
//! As in [`memory`](crate::memory), rax is the place of the window's first byte, rdx the highest distance
//! from there that an element may have.

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use super::masked::elements_of_dwords;
use super::{BYTES, FIRST, SECOND, WRITTEN};
use crate::evex::{
    Lanes, Operand, VEXTRACTI32X8, VINSERTI32X8, VMOVD_STORE, VMOVDQU32_LOAD, VMOVDQU32_STORE,
    VPADDD, VPANDD, VPBROADCASTD, VPBROADCASTQ, VPCMPD, VPCMPUD, VPGATHERDD, VPMOVQD, VPSCATTERDD,
    VPSUBD, VPSUBQ, general,
};
use crate::memory::window_start;
use crate::model::{LOCAL_OFFSET, MemoryStep, Space};
use crate::planes::Planes;
use crate::registers::Zmm;
use crate::translate::{Chosen, Translator};

/// Predicates of `vpcmp`.
pub(super) const NOT_EQUAL: u8 = 4;
const ABOVE: u8 = 6;

/// The distances of the channels' elements, as dwords.
pub(super) struct Distances {
    /// Registers, and the lanes of each.
    pub chunks: usize,
    pub lanes: usize,
    pub at: [Zmm; 2],
}

impl Distances {
    /// The bytes of a register's dwords.
    pub const fn width(&self) -> usize {
        4 * self.lanes
    }
}

/// What a register has room for of a plane of data.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portion {
    /// The register that has it, in each of the ways of a message.
    pub register: Option<Zmm>,
    /// Where it is in the register bytes.
    pub at: u32,
    pub bytes: usize,
    /// Where its elements are from the channels' addresses on.
    pub more: i32,
    /// The first channel.
    pub first: usize,
}

impl Portion {
    /// The portions of a message's data, plane by plane.
    fn all(step: &MemoryStep) -> Vec<Self> {
        let (lanes, slot) = (usize::from(step.lanes), usize::from(step.slot));
        let bytes = (lanes * slot).min(BYTES);
        let planes = step.elements();
        let portions = planes.flat_map(|(data, more)| {
            let firsts = (0..lanes).step_by(bytes / slot);
            firsts.map(move |first| Self {
                register: None,
                at: data + (first * slot) as u32,
                bytes,
                more,
                first,
            })
        });
        portions.collect()
    }

    /// Its part of the register bytes.
    fn place(&self) -> Operand {
        Operand::registers(self.at)
    }

    /// Which chunk has its distances.
    pub(super) const fn chunk(&self, to: &Distances) -> usize {
        self.first / to.lanes
    }

    /// Where its elements are, if the first channel of its chunk has the distance rcx, and others follow it.
    pub(super) const fn run(&self, step: &MemoryStep, to: &Distances) -> Operand {
        let ahead = (self.first % to.lanes) * step.element as usize;
        Operand::Indexed(general::RAX, general::RCX, self.more + ahead as i32)
    }
}

impl MemoryStep {
    /// Whether a message of several channels finds its data in host registers, and leaves them there.
    fn is_single(&self) -> bool {
        self.planes == Planes::ONE && (!self.stores || self.element >= 4)
    }
}

impl Translator {
    /// Before a message of several channels: stores what it does not find in registers.
    pub(crate) fn settle_message(&mut self, step: &MemoryStep) {
        if let Space::Named { name, .. } = step.space {
            self.settle(name..name + 4);
        }
        let lanes = usize::from(step.lanes);
        let addresses = match step.space {
            Space::Flat(_) => BYTES,
            _ => 4 * lanes.min(16),
        };
        self.settle_pieces(step.address_bytes(), addresses);
        let each = lanes * usize::from(step.slot);
        // What is behind the data in their last register is unknown after a load.
        match step.is_single() && each == step.plane_bytes as usize {
            true => {
                let bytes = each.min(BYTES);
                self.settle_pieces(step.data_bytes(), bytes);
                if !step.stores {
                    self.replace(&step.data_bytes());
                }
            }
            false => self.settle(step.data_bytes()),
        }
    }

    /// The portions of a message's data: with registers for what it loads, which have what is not loaded already, and
    /// with those that have what it stores.
    fn wide_portions(&mut self, step: &MemoryStep, chosen: Chosen) -> Vec<Portion> {
        let mut all = Portion::all(step);
        for portion in all.iter_mut().filter(|_| step.is_single()) {
            if step.stores {
                portion.register = Some(self.wide_bytes(portion.at, portion.bytes));
                continue;
            }
            let register = self.wide_take();
            if chosen == Chosen::InEsi {
                let old = self.wide_bytes(portion.at, portion.bytes);
                let to = (register, Lanes::All);
                self.evex(VMOVDQU32_LOAD, portion.bytes, to, 0, Operand::Register(old));
                self.wide.release(old);
            }
            portion.register = Some(register);
        }
        all
    }

    /// The register of a portion that is loaded, or `other`, which has what is not loaded already.
    pub(super) fn loads_into(&mut self, portion: &Portion, chosen: Chosen, other: Zmm) -> Zmm {
        if portion.register.is_none() && chosen == Chosen::InEsi {
            let to = (other, Lanes::All);
            self.evex(VMOVDQU32_LOAD, portion.bytes, to, 0, portion.place());
        }
        portion.register.unwrap_or(other)
    }

    /// A portion is loaded into a register.
    pub(super) fn loaded(&mut self, portion: &Portion, register: Zmm) {
        if portion.register.is_none() {
            let from = (register, Lanes::All);
            self.evex(VMOVDQU32_STORE, portion.bytes, from, 0, portion.place());
        }
    }

    /// The register with a portion that is stored, or `other`.
    pub(super) fn stores_from(&mut self, portion: &Portion, other: Zmm) -> Zmm {
        if portion.register.is_none() {
            let to = (other, Lanes::All);
            self.evex(VMOVDQU32_LOAD, portion.bytes, to, 0, portion.place());
        }
        portion.register.unwrap_or(other)
    }

    /// A message of several channels. Returns what registers have loaded.
    pub(crate) fn wide_many(
        &mut self,
        step: &MemoryStep,
        chosen: Chosen,
        slow: DynamicLabel,
    ) -> Vec<Portion> {
        let to = self.wide_distances(step, chosen, slow);
        // What the paths below need is there before they part.
        let narrow = match step.element {
            1 => Some(self.wide_constant(0xff, 4)),
            2 => Some(self.wide_constant(0xffff, 4)),
            _ => None,
        };
        let portions = self.wide_portions(step, chosen);
        let done = self.ops.new_dynamic_label();
        let all = chosen == Chosen::All;
        if all && step.planes == Planes::ONE {
            let other = self.ops.new_dynamic_label();
            self.wide_consecutive(step, &portions, &to, [slow, other]);
            dynasm!(self.ops ; jmp =>done ; =>other);
            if step.stores {
                self.wide_strided(step, &portions, &to, [slow, done]);
            }
        } else if all && step.element >= 4 {
            self.wide_pieces(step, &to, [slow, done]);
        }
        if all && !step.stores {
            let other = self.ops.new_dynamic_label();
            self.wide_uniform(step, &portions, &to, [slow, other]);
            dynasm!(self.ops ; jmp =>done ; =>other);
        }
        self.wide_inside(&to, slow);
        if !all && step.element <= 4 {
            self.wide_masked(step, &portions, &to, done);
        }
        match (step.stores, step.element) {
            (false, 1 | 2 | 4) => self.gather_dwords_wide(&portions, chosen, &to, narrow),
            (false, _) => self.qwords(step, &portions, chosen, &to),
            (true, 4) => self.scatter_dwords(&portions, chosen, &to),
            (true, 1 | 2) => {
                for chunk in 0..to.chunks {
                    let place = Operand::Memory(general::RSP, (BYTES * chunk) as i32);
                    self.evex(
                        VMOVDQU32_STORE,
                        to.width(),
                        (to.at[chunk], Lanes::All),
                        0,
                        place,
                    );
                }
                self.channel_by_channel(step, chosen);
            }
            (true, _) => self.qwords(step, &portions, chosen, &to),
        }
        dynasm!(self.ops ; =>done);
        match step.stores {
            true => Vec::new(),
            false => portions,
        }
    }

    /// The distance of each channel's address from the window's begin: 0 for channels that are not
    /// served, which may have any address.
    fn wide_distances(
        &mut self,
        step: &MemoryStep,
        chosen: Chosen,
        slow: DynamicLabel,
    ) -> Distances {
        let lanes = usize::from(step.lanes).min(16);
        let mut to = Distances {
            chunks: usize::from(step.lanes) / lanes,
            lanes,
            at: [0; 2],
        };
        let width = to.width();
        if let Space::Flat(window) = step.space {
            dynasm!(self.ops ; mov rcx, [rcx + window_start(window)]);
            if step.offset != 0 {
                dynasm!(self.ops ; sub rcx, step.offset);
            }
        }
        for chunk in 0..to.chunks {
            let first = chunk * lanes;
            let at = match step.space {
                Space::Flat(_) => self.qword_distances(step, (first, lanes), chosen, slow),
                _ => self.dword_distances_wide(step, chunk, width),
            };
            if chosen == Chosen::InEsi {
                self.mask_from_esi(WRITTEN, first);
                let to = (at, Lanes::Zero(WRITTEN));
                self.evex(VMOVDQU32_LOAD, width, to, 0, Operand::Register(at));
            }
            to.at[chunk] = at;
        }
        to
    }

    fn dword_distances_wide(&mut self, step: &MemoryStep, chunk: usize, width: usize) -> Zmm {
        let from = self.wide_bytes(step.addresses + (chunk * width) as u32, width);
        let at = self.wide_take();
        let to = (at, Lanes::All);
        match step.space {
            Space::Local => {
                let mut now = from;
                if step.offset != 0 {
                    let more = self.wide_constant(u64::from(step.offset as u32), 4);
                    self.evex(VPADDD, width, to, now, Operand::Register(more));
                    self.wide.release(more);
                    now = at;
                }
                let bits = self.wide_constant(LOCAL_OFFSET, 4);
                self.evex(VPANDD, width, to, now, Operand::Register(bits));
                self.wide.release(bits);
            }
            Space::General(_) => {
                self.broadcast_general(at, general::RDI, 4);
                self.evex(VPSUBD, width, to, from, Operand::Register(at));
            }
            _ => self.evex(VMOVDQU32_LOAD, width, to, 0, Operand::Register(from)),
        }
        self.wide.release(from);
        at
    }

    /// Of qwords, from address rcx on. What is beyond the window goes to `slow`.
    fn qword_distances(
        &mut self,
        step: &MemoryStep,
        (first, lanes): (usize, usize),
        chosen: Chosen,
        slow: DynamicLabel,
    ) -> Zmm {
        let (start, limit) = (self.wide_take(), self.wide_take());
        self.broadcast_general(start, general::RCX, 8);
        self.broadcast_general(limit, general::RDX, 8);
        let mut halves = [0; 2];
        for (half, register) in halves.iter_mut().enumerate().take(lanes / 8) {
            let channel = first + 8 * half;
            let from = self.wide_bytes(step.addresses + 8 * channel as u32, BYTES);
            *register = self.wide_take();
            let to = (*register, Lanes::All);
            self.evex(VPSUBQ, BYTES, to, from, Operand::Register(start));
            self.wide.release(from);
            let mut served = Lanes::All;
            if chosen == Chosen::InEsi {
                self.mask_from_esi(WRITTEN, channel);
                served = Lanes::Merge(WRITTEN);
            }
            let beyond = if half == 0 { FIRST } else { SECOND };
            let limit = Operand::Register(limit);
            self.evex_with(
                VPCMPUD.of(8),
                BYTES,
                (beyond.0, served),
                *register,
                limit,
                ABOVE,
            );
            let low = Operand::Register(*register);
            self.evex(VPMOVQD, BYTES, to, 0, low);
        }
        self.test_masks(FIRST, if lanes == 16 { SECOND } else { FIRST });
        dynasm!(self.ops ; jnz =>slow);
        let [low, high] = halves;
        if lanes == 16 {
            let high = Operand::Register(high);
            self.evex_with(VINSERTI32X8, BYTES, (low, Lanes::All), low, high, 1);
        }
        for used in [start, limit, high] {
            self.wide.release(used);
        }
        low
    }

    /// A register of which all lanes have the distance of the first channel.
    fn first_distance(&mut self, to: &Distances) -> Zmm {
        let first = self.wide_take();
        self.evex(
            VPBROADCASTD,
            BYTES,
            (first, Lanes::All),
            0,
            Operand::Register(to.at[0]),
        );
        first
    }

    /// ecx = the lowest dword.
    pub(super) fn lowest_into_ecx(&mut self, from: Zmm) {
        let ecx = Operand::Register(general::RCX);
        self.evex(VMOVD_STORE, 16, (from, Lanes::All), 0, ecx);
    }

    /// The distance of each chunk's first channel, in all lanes of a register, if the addresses of its channels are
    /// `stride` bytes apart; else at `other`. Chunks follow each other if they have to be `joined`.
    pub(super) fn runs(
        &mut self,
        to: &Distances,
        stride: u8,
        joined: bool,
        [slow, other]: [DynamicLabel; 2],
    ) -> [Zmm; 2] {
        let t = self.wide_take();
        let steps = self.offsets(0, stride);
        let mut firsts = [0; 2];
        dynasm!(self.ops ; lea rbp, [=>steps]);
        for (chunk, first) in firsts.iter_mut().enumerate().take(to.chunks) {
            let at = Operand::Register(to.at[chunk]);
            *first = self.wide_take();
            self.evex(VPBROADCASTD, BYTES, (*first, Lanes::All), 0, at);
            let steps = Operand::Memory(general::RBP, 0);
            self.evex(VPADDD, to.width(), (t, Lanes::All), *first, steps);
            let wrong = if chunk == 0 { FIRST } else { SECOND };
            self.evex_with(VPCMPD, to.width(), (wrong.0, Lanes::All), t, at, NOT_EQUAL);
        }
        self.test_masks(FIRST, if to.chunks == 2 { SECOND } else { FIRST });
        dynasm!(self.ops ; jnz =>other);
        let stride = i32::from(stride);
        for (chunk, &first) in firsts.iter().enumerate().take(to.chunks) {
            self.lowest_into_ecx(first);
            if joined && chunk > 0 {
                // rdi is the last distance of the chunk before.
                dynasm!(self.ops ; add rdi, stride ; cmp rdi, rcx ; jne =>other);
            }
            dynasm!(self.ops
                ; lea rdi, [rcx + stride * (to.lanes as i32 - 1)]
                ; cmp rdi, rdx
                ; ja =>slow
            );
        }
        self.wide.release(t);
        firsts
    }

    /// Gives back what [`runs`](Self::runs) has taken.
    pub(super) fn release_runs(&mut self, to: &Distances, firsts: [Zmm; 2]) {
        for &first in firsts.iter().take(to.chunks) {
            self.wide.release(first);
        }
    }

    /// The elements of each chunk's channels follow each other; else at `other`.
    fn wide_consecutive(
        &mut self,
        step: &MemoryStep,
        portions: &[Portion],
        to: &Distances,
        [slow, other]: [DynamicLabel; 2],
    ) {
        let firsts = self.runs(to, step.element, false, [slow, other]);
        let t = self.wide_take();
        let access = elements_of_dwords(step);
        for portion in portions {
            if portion.first.is_multiple_of(to.lanes) {
                self.lowest_into_ecx(firsts[portion.chunk(to)]);
            }
            let value = match step.stores {
                true => self.stores_from(portion, t),
                false => portion.register.unwrap_or(t),
            };
            let memory = portion.run(step, to);
            self.evex(access, portion.bytes, (value, Lanes::All), 0, memory);
            if !step.stores {
                self.loaded(portion, value);
            }
        }
        self.release_runs(to, firsts);
        self.wide.release(t);
    }

    /// Copies so many bytes between the registers from `data` on and the distance rcx; returns how many:
    /// all but the last ones.
    pub(crate) fn wide_copy(&mut self, stores: bool, data: u32, bytes: u32) -> u32 {
        let t = self.wide_take();
        let whole = bytes / BYTES as u32 * BYTES as u32;
        for at in (0..whole).step_by(BYTES) {
            let memory = Operand::Indexed(general::RAX, general::RCX, at as i32);
            let registers = Operand::registers(data + at);
            let (from, to) = if stores {
                (registers, memory)
            } else {
                (memory, registers)
            };
            self.evex(VMOVDQU32_LOAD, BYTES, (t, Lanes::All), 0, from);
            self.evex(VMOVDQU32_STORE, BYTES, (t, Lanes::All), 0, to);
        }
        self.wide.release(t);
        whole
    }

    /// All channels load from one address; else at `other`.
    fn wide_uniform(
        &mut self,
        step: &MemoryStep,
        portions: &[Portion],
        to: &Distances,
        [slow, other]: [DynamicLabel; 2],
    ) {
        let (first, t) = (self.first_distance(to), self.wide_take());
        for (chunk, &at) in to.at.iter().enumerate().take(to.chunks) {
            let wrong = if chunk == 0 { FIRST } else { SECOND };
            let at = Operand::Register(at);
            self.evex_with(
                VPCMPD,
                to.width(),
                (wrong.0, Lanes::All),
                first,
                at,
                NOT_EQUAL,
            );
        }
        self.test_masks(FIRST, if to.chunks == 2 { SECOND } else { FIRST });
        dynasm!(self.ops ; jnz =>other);
        self.lowest_into_ecx(first);
        dynasm!(self.ops ; cmp ecx, edx ; ja =>slow);
        for portion in portions {
            let value = portion.register.unwrap_or(t);
            let all = (value, Lanes::All);
            let more = portion.more;
            let memory = Operand::Indexed(general::RAX, general::RCX, more);
            match step.element {
                1 | 2 => {
                    if portion.first == 0 {
                        match step.element {
                            1 => dynasm!(self.ops ; movzx ebp, BYTE [rax + rcx + more]),
                            _ => dynasm!(self.ops ; movzx ebp, WORD [rax + rcx + more]),
                        }
                    }
                    self.broadcast_general(value, general::RBP, 4);
                }
                4 => self.evex(VPBROADCASTD, BYTES, all, 0, memory),
                _ => self.evex(VPBROADCASTQ, BYTES, all, 0, memory),
            }
            self.loaded(portion, value);
        }
        self.wide.release(first);
        self.wide.release(t);
    }

    /// No element is beyond the window.
    fn wide_inside(&mut self, to: &Distances, slow: DynamicLabel) {
        let limit = self.wide_take();
        self.broadcast_general(limit, general::RDX, 4);
        for (chunk, &at) in to.at.iter().enumerate().take(to.chunks) {
            let beyond = if chunk == 0 { FIRST } else { SECOND };
            let limit = Operand::Register(limit);
            self.evex_with(
                VPCMPUD,
                to.width(),
                (beyond.0, Lanes::All),
                at,
                limit,
                ABOVE,
            );
        }
        self.test_masks(FIRST, if to.chunks == 2 { SECOND } else { FIRST });
        dynasm!(self.ops ; jnz =>slow);
        self.wide.release(limit);
    }

    /// The mask of the channels that are served, from `first` on.
    fn served(&mut self, chosen: Chosen, first: usize) {
        match chosen {
            Chosen::InEsi => self.mask_from_esi(WRITTEN, first),
            Chosen::All => {
                dynasm!(self.ops ; mov ebp, -1);
                self.mask_from(WRITTEN, general::RBP);
            }
        }
    }

    /// Loads elements of at most a dword.
    fn gather_dwords_wide(
        &mut self,
        portions: &[Portion],
        chosen: Chosen,
        to: &Distances,
        narrow: Option<Zmm>,
    ) {
        let t = self.wide_take();
        for portion in portions {
            let out = self.loads_into(portion, chosen, t);
            if chosen == Chosen::All {
                self.fill(out, 0, 4);
            }
            self.served(chosen, portion.first);
            let from = Operand::Lanes(general::RAX, to.at[portion.chunk(to)], portion.more);
            let merged = (out, Lanes::Merge(WRITTEN));
            self.evex(VPGATHERDD, portion.bytes, merged, 0, from);
            if let Some(bits) = narrow {
                // A gather leaves its mask empty.
                let lanes = match chosen {
                    Chosen::All => Lanes::All,
                    Chosen::InEsi => {
                        self.served(chosen, portion.first);
                        Lanes::Merge(WRITTEN)
                    }
                };
                let bits = Operand::Register(bits);
                self.evex(VPANDD, portion.bytes, (out, lanes), out, bits);
            }
            self.loaded(portion, out);
        }
        self.wide.release(t);
    }

    /// Stores dwords, plane by plane: the last of the channels that store to one place wins.
    fn scatter_dwords(&mut self, portions: &[Portion], chosen: Chosen, to: &Distances) {
        let t = self.wide_take();
        for portion in portions {
            let value = self.stores_from(portion, t);
            self.served(chosen, portion.first);
            let place = Operand::Lanes(general::RAX, to.at[portion.chunk(to)], portion.more);
            let served = (value, Lanes::Merge(WRITTEN));
            self.evex(VPSCATTERDD, portion.bytes, served, 0, place);
        }
        self.wide.release(t);
    }

    /// Loads or stores qwords, eight at a time.
    fn qwords(&mut self, step: &MemoryStep, portions: &[Portion], chosen: Chosen, to: &Distances) {
        let (t, high) = (self.wide_take(), self.wide_take());
        for portion in portions {
            let mut at = to.at[portion.chunk(to)];
            if portion.first % to.lanes != 0 {
                let upper = (at, Lanes::All);
                self.evex_with(VEXTRACTI32X8, BYTES, upper, 0, Operand::Register(high), 1);
                at = high;
            }
            let memory = Operand::Lanes(general::RAX, at, portion.more);
            let value = match step.stores {
                true => self.stores_from(portion, t),
                false => self.loads_into(portion, chosen, t),
            };
            if !step.stores && chosen == Chosen::All {
                self.fill(value, 0, 4);
            }
            self.served(chosen, portion.first);
            let served = (value, Lanes::Merge(WRITTEN));
            if step.stores {
                self.evex(VPSCATTERDD.of(8), BYTES, served, 0, memory);
            } else {
                self.evex(VPGATHERDD.of(8), BYTES, served, 0, memory);
                self.loaded(portion, value);
            }
        }
        self.wide.release(t);
        self.wide.release(high);
    }
}
