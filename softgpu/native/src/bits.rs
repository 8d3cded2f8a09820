//! Operations on the bits of dwords, from those that all vectors have. `eu_lanes::bits` has what they are.

use dynasmrt::{DynasmApi, dynasm};

use crate::evex::{
    LEFT, Lanes, Operand, RIGHT, RIGHT_SIGNED, VPADDD, VPANDD, VPMULLD, VPORD, VPSHIFTD, VPSUBD,
    VPXORD,
};
use crate::registers::{Ymm, Zmm};
use crate::translate::Translator;

/// An operation on the bits of a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bits {
    /// How many are set.
    Ones,
    LeadingZeros,
    Lowest,
    /// The highest one that is set, or that differs from the sign, counted from the top.
    Highest {
        signed: bool,
    },
    Reverse,
}

#[derive(Clone, Copy, Debug)]
enum Op {
    And,
    Or,
    Xor,
    Add,
    Sub,
    Multiply,
}

#[derive(Clone, Copy, Debug)]
enum Way {
    Left,
    Right,
    RightSigned,
}

/// What vectors do with dwords.
trait Dwords {
    fn constant(&mut self, value: u32) -> u8;
    fn take(&mut self) -> u8;
    fn release(&mut self, register: u8);
    fn apply(&mut self, op: Op, out: u8, sources: [u8; 2]);
    fn shift(&mut self, way: Way, out: u8, from: u8, bits: u8);

    fn with(&mut self, op: Op, out: u8, from: u8, value: u32) {
        let constant = self.constant(value);
        self.apply(op, out, [from, constant]);
        self.release(constant);
    }

    /// How many bits of `out` are set: of pairs, of fours, of bytes, and the sum of these.
    fn count(&mut self, out: u8) {
        let t = self.take();
        self.shift(Way::Right, t, out, 1);
        self.with(Op::And, t, t, 0x5555_5555);
        self.apply(Op::Sub, out, [out, t]);
        self.shift(Way::Right, t, out, 2);
        self.with(Op::And, t, t, 0x3333_3333);
        self.with(Op::And, out, out, 0x3333_3333);
        self.apply(Op::Add, out, [out, t]);
        self.shift(Way::Right, t, out, 4);
        self.apply(Op::Add, out, [out, t]);
        self.with(Op::And, out, out, 0x0f0f_0f0f);
        self.with(Op::Multiply, out, out, 0x0101_0101);
        self.shift(Way::Right, out, out, 24);
        self.release(t);
    }

    /// The leading zeroes of `out`: as many as bits are not set once all below the highest are.
    fn leading_zeros(&mut self, out: u8) {
        let t = self.take();
        for bits in [1, 2, 4, 8, 16] {
            self.shift(Way::Right, t, out, bits);
            self.apply(Op::Or, out, [out, t]);
        }
        self.release(t);
        self.with(Op::Xor, out, out, u32::MAX);
        self.count(out);
    }

    /// Makes `out` what it is of `from`.
    fn bits(&mut self, bits: Bits, out: u8, from: u8) {
        match bits {
            Bits::Ones => {
                self.apply(Op::Or, out, [from, from]);
                self.count(out);
            }
            Bits::LeadingZeros => {
                self.apply(Op::Or, out, [from, from]);
                self.leading_zeros(out);
            }
            Bits::Lowest => {
                // Those up to the lowest one that is set, but for it; all of zero.
                let (t, zero) = (self.take(), self.constant(0));
                self.apply(Op::Sub, t, [zero, from]);
                self.apply(Op::Or, t, [t, from]);
                self.shift(Way::RightSigned, t, t, 31);
                self.with(Op::Xor, t, t, u32::MAX);
                self.with(Op::Add, out, from, u32::MAX);
                self.apply(Op::Xor, out, [out, from]);
                self.count(out);
                self.with(Op::Add, out, out, u32::MAX);
                self.apply(Op::Or, out, [out, t]);
                self.release(t);
                self.release(zero);
            }
            Bits::Highest { signed } => {
                if signed {
                    self.shift(Way::RightSigned, out, from, 31);
                    self.apply(Op::Xor, out, [out, from]);
                } else {
                    self.apply(Op::Or, out, [from, from]);
                }
                self.leading_zeros(out);
                // 32 becomes all ones.
                let (t, zero) = (self.take(), self.constant(0));
                self.shift(Way::Right, t, out, 5);
                self.apply(Op::Sub, t, [zero, t]);
                self.apply(Op::Or, out, [out, t]);
                self.release(t);
                self.release(zero);
            }
            Bits::Reverse => {
                let t = self.take();
                let mut from = from;
                for (bits, low) in [
                    (1, 0x5555_5555),
                    (2, 0x3333_3333),
                    (4, 0x0f0f_0f0f),
                    (8, 0x00ff_00ff),
                    (16, 0xffff),
                ] {
                    self.shift(Way::Right, t, from, bits);
                    self.with(Op::And, t, t, low);
                    self.with(Op::And, out, from, low);
                    self.shift(Way::Left, out, out, bits);
                    self.apply(Op::Or, out, [out, t]);
                    from = out;
                }
                self.release(t);
            }
        }
    }
}

struct Ymms<'a>(&'a mut Translator);

impl Dwords for Ymms<'_> {
    fn constant(&mut self, value: u32) -> u8 {
        self.0.constant(value.into(), 4)
    }

    fn take(&mut self) -> u8 {
        self.0.pool.take()
    }

    fn release(&mut self, register: u8) {
        self.0.pool.release(register);
    }

    fn apply(&mut self, op: Op, out: u8, [a, b]: [u8; 2]) {
        let ops = &mut self.0.ops;
        match op {
            Op::And => dynasm!(ops ; vpand Ry(out), Ry(a), Ry(b)),
            Op::Or => dynasm!(ops ; vpor Ry(out), Ry(a), Ry(b)),
            Op::Xor => dynasm!(ops ; vpxor Ry(out), Ry(a), Ry(b)),
            Op::Add => dynasm!(ops ; vpaddd Ry(out), Ry(a), Ry(b)),
            Op::Sub => dynasm!(ops ; vpsubd Ry(out), Ry(a), Ry(b)),
            Op::Multiply => dynasm!(ops ; vpmulld Ry(out), Ry(a), Ry(b)),
        }
    }

    fn shift(&mut self, way: Way, out: u8, from: u8, bits: u8) {
        let ops = &mut self.0.ops;
        match way {
            Way::Left => dynasm!(ops ; vpslld Ry(out), Ry(from), bits as i8),
            Way::Right => dynasm!(ops ; vpsrld Ry(out), Ry(from), bits as i8),
            Way::RightSigned => dynasm!(ops ; vpsrad Ry(out), Ry(from), bits as i8),
        }
    }
}

struct Zmms<'a> {
    translator: &'a mut Translator,
    width: usize,
}

impl Dwords for Zmms<'_> {
    fn constant(&mut self, value: u32) -> u8 {
        self.translator.wide_constant(value.into(), 4)
    }

    fn take(&mut self) -> u8 {
        self.translator.wide_take()
    }

    fn release(&mut self, register: u8) {
        self.translator.wide.release(register);
    }

    fn apply(&mut self, op: Op, out: u8, [a, b]: [u8; 2]) {
        let instruction = match op {
            Op::And => VPANDD,
            Op::Or => VPORD,
            Op::Xor => VPXORD,
            Op::Add => VPADDD,
            Op::Sub => VPSUBD,
            Op::Multiply => VPMULLD,
        };
        let to = (out, Lanes::All);
        self.translator
            .evex(instruction, self.width, to, a, Operand::Register(b));
    }

    fn shift(&mut self, way: Way, out: u8, from: u8, bits: u8) {
        let way = match way {
            Way::Left => LEFT,
            Way::Right => RIGHT,
            Way::RightSigned => RIGHT_SIGNED,
        };
        let to = (way, Lanes::All);
        self.translator
            .evex_with(VPSHIFTD, self.width, to, out, Operand::Register(from), bits);
    }
}

impl Translator {
    pub(crate) fn bits(&mut self, bits: Bits, out: Ymm, from: Ymm) {
        Ymms(self).bits(bits, out, from);
    }

    pub(crate) fn wide_bits(&mut self, bits: Bits, width: usize, out: Zmm, from: Zmm) {
        Zmms {
            translator: self,
            width,
        }
        .bits(bits, out, from);
    }
}
