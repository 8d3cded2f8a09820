//! Copies of many registers with AVX2, 32 bytes at a time. All of them share a routine, which copies the last ones first
//! and is entered where so many are left: code for each copy would not stay in the caches.

use dynasmrt::{DynamicLabel, DynasmApi, DynasmLabelApi, dynasm};

use crate::model::Masking;
use crate::moves::Move;
use crate::registers::{Content, LaneMask, Ymm};
use crate::translate::Translator;

/// Bytes of a piece.
const BYTES: u32 = 32;

/// From how many pieces on the routine copies.
const PIECES: usize = 3;

/// The lanes of even and of odd pieces that are copied, and another register that the routines use.
const MASKS: [Ymm; 2] = [0, 1];
const VALUE: Ymm = 2;

/// Where routines begin to copy so many pieces, one more each.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    /// By whether pieces are copied in all lanes.
    labels: [Vec<DynamicLabel>; 2],
}

impl Translator {
    /// Copies what several steps copy, each for so many channels; false if that has no form here.
    pub(crate) fn narrow_move(&mut self, copy: Move, masking: &Masking, channels: u8) -> bool {
        let [from, to] = [copy.from, copy.to].map(|at| at..at + copy.bytes);
        let pieces = (copy.bytes / BYTES) as usize;
        let fits = copy.bytes.is_multiple_of(BYTES)
            && matches!(channels, 8 | 16)
            && pieces >= PIECES
            && !self.has_flags(&from)
            && !self.has_flags(&to)
            && from.start.min(to.start) >= self.layout.accumulators;
        if !fits {
            return false;
        }
        let all = self.is_whole(masking, channels);
        if !all && !self.masks_of_pieces(masking, channels) {
            return false;
        }
        let entries = &mut self.narrow_copies.labels[usize::from(all)];
        while entries.len() < pieces {
            entries.push(self.ops.new_dynamic_label());
        }
        let routine = entries[pieces - 1];
        dynasm!(self.ops
            ; lea rsi, [r12 + copy.from as i32]
            ; lea rdi, [r12 + copy.to as i32]
            ; call =>routine
        );
        self.pool.lose(VALUE);
        self.forget(to);
        true
    }

    /// Brings the lanes of the channels that are written to where the routine takes them, which keeps them there; false if
    /// they are of no kind that is kept.
    fn masks_of_pieces(&mut self, masking: &Masking, channels: u8) -> bool {
        let channels = usize::from(channels);
        let [low, high] =
            [0, channels - 8].map(|first| self.lane_mask(masking, channels, first, 4));
        let (Some(low), Some(high)) = (low, high) else {
            return false;
        };
        if masking.predicate.is_some() && [low, high].iter().any(|&mask| !self.is_kept(mask)) {
            return false;
        }
        let held = [low, high].map(|mask| self.kept_mask(mask));
        self.pool.release_all();
        let [Some(first), Some(second)] = held else {
            return false;
        };
        let [even, odd] = MASKS;
        let moves = match (first, second) {
            (1, 0) => [(VALUE, even), (even, odd), (odd, VALUE)],
            (_, 0) => [(odd, second), (even, first), (even, even)],
            _ => [(even, first), (odd, second), (odd, odd)],
        };
        for (to, from) in moves.into_iter().filter(|(to, from)| to != from) {
            dynasm!(self.ops ; vmovdqa Ry(to), Ry(from));
        }
        for register in [even, odd, VALUE] {
            self.pool.lose(register);
        }
        self.pool.set(even, Content::Mask(low));
        if high != low {
            self.pool.set(odd, Content::Mask(high));
        }
        true
    }

    /// Whether a register holds a mask.
    fn is_kept(&mut self, mask: LaneMask) -> bool {
        self.pool.holder(Content::Mask(mask)).is_some()
    }

    /// Translates the routines: pieces from rsi on go to rdi.
    pub(crate) fn translate_narrow_copies(&mut self) {
        let [masked, all] = core::mem::take(&mut self.narrow_copies).labels;
        for (entries, all) in [(masked, false), (all, true)] {
            for (piece, label) in entries.iter().enumerate().rev() {
                let at = piece as i32 * BYTES as i32;
                dynasm!(self.ops ; =>*label);
                if all {
                    dynasm!(self.ops ; vmovdqu Ry(VALUE), [rsi + at]);
                } else {
                    let mask = MASKS[piece % 2];
                    dynasm!(self.ops
                        ; vmovdqu Ry(VALUE), [rdi + at]
                        ; vblendvps Ry(VALUE), Ry(VALUE), [rsi + at], Ry(mask)
                    );
                }
                dynasm!(self.ops ; vmovdqu [rdi + at], Ry(VALUE));
            }
            if !entries.is_empty() {
                dynasm!(self.ops ; ret);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::HostIsa;

    use super::*;
    use crate::model::{Channels, Layout};

    #[test]
    fn many_copies_have_as_much_code_as_few() {
        for channels in [Channels::All(0xffff), Channels::Any] {
            for lanes in [8, 16] {
                let masking = Masking::OF_TESTS;
                let code = |pieces| {
                    let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx2);
                    translator.channels = channels;
                    let copy = Move {
                        from: 2048,
                        to: 8192,
                        bytes: BYTES * pieces,
                    };
                    // The masks are made for the first one.
                    let copied = [(); 2].map(|()| {
                        let before = translator.ops.offset().0;
                        assert!(translator.narrow_move(copy, &masking, lanes));
                        translator.ops.offset().0 - before
                    });
                    assert!(translator.finish().is_some());
                    copied[1]
                };
                assert_eq!(code(40), code(PIECES as u32), "{channels:?}");
                assert!(code(40) <= 32, "{channels:?}: {}", code(40));
            }
        }
    }
}
