//! Masks of lanes, which are kept in registers while a block lasts: its channels do not change in it, and what
//! a comparison found is the predicate of what follows.

use dynasmrt::{DynasmApi, dynasm};
use eu_lanes::{HostIsa, Place, Region};

use crate::model::{Channels, Grouping, Masking, Predicate, Step, VectorStep};
use crate::plan::Kind;
use crate::registers::{Content, FlagBit, LaneMask, Ymm};
use crate::translate::Translator;
use crate::vector::{Job, MASKS, Written};

/// The numbers of the masks on the stack, of 32 channels each: of the first one for dwords, for qwords, and for words.
const OF_DWORDS: usize = 0;
const OF_QWORDS: usize = OF_DWORDS + 4;
const OF_WORDS: usize = OF_QWORDS + 8;
/// How many masks the stack has place for.
pub(crate) const ON_STACK: usize = OF_WORDS + 2;

impl Translator {
    /// The mask of an op's written channels from its channel `first` on, in lanes of so many bytes; `None` if it
    /// is not of a kind that is kept.
    pub(crate) fn lane_mask(
        &self,
        masking: &Masking,
        lanes: usize,
        first: usize,
        lane: usize,
    ) -> Option<LaneMask> {
        let channel = masking.channel_offset + first as u8;
        // Lanes of channels that there are not have no bits.
        if usize::from(channel) + 32 / lane > 32 {
            return None;
        }
        let flag = match masking.predicate {
            None => None,
            Some(predicate) => Some(self.flag_of(predicate, channel)?),
        };
        let size = u32::MAX >> (32 - lanes as u32);
        let executes = match self.channels {
            _ if masking.no_mask => false,
            Channels::All(active) => active >> masking.channel_offset & size != size,
            Channels::Any => true,
        };
        Some(LaneMask {
            executes,
            channel,
            flag,
            lane: lane as u8,
            twice: false,
        })
    }

    /// The bit of a predicate for a channel of the thread.
    pub(crate) fn flag_of(&self, predicate: Predicate, channel: u8) -> Option<FlagBit> {
        if predicate.grouping != Grouping::Own {
            return None;
        }
        let bit = u32::from(predicate.flag_bit) + u32::from(channel);
        Some(FlagBit {
            byte: self.layout.flags + bit / 8,
            bit: (bit % 8) as u8,
            inverse: predicate.inverse,
        })
    }

    /// The register that has a mask, or that it can be made in without other registers than vector ones, pinned.
    pub(crate) fn kept_mask(&mut self, mask: LaneMask) -> Option<Ymm> {
        if let Some(known) = self.pool.find(Content::Mask(mask)) {
            return Some(known);
        }
        match mask.flag {
            None if mask.executes => {
                let out = self.pool.take();
                self.executing(out, mask);
                self.pool.set(out, Content::Mask(mask));
                Some(out)
            }
            Some(flag) if flag.inverse => {
                let flag = Some(FlagBit {
                    inverse: false,
                    ..flag
                });
                let holds = self.pool.find(Content::Mask(LaneMask { flag, ..mask }))?;
                let out = self.pool.take();
                if mask.executes {
                    let all = self.kept_mask(LaneMask { flag: None, ..mask })?;
                    dynasm!(self.ops ; vpandn Ry(out), Ry(holds), Ry(all));
                    self.pool.release(all);
                } else {
                    dynasm!(self.ops
                        ; vpcmpeqd Ry(out), Ry(out), Ry(out)
                        ; vpxor Ry(out), Ry(out), Ry(holds)
                    );
                }
                self.pool.release(holds);
                self.pool.set(out, Content::Mask(mask));
                Some(out)
            }
            _ => None,
        }
    }

    /// Makes the mask of the channels that execute. It is made once in a block, and then is on the stack.
    fn executing(&mut self, out: Ymm, mask: LaneMask) {
        let (channel, lane) = (usize::from(mask.channel), usize::from(mask.lane));
        let lanes = 32 / lane;
        let before = match lane {
            8 => OF_QWORDS,
            2 => OF_WORDS,
            _ => OF_DWORDS,
        };
        let number = before + channel / lanes;
        let at = MASKS + 32 * number as i32;
        if !channel.is_multiple_of(lanes) {
            dynasm!(self.ops ; vmovd Rx(out), r13d);
            self.spread_from(out, channel, lane);
        } else if self.spilled & 1 << number == 0 {
            self.spilled |= 1 << number;
            dynasm!(self.ops ; vmovd Rx(out), r13d);
            self.spread_from(out, channel, lane);
            dynasm!(self.ops ; vmovdqu [rsp + at], Ry(out));
        } else {
            dynasm!(self.ops ; vmovdqu Ry(out), [rsp + at]);
        }
    }

    /// The mask of an op's written channels, which are in esi, from its channel `first` on, pinned.
    pub(crate) fn mask_of_esi(
        &mut self,
        masking: &Masking,
        lanes: usize,
        first: usize,
        lane: usize,
    ) -> Ymm {
        let mask = self.lane_mask(masking, lanes, first, lane);
        if let Some(known) = mask.and_then(|mask| self.kept_mask(mask)) {
            return known;
        }
        let out = self.pool.take();
        dynasm!(self.ops ; vmovd Rx(out), esi);
        self.spread_from(out, first, lane);
        // Of fewer lanes than a register has, esi has nothing beyond.
        if let Some(mask) = mask.filter(|_| lanes - first >= 32 / lane) {
            self.pool.set(out, Content::Mask(mask));
        }
        out
    }

    /// Keeps what a comparison found, lanes of ones and zeroes, as the predicate of the ops that follow.
    pub(crate) fn keep_comparison(
        &mut self,
        job: &Job<'_>,
        (result, chunk): (Ymm, usize),
        written: Written,
        flag_bit: u8,
    ) {
        let first = chunk * job.chunk;
        let masking = Masking {
            predicate: Some(Predicate {
                flag_bit,
                inverse: false,
                grouping: Grouping::Own,
            }),
            ..job.step.masking
        };
        let whole = job.lanes - first >= job.chunk;
        let mask = self.lane_mask(&masking, job.lanes, first, job.plan.lane);
        let Some(mask) = mask.filter(|_| whole) else {
            return;
        };
        if written == Written::All {
            return self.pool.set(result, Content::Mask(mask));
        }
        // Where the comparison has a predicate itself, the flag keeps what it was in other channels.
        if job.step.masking.predicate.is_some() {
            return;
        }
        if let Some(executes) = self.kept_mask(LaneMask { flag: None, ..mask }) {
            let out = self.pool.take();
            dynasm!(self.ops ; vpand Ry(out), Ry(result), Ry(executes));
            self.pool.release(executes);
            self.pool.release(out);
            self.pool.set(out, Content::Mask(mask));
        }
    }

    /// Whether nothing but the mask that is kept is needed of the flag that a comparison writes: it is the predicate of
    /// the next op, or of the two that follow, and then another comparison writes it in the same channels.
    pub(crate) fn is_replaced(&self, own: &VectorStep, rest: &[Step]) -> bool {
        let compares = |step: &VectorStep| {
            let job = self
                .job(step, 32)
                .filter(|job| matches!(job.plan.kind, Kind::Compare(_)))?;
            let kept = step.masking.predicate.is_none()
                && step.request.output.at.is_none()
                && job.lanes.is_multiple_of(8)
                && job.chunks() <= 2;
            kept.then_some(job.plan.lane)
        };
        let Some(lane) = compares(own).filter(|_| self.isa < HostIsa::Avx512) else {
            return false;
        };
        for step in rest.iter().take(3) {
            let Step::Vector(step) = step else {
                return false;
            };
            if step.flag_bit == own.flag_bit {
                return compares(step).is_some()
                    && step.masking == own.masking
                    && step.request.lanes == own.request.lanes
                    && !self.touches_flags(step);
            }
            let uses = |job: Job<'_>| {
                let predicate = step.masking.predicate;
                let same = predicate.is_some_and(|by| {
                    Some(by.flag_bit) == own.flag_bit && by.grouping == Grouping::Own
                });
                same && job.plan.kind == Kind::Move && job.is_packed() && job.plan.lane == lane
            };
            let kept = step.flag_bit.is_none()
                && step.masking.no_mask == own.masking.no_mask
                && step.masking.channel_offset == own.masking.channel_offset
                && step.request.lanes == own.request.lanes
                && step.request.accumulator.is_none()
                && self.job(step, 32).is_some_and(uses)
                && !self.touches_flags(step);
            if !kept {
                return false;
            }
        }
        false
    }

    /// Whether an op has flags as its destination.
    pub(crate) fn stores_flags(&self, step: &VectorStep) -> bool {
        let output = &step.request.output;
        output.at.is_some_and(|at| {
            let bytes = u32::from(output.stride) * u32::from(step.request.lanes) + 8;
            self.has_flags(&(at..at + bytes))
        })
    }

    /// Whether an op has flags among its operands.
    fn touches_flags(&self, step: &VectorStep) -> bool {
        let request = &step.request;
        let lanes = usize::from(request.lanes);
        let mut places = request.sources.iter().flatten().flat_map(|source| {
            let (region, size) = match source.place {
                Place::Registers(region) => (Some(region), source.element.bytes()),
                Place::Constant(_) | Place::Each(_) => (None, 0),
            };
            let at = move |region: Region, lane| region.at + region.offset(lane) as u32;
            region.into_iter().flat_map(move |region| {
                (0..lanes).map(move |lane| at(region, lane)..at(region, lane) + size as u32)
            })
        });
        self.stores_flags(step) || places.any(|at| self.has_flags(&at))
    }

    /// Makes a mask in a register without others, when nothing is known of any.
    pub(crate) fn restore_mask(&mut self, register: Ymm, mask: LaneMask) {
        let lanes = 32 / u32::from(mask.lane);
        match mask.flag {
            Some(flag) => {
                let bit = 8 * (flag.byte - self.layout.flags) + u32::from(flag.bit);
                self.flag_to_ecx(bit, lanes as usize);
                if flag.inverse {
                    dynasm!(self.ops ; not ecx);
                }
            }
            None => dynasm!(self.ops ; mov ecx, -1),
        }
        if mask.executes {
            dynasm!(self.ops
                ; mov eax, r13d
                ; shr eax, mask.channel as i8
                ; and ecx, eax
            );
        }
        dynasm!(self.ops ; vmovd Rx(register), ecx);
        self.spread_from(register, 0, mask.lane.into());
    }
}

/// Whether some of these steps has the flag from this bit on as its predicate, before it is written again.
pub(crate) fn predicates(steps: &[Step], flag_bit: u8) -> bool {
    for step in steps {
        let (masking, writes) = match step {
            Step::Vector(step) => (&step.masking, step.flag_bit),
            Step::Memory(step) => (&step.masking, None),
            Step::Atomic(step) => (&step.memory.masking, None),
            Step::Indirect(step) => (&step.masking, None),
            Step::Staged(step) => (&step.vector.masking, step.vector.flag_bit),
            Step::Block(_) | Step::Fence(_) | Step::Signal(_) | Step::Nothing => continue,
            // Nothing is known afterwards.
            Step::Control(..) | Step::Call => return false,
        };
        let own = |predicate: Predicate| predicate.grouping == Grouping::Own;
        if masking
            .predicate
            .is_some_and(|by| by.flag_bit == flag_bit && own(by))
        {
            return true;
        }
        if writes == Some(flag_bit) {
            return false;
        }
    }
    false
}
