//! AVX-512 instructions, which the assembler does not have: their encodings, and a table of those used.
//!
//! Source: Intel SDM vol 2, 2.7 "Intel AVX-512 Encoding", and the instructions' own pages.

use dynasmrt::DynasmApi;

use crate::registers::Zmm;
use crate::translate::Translator;

/// A mask register: k1 to k7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct K(pub u8);

/// Which lanes an instruction writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lanes {
    /// All.
    All,
    /// Those of the mask; the others stay as they are.
    Merge(K),
    /// Those of the mask; the others become zero.
    Zero(K),
}

/// A general register of the host.
pub(crate) mod general {
    pub(crate) const RAX: u8 = 0;
    pub(crate) const RCX: u8 = 1;
    pub(crate) const RDX: u8 = 2;
    /// The frame.
    pub(crate) const RBX: u8 = 3;
    pub(crate) const RSP: u8 = 4;
    pub(crate) const RBP: u8 = 5;
    pub(crate) const RSI: u8 = 6;
    pub(crate) const RDI: u8 = 7;
    /// The register bytes.
    pub(crate) const REGISTERS: u8 = 12;
}

/// The last operand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Operand {
    /// A vector register, or a mask or general register where the instruction has one.
    Register(u8),
    /// Memory at a general register and a displacement.
    Memory(u8, i32),
    /// Memory at a general register, another one and a displacement.
    Indexed(u8, u8, i32),
    /// Memory of each lane at a general register, the lane of a vector register and a displacement.
    Lanes(u8, Zmm, i32),
}

impl Operand {
    /// The register bytes from there on.
    pub fn registers(at: u32) -> Self {
        Self::Memory(general::REGISTERS, at as i32)
    }
}

/// How much an instruction accesses in memory, which is the unit of displacements of one byte (2.7.5).
#[derive(Clone, Copy, Debug)]
enum Unit {
    /// The vector.
    Vector,
    /// This part of it.
    Part(u8),
    /// 32 bytes.
    Half,
    /// One lane.
    Lane,
}

/// An instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evex {
    /// The opcode map: 1 is 0F, 2 is 0F38, 3 is 0F3A.
    map: u8,
    /// 0 is none, 1 is 66, 2 is F3, 3 is F2.
    prefix: u8,
    wide: u8,
    opcode: u8,
    unit: Unit,
}

impl Evex {
    /// The form for qwords, or doubles, where it differs from that for dwords in `W` alone.
    pub const fn of(self, lane: usize) -> Self {
        Self {
            wide: (lane == 8) as u8,
            ..self
        }
    }

    /// The unit of displacements of one byte, where vectors have so many bytes.
    const fn unit(self, bytes: i32) -> i32 {
        match self.unit {
            Unit::Vector => bytes,
            Unit::Part(part) => bytes / part as i32,
            Unit::Half => 32,
            Unit::Lane => 4 << self.wide,
        }
    }
}

macro_rules! table {
    ($($(#[$doc:meta])* $name:ident = $map:literal, $prefix:literal, $wide:literal, $opcode:literal
        $(, $unit:ident $(($part:literal))?)?;)*) => {
        $($(#[$doc])* pub(crate) const $name: Evex = Evex {
            map: $map,
            prefix: $prefix,
            wide: $wide,
            opcode: $opcode,
            unit: table!(@unit $($unit $(($part))?)?),
        };)*
    };
    (@unit) => { Unit::Vector };
    (@unit $unit:ident $(($part:literal))?) => { Unit::$unit $(($part))? };
}

// Dwords and singles; `of` makes qwords of those that have `W` for it. The last column is what they access in memory, if
// that is not a vector.
table! {
    VMOVDQU32_LOAD = 1, 2, 0, 0x6f;
    VMOVDQU32_STORE = 1, 2, 0, 0x7f;
    VMOVDQU8_STORE = 1, 3, 0, 0x7f;
    /// The low qword, beside zeroes.
    VMOVQ_LOAD = 1, 2, 1, 0x7e, Lane;
    VMOVQ_STORE = 1, 1, 1, 0xd6, Lane;
    VPBROADCASTD = 2, 1, 0, 0x58, Lane;
    VPBROADCASTQ = 2, 1, 1, 0x59, Lane;
    /// From a general register.
    VPBROADCAST_GENERAL = 2, 1, 0, 0x7c;
    VBROADCASTI32X8 = 2, 1, 0, 0x5b, Half;
    VINSERTI32X8 = 3, 1, 0, 0x3a, Half;
    VEXTRACTI32X8 = 3, 1, 0, 0x3b, Half;
    VPMOVZXBD = 2, 1, 0, 0x31, Part(4);
    VPMOVSXBD = 2, 1, 0, 0x21, Part(4);
    VPMOVZXWD = 2, 1, 0, 0x33, Part(2);
    VPMOVSXWD = 2, 1, 0, 0x23, Part(2);
    VPMOVZXBQ = 2, 1, 0, 0x32, Part(8);
    VPMOVSXBQ = 2, 1, 0, 0x22, Part(8);
    VPMOVZXWQ = 2, 1, 0, 0x34, Part(4);
    VPMOVSXWQ = 2, 1, 0, 0x24, Part(4);
    VPMOVZXDQ = 2, 1, 0, 0x35, Part(2);
    VPMOVSXDQ = 2, 1, 0, 0x25, Part(2);
    VPMOVDB = 2, 2, 0, 0x31, Part(4);
    VPMOVDW = 2, 2, 0, 0x33, Part(2);
    VPMOVQB = 2, 2, 0, 0x32, Part(8);
    VPMOVQW = 2, 2, 0, 0x34, Part(4);
    VPMOVQD = 2, 2, 0, 0x35, Part(2);
    VPANDD = 1, 1, 0, 0xdb;
    VPORD = 1, 1, 0, 0xeb;
    VPXORD = 1, 1, 0, 0xef;
    VPTERNLOGD = 3, 1, 0, 0x25;
    VPBLENDMD = 2, 1, 0, 0x64;
    VPBLENDMB = 2, 1, 0, 0x66;
    VPBLENDMW = 2, 1, 1, 0x66;
    VPADDD = 1, 1, 0, 0xfe;
    VPADDQ = 1, 1, 1, 0xd4;
    VPSUBD = 1, 1, 0, 0xfa;
    VPSUBQ = 1, 1, 1, 0xfb;
    VPABSD = 2, 1, 0, 0x1e;
    VPABSQ = 2, 1, 1, 0x1f;
    VPMULLD = 2, 1, 0, 0x40;
    VPMULUDQ = 1, 1, 1, 0xf4;
    VPMULDQ = 2, 1, 1, 0x28;
    /// The destination has the indices first.
    VPERMI2D = 2, 1, 0, 0x76;
    VPMINSD = 2, 1, 0, 0x39;
    VPMINUD = 2, 1, 0, 0x3b;
    VPMAXSD = 2, 1, 0, 0x3d;
    VPMAXUD = 2, 1, 0, 0x3f;
    VPSLLVD = 2, 1, 0, 0x47;
    VPSRLVD = 2, 1, 0, 0x45;
    VPSRAVD = 2, 1, 0, 0x46;
    VPROLVD = 2, 1, 0, 0x15;
    VPRORVD = 2, 1, 0, 0x14;
    /// By a number of bits: the register field says which way.
    VPSHIFTD = 1, 1, 0, 0x72;
    VPSHUFB = 2, 1, 0, 0x00;
    VSHUFI64X2 = 3, 1, 1, 0x43;
    VPSHIFTQ = 1, 1, 1, 0x73;
    VADDPS = 1, 0, 0, 0x58;
    VADDPD = 1, 1, 1, 0x58;
    VSUBPS = 1, 0, 0, 0x5c;
    VMULPS = 1, 0, 0, 0x59;
    VMULPD = 1, 1, 1, 0x59;
    VDIVPS = 1, 0, 0, 0x5e;
    VDIVPD = 1, 1, 1, 0x5e;
    VMINPS = 1, 0, 0, 0x5d;
    VMAXPS = 1, 0, 0, 0x5f;
    VMINPD = 1, 1, 1, 0x5d;
    VMAXPD = 1, 1, 1, 0x5f;
    VSQRTPS = 1, 0, 0, 0x51;
    VSQRTPD = 1, 1, 1, 0x51;
    VFMADD231PS = 2, 1, 0, 0xb8;
    VRNDSCALEPS = 3, 1, 0, 0x08;
    VRNDSCALEPD = 3, 1, 1, 0x09;
    VCVTDQ2PS = 1, 0, 0, 0x5b;
    VCVTUDQ2PS = 1, 3, 0, 0x7a;
    VCVTTPS2DQ = 1, 2, 0, 0x5b;
    VCVTTPS2UDQ = 1, 0, 0, 0x78;
    VCVTPS2PD = 1, 0, 0, 0x5a, Part(2);
    VCVTPD2PS = 1, 1, 1, 0x5a;
    VCVTQQ2PD = 1, 2, 1, 0xe6;
    VCVTUDQ2PD = 1, 2, 0, 0x7a, Part(2);
    VCVTTPD2UDQ = 1, 0, 1, 0x78;
    VCMPPS = 1, 0, 0, 0xc2;
    VCMPPD = 1, 1, 1, 0xc2;
    VPCMPD = 3, 1, 0, 0x1f;
    VPCMPUD = 3, 1, 0, 0x1e;
    VPTESTNMD = 2, 2, 0, 0x27;
    VPGATHERDD = 2, 1, 0, 0x90, Lane;
    VPSCATTERDD = 2, 1, 0, 0xa0, Lane;
    VPCOMPRESSD = 2, 1, 0, 0x8b, Lane;
    /// To a general register.
    VMOVD_STORE = 1, 1, 0, 0x7e, Lane;
}

/// The register field of [`VPSHIFTD`] and [`VPSHIFTQ`].
pub(crate) const LEFT: u8 = 6;
/// See [`LEFT`].
pub(crate) const RIGHT: u8 = 2;
/// See [`LEFT`]; qwords have it among the instructions of dwords.
pub(crate) const RIGHT_SIGNED: u8 = 4;
/// See [`LEFT`]: a rotation.
pub(crate) const ROTATE_LEFT: u8 = 1;
/// See [`ROTATE_LEFT`].
pub(crate) const ROTATE_RIGHT: u8 = 0;

impl Translator {
    /// An instruction on vectors of `bytes` bytes; `to` and `first` are 0 where it has no such operand.
    pub(crate) fn evex(
        &mut self,
        instruction: Evex,
        bytes: usize,
        (to, lanes): (u8, Lanes),
        first: u8,
        last: Operand,
    ) {
        let (base, index, high) = match last {
            Operand::Register(register) => (register, register >> 1, 0),
            Operand::Memory(base, _) => (base, 0, 0),
            Operand::Indexed(base, index, _) => (base, index, 0),
            Operand::Lanes(base, index, _) => (base, index, index),
        };
        let bit = |value: u8, bit: u8, place: u8| (!value >> bit & 1) << place;
        let (mask, zero) = match lanes {
            Lanes::All => (0, 0),
            Lanes::Merge(K(mask)) => (mask, 0),
            Lanes::Zero(K(mask)) => (mask, 1),
        };
        let length = match bytes {
            64.. => 2,
            32.. => 1,
            _ => 0,
        };
        let second = if high == 0 { first } else { high };
        for byte in [
            0x62,
            bit(to, 3, 7) | bit(index, 3, 6) | bit(base, 3, 5) | bit(to, 4, 4) | instruction.map,
            instruction.wide << 7 | (!first & 15) << 3 | 4 | instruction.prefix,
            zero << 7 | length << 5 | bit(second, 4, 3) | mask,
            instruction.opcode,
        ] {
            self.ops.push(byte);
        }
        self.direct(to, last, instruction.unit(16 << length));
    }

    /// The bytes that name the operands. Displacements that are a multiple of `unit` may have one byte.
    fn direct(&mut self, to: u8, last: Operand, unit: i32) {
        let to = (to & 7) << 3;
        let (place, displacement) = match last {
            Operand::Register(register) => return self.ops.push(0xc0 | to | register & 7),
            Operand::Memory(base, displacement) => (0x20 | base & 7, displacement),
            Operand::Indexed(base, index, displacement)
            | Operand::Lanes(base, index, displacement) => {
                ((index & 7) << 3 | base & 7, displacement)
            }
        };
        let units = i8::try_from(displacement / unit);
        match units {
            Ok(units) if displacement % unit == 0 => {
                self.ops.push(0x44 | to);
                self.ops.push(place);
                self.ops.push_i8(units);
            }
            _ => {
                self.ops.push(0x84 | to);
                self.ops.push(place);
                self.ops.push_i32(displacement);
            }
        }
    }

    /// The same with a number at its end.
    pub(crate) fn evex_with(
        &mut self,
        instruction: Evex,
        bytes: usize,
        to: (u8, Lanes),
        first: u8,
        last: Operand,
        number: u8,
    ) {
        self.evex(instruction, bytes, to, first, last);
        self.ops.push(number);
    }

    /// `kmovd`: a mask becomes the bits of a general register below r8.
    pub(crate) fn mask_from(&mut self, mask: K, general: u8) {
        for byte in [0xc5, 0xfb, 0x92, 0xc0 | mask.0 << 3 | general & 7] {
            self.ops.push(byte);
        }
    }

    /// `kmovq`.
    pub(crate) fn wide_mask_from(&mut self, mask: K, general: u8) {
        for byte in [0xc4, 0xe1, 0xfb, 0x92, 0xc0 | mask.0 << 3 | general & 7] {
            self.ops.push(byte);
        }
    }

    /// `kmovd` the other way.
    pub(crate) fn mask_to(&mut self, general: u8, mask: K) {
        for byte in [0xc5, 0xfb, 0x93, 0xc0 | (general & 7) << 3 | mask.0] {
            self.ops.push(byte);
        }
    }

    /// `kandw`: the lanes, sixteen at most, that both masks have.
    pub(crate) fn mask_and(&mut self, to: K, one: K, other: K) {
        self.mask_of_two(0x41, to, [one, other]);
    }

    /// `kandnw`: the lanes, sixteen at most, that the second mask has and the first has not.
    pub(crate) fn mask_without(&mut self, to: K, one: K, other: K) {
        self.mask_of_two(0x42, to, [one, other]);
    }

    fn mask_of_two(&mut self, opcode: u8, to: K, [one, other]: [K; 2]) {
        let second = 0x84 | (!one.0 & 15) << 3;
        for byte in [0xc5, second, opcode, 0xc0 | to.0 << 3 | other.0] {
            self.ops.push(byte);
        }
    }

    /// `kortestw`: the zero flag says whether both masks are empty.
    pub(crate) fn test_masks(&mut self, one: K, other: K) {
        for byte in [0xc5, 0xf8, 0x98, 0xc0 | one.0 << 3 | other.0] {
            self.ops.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use eu_lanes::HostIsa;

    use super::*;
    use crate::model::Layout;

    /// The code that `emit` makes.
    fn code(emit: impl Fn(&mut Translator)) -> Vec<u8> {
        let layout = Layout {
            accumulators: 0,
            flags: 0,
            control: 0,
            state: 0,
            message: 0,
            general: 0,
            notification: 0,
            observed: true,
        };
        let mut translator = Translator::new(layout, &[], HostIsa::Avx512);
        emit(&mut translator);
        let (mut code, _) = translator.finish().expect("assembles");
        while code.last() == Some(&0xcc) {
            code.pop();
        }
        code
    }

    /// The bytes are those of GNU as 2.40, with displacements of four bytes.
    #[test]
    fn encodings_are_those_of_an_assembler() {
        use Operand::{Indexed, Lanes as Each, Memory, Register};
        type Emit = fn(&mut Translator);
        let cases: [(&str, Emit, &[u8]); 22] = [
            (
                "vpaddd zmm17{k1}, zmm25, zmm31",
                |t| t.evex(VPADDD, 64, (17, Lanes::Merge(K(1))), 25, Register(31)),
                &[0x62, 0x81, 0x35, 0x41, 0xfe, 0xcf],
            ),
            (
                "vpaddq ymm16, ymm30, ymm24",
                |t| t.evex(VPADDQ, 32, (16, Lanes::All), 30, Register(24)),
                &[0x62, 0x81, 0x8d, 0x20, 0xd4, 0xc0],
            ),
            (
                "vmovdqu32 zmm18, [r12+0x12345678]",
                |t| {
                    let from = Operand::registers(0x1234_5678);
                    t.evex(VMOVDQU32_LOAD, 64, (18, Lanes::All), 0, from);
                },
                &[
                    0x62, 0xc1, 0x7e, 0x48, 0x6f, 0x94, 0x24, 0x78, 0x56, 0x34, 0x12,
                ],
            ),
            (
                "vmovdqu32 [rax+rcx+0x11111111]{k3}, xmm19",
                |t| {
                    let to = Indexed(general::RAX, general::RCX, 0x1111_1111);
                    t.evex(VMOVDQU32_STORE, 16, (19, Lanes::Merge(K(3))), 0, to);
                },
                &[
                    0x62, 0xe1, 0x7e, 0x0b, 0x7f, 0x9c, 0x08, 0x11, 0x11, 0x11, 0x11,
                ],
            ),
            (
                "vpgatherdd zmm20{k1}, [rax+zmm28+0x11111111]",
                |t| {
                    let from = Each(general::RAX, 28, 0x1111_1111);
                    t.evex(VPGATHERDD, 64, (20, Lanes::Merge(K(1))), 0, from);
                },
                &[
                    0x62, 0xa2, 0x7d, 0x41, 0x90, 0xa4, 0x20, 0x11, 0x11, 0x11, 0x11,
                ],
            ),
            (
                "vpscatterdq [rax+ymm17+0x22222222]{k2}, zmm29",
                |t| {
                    let to = Each(general::RAX, 17, 0x2222_2222);
                    t.evex(VPSCATTERDD.of(8), 64, (29, Lanes::Merge(K(2))), 0, to);
                },
                &[
                    0x62, 0x62, 0xfd, 0x42, 0xa0, 0xac, 0x08, 0x22, 0x22, 0x22, 0x22,
                ],
            ),
            (
                "vmovdqu32 [rsp+0x11111111], zmm19",
                |t| {
                    let to = Memory(general::RSP, 0x1111_1111);
                    t.evex(VMOVDQU32_STORE, 64, (19, Lanes::All), 0, to);
                },
                &[
                    0x62, 0xe1, 0x7e, 0x48, 0x7f, 0x9c, 0x24, 0x11, 0x11, 0x11, 0x11,
                ],
            ),
            (
                "vpternlogd zmm21{k2}{z}, zmm21, zmm21, 0xff",
                |t| {
                    t.evex_with(
                        VPTERNLOGD,
                        64,
                        (21, Lanes::Zero(K(2))),
                        21,
                        Register(21),
                        0xff,
                    )
                },
                &[0x62, 0xa3, 0x55, 0xc2, 0x25, 0xed, 0xff],
            ),
            (
                "vpcmpuq k3{k1}, zmm22, zmm30, 6",
                |t| {
                    t.evex_with(
                        VPCMPUD.of(8),
                        64,
                        (3, Lanes::Merge(K(1))),
                        22,
                        Register(30),
                        6,
                    )
                },
                &[0x62, 0x93, 0xcd, 0x41, 0x1e, 0xde, 0x06],
            ),
            (
                "vpsraq ymm25, ymm26, 56",
                |t| {
                    let to = (RIGHT_SIGNED, Lanes::All);
                    t.evex_with(VPSHIFTD.of(8), 32, to, 25, Register(26), 56);
                },
                &[0x62, 0x91, 0xb5, 0x20, 0x72, 0xe2, 0x38],
            ),
            (
                "vprold ymm25, ymm26, 7",
                |t| {
                    let to = (ROTATE_LEFT, Lanes::All);
                    t.evex_with(VPSHIFTD, 32, to, 25, Register(26), 7);
                },
                &[0x62, 0x91, 0x35, 0x20, 0x72, 0xca, 0x07],
            ),
            (
                "vinserti32x8 zmm17, zmm3, ymm12, 1",
                |t| t.evex_with(VINSERTI32X8, 64, (17, Lanes::All), 3, Register(12), 1),
                &[0x62, 0xc3, 0x65, 0x48, 0x3a, 0xcc, 0x01],
            ),
            (
                "vpbroadcastq zmm27, rbp",
                |t| {
                    let to = (27, Lanes::All);
                    t.evex(VPBROADCAST_GENERAL.of(8), 64, to, 0, Register(general::RBP));
                },
                &[0x62, 0x62, 0xfd, 0x48, 0x7c, 0xdd],
            ),
            (
                "vpcompressd ymm30{k1}{z}, ymm31",
                |t| t.evex(VPCOMPRESSD, 32, (31, Lanes::Zero(K(1))), 0, Register(30)),
                &[0x62, 0x02, 0x7d, 0xa9, 0x8b, 0xfe],
            ),
            (
                "vmovd ecx, xmm22",
                |t| t.evex(VMOVD_STORE, 16, (22, Lanes::All), 0, Register(general::RCX)),
                &[0x62, 0xe1, 0x7d, 0x08, 0x7e, 0xf1],
            ),
            (
                "vpblendmw ymm30{k1}, ymm31, ymm16",
                |t| t.evex(VPBLENDMW, 32, (30, Lanes::Merge(K(1))), 31, Register(16)),
                &[0x62, 0x22, 0x85, 0x21, 0x66, 0xf0],
            ),
            (
                "kmovd k2, esi",
                |t| t.mask_from(K(2), general::RSI),
                &[0xc5, 0xfb, 0x92, 0xd6],
            ),
            (
                "kmovq k1, rbp",
                |t| t.wide_mask_from(K(1), general::RBP),
                &[0xc4, 0xe1, 0xfb, 0x92, 0xcd],
            ),
            (
                "kmovd ebp, k3",
                |t| t.mask_to(general::RBP, K(3)),
                &[0xc5, 0xfb, 0x93, 0xeb],
            ),
            (
                "kandw k5, k2, k4",
                |t| t.mask_and(K(5), K(2), K(4)),
                &[0xc5, 0xec, 0x41, 0xec],
            ),
            (
                "kandnw k7, k6, k4",
                |t| t.mask_without(K(7), K(6), K(4)),
                &[0xc5, 0xcc, 0x42, 0xfc],
            ),
            (
                "kortestw k2, k3",
                |t| t.test_masks(K(2), K(3)),
                &[0xc5, 0xf8, 0x98, 0xd3],
            ),
        ];
        for (text, emit, expected) in cases {
            assert_eq!(code(emit), expected, "{text}");
        }
    }

    /// The bytes are those of GNU as 2.40, which takes displacements of one byte where they fit.
    #[test]
    fn displacements_are_those_of_an_assembler() {
        use Operand::Lanes as Each;
        type Emit = fn(&mut Translator);
        fn at(place: i32) -> Operand {
            Operand::Memory(general::REGISTERS, place)
        }
        fn load(t: &mut Translator, place: i32) {
            t.evex(VMOVDQU32_LOAD, 64, (18, Lanes::All), 0, at(place));
        }
        let cases: [(&str, Emit, &[u8]); 23] = [
            (
                "vmovdqu32 zmm18, [r12+0x40]",
                |t| load(t, 0x40),
                &[0x62, 0xc1, 0x7e, 0x48, 0x6f, 0x54, 0x24, 0x01],
            ),
            (
                "vmovdqu32 zmm18, [r12+0x1fc0]",
                |t| load(t, 0x1fc0),
                &[0x62, 0xc1, 0x7e, 0x48, 0x6f, 0x54, 0x24, 0x7f],
            ),
            (
                "vmovdqu32 zmm18, [r12+0x2000]",
                |t| load(t, 0x2000),
                &[
                    0x62, 0xc1, 0x7e, 0x48, 0x6f, 0x94, 0x24, 0x00, 0x20, 0x00, 0x00,
                ],
            ),
            (
                "vmovdqu32 zmm18, [r12+0x20]",
                |t| load(t, 0x20),
                &[
                    0x62, 0xc1, 0x7e, 0x48, 0x6f, 0x94, 0x24, 0x20, 0x00, 0x00, 0x00,
                ],
            ),
            (
                "vmovdqu32 zmm18, [r12-0x2000]",
                |t| load(t, -0x2000),
                &[0x62, 0xc1, 0x7e, 0x48, 0x6f, 0x54, 0x24, 0x80],
            ),
            (
                "vmovdqu32 [r12+0xfe0]{k3}, ymm19",
                |t| t.evex(VMOVDQU32_STORE, 32, (19, Lanes::Merge(K(3))), 0, at(0xfe0)),
                &[0x62, 0xc1, 0x7e, 0x2b, 0x7f, 0x5c, 0x24, 0x7f],
            ),
            (
                "vpbroadcastd zmm20, [r12+0x14]",
                |t| t.evex(VPBROADCASTD, 64, (20, Lanes::All), 0, at(0x14)),
                &[0x62, 0xc2, 0x7d, 0x48, 0x58, 0x64, 0x24, 0x05],
            ),
            (
                "vpbroadcastq zmm20, [r12+0x18]",
                |t| t.evex(VPBROADCASTQ, 64, (20, Lanes::All), 0, at(0x18)),
                &[0x62, 0xc2, 0xfd, 0x48, 0x59, 0x64, 0x24, 0x03],
            ),
            (
                "vpmovzxbd zmm20, [r12+0x30]",
                |t| t.evex(VPMOVZXBD, 64, (20, Lanes::All), 0, at(0x30)),
                &[0x62, 0xc2, 0x7d, 0x48, 0x31, 0x64, 0x24, 0x03],
            ),
            (
                "vpmovzxwd ymm20, [r12+0x30]",
                |t| t.evex(VPMOVZXWD, 32, (20, Lanes::All), 0, at(0x30)),
                &[0x62, 0xc2, 0x7d, 0x28, 0x33, 0x64, 0x24, 0x03],
            ),
            (
                "vpmovsxbq zmm20, [r12+0x18]",
                |t| t.evex(VPMOVSXBQ, 64, (20, Lanes::All), 0, at(0x18)),
                &[0x62, 0xc2, 0x7d, 0x48, 0x22, 0x64, 0x24, 0x03],
            ),
            (
                "vpmovdw [r12+0x60], zmm21",
                |t| t.evex(VPMOVDW, 64, (21, Lanes::All), 0, at(0x60)),
                &[0x62, 0xc2, 0x7e, 0x48, 0x33, 0x6c, 0x24, 0x03],
            ),
            (
                "vpmovqb [r12+0x18], zmm21",
                |t| t.evex(VPMOVQB, 64, (21, Lanes::All), 0, at(0x18)),
                &[0x62, 0xc2, 0x7e, 0x48, 0x32, 0x6c, 0x24, 0x03],
            ),
            (
                "vmovdqu8 [r12+0x40]{k3}, zmm19",
                |t| t.evex(VMOVDQU8_STORE, 64, (19, Lanes::Merge(K(3))), 0, at(0x40)),
                &[0x62, 0xc1, 0x7f, 0x4b, 0x7f, 0x5c, 0x24, 0x01],
            ),
            (
                "vpshufb zmm21, zmm22, [r12+0x80]",
                |t| t.evex(VPSHUFB, 64, (21, Lanes::All), 22, at(0x80)),
                &[0x62, 0xc2, 0x4d, 0x40, 0x00, 0x6c, 0x24, 0x02],
            ),
            (
                "vshufi64x2 zmm17, zmm18, zmm19, 0",
                |t| {
                    t.evex_with(
                        VSHUFI64X2,
                        64,
                        (17, Lanes::All),
                        18,
                        Operand::Register(19),
                        0,
                    )
                },
                &[0x62, 0xa3, 0xed, 0x40, 0x43, 0xcb, 0x00],
            ),
            (
                "vinserti32x8 zmm17, zmm3, [r12+0x60], 1",
                |t| t.evex_with(VINSERTI32X8, 64, (17, Lanes::All), 3, at(0x60), 1),
                &[0x62, 0xc3, 0x65, 0x48, 0x3a, 0x4c, 0x24, 0x03, 0x01],
            ),
            (
                "vbroadcasti32x8 zmm17, [r12+0x60]",
                |t| t.evex(VBROADCASTI32X8, 64, (17, Lanes::All), 0, at(0x60)),
                &[0x62, 0xc2, 0x7d, 0x48, 0x5b, 0x4c, 0x24, 0x03],
            ),
            (
                "vpgatherdd zmm20{k1}, [rax+zmm28+0x1c]",
                |t| {
                    t.evex(
                        VPGATHERDD,
                        64,
                        (20, Lanes::Merge(K(1))),
                        0,
                        Each(general::RAX, 28, 0x1c),
                    )
                },
                &[0x62, 0xa2, 0x7d, 0x41, 0x90, 0x64, 0x20, 0x07],
            ),
            (
                "vpscatterdq [rax+ymm17+0x38]{k2}, zmm29",
                |t| {
                    t.evex(
                        VPSCATTERDD.of(8),
                        64,
                        (29, Lanes::Merge(K(2))),
                        0,
                        Each(general::RAX, 17, 0x38),
                    )
                },
                &[0x62, 0x62, 0xfd, 0x42, 0xa0, 0x6c, 0x08, 0x07],
            ),
            (
                "vpblendmd zmm21{k2}, zmm22, [r12+0x80]",
                |t| t.evex(VPBLENDMD, 64, (21, Lanes::Merge(K(2))), 22, at(0x80)),
                &[0x62, 0xc2, 0x4d, 0x42, 0x64, 0x6c, 0x24, 0x02],
            ),
            (
                "vcvtudq2pd zmm21, [r12+0x60]",
                |t| t.evex(VCVTUDQ2PD, 64, (21, Lanes::All), 0, at(0x60)),
                &[0x62, 0xc1, 0x7e, 0x48, 0x7a, 0x6c, 0x24, 0x03],
            ),
            (
                "vpcompressd [r12+0x1c]{k1}, zmm31",
                |t| t.evex(VPCOMPRESSD, 64, (31, Lanes::Merge(K(1))), 0, at(0x1c)),
                &[0x62, 0x42, 0x7d, 0x49, 0x8b, 0x7c, 0x24, 0x07],
            ),
        ];
        for (text, emit, expected) in cases {
            assert_eq!(code(emit), expected, "{text}");
        }
    }
}
