//! Results: from lanes to registers, under masks.

use super::BYTES;
use crate::evex::{
    Evex, LEFT, Lanes, Operand, VEXTRACTI32X8, VMOVDQU32_LOAD, VPBLENDMB, VPBLENDMD, VPBLENDMW,
    VPMOVDB, VPMOVDW, VPMOVQB, VPMOVQD, VPMOVQW, VPMOVZXDQ, VPSHIFTD, VPSHIFTQ, VPTERNLOGD,
};
use crate::load::bytes_before;
use crate::registers::{Content, Zmm};
use crate::store::Target;
use crate::translate::Translator;
use crate::vector::{Job, Written};

/// `vpternlog`: the bits of the second operand where the first has ones, else those of the third.
pub(super) const CHOOSE: u8 = 0xca;

/// How lanes become elements in the register bytes.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// As they are.
    Packed,
    /// Their low parts, next to each other: the instruction that narrows, and the one that blends.
    Narrow(Evex, Evex),
    /// Their low parts, where what is between them stays.
    Between,
    /// The same, of dwords that are a qword apart.
    Apart,
}

impl Way {
    fn of(job: &Job<'_>, target: Target) -> Option<Self> {
        let Target { size, stride, .. } = target;
        let (stride, lane) = (stride as usize, job.plan.lane);
        let lanes = job.lanes.min(job.chunk);
        let narrow = |narrows, blends| (lanes * size >= 8).then_some(Self::Narrow(narrows, blends));
        match (lane, size, stride) {
            _ if size == lane && stride == lane => Some(Self::Packed),
            (4, 1, 1) => narrow(VPMOVDB, VPBLENDMB),
            (4, 2, 2) => narrow(VPMOVDW, VPBLENDMW),
            (8, 1, 1) => narrow(VPMOVQB, VPBLENDMB),
            (8, 2, 2) => narrow(VPMOVQW, VPBLENDMW),
            (8, 4, 4) => narrow(VPMOVQD, VPBLENDMD),
            _ if size < lane && stride == lane => Some(Self::Between),
            (4, _, 8) if size <= 4 => Some(Self::Apart),
            _ => None,
        }
    }
}

impl Translator {
    /// Whether a destination has a form here.
    pub(super) fn stores_wide(job: &Job<'_>, target: Target) -> bool {
        Way::of(job, target).is_some()
    }

    /// Whether lanes are stored as they are.
    pub(super) fn stores_packed(job: &Job<'_>, target: Target) -> bool {
        matches!(Way::of(job, target), Some(Way::Packed))
    }

    /// Stores the results of the written channels.
    pub(super) fn wide_store(
        &mut self,
        job: &Job<'_>,
        results: &[Zmm; 4],
        written: Written,
        target: Target,
    ) {
        let Some(way) = Way::of(job, target) else {
            return;
        };
        let Target { at, size, stride } = target;
        let (lane, width) = (job.plan.lane, job.width());
        let lanes = job.lanes.min(job.chunk);
        // What the registers are known to hold may serve those whose channels are not written.
        let mut stored: Vec<(u32, usize, Zmm)> = Vec::new();
        for (chunk, &result) in results.iter().enumerate().take(job.chunks()) {
            let first = chunk * job.chunk;
            let at = at + first as u32 * stride;
            match way {
                Way::Packed => {
                    let value = self.blend(
                        job,
                        VPBLENDMD.of(lane),
                        (at, width),
                        (first, lanes),
                        (result, written),
                    );
                    stored.push((at, width, value));
                }
                Way::Narrow(narrows, blends) => {
                    let low = self.wide_take();
                    let bytes = width / lane * size;
                    self.evex(
                        narrows,
                        width,
                        (result, Lanes::All),
                        0,
                        Operand::Register(low),
                    );
                    let value =
                        self.blend(job, blends, (at, bytes), (first, lanes), (low, written));
                    stored.push((at, bytes, value));
                }
                Way::Between => {
                    let before = bytes_before(at, size, lane);
                    let at = at - before;
                    let moved = self.up_by(result, before, (lane, width));
                    let value = self.between(
                        job,
                        (u64::MAX >> (64 - 8 * size) << (8 * before), lane),
                        (at, width),
                        (first, lanes),
                        (moved, written),
                    );
                    stored.push((at, width, value));
                    if moved != result {
                        self.wide.release(moved);
                    }
                }
                Way::Apart => {
                    let before = bytes_before(at, size, 8);
                    let at = at - before;
                    let bytes = 2 * width;
                    for half in 0..bytes.div_ceil(BYTES) {
                        let qwords = self.wide_take();
                        let to = (qwords, Lanes::All);
                        let mut from = result;
                        if half == 1 {
                            let to = (result, Lanes::All);
                            let low = Operand::Register(qwords);
                            self.evex_with(VEXTRACTI32X8, BYTES, to, 0, low, 1);
                            from = qwords;
                        }
                        let bytes = bytes.min(BYTES);
                        self.evex(VPMOVZXDQ, bytes, to, 0, Operand::Register(from));
                        let moved = self.up_by(qwords, before, (8, bytes));
                        let at = at + (half * BYTES) as u32;
                        let first = first + 8 * half;
                        let value = self.between(
                            job,
                            (u64::MAX >> (64 - 8 * size) << (8 * before), 8),
                            (at, bytes),
                            (first, lanes.min(8)),
                            (moved, written),
                        );
                        stored.push((at, bytes, value));
                        if moved != qwords {
                            self.wide.release(moved);
                        }
                    }
                }
            }
        }
        let end = at + stride * (job.lanes as u32 - 1) + size as u32;
        // Lanes may have more than the elements.
        let first = stored.iter().map(|stored| stored.0).min();
        let last = stored.iter().map(|stored| stored.0 + stored.1 as u32).max();
        let whole = first.unwrap_or(at).min(at)..last.unwrap_or(end).max(end);
        self.replace(&whole);
        self.forget(whole);
        for (at, bytes, value) in stored {
            self.hold(value, at, bytes);
        }
        if self.has_flags(&(at..end)) {
            self.reload_flags();
        }
    }

    /// What is in lanes, so many bytes further up; a register of its own, unless it is the same.
    fn up_by(&mut self, value: Zmm, bytes: u32, (lane, width): (usize, usize)) -> Zmm {
        if bytes == 0 {
            return value;
        }
        let moved = self.wide_take();
        let instruction = if lane == 8 { VPSHIFTQ } else { VPSHIFTD };
        let (shift, from) = ((LEFT, Lanes::All), Operand::Register(value));
        self.evex_with(instruction, width, shift, moved, from, 8 * bytes as u8);
        moved
    }

    /// What is stored to these bytes: `value`, for the channels that are written, so many from `first` on.
    fn blend(
        &mut self,
        job: &Job<'_>,
        instruction: Evex,
        (at, bytes): (u32, usize),
        (first, lanes): (usize, usize),
        (value, written): (Zmm, Written),
    ) -> Zmm {
        if written == Written::All {
            return value;
        }
        let old = self.wide_bytes(at, bytes);
        let served = self.written_lanes(job, first, lanes);
        self.wide.succeed(old, Content::Bytes(at, bytes as u8));
        let out = self.wide_take();
        let to = (out, Lanes::Merge(served));
        self.evex(instruction, bytes, to, old, Operand::Register(value));
        self.wide.release(old);
        out
    }

    /// The same for these bits of each lane.
    fn between(
        &mut self,
        job: &Job<'_>,
        (bits, lane): (u64, usize),
        (at, bytes): (u32, usize),
        (first, lanes): (usize, usize),
        (value, written): (Zmm, Written),
    ) -> Zmm {
        let old = self.wide_bytes(at, bytes);
        let bits = self.wide_constant(bits, lane);
        let out = self.wide_take();
        let to = (out, Lanes::All);
        self.evex(VMOVDQU32_LOAD, bytes, to, 0, Operand::Register(bits));
        self.evex_with(VPTERNLOGD, bytes, to, value, Operand::Register(old), CHOOSE);
        self.wide.release(bits);
        self.wide.release(old);
        self.blend(
            job,
            VPBLENDMD.of(lane),
            (at, bytes),
            (first, lanes),
            (out, written),
        )
    }
}
