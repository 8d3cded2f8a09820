//! Results: from lanes to registers and flags, under masks.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};
use eu_lanes::{Accumulator, Element, Output};

use crate::load::bytes_before;
use crate::plan::{Kind, Order};
use crate::registers::{Content, LaneMask, Ymm};
use crate::translate::{Translator, Whole};
use crate::vector::{Job, Written};

/// Where results go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub at: u32,
    /// Bytes of an element.
    pub size: usize,
    /// Bytes from element to element.
    pub stride: u32,
}

impl Target {
    pub fn of(output: &Output, at: u32) -> Self {
        Self {
            at,
            size: output.element.bytes(),
            stride: output.stride.into(),
        }
    }
}

/// Where accumulator elements are.
pub(crate) trait Targets {
    /// Their low parts, of results of a type, and their whole values.
    fn targets(&self, element: Element) -> [Target; 2];
}

impl Targets for Accumulator {
    fn targets(&self, element: Element) -> [Target; 2] {
        let target = |at, size: usize| Target {
            at,
            size,
            stride: size as u32,
        };
        [target(self.low, element.bytes()), target(self.wide, 8)]
    }
}

impl Translator {
    /// All ones in the lanes whose predicate holds, pinned.
    pub(crate) fn chosen(&mut self, job: &Job<'_>, chunk: usize) -> Ymm {
        let masking = &job.step.masking;
        let Some(predicate) = masking.predicate else {
            return self.constant(u64::MAX >> (64 - 8 * job.plan.lane), job.plan.lane);
        };
        // Which of the channels that are not written hold does not matter.
        let first = chunk * job.chunk;
        let mask = self.lane_mask(masking, job.lanes, first, job.plan.lane);
        if let Some(known) = mask.and_then(|mask| self.kept_mask(mask)) {
            return known;
        }
        let mask = mask.map(|mask| LaneMask {
            executes: false,
            ..mask
        });
        if let Some(known) = mask.and_then(|mask| self.kept_mask(mask)) {
            return known;
        }
        self.predicate_to_ecx(predicate, masking.channel_offset.into(), job.lanes);
        let out = self.pool.take();
        dynasm!(self.ops; vmovd Rx(out), ecx);
        self.spread(out, job, chunk);
        // Of fewer lanes than a register has, others may be anything.
        if let Some(mask) = mask.filter(|_| job.lanes - first >= job.chunk) {
            self.pool.set(out, Content::Mask(mask));
        }
        out
    }

    /// Bits in the low dword of `register` become lanes of ones.
    pub(crate) fn spread(&mut self, register: Ymm, job: &Job<'_>, chunk: usize) {
        self.spread_from(register, chunk * job.chunk, job.plan.lane);
    }

    /// The same from bit `first` on, for lanes of `lane` bytes.
    pub(crate) fn spread_from(&mut self, register: Ymm, first: usize, lane: usize) {
        if lane == 2 {
            let bits = self.lane_bits(0, lane);
            if first != 0 {
                dynasm!(self.ops ; vpsrld Rx(register), Rx(register), first as i8);
            }
            dynasm!(self.ops
                ; vpbroadcastw Ry(register), Rx(register)
                ; vpand Ry(register), Ry(register), [=>bits]
                ; vpcmpeqw Ry(register), Ry(register), [=>bits]
            );
            return;
        }
        let bits = self.lane_bits(first, lane);
        if lane == 8 {
            dynasm!(self.ops
                ; vpbroadcastq Ry(register), Rx(register)
                ; vpand Ry(register), Ry(register), [=>bits]
                ; vpcmpeqq Ry(register), Ry(register), [=>bits]
            );
        } else {
            dynasm!(self.ops
                ; vpbroadcastd Ry(register), Rx(register)
                ; vpand Ry(register), Ry(register), [=>bits]
                ; vpcmpeqd Ry(register), Ry(register), [=>bits]
            );
        }
    }

    /// Sets the flag's bits of the written channels.
    pub(crate) fn flags(
        &mut self,
        job: &Job<'_>,
        results: &[Ymm; 4],
        written: Written,
        flag_bit: u8,
    ) {
        let request = &job.step.request;
        let shift = u32::from(flag_bit) + u32::from(job.step.masking.channel_offset);
        if request.condition.is_none() {
            return self.set_all_flags(shift, job.lanes as u32, written == Written::All);
        }
        let holds = matches!(job.plan.kind, Kind::Compare(_));
        let long = job.plan.lane == 8;
        let mut found = *results;
        for (chunk, &result) in results.iter().enumerate().take(job.chunks()) {
            let mut bits = result;
            if !holds {
                bits = self.pool.take();
                let zero = self.constant(0, 4);
                // Of a narrow destination, its own bits count.
                let element = request.output.element;
                let mut value = result;
                if !job.plan.float && !long && element.bytes() < 4 {
                    let shift = 32 - 8 * element.bytes() as i8;
                    value = self.pool.take();
                    dynasm!(self.ops; vpslld Ry(value), Ry(result), shift);
                    if element.is_signed() {
                        dynasm!(self.ops; vpsrad Ry(value), Ry(value), shift);
                    } else {
                        dynasm!(self.ops; vpsrld Ry(value), Ry(value), shift);
                    }
                }
                let order = if job.plan.float {
                    Order::Float
                } else if request.output.element.is_signed() {
                    Order::Signed
                } else {
                    Order::Unsigned
                };
                self.relate(bits, request.condition, order, long, [value, zero]);
                self.pool.release(zero);
                if value != result {
                    self.pool.release(value);
                }
            }
            if self.replaced {
                continue;
            }
            self.signs_to_ecx(bits, long);
            if chunk == 0 {
                dynasm!(self.ops; mov eax, ecx);
            } else {
                let shift = (chunk * job.chunk) as i8;
                dynasm!(self.ops; shl ecx, shift; or eax, ecx);
            }
            found[chunk] = bits;
        }
        self.stale = self.replaced;
        if self.replaced {
            self.forget_flags(shift, job.lanes as u32);
        } else {
            self.set_flags(shift, job.lanes as u32, written == Written::All);
        }
        // A comparison's own result may be in a register that holds its destination.
        if self.predicates && (!holds || request.output.at.is_none()) {
            for (chunk, &found) in found.iter().enumerate().take(job.chunks()) {
                self.keep_comparison(job, (found, chunk), written, flag_bit);
            }
        }
    }

    /// ecx = the signs of the lanes: `vmovmskps`, whose 256-bit form the assembler does not have.
    pub(crate) fn signs_to_ecx(&mut self, register: Ymm, long: bool) {
        let high = u8::from(register < 8) << 5;
        for byte in [
            0xc4,
            0xc1 | high,
            0x7c | u8::from(long),
            0x50,
            0xc8 | register & 7,
        ] {
            self.ops.push(byte);
        }
    }

    /// Stores results to the accumulator, and what is a result besides.
    pub(crate) fn store_accumulated(
        &mut self,
        job: &Job<'_>,
        results: &[Ymm; 4],
        written: Written,
        accumulator: Accumulator,
    ) {
        if accumulator.writes {
            let kept = match job.plan.kind.kept() {
                Some(bits) => self.shifted(job, results, bits),
                None => *results,
            };
            let before = self.whole;
            for target in accumulator.targets(job.step.request.output.element) {
                self.store(job, &kept, written, target);
            }
            self.whole = Whole::after(before, (job, accumulator), written);
            if kept != *results {
                for kept in &kept[..job.chunks()] {
                    self.pool.release(*kept);
                }
            }
        }
        let output = &job.step.request.output;
        let (Some(at), Some(high)) = (output.at, job.plan.kind.is_high()) else {
            return;
        };
        let halves = if high {
            self.shifted(job, results, 32)
        } else {
            *results
        };
        self.store(job, &halves, written, Target::of(output, at));
    }

    /// The results' qwords, shifted right by so many bits, in pinned registers.
    fn shifted(&mut self, job: &Job<'_>, results: &[Ymm; 4], bits: u8) -> [Ymm; 4] {
        let mut shifted = *results;
        for register in shifted.iter_mut().take(job.chunks()) {
            let whole = *register;
            *register = self.pool.take();
            self.shift_right(*register, whole, bits);
        }
        shifted
    }

    /// Stores the results of the written channels.
    pub(crate) fn store(
        &mut self,
        job: &Job<'_>,
        results: &[Ymm; 4],
        written: Written,
        target: Target,
    ) {
        if job.lanes == 1 && self.store_to_flags(results[0], target, written) {
            return;
        }
        let end = target.at + target.stride * (job.lanes as u32 - 1) + target.size as u32;
        self.store_to(job, results, written, (target, end));
        if self.has_flags(&(target.at..end)) {
            // The mask of the written channels was that of the flags before.
            self.forget(target.at..end);
            self.reload_flags();
        }
    }

    /// Does so, up to the byte `end`.
    fn store_to(
        &mut self,
        job: &Job<'_>,
        results: &[Ymm; 4],
        written: Written,
        (target, end): (Target, u32),
    ) {
        let Target { at, size, stride } = target;
        let lane = job.plan.lane;
        if (lane, size, stride) == (8, 4, 4) && job.lanes.is_multiple_of(8) {
            self.forget(at..end);
            return self.store_low_dwords(job, results, at, written);
        }
        let old = self.old(job, written, target);
        // What is between elements is kept, and then known again.
        let between = (lane, stride) == (4, 8) && job.lanes.is_multiple_of(4);
        if !between {
            self.forget(at..end);
        }
        for (chunk, &result) in results.iter().enumerate().take(job.chunks()) {
            let first = (chunk * job.chunk) as u32;
            let at = at + first * stride;
            let lanes = job.lanes.min(job.chunk);
            if lanes == 1 {
                self.store_one(result, size, at as i32, first, written);
            } else if size == lane && stride as usize == lane {
                self.store_packed(job, (result, old[chunk]), at, chunk, written);
            } else if size <= stride as usize
                && (stride as usize) < lane
                && matches!(lanes * stride as usize, 4 | 8 | 16)
            {
                let unit = stride as usize;
                self.store_narrow(
                    job,
                    result,
                    (size, unit, lane),
                    (at, lanes),
                    (first as usize, written),
                );
            } else if size < lane && stride as usize == lane && lanes * lane >= 16 {
                let place = (at, lanes * lane);
                self.store_between(job, result, (size, lane), place, (first as usize, written));
            } else if lane == 4 && stride == 8 && lanes.is_multiple_of(4) {
                for half in 0..lanes / 4 {
                    let wide = self.pool.take();
                    if half == 0 {
                        dynasm!(self.ops; vpmovzxdq Ry(wide), Rx(result));
                    } else {
                        dynasm!(self.ops
                            ; vextracti128 Rx(wide), Ry(result), 1
                            ; vpmovzxdq Ry(wide), Rx(wide)
                        );
                    }
                    let place = (at + 32 * half as u32, 32);
                    let first = first as usize + 4 * half;
                    self.store_between(job, wide, (size, 8), place, (first, written));
                    self.pool.release(wide);
                }
            } else {
                dynasm!(self.ops; vmovdqu [rsp], Ry(result));
                for index in 0..lanes {
                    let from = (index * lane) as i32;
                    let to = (at + index as u32 * stride) as i32;
                    let bit = 1i32.wrapping_shl(first + index as u32);
                    let skip = self.ops.new_dynamic_label();
                    if written == Written::Masked {
                        dynasm!(self.ops; test esi, bit; jz =>skip);
                    }
                    match size {
                        1 => dynasm!(self.ops; mov al, [rsp + from]; mov [r12 + to], al),
                        2 => dynasm!(self.ops; mov ax, [rsp + from]; mov [r12 + to], ax),
                        4 => dynasm!(self.ops; mov eax, [rsp + from]; mov [r12 + to], eax),
                        _ => dynasm!(self.ops; mov rax, [rsp + from]; mov [r12 + to], rax),
                    }
                    dynasm!(self.ops; =>skip);
                }
            }
        }
    }

    /// Stores the lowest `size` bytes of each lane, from channel `first` on, to so many bytes at `at`.
    /// What is between them stays as it is.
    fn store_between(
        &mut self,
        job: &Job<'_>,
        lanes: Ymm,
        (size, lane): (usize, usize),
        (at, width): (u32, usize),
        (first, written): (usize, Written),
    ) {
        let before = bytes_before(at, size, lane);
        let at = at - before;
        let mut value = lanes;
        if before != 0 {
            value = self.pool.take();
            // The shift is of qwords; what it moves into the next dword is masked off.
            self.shift_left(value, lanes, 8 * before as u8);
        }
        let content = Content::Bytes(at, width as u8);
        let known = self.pool.find(content).filter(|_| width == 32);
        let (keep, old) = (self.pool.take(), self.pool.take());
        let own = self.constant(u64::MAX >> (64 - 8 * size) << (8 * before), lane);
        if written == Written::Masked {
            let mask = self.mask_of_esi(&job.written_masking(), job.lanes, first, lane);
            dynasm!(self.ops; vpand Ry(keep), Ry(mask), Ry(own));
            self.pool.release(mask);
        } else {
            dynasm!(self.ops; vmovdqa Ry(keep), Ry(own));
        }
        self.pool.release(own);
        let whole = at..at + width as u32;
        let at = at as i32;
        let mut was = old;
        match known {
            Some(known) => was = known,
            None if width == 32 => dynasm!(self.ops; vmovdqu Ry(old), [r12 + at]),
            None => dynasm!(self.ops; vmovdqu Rx(old), [r12 + at]),
        }
        dynasm!(self.ops
            ; vpandn Ry(old), Ry(keep), Ry(was)
            ; vpand Ry(keep), Ry(keep), Ry(value)
            ; vpor Ry(old), Ry(old), Ry(keep)
        );
        self.forget(whole);
        if width == 32 {
            dynasm!(self.ops; vmovdqu [r12 + at], Ry(old));
            self.pool.set(old, content);
        } else {
            dynasm!(self.ops; vmovdqu [r12 + at], Rx(old));
        }
        if let Some(known) = known {
            self.pool.release(known);
        }
        if value != lanes {
            self.pool.release(value);
        }
        self.pool.release(keep);
        self.pool.release(old);
    }

    /// Stores the lowest `size` bytes of each lane to units of so many bytes, which follow each other at
    /// `at`. What else is in a unit stays as it is.
    fn store_narrow(
        &mut self,
        job: &Job<'_>,
        result: Ymm,
        (size, unit, lane): (usize, usize, usize),
        (at, lanes): (u32, usize),
        (first, written): (usize, Written),
    ) {
        let value = self.pool.take();
        dynasm!(self.ops ; vmovdqa Ry(value), Ry(result));
        self.narrow(value, lane, unit);
        let mut keep = None;
        if written == Written::Masked {
            let lanes = self.mask_of_esi(&job.written_masking(), job.lanes, first, 4);
            let mask = self.pool.take();
            dynasm!(self.ops ; vmovdqa Ry(mask), Ry(lanes));
            self.pool.release(lanes);
            self.narrow(mask, 4, unit);
            keep = Some(mask);
        }
        if size < unit {
            let bits = match unit {
                2 => 0x00ff_00ff,
                _ => u64::MAX >> (64 - 8 * size),
            };
            let low = self.constant(bits, 4);
            match keep {
                Some(mask) => dynasm!(self.ops ; vpand Rx(mask), Rx(mask), Rx(low)),
                None => {
                    let mask = self.pool.take();
                    dynasm!(self.ops ; vmovdqa Rx(mask), Rx(low));
                    keep = Some(mask);
                }
            }
            self.pool.release(low);
        }
        let at = at as i32;
        let bytes = lanes * unit;
        if let Some(keep) = keep {
            let old = self.pool.take();
            match bytes {
                4 => dynasm!(self.ops ; vmovd Rx(old), [r12 + at]),
                8 => dynasm!(self.ops ; vmovq Rx(old), [r12 + at]),
                _ => dynasm!(self.ops ; vmovdqu Rx(old), [r12 + at]),
            }
            dynasm!(self.ops
                ; vpand Rx(value), Rx(value), Rx(keep)
                ; vpandn Rx(old), Rx(keep), Rx(old)
                ; vpor Rx(value), Rx(value), Rx(old)
            );
            self.pool.release(old);
            self.pool.release(keep);
        }
        match bytes {
            4 => dynasm!(self.ops ; vmovd [r12 + at], Rx(value)),
            8 => dynasm!(self.ops ; vmovq [r12 + at], Rx(value)),
            _ => dynasm!(self.ops ; vmovdqu [r12 + at], Rx(value)),
        }
        self.pool.release(value);
    }

    /// The lowest bytes of lanes follow each other, as units of so many bytes.
    pub(crate) fn narrow(&mut self, lanes: Ymm, lane: usize, unit: usize) {
        if lane == 8 {
            self.shuffle(lanes, [lanes, lanes], 0x88);
            dynasm!(self.ops ; vpermq Ry(lanes), Ry(lanes), 8);
        }
        if unit < 4 {
            let low = self.constant(0xffff, 4);
            dynasm!(self.ops
                ; vpand Ry(lanes), Ry(lanes), Ry(low)
                ; vpackusdw Ry(lanes), Ry(lanes), Ry(lanes)
                ; vpermq Ry(lanes), Ry(lanes), 8
            );
            self.pool.release(low);
        }
        if unit < 2 {
            let low = self.constant(0x00ff_00ff, 4);
            dynasm!(self.ops
                ; vpand Rx(lanes), Rx(lanes), Rx(low)
                ; vpackuswb Rx(lanes), Rx(lanes), Rx(lanes)
            );
            self.pool.release(low);
        }
    }

    pub(crate) fn store_one(
        &mut self,
        result: Ymm,
        size: usize,
        at: i32,
        bit: u32,
        written: Written,
    ) {
        let skip = self.ops.new_dynamic_label();
        if written == Written::Masked {
            dynasm!(self.ops; test esi, 1i32.wrapping_shl(bit); jz =>skip);
        }
        match size {
            4 => dynasm!(self.ops; vmovd [r12 + at], Rx(result)),
            8 => dynasm!(self.ops; vmovq [r12 + at], Rx(result)),
            _ => {
                dynasm!(self.ops; vmovd eax, Rx(result));
                if size == 1 {
                    dynasm!(self.ops; mov [r12 + at], al);
                } else {
                    dynasm!(self.ops; mov [r12 + at], ax);
                }
            }
        }
        dynasm!(self.ops; =>skip);
    }

    /// Stores the low dwords of qwords, eight at a time: a load of a whole register would wait for two stores of its
    /// halves.
    fn store_low_dwords(&mut self, job: &Job<'_>, results: &[Ymm; 4], at: u32, written: Written) {
        for (pair, halves) in results.chunks_exact(2).enumerate().take(job.lanes / 8) {
            let &[low, high] = halves else { continue };
            let first = 8 * pair;
            let (at, value) = (at + 4 * first as u32, self.pool.take());
            self.shuffle(value, [low, high], 0x88);
            dynasm!(self.ops ; vpermq Ry(value), Ry(value), 0xd8u8 as i8);
            if written == Written::Masked {
                let keep = self.mask_of_esi(&job.written_masking(), job.lanes, first, 4);
                let old = self.pool.take();
                dynasm!(self.ops
                    ; vmovdqu Ry(old), [r12 + at as i32]
                    ; vblendvps Ry(value), Ry(old), Ry(value), Ry(keep)
                );
                self.pool.release(old);
                self.pool.release(keep);
            }
            dynasm!(self.ops ; vmovdqu [r12 + at as i32], Ry(value));
            self.pool.set(value, Content::Bytes(at, 32));
            self.pool.release(value);
        }
    }

    /// The registers, pinned, that have what results replace in some channels.
    fn old(&mut self, job: &Job<'_>, written: Written, target: Target) -> [Option<Ymm>; 4] {
        let mut old = [None; 4];
        let packed = target.size == job.plan.lane && target.stride as usize == job.plan.lane;
        if written == Written::Masked && packed && job.width() == 32 {
            for (chunk, old) in old.iter_mut().enumerate().take(job.chunks()) {
                let at = target.at + 32 * chunk as u32;
                *old = self.pool.find(Content::Bytes(at, 32));
            }
        }
        old
    }

    pub(crate) fn store_packed(
        &mut self,
        job: &Job<'_>,
        (result, old): (Ymm, Option<Ymm>),
        at: u32,
        chunk: usize,
        written: Written,
    ) {
        let to = at as i32;
        let width = job.width();
        let mut value = result;
        if written == Written::Masked {
            let masking = job.written_masking();
            let keep = self.mask_of_esi(&masking, job.lanes, chunk * job.chunk, job.plan.lane);
            value = self.pool.take();
            let mut before = value;
            match (old, width) {
                (Some(old), _) => before = old,
                (None, 8) => dynasm!(self.ops; vmovq Rx(value), [r12 + to]),
                (None, 16) => dynasm!(self.ops; vmovdqu Rx(value), [r12 + to]),
                (None, _) => dynasm!(self.ops; vmovdqu Ry(value), [r12 + to]),
            }
            dynasm!(self.ops; vblendvps Ry(value), Ry(before), Ry(result), Ry(keep));
            self.pool.release(keep);
            if let Some(old) = old {
                self.pool.release(old);
            }
        }
        match width {
            8 => dynasm!(self.ops; vmovq [r12 + to], Rx(value)),
            16 => dynasm!(self.ops; vmovdqu [r12 + to], Rx(value)),
            _ => {
                dynasm!(self.ops; vmovdqu [r12 + to], Ry(value));
                self.pool.set(value, Content::Bytes(at, 32));
            }
        }
        if value != result {
            self.pool.release(value);
        }
    }
}
