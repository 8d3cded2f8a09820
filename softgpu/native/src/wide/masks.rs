//! Masks of channels, which mask registers keep while a block lasts, as `masks` has them as lanes.
//!
//! k4 to k7 have these. Bits beyond the lanes of an operation may be anything: no instruction reads them.

use dynasmrt::{DynasmApi, dynasm};

use super::{FIRST, WRITTEN};
use crate::evex::{K, general};
use crate::model::{Channels, Grouping, Masking, Predicate};
use crate::plan::Kind;
use crate::registers::{Content, FlagBit, LaneMask, Pool};
use crate::translate::Translator;
use crate::vector::Job;

/// The number in their pool of k4, the first of them, behind those of the vector registers.
pub(crate) const KEPT: u8 = 2 * Pool::COUNT;
/// How many there are.
pub(crate) const KEPT_COUNT: u8 = 4;

/// The lanes of the largest mask.
const LANES: usize = 16;

/// The mask register of a number of the pool.
const fn k(kept: u8) -> K {
    K(4 + (kept - KEPT) % KEPT_COUNT)
}

impl Translator {
    /// The mask of so many of an op's channels, of which there are `all`, from `first` on, of those that are written;
    /// `None` if it is not of a kind that is kept, which is the same for all parts of an op.
    fn channel_mask(
        &self,
        masking: &Masking,
        all: usize,
        (first, lanes): (usize, usize),
    ) -> Option<LaneMask> {
        let offset = usize::from(masking.channel_offset);
        let channel = offset + first;
        if offset + all > 32 {
            return None;
        }
        let flag = match masking.predicate {
            None => None,
            Some(predicate) => Some(self.flag_of(predicate, channel as u8)?),
        };
        let size = u32::MAX >> (32 - all as u32) << offset;
        let executes = match self.channels {
            _ if masking.no_mask => false,
            Channels::All(active) => active & size != size,
            Channels::Any => true,
        };
        // What executes is the same for fewer lanes.
        let lanes = if flag.is_some() { lanes } else { LANES };
        (executes || flag.is_some()).then_some(LaneMask {
            executes,
            channel: channel as u8,
            flag,
            lane: (32 / lanes) as u8,
            twice: false,
        })
    }

    /// The lanes of an op's channels that are written, or of the same eight twice; `None` if they are of no kind that is
    /// kept.
    pub(super) fn move_mask(&mut self, masking: &Masking, lanes: usize, twice: bool) -> Option<K> {
        let mask = self.channel_mask(masking, lanes, (0, lanes))?;
        let kept = self.keep(LaneMask { twice, ..mask });
        self.kept.release(kept);
        Some(k(kept))
    }

    /// The lanes of a job's channels from `first` on that are written. If they are of no kind that is kept, esi has them.
    pub(super) fn written_lanes(&mut self, job: &Job<'_>, first: usize, lanes: usize) -> K {
        match self.channel_mask(&job.written_masking(), job.lanes, (first, lanes)) {
            Some(mask) => {
                let kept = self.keep(mask);
                self.kept.release(kept);
                k(kept)
            }
            None => {
                self.mask_from_esi(WRITTEN, first);
                WRITTEN
            }
        }
    }

    /// Whether none of the lanes that are written is in esi.
    pub(super) fn keeps_written(&self, job: &Job<'_>) -> bool {
        let masking = job.written_masking();
        (0..job.chunks()).all(|chunk| {
            let (first, lanes) = (chunk * job.chunk, job.lanes.min(job.chunk));
            self.channel_mask(&masking, job.lanes, (first, lanes))
                .is_some()
        })
    }

    /// The lanes, of a selection's channels from `first` on, that its predicate chooses; `None` if they are of no kind
    /// that is kept. Those of channels that are not written do not matter.
    pub(super) fn chosen_lanes(&mut self, job: &Job<'_>, first: usize, lanes: usize) -> Option<K> {
        let masking = &job.step.masking;
        let mask = self.channel_mask(masking, job.lanes, (first, lanes))?;
        if let Some(kept) = self.kept.find(Content::Mask(mask)) {
            self.kept.release(kept);
            return Some(k(kept));
        }
        let kept = self.keep(LaneMask {
            executes: false,
            ..mask
        });
        self.kept.release(kept);
        Some(k(kept))
    }

    /// The register that has a mask, pinned. It may change ecx and ebp.
    fn keep(&mut self, mask: LaneMask) -> u8 {
        if let Some(known) = self.kept.find(Content::Mask(mask)) {
            return known;
        }
        let holds = mask.flag.filter(|flag| flag.inverse).and_then(|flag| {
            let flag = FlagBit {
                inverse: false,
                ..flag
            };
            let flag = Some(flag);
            self.kept.find(Content::Mask(LaneMask { flag, ..mask }))
        });
        let out = match holds {
            // Where channels execute, those that do not have the flag.
            Some(holds) if mask.executes => {
                let all = self.keep(LaneMask {
                    flag: None,
                    lane: (32 / LANES) as u8,
                    ..mask
                });
                let out = self.kept.take();
                self.mask_without(k(out), k(holds), k(all));
                self.kept.release(all);
                self.kept.release(holds);
                out
            }
            _ => {
                if let Some(holds) = holds {
                    self.kept.release(holds);
                }
                let out = self.kept.take();
                self.kept_restore(out, Content::Mask(mask));
                out
            }
        };
        self.kept.set(out, Content::Mask(mask));
        out
    }

    /// Makes a mask, of which nothing else is known, in a register.
    pub(crate) fn kept_restore(&mut self, register: u8, content: Content) {
        let Content::Mask(mask) = content else {
            return;
        };
        if mask.executes {
            dynasm!(self.ops ; mov ebp, r13d);
            if mask.channel != 0 {
                dynasm!(self.ops ; shr ebp, mask.channel as i8);
            }
        }
        if let Some(flag) = mask.flag {
            let bit = 8 * (flag.byte - self.layout.flags) + u32::from(flag.bit);
            self.flag_to_ecx(bit, usize::from(32 / mask.lane));
            if flag.inverse {
                dynasm!(self.ops ; not ecx);
            }
            if mask.executes {
                dynasm!(self.ops ; and ebp, ecx);
            } else {
                dynasm!(self.ops ; mov ebp, ecx);
            }
        }
        if mask.twice {
            dynasm!(self.ops ; movzx ebp, bpl ; imul ebp, ebp, 0x101);
        }
        self.mask_from(k(register), general::RBP);
    }

    /// Notes what a comparison found, which is in a temporary mask, if it is the predicate of an op that follows: the
    /// register, pinned, that has it then, and what it will be.
    pub(super) fn note_comparison(
        &mut self,
        job: &Job<'_>,
        first: usize,
        flag_bit: u8,
    ) -> Option<(u8, LaneMask)> {
        let compares = self.predicates && matches!(job.plan.kind, Kind::Compare(_));
        let masking = job.step.masking;
        let lanes = job.lanes.min(job.chunk);
        // Where the comparison has a predicate itself, the flag keeps what it was in other channels: nothing,
        // if it is the predicate.
        let by = masking.predicate;
        let alone = by.is_none_or(|by| by.flag_bit == flag_bit && !by.inverse);
        if !compares || !alone {
            return None;
        }
        let flag = Predicate {
            flag_bit,
            inverse: false,
            grouping: Grouping::Own,
        };
        let masking = Masking {
            predicate: Some(flag),
            ..masking
        };
        let mask = self.channel_mask(&masking, job.lanes, (first, lanes))?;
        let own = self.channel_mask(&job.written_masking(), job.lanes, (first, lanes));
        let found = match own {
            Some(own) => {
                let written = self.keep(own);
                let found = self.kept.take();
                self.mask_and(k(found), FIRST, k(written));
                self.kept.release(written);
                found
            }
            None if by.is_none() => {
                let found = self.kept.take();
                self.mask_and(k(found), FIRST, FIRST);
                found
            }
            None => return None,
        };
        Some((found, mask))
    }
}
