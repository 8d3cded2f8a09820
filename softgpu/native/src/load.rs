//! Sources: from registers and constants to lanes.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::{Element, Input, Modes, Region};

use crate::plan::Reading;
use crate::registers::{Content, Ymm};
use crate::translate::Translator;
use crate::vector::{EXPONENT, Job, MAGNITUDE, SIGN};

/// The bits of the least single that is a normal half.
const LEAST_HALF: u64 = 113 << 23;

/// The sign of a float of so many bytes.
pub(crate) const fn sign(lane: usize) -> u64 {
    1 << (8 * lane - 1)
}

/// The bits of a half, which is not denormal, as those of a single.
const fn single_of_half(half: u64) -> u64 {
    let (sign, magnitude) = ((half & 0x8000) << 16, (half & 0x7fff) << 13);
    sign | match half & 0x7c00 {
        0 => 0,
        // Infinities, and NaNs, which become quiet.
        0x7c00 if magnitude == 0x7c00 << 13 => 0x7f80_0000,
        0x7c00 => 0x7fc0_0000 | magnitude,
        _ => magnitude + (112 << 23),
    }
}

/// How many bytes of its lane lie before the element at `at`. One that is not aligned, which hardware refuses, may lie in
/// two lanes: 0, and it is taken from its own place.
///
/// Whole lanes are loaded and stored: a load that has a part of what was just stored, and more, waits for it.
pub(crate) const fn bytes_before(at: u32, size: usize, lane: usize) -> u32 {
    let before = at % lane as u32;
    if before as usize + size <= lane {
        before
    } else {
        0
    }
}

impl Translator {
    /// A register with `value` in all lanes of `lane` bytes, pinned.
    pub(crate) fn constant(&mut self, value: u64, lane: usize) -> Ymm {
        let content = Content::Constant(value, lane as u8);
        if let Some(known) = self.pool.find(content) {
            return known;
        }
        let register = self.pool.take();
        if value == 0 {
            dynasm!(self.ops; vpxor Rx(register), Rx(register), Rx(register));
        } else {
            let label = self.literal(value, lane);
            if lane == 8 {
                dynasm!(self.ops; vpbroadcastq Ry(register), [=>label]);
            } else {
                dynasm!(self.ops; vpbroadcastd Ry(register), [=>label]);
            }
        }
        self.pool.set(register, content);
        register
    }

    /// Lanes of which the one of channel `i` is the value `i` modulo 8, in a pinned register.
    pub(crate) fn constant_lanes(&mut self, values: [u64; 8], lane: usize, chunk: usize) -> Ymm {
        if values.iter().all(|value| *value == values[0]) {
            return self.constant(values[0], lane);
        }
        let table: [u64; 4] = match lane {
            8 => core::array::from_fn(|index| values[(4 * chunk + index) % 8]),
            _ => core::array::from_fn(|index| {
                values[2 * index] & u64::from(u32::MAX) | values[2 * index + 1] << 32
            }),
        };
        let label = self.table(&table);
        let register = self.pool.take();
        dynasm!(self.ops; vmovdqu Ry(register), [=>label]);
        register
    }

    /// The lane of an immediate's bits, modifiers applied.
    pub(crate) fn constant_lane(&self, job: &Job<'_>, input: &Input, raw: u64) -> u64 {
        let lane = job.plan.lane;
        let all = u64::MAX >> (64 - 8 * lane);
        let mut value = if input.element.is_float() {
            raw
        } else {
            input.element.extend(raw)
        } & all;
        let modifiers = input.modifiers;
        match job.plan.reading {
            Reading::Float => {
                if input.element == Element::Hf {
                    value = single_of_half(value);
                }
                let sign = sign(lane);
                if modifiers.absolute {
                    value &= !sign;
                }
                if modifiers.negate {
                    value ^= sign;
                }
                if lane == 4 && self.flushes() && value & EXPONENT == 0 {
                    value &= SIGN;
                }
            }
            Reading::Bits => {
                if modifiers.negate {
                    value = !value;
                }
            }
            Reading::Integer => {
                let sign = 1 << (8 * lane - 1);
                if modifiers.absolute && input.element.is_signed() && value & sign != 0 {
                    value = value.wrapping_neg();
                }
                if modifiers.negate {
                    value = value.wrapping_neg();
                }
            }
        }
        value & all
    }

    /// The elements of a region as lanes, in a pinned register.
    pub(crate) fn load(
        &mut self,
        job: &Job<'_>,
        element: Element,
        region: Region,
        chunk: usize,
    ) -> Ymm {
        let (lane, size) = (job.plan.lane, element.bytes());
        let first = chunk * job.chunk;
        let count = job.lanes.min(job.chunk);
        let at = |index: usize| region.at as i32 + region.offset(first + index) as i32;
        let base = at(0);
        let follows = |step: usize| (0..count).all(|i| at(i) == base + (i * step) as i32);
        if count > 1 && follows(0) {
            return self.splat(element, base as u32, lane);
        }
        if count == 1 && size < lane {
            let register = self.pool.take();
            self.scalar(element, base);
            dynasm!(self.ops; vmovq Rx(register), rax);
            return register;
        }
        if size == lane && follows(lane) {
            if job.width() == 32 {
                return self.bytes(base as u32);
            }
            let register = self.pool.take();
            match job.width() {
                4 => dynasm!(self.ops; vmovd Rx(register), [r12 + base]),
                8 => dynasm!(self.ops; vmovq Rx(register), [r12 + base]),
                _ => dynasm!(self.ops; vmovdqu Rx(register), [r12 + base]),
            }
            return register;
        }
        let register = self.pool.take();
        let signed = element.is_signed();
        if size < lane && follows(size) {
            match (lane, size, signed) {
                (4, 1, false) => {
                    dynasm!(self.ops; vmovq Rx(register), [r12 + base]; vpmovzxbd Ry(register), Rx(register))
                }
                (4, 1, true) => {
                    dynasm!(self.ops; vmovq Rx(register), [r12 + base]; vpmovsxbd Ry(register), Rx(register))
                }
                (4, _, false) => dynasm!(self.ops; vpmovzxwd Ry(register), [r12 + base]),
                (4, _, true) => dynasm!(self.ops; vpmovsxwd Ry(register), [r12 + base]),
                (_, 1, false) => dynasm!(self.ops; vpmovzxbq Ry(register), [r12 + base]),
                (_, 1, true) => dynasm!(self.ops; vpmovsxbq Ry(register), [r12 + base]),
                (_, 2, false) => {
                    dynasm!(self.ops; vmovq Rx(register), [r12 + base]; vpmovzxwq Ry(register), Rx(register))
                }
                (_, 2, true) => {
                    dynasm!(self.ops; vmovq Rx(register), [r12 + base]; vpmovsxwq Ry(register), Rx(register))
                }
                (_, _, signed) => self.extend_dwords(register, base as u32, signed),
            }
            return register;
        }
        let before = bytes_before(base as u32, size, lane);
        if lane == 4 && size < 4 && job.width() == 32 && follows(4) {
            let whole = self.bytes(base as u32 - before);
            self.extend_part(register, whole, (size, signed), before);
            self.pool.release(whole);
            return register;
        }
        if lane == 4 && size == 1 && follows(2) {
            // The low part of each word.
            dynasm!(self.ops
                ; vpmovzxwd Ry(register), [r12 + base]
                ; vpslld Ry(register), Ry(register), 24
            );
            if signed {
                dynasm!(self.ops; vpsrad Ry(register), Ry(register), 24);
            } else {
                dynasm!(self.ops; vpsrld Ry(register), Ry(register), 24);
            }
            return register;
        }
        if lane == 8 && job.width() == 32 && follows(8) {
            let low = self.constant(u64::MAX >> (64 - 8 * size), 8);
            let whole = self.bytes(base as u32 - before);
            let mut from = whole;
            if before != 0 {
                self.shift_right(register, whole, 8 * before as u8);
                from = register;
            }
            dynasm!(self.ops; vpand Ry(register), Ry(from), Ry(low));
            self.pool.release(whole);
            self.pool.release(low);
            if signed {
                let sign = self.constant(1 << (8 * size - 1), 8);
                dynasm!(self.ops
                    ; vpxor Ry(register), Ry(register), Ry(sign)
                    ; vpsubq Ry(register), Ry(register), Ry(sign)
                );
                self.pool.release(sign);
            }
            return register;
        }
        if lane == 4 && job.width() == 32 && follows(8) {
            // Upper halves of qwords are taken from these, too.
            let start = base as u32 - before;
            let upper = start & 4;
            let [low, high] = [0, 32].map(|at| self.bytes(start - upper + at));
            self.shuffle(register, [low, high], if upper == 0 { 0x88 } else { 0xdd });
            dynasm!(self.ops; vpermq Ry(register), Ry(register), 0xd8u8 as i8);
            self.pool.release(low);
            self.pool.release(high);
            if size < lane {
                self.extend_part(register, register, (size, signed), before);
            }
            return register;
        }
        self.gather(register, element, lane, &mut (0..count).map(at));
        register
    }

    /// The parts of dwords that have so many bytes and so many before them, extended.
    fn extend_part(&mut self, out: Ymm, from: Ymm, (size, signed): (usize, bool), before: u32) {
        let bits = 32 - 8 * size as i8;
        let up = bits - 8 * before as i8;
        let mut from = from;
        if up != 0 {
            dynasm!(self.ops; vpslld Ry(out), Ry(from), up);
            from = out;
        }
        if signed {
            dynasm!(self.ops; vpsrad Ry(out), Ry(from), bits);
        } else {
            dynasm!(self.ops; vpsrld Ry(out), Ry(from), bits);
        }
    }

    /// Four dwords from there on as qwords: from a register that holds them, if one does.
    fn extend_dwords(&mut self, out: Ymm, at: u32, signed: bool) {
        let lower = self.pool.find(Content::Bytes(at, 32));
        let begin = at.wrapping_sub(16);
        let upper = (lower.is_none()).then(|| self.pool.find(Content::Bytes(begin, 32)));
        let mut from = lower;
        if let Some(upper) = upper.flatten() {
            dynasm!(self.ops ; vextracti128 Rx(out), Ry(upper), 1);
            self.pool.release(upper);
            from = Some(out);
        }
        match (from, signed) {
            (Some(from), false) => dynasm!(self.ops; vpmovzxdq Ry(out), Rx(from)),
            (Some(from), true) => dynasm!(self.ops; vpmovsxdq Ry(out), Rx(from)),
            (None, false) => dynasm!(self.ops; vpmovzxdq Ry(out), [r12 + at as i32]),
            (None, true) => dynasm!(self.ops; vpmovsxdq Ry(out), [r12 + at as i32]),
        }
        if let Some(lower) = lower {
            self.pool.release(lower);
        }
    }

    /// Halves as singles, in a pinned register.
    pub(crate) fn load_halves(&mut self, job: &Job<'_>, region: Region, chunk: usize) -> Ymm {
        let first = chunk * job.chunk;
        let count = job.lanes.min(job.chunk);
        let base = region.at as i32 + region.offset(first) as i32;
        let at = |index: usize| region.at as i32 + region.offset(first + index) as i32;
        let register = if count == 8 && (0..count).all(|i| at(i) == base + 2 * i as i32) {
            let register = self.pool.take();
            dynasm!(self.ops; vcvtph2ps Ry(register), [r12 + base]);
            register
        } else {
            let register = self.load(job, Element::Uw, region, chunk);
            dynasm!(self.ops
                ; vpackusdw Ry(register), Ry(register), Ry(register)
                ; vpermq Ry(register), Ry(register), 8
                ; vcvtph2ps Ry(register), Rx(register)
            );
            register
        };
        if self.modes.contains(Modes::FLUSH_HALF) {
            let least = self.constant(LEAST_HALF, 4);
            let magnitude = self.constant(MAGNITUDE, 4);
            let small = self.pool.take();
            dynasm!(self.ops
                ; vpand Ry(small), Ry(register), Ry(magnitude)
                ; vpcmpgtd Ry(small), Ry(least), Ry(small)
                ; vpand Ry(small), Ry(small), Ry(magnitude)
                ; vpandn Ry(register), Ry(small), Ry(register)
            );
            for used in [least, magnitude, small] {
                self.pool.release(used);
            }
        }
        register
    }

    /// One element in every lane, in a pinned register.
    pub(crate) fn splat(&mut self, element: Element, at: u32, lane: usize) -> Ymm {
        let size = element.bytes();
        let content = Content::Splat(at, size as u8);
        // A narrower element is extended by its type, which `content` does not name.
        let names = size == lane;
        if names && let Some(known) = self.pool.find(content) {
            return known;
        }
        let register = self.pool.take();
        let at = at as i32;
        match (lane, size) {
            (4, 4) => dynasm!(self.ops; vpbroadcastd Ry(register), [r12 + at]),
            (8, 8) => dynasm!(self.ops; vpbroadcastq Ry(register), [r12 + at]),
            _ => {
                self.scalar(element, at);
                dynasm!(self.ops; vmovq Rx(register), rax);
                if lane == 4 {
                    dynasm!(self.ops; vpbroadcastd Ry(register), Rx(register));
                } else {
                    dynasm!(self.ops; vpbroadcastq Ry(register), Rx(register));
                }
            }
        }
        if names {
            self.pool.set(register, content);
        }
        register
    }

    /// rax = the element at `at`, extended.
    pub(crate) fn scalar(&mut self, element: Element, at: i32) {
        match (element.bytes(), element.is_signed()) {
            (1, false) => dynasm!(self.ops; movzx eax, BYTE [r12 + at]),
            (1, true) => dynasm!(self.ops; movsx rax, BYTE [r12 + at]),
            (2, false) => dynasm!(self.ops; movzx eax, WORD [r12 + at]),
            (2, true) => dynasm!(self.ops; movsx rax, WORD [r12 + at]),
            (4, false) => dynasm!(self.ops; mov eax, [r12 + at]),
            (4, true) => dynasm!(self.ops; movsxd rax, DWORD [r12 + at]),
            _ => dynasm!(self.ops; mov rax, [r12 + at]),
        }
    }

    /// Lanes from anywhere, one by one.
    pub(crate) fn gather(
        &mut self,
        out: Ymm,
        element: Element,
        lane: usize,
        at: &mut dyn Iterator<Item = i32>,
    ) {
        let high = self.pool.take();
        let half = 16 / lane;
        let mut used_high = false;
        for (index, at) in at.enumerate() {
            let register = if index < half { out } else { high };
            used_high |= index >= half;
            let place = (index % half) as i8;
            self.scalar(element, at);
            match (lane, place) {
                (4, 0) => dynasm!(self.ops; vmovd Rx(register), eax),
                (4, _) => dynasm!(self.ops; vpinsrd Rx(register), Rx(register), eax, place),
                (_, 0) => dynasm!(self.ops; vmovq Rx(register), rax),
                (_, _) => dynasm!(self.ops; vpinsrq Rx(register), Rx(register), rax, place),
            }
        }
        if used_high {
            dynasm!(self.ops; vinserti128 Ry(out), Ry(out), Rx(high), 1);
        }
        self.pool.release(high);
    }
}
