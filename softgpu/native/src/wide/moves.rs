//! Copies of registers.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use super::{BYTES, WRITTEN};
use crate::evex::{K, Lanes, Operand, VMOVDQU32_LOAD, VMOVDQU32_STORE, VPBLENDMD, general};
use crate::model::Masking;
use crate::moves::Move;
use crate::registers::Zmm;
use crate::translate::Translator;

/// From how many pieces on a copy is a routine that all copies of so many share: of large arrays, code for each would
/// not stay in the caches.
const PIECES: u32 = 4;

/// The register that the routines use.
const VALUE: Zmm = 16;

/// A routine that copies pieces of [`BYTES`] bytes from rsi to rdi, in all lanes or in those of [`WRITTEN`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Copying {
    pieces: u32,
    masked: bool,
}

impl Translator {
    /// Copies what a step copies, or several together, each for so many channels; false if that has no form here.
    pub(crate) fn wide_move(&mut self, copy: Move, masking: &Masking, channels: u8) -> bool {
        let [from, to] = [copy.from, copy.to].map(|at| at..at + copy.bytes);
        let special = |range| self.has_flags(range) || range.start < self.layout.accumulators;
        let fits = copy.bytes.is_multiple_of(32) && channels <= 16;
        if !fits || special(&from) || special(&to) {
            return false;
        }
        let mut mask = None;
        if !self.is_whole(masking, channels) {
            let twice = channels == 8 && copy.bytes > 32;
            mask = self.move_mask(masking, channels.into(), twice);
            if mask.is_none() {
                return false;
            }
        }
        let pieces = copy.bytes / BYTES as u32;
        let mut begin = 0;
        if pieces >= PIECES {
            self.copy_pieces(copy, pieces, mask);
            begin = pieces * BYTES as u32;
            self.forget(copy.to..copy.to + begin);
        }
        let alone = begin == 0;
        while begin < copy.bytes {
            let piece = Move {
                from: copy.from + begin,
                to: copy.to + begin,
                bytes: (copy.bytes - begin).min(BYTES as u32),
            };
            // Where there is a routine, it has waited for halves that were stored alone.
            self.move_piece(piece, mask, alone);
            begin += piece.bytes;
        }
        true
    }

    /// Copies so many pieces by a routine.
    fn copy_pieces(&mut self, copy: Move, pieces: u32, mask: Option<K>) {
        let masked = mask.is_some();
        let ops = &mut self.ops;
        let routine = *(self.copies)
            .entry(Copying { pieces, masked })
            .or_insert_with(|| ops.new_dynamic_label());
        if let Some(mask) = mask {
            self.mask_and(WRITTEN, mask, mask);
        }
        if let Some(owed) = self.wide.owed_by(VALUE) {
            self.settle(owed.range());
        }
        dynasm!(self.ops
            ; lea rsi, [r12 + copy.from as i32]
            ; lea rdi, [r12 + copy.to as i32]
            ; call =>routine
        );
        self.wide.lose(VALUE);
    }

    /// Translates the routines that copies use.
    pub(crate) fn translate_copies(&mut self) {
        for (Copying { pieces, masked }, label) in core::mem::take(&mut self.copies) {
            dynasm!(self.ops ; =>label);
            for piece in 0..pieces {
                let at = (piece * BYTES as u32) as i32;
                let [from, to] = [general::RSI, general::RDI].map(|base| Operand::Memory(base, at));
                let mut lanes = Lanes::All;
                if masked {
                    self.evex(VMOVDQU32_LOAD, BYTES, (VALUE, lanes), 0, to);
                    lanes = Lanes::Merge(WRITTEN);
                }
                self.evex(VMOVDQU32_LOAD, BYTES, (VALUE, lanes), 0, from);
                self.evex(VMOVDQU32_STORE, BYTES, (VALUE, Lanes::All), 0, to);
            }
            dynasm!(self.ops ; ret);
        }
    }

    /// Copies what one register has room for; `waits` says whether to avoid loads that wait.
    fn move_piece(&mut self, copy: Move, mask: Option<K>, waits: bool) {
        let from = self.moved(copy.from, copy.length(), waits);
        let (out, lanes) = match mask {
            None => (self.wide_take(), Lanes::All),
            Some(mask) => {
                let mut old = self.moved(copy.to, copy.length(), waits);
                // A blend of two registers takes less time than a move of one under a mask to another.
                if matches!((from, old), (Operand::Register(_), Operand::Memory(..))) {
                    old = Operand::Register(self.wide_bytes(copy.to, copy.length()));
                }
                let out = self.wide_take();
                if let (Operand::Register(from), Operand::Register(old)) = (from, old) {
                    self.evex(
                        VPBLENDMD,
                        copy.length(),
                        (out, Lanes::Merge(mask)),
                        old,
                        Operand::Register(from),
                    );
                    return self.end_move(copy, out);
                }
                self.evex(VMOVDQU32_LOAD, copy.length(), (out, Lanes::All), 0, old);
                (out, Lanes::Merge(mask))
            }
        };
        self.evex(VMOVDQU32_LOAD, copy.length(), (out, lanes), 0, from);
        self.end_move(copy, out);
    }

    /// Stores what there is after a copy.
    fn end_move(&mut self, copy: Move, value: Zmm) {
        let to = copy.to..copy.to + copy.bytes;
        self.replace(&to);
        self.forget(to);
        self.hold(value, copy.to, copy.length());
        self.pool.release_all();
        self.wide.release_all();
    }

    /// Where so many register bytes are: in a register, pinned, or in memory alone.
    fn moved(&mut self, at: u32, bytes: usize, waits: bool) -> Operand {
        if waits && self.is_parted(at, bytes) {
            return Operand::Register(self.wide_bytes(at, bytes));
        }
        let known = self.known_bytes(at, bytes);
        if known.is_none() {
            self.settle(at..at + bytes as u32);
        }
        known.map_or(Operand::registers(at), Operand::Register)
    }
}

impl Move {
    /// Its bytes.
    const fn length(self) -> usize {
        self.bytes as usize
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{Element, HostIsa, Input, Modifiers, Operation, Output, Place, Region, Request};

    use super::*;
    use crate::model::{Layout, Step, VectorStep};
    use crate::moves::run;

    const MASKING: Masking = Masking::OF_TESTS;

    /// Copies of so many registers of eight dwords.
    fn copies(from: u32, to: u32, count: u32) -> Vec<Step> {
        let copy = |number: u32| {
            let region = Region {
                at: from + 32 * number,
                width: 8,
                vertical: 32,
                horizontal: 4,
            };
            let source = Input {
                element: Element::Ud,
                place: Place::Registers(region),
                modifiers: Modifiers::default(),
            };
            Step::Vector(Box::new(VectorStep {
                request: Request {
                    operation: Operation::Mov,
                    lanes: 8,
                    sources: [Some(source), None, None],
                    output: Output {
                        element: Element::D,
                        at: Some(to + 32 * number),
                        stride: 4,
                    },
                    condition: None,
                    saturate: false,
                    accumulator: None,
                },
                masking: MASKING,
                flag_bit: None,
            }))
        };
        (0..count).map(copy).collect()
    }

    #[test]
    fn copies_that_go_on_with_each_other_are_one() {
        let all = |bytes| Move {
            from: 0,
            to: 2048,
            bytes,
        };
        let mut steps = copies(0, 2048, 20);
        assert_eq!(run(&steps), Some((all(640), 20)));
        // Other channels, and what is no copy, end it.
        if let Step::Vector(step) = &mut steps[5] {
            step.masking.no_mask = true;
        }
        assert_eq!(run(&steps), Some((all(160), 5)));
        steps[2] = Step::Nothing;
        assert_eq!(run(&steps), Some((all(64), 2)));
        steps[1] = Step::Nothing;
        assert_eq!(run(&steps), None);
        // The fourth one reads what the first one has written.
        let met = run(&copies(0, 96, 20)).map(|(copy, count)| (copy.bytes, count));
        assert_eq!(met, Some((96, 3)));
    }

    #[test]
    fn many_copies_have_as_much_code_as_few() {
        let code = |bytes| {
            let mut translator = Translator::new(Layout::OF_TESTS, &[], HostIsa::Avx512);
            let copy = Move {
                from: 2048,
                to: 8192,
                bytes,
            };
            assert!(translator.wide_move(copy, &MASKING, 8));
            translator.ops.offset().0
        };
        let routine = PIECES * BYTES as u32;
        assert_eq!(code(4 * routine), code(routine));
        assert!(code(routine) < 2 * code(32));
    }
}
