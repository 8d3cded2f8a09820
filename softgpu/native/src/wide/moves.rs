//! Copies of registers.

use dynasmrt::{DynasmApi, DynasmLabelApi, dynasm};

use super::BYTES;
use crate::evex::{K, Lanes, Operand, VMOVDQU32_LOAD, VMOVDQU32_STORE, VPBLENDMD, general};
use crate::model::Masking;
use crate::moves::Move;
use crate::registers::{Content, Zmm};
use crate::translate::Translator;

/// How many registers a round of a loop copies: of large arrays, code for each would not stay in the caches.
const PIECES: u32 = 4;
/// Their bytes.
const LOOP: u32 = PIECES * BYTES as u32;

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
        let looped = copy.bytes / LOOP * LOOP;
        if looped > 0 {
            self.move_in_loop(
                Move {
                    bytes: looped,
                    ..copy
                },
                mask,
            );
            self.forget(copy.to..copy.to + looped);
        }
        let mut begin = looped;
        while begin < copy.bytes {
            let piece = Move {
                from: copy.from + begin,
                to: copy.to + begin,
                bytes: (copy.bytes - begin).min(BYTES as u32),
            };
            // Where there is a loop, it has waited for halves that were stored alone.
            self.move_piece(piece, mask, looped == 0);
            begin += piece.bytes;
        }
        true
    }

    /// Copies so many pieces of [`LOOP`] bytes.
    fn move_in_loop(&mut self, copy: Move, mask: Option<K>) {
        let again = self.ops.new_dynamic_label();
        // The index grows to zero, at the end.
        let [from, to] = [copy.from, copy.to].map(|at| {
            move |piece: u32| {
                let end = at + copy.bytes + piece * BYTES as u32;
                Operand::Indexed(general::REGISTERS, general::RAX, end as i32)
            }
        });
        dynasm!(self.ops ; mov rax, -(copy.bytes as i32) ; =>again);
        let all: [Zmm; PIECES as usize] = [(); PIECES as usize].map(|()| self.wide.take());
        for (piece, out) in (0..).zip(all) {
            let mut lanes = Lanes::All;
            if let Some(mask) = mask {
                self.evex(VMOVDQU32_LOAD, BYTES, (out, lanes), 0, to(piece));
                lanes = Lanes::Merge(mask);
            }
            self.evex(VMOVDQU32_LOAD, BYTES, (out, lanes), 0, from(piece));
            self.evex(VMOVDQU32_STORE, BYTES, (out, Lanes::All), 0, to(piece));
        }
        dynasm!(self.ops ; add rax, LOOP as i32 ; jnz =>again);
        self.wide.release_all();
    }

    /// Copies what one register has room for; `waits` says whether to avoid loads that wait.
    fn move_piece(&mut self, copy: Move, mask: Option<K>, waits: bool) {
        let from = self.moved(copy.from, copy.length(), waits);
        let (out, lanes) = match mask {
            None => (self.wide.take(), Lanes::All),
            Some(mask) => {
                let mut old = self.moved(copy.to, copy.length(), waits);
                // A blend of two registers takes less time than a move of one under a mask to another.
                if matches!((from, old), (Operand::Register(_), Operand::Memory(..))) {
                    old = Operand::Register(self.wide_bytes(copy.to, copy.length()));
                }
                let out = self.wide.take();
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
        self.forget(copy.to..copy.to + copy.bytes);
        let to = Operand::registers(copy.to);
        self.evex(VMOVDQU32_STORE, copy.length(), (value, Lanes::All), 0, to);
        self.wide.set(value, copy.result());
        self.pool.release_all();
        self.wide.release_all();
    }

    /// Where so many register bytes are: in a register, pinned, or in memory alone.
    fn moved(&mut self, at: u32, bytes: usize, waits: bool) -> Operand {
        if waits && self.is_parted(at, bytes) {
            return Operand::Register(self.wide_bytes(at, bytes));
        }
        let known = self.known_bytes(at, bytes);
        known.map_or(Operand::registers(at), Operand::Register)
    }
}

impl Move {
    /// Its bytes.
    const fn length(self) -> usize {
        self.bytes as usize
    }

    /// What a register holds that has what there is behind it.
    const fn result(self) -> Content {
        Content::Bytes(self.to, self.bytes as u8)
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::{Element, HostIsa, Input, Modifiers, Operation, Output, Place, Region, Request};

    use super::*;
    use crate::model::{Layout, Step, VectorStep};
    use crate::moves::run;

    const MASKING: Masking = Masking {
        channel_offset: 0,
        no_mask: false,
        predicate: None,
    };

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
        assert_eq!(code(4 * LOOP), code(LOOP));
        assert!(code(LOOP) < 8 * code(32));
    }
}
