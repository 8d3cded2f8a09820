//! Where the fields of the 16-byte form are: one layout for Gen8 to Gen11, one for Gen12LP and
//! XeHPG, one for XeHPC and Xe2.
//!
//! Bit numbers: TGL PRM vol 2a ("EU instruction formats") and the BDW, SKL and ICL PRMs; checked
//! bit by bit against what iga64 assembles.

use super::bits::{Field, Split, b, f};

/// A destination of the one- and two-source formats.
#[derive(Clone, Copy, Debug)]
pub struct DstFields {
    pub file: Field,
    pub ty: Field,
    pub address_mode: Field,
    pub hstride: Field,
    pub reg: Field,
    /// The sub-register, in units of `Layout::subreg_unit` bytes.
    pub subreg: Field,
    /// The lowest bit of the byte offset, where `subreg` counts words.
    pub subreg_odd: Field,
    /// Indirect: the sub-register of a0.
    pub addr_subreg: Field,
    /// Indirect: the signed offset.
    pub addr_imm: Split,
}

/// A source of the one- and two-source formats.
#[derive(Clone, Copy, Debug)]
pub struct SrcFields {
    pub is_imm: Field,
    pub file: Field,
    pub ty: Field,
    pub abs: Field,
    pub neg: Field,
    pub address_mode: Field,
    pub vstride: Field,
    pub width: Field,
    pub hstride: Field,
    pub reg: Field,
    pub subreg: Field,
    pub subreg_odd: Field,
    pub addr_subreg: Field,
    pub addr_imm: Split,
    /// Bytes per step of `addr_imm`.
    pub addr_imm_unit: i16,
}

/// The destination of the align1 three-source format.
#[derive(Clone, Copy, Debug)]
pub struct Dst3Fields {
    pub file: Field,
    pub ty: Field,
    /// Integer (0) or float (1), for all operands.
    pub exec_type: Field,
    pub hstride: Field,
    pub reg: Field,
    pub subreg: Field,
    /// The size of one step of `subreg`, in `Layout::subreg_unit`s.
    pub subreg_scale: u8,
    /// `madm`: the math macro register.
    pub mme: Field,
}

/// A source of the align1 three-source format.
#[derive(Clone, Copy, Debug)]
pub struct Src3Fields {
    /// The source may be an immediate: this bit says whether it is.
    pub is_imm: Field,
    pub imm: Field,
    pub file: Field,
    /// Set for an accumulator of type `:nf`; with other types it marks an immediate.
    pub nf_accumulator: Field,
    pub ty: Field,
    pub abs: Field,
    pub neg: Field,
    /// Empty for source 2, which has only a horizontal stride.
    pub vstride: Split,
    pub hstride: Field,
    pub reg: Field,
    pub subreg: Field,
    pub mme: Field,
}

/// The fields of `dpas`.
#[derive(Clone, Copy, Debug)]
pub struct DpasFields {
    pub depth: Field,
    pub repeat: Field,
    pub src1_precision: Field,
    pub src2_precision: Field,
}

/// The fields of sends.
#[derive(Clone, Copy, Debug)]
pub struct SendFields {
    pub sfid: Field,
    pub desc: Split,
    pub desc_is_reg: Field,
    /// Bits 31:11.
    pub exdesc: Split,
    pub exdesc_is_reg: Field,
    /// a0 sub-register of the extended descriptor, in dwords.
    pub exdesc_subreg: Field,
    pub eot: Field,
    pub dst_file: Field,
    pub src0_file: Field,
    pub src1_file: Field,
    pub src1_reg: Field,
    pub src1_len: Field,
    pub ex_bso: Field,
    pub cps: Field,
    /// Fused EUs send one after the other.
    pub serialize: Field,
    pub no_src_dep_set: Field,
}

/// A source of the align16 three-source format.
#[derive(Clone, Copy, Debug)]
pub struct Align16Src {
    pub replicate: Field,
    pub swizzle: Field,
    pub reg: Field,
    /// In words; the last bit exists from Gen9 on.
    pub subreg: Split,
    pub abs: Field,
    pub neg: Field,
    /// Source 1 and 2, from Gen9 on: the type is half precision.
    pub is_half: Field,
}

/// The align16 three-source format (Gen8, Gen9).
#[derive(Clone, Copy, Debug)]
pub struct Align16Fields {
    pub dst_ty: Field,
    pub src_ty: Field,
    pub dst_reg: Field,
    /// In dwords.
    pub dst_subreg: Field,
    pub write_mask: Field,
    pub src: [Align16Src; 3],
}

/// The fields of a layout, one per line.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    pub swsb: Field,
    pub exec_size: Field,
    pub channel_offset: Field,
    /// Channels per step of `channel_offset`.
    pub channel_unit: u8,
    pub flag_reg: Field,
    pub flag_subreg: Field,
    pub pred_control: Field,
    pub pred_inverse: Field,
    pub compacted: Field,
    pub breakpoint: Field,
    pub no_mask: Field,
    pub atomic: Field,
    pub acc_wr_en: Field,
    pub branch_control: Field,
    pub saturate: Field,
    pub no_dd_clr: Field,
    pub no_dd_chk: Field,
    pub thread_control: Field,
    pub access_mode: Field,
    pub cond: Field,
    /// `math` and `sync` function.
    pub function: Field,
    /// `bfn`: the truth table.
    pub bfn: Split,
    /// `bfn`: its condition modifier.
    pub bfn_cond: Split,
    /// Bytes per step of a sub-register field.
    pub subreg_unit: u8,
    pub dst: DstFields,
    pub src: [SrcFields; 2],
    pub imm32: Field,
    /// The halves of a 64-bit immediate, the high one first.
    pub imm64: Split,
    pub dst3: Dst3Fields,
    pub src3: [Src3Fields; 3],
    pub align16: Align16Fields,
    pub dpas: DpasFields,
    pub jip: Field,
    pub uip: Field,
    pub send: SendFields,
}

const NO_ALIGN16_SRC: Align16Src = Align16Src {
    replicate: Field::NONE,
    swizzle: Field::NONE,
    reg: Field::NONE,
    subreg: &[],
    abs: Field::NONE,
    neg: Field::NONE,
    is_half: Field::NONE,
};

const NO_ALIGN16: Align16Fields = Align16Fields {
    dst_ty: Field::NONE,
    src_ty: Field::NONE,
    dst_reg: Field::NONE,
    dst_subreg: Field::NONE,
    write_mask: Field::NONE,
    src: [NO_ALIGN16_SRC, NO_ALIGN16_SRC, NO_ALIGN16_SRC],
};

const NO_SRC3: Src3Fields = Src3Fields {
    is_imm: Field::NONE,
    imm: Field::NONE,
    file: Field::NONE,
    nf_accumulator: Field::NONE,
    ty: Field::NONE,
    abs: Field::NONE,
    neg: Field::NONE,
    vstride: &[],
    hstride: Field::NONE,
    reg: Field::NONE,
    subreg: Field::NONE,
    mme: Field::NONE,
};

const ALIGN16_SRC0: Align16Src = Align16Src {
    replicate: b(64),
    swizzle: f(72, 65),
    reg: f(83, 76),
    subreg: &[f(75, 73), b(84)],
    abs: b(37),
    neg: b(38),
    is_half: Field::NONE,
};

const ALIGN16_SRC1: Align16Src = Align16Src {
    replicate: b(85),
    swizzle: f(93, 86),
    reg: f(104, 97),
    subreg: &[f(96, 94), b(105)],
    abs: b(39),
    neg: b(40),
    is_half: b(36),
};

const ALIGN16_SRC2: Align16Src = Align16Src {
    replicate: b(106),
    swizzle: f(114, 107),
    reg: f(125, 118),
    subreg: &[f(117, 115), b(126)],
    abs: b(41),
    neg: b(42),
    is_half: b(35),
};

/// Gen9; Gen8 differs in the align16 format.
pub const GEN9: Layout = Layout {
    swsb: Field::NONE,
    exec_size: f(23, 21),
    channel_offset: f(13, 11),
    channel_unit: 4,
    flag_reg: b(33),
    flag_subreg: b(32),
    pred_control: f(19, 16),
    pred_inverse: b(20),
    compacted: b(29),
    breakpoint: b(30),
    no_mask: b(34),
    atomic: Field::NONE,
    acc_wr_en: b(28),
    branch_control: b(28),
    saturate: b(31),
    no_dd_clr: b(9),
    no_dd_chk: b(10),
    thread_control: f(15, 14),
    access_mode: b(8),
    cond: f(27, 24),
    function: f(27, 24),
    bfn: &[],
    bfn_cond: &[],
    subreg_unit: 1,
    dst: DstFields {
        file: f(36, 35),
        ty: f(40, 37),
        address_mode: b(63),
        hstride: f(62, 61),
        reg: f(60, 53),
        subreg: f(52, 48),
        subreg_odd: Field::NONE,
        addr_subreg: f(60, 57),
        addr_imm: &[b(47), f(56, 48)],
    },
    src: [
        SrcFields {
            is_imm: Field::NONE,
            file: f(42, 41),
            ty: f(46, 43),
            abs: b(77),
            neg: b(78),
            address_mode: b(79),
            vstride: f(88, 85),
            width: f(84, 82),
            hstride: f(81, 80),
            reg: f(76, 69),
            subreg: f(68, 64),
            subreg_odd: Field::NONE,
            addr_subreg: f(76, 73),
            addr_imm: &[b(95), f(72, 64)],
            addr_imm_unit: 1,
        },
        SrcFields {
            is_imm: Field::NONE,
            file: f(90, 89),
            ty: f(94, 91),
            abs: b(109),
            neg: b(110),
            address_mode: b(111),
            vstride: f(120, 117),
            width: f(116, 114),
            hstride: f(113, 112),
            reg: f(108, 101),
            subreg: f(100, 96),
            subreg_odd: Field::NONE,
            addr_subreg: f(108, 105),
            addr_imm: &[b(121), f(104, 96)],
            addr_imm_unit: 1,
        },
    ],
    imm32: f(127, 96),
    imm64: &[f(127, 64)],
    dst3: Dst3Fields {
        file: Field::NONE,
        ty: Field::NONE,
        exec_type: Field::NONE,
        hstride: Field::NONE,
        reg: Field::NONE,
        subreg: Field::NONE,
        subreg_scale: 1,
        mme: Field::NONE,
    },
    src3: [NO_SRC3, NO_SRC3, NO_SRC3],
    align16: Align16Fields {
        dst_ty: f(48, 46),
        src_ty: f(45, 43),
        dst_reg: f(63, 56),
        dst_subreg: f(55, 53),
        write_mask: f(52, 49),
        src: [ALIGN16_SRC0, ALIGN16_SRC1, ALIGN16_SRC2],
    },
    dpas: DpasFields {
        depth: Field::NONE,
        repeat: Field::NONE,
        src1_precision: Field::NONE,
        src2_precision: Field::NONE,
    },
    jip: f(127, 96),
    uip: f(95, 64),
    send: SendFields {
        sfid: f(27, 24),
        desc: &[f(126, 96)],
        desc_is_reg: b(77),
        exdesc: &[f(94, 91), f(88, 85), f(83, 80), f(67, 64)],
        exdesc_is_reg: b(61),
        exdesc_subreg: f(82, 80),
        eot: b(127),
        dst_file: b(35),
        src0_file: Field::NONE,
        src1_file: b(36),
        src1_reg: f(51, 44),
        src1_len: f(67, 64),
        ex_bso: Field::NONE,
        cps: Field::NONE,
        serialize: Field::NONE,
        no_src_dep_set: b(28),
    },
};

/// Gen8: no half-precision three-source operands, and sends always set their dependency.
pub const GEN8: Layout = Layout {
    align16: Align16Fields {
        src: [
            Align16Src {
                subreg: &[f(75, 73)],
                ..ALIGN16_SRC0
            },
            Align16Src {
                subreg: &[f(96, 94)],
                is_half: Field::NONE,
                ..ALIGN16_SRC1
            },
            Align16Src {
                subreg: &[f(117, 115)],
                is_half: Field::NONE,
                ..ALIGN16_SRC2
            },
        ],
        ..GEN9.align16
    },
    send: SendFields {
        no_src_dep_set: Field::NONE,
        ..GEN9.send
    },
    ..GEN9
};

/// Gen11: the align1 three-source format replaces align16.
pub const GEN11: Layout = Layout {
    access_mode: Field::NONE,
    dst3: Dst3Fields {
        file: b(36),
        ty: f(48, 46),
        exec_type: b(35),
        hstride: b(49),
        reg: f(63, 56),
        subreg: f(55, 54),
        subreg_scale: 8,
        mme: f(55, 52),
    },
    src3: [
        Src3Fields {
            is_imm: b(43),
            imm: f(82, 67),
            file: Field::NONE,
            // Source: Mesa brw_eu_emit.c brw_alu3, BRW_ALIGN1_3SRC_ACCUMULATOR.
            nf_accumulator: b(43),
            ty: f(66, 64),
            abs: b(37),
            neg: b(38),
            vstride: &[f(68, 67)],
            hstride: f(70, 69),
            reg: f(83, 76),
            subreg: f(75, 71),
            mme: f(75, 72),
        },
        Src3Fields {
            is_imm: Field::NONE,
            imm: Field::NONE,
            file: b(44),
            nf_accumulator: Field::NONE,
            ty: f(87, 85),
            abs: b(39),
            neg: b(40),
            vstride: &[f(89, 88)],
            hstride: f(91, 90),
            reg: f(104, 97),
            subreg: f(96, 92),
            mme: f(96, 93),
        },
        Src3Fields {
            is_imm: b(45),
            imm: f(124, 109),
            file: Field::NONE,
            nf_accumulator: Field::NONE,
            ty: f(108, 106),
            abs: b(41),
            neg: b(42),
            vstride: &[],
            hstride: f(112, 111),
            reg: f(125, 118),
            subreg: f(117, 113),
            mme: f(117, 114),
        },
    ],
    align16: NO_ALIGN16,
    ..GEN9
};

const GEN12_SRC0: SrcFields = SrcFields {
    is_imm: b(46),
    file: b(66),
    ty: f(43, 40),
    abs: b(44),
    neg: b(45),
    address_mode: b(80),
    vstride: f(87, 84),
    width: f(83, 81),
    hstride: f(65, 64),
    reg: f(79, 72),
    subreg: f(71, 67),
    subreg_odd: Field::NONE,
    addr_subreg: f(79, 76),
    addr_imm: &[f(75, 66)],
    addr_imm_unit: 1,
};

const GEN12_SRC1: SrcFields = SrcFields {
    is_imm: b(47),
    file: b(98),
    ty: f(91, 88),
    abs: b(120),
    neg: b(121),
    address_mode: b(112),
    vstride: f(119, 116),
    width: f(115, 113),
    hstride: f(97, 96),
    reg: f(111, 104),
    subreg: f(103, 99),
    subreg_odd: Field::NONE,
    addr_subreg: f(111, 108),
    addr_imm: &[f(107, 98)],
    addr_imm_unit: 1,
};

/// Gen12LP and XeHPG.
pub const GEN12: Layout = Layout {
    swsb: f(15, 8),
    exec_size: f(18, 16),
    channel_offset: f(21, 19),
    channel_unit: 4,
    flag_reg: b(23),
    flag_subreg: b(22),
    pred_control: f(27, 24),
    pred_inverse: b(28),
    compacted: b(29),
    breakpoint: b(30),
    no_mask: b(31),
    atomic: b(32),
    acc_wr_en: b(33),
    branch_control: b(33),
    saturate: b(34),
    no_dd_clr: Field::NONE,
    no_dd_chk: Field::NONE,
    thread_control: Field::NONE,
    access_mode: Field::NONE,
    cond: f(95, 92),
    function: f(95, 92),
    bfn: &[f(95, 92), f(87, 84)],
    bfn_cond: &[f(45, 44)],
    subreg_unit: 1,
    dst: DstFields {
        file: b(50),
        ty: f(39, 36),
        address_mode: b(35),
        hstride: f(49, 48),
        reg: f(63, 56),
        subreg: f(55, 51),
        subreg_odd: Field::NONE,
        addr_subreg: f(63, 60),
        addr_imm: &[f(59, 50)],
    },
    src: [GEN12_SRC0, GEN12_SRC1],
    imm32: f(127, 96),
    imm64: &[f(95, 64), f(127, 96)],
    dst3: Dst3Fields {
        file: b(50),
        ty: f(38, 36),
        exec_type: b(39),
        hstride: b(48),
        reg: f(63, 56),
        // Source: Mesa brw_inst.h 3src_a1_dst_subreg_nr, in units of 8 bytes.
        subreg: f(55, 54),
        subreg_scale: 8,
        mme: f(54, 51),
    },
    src3: [
        Src3Fields {
            is_imm: b(46),
            imm: f(79, 64),
            file: b(66),
            nf_accumulator: Field::NONE,
            ty: f(42, 40),
            abs: b(44),
            neg: b(45),
            vstride: &[b(43), b(35)],
            hstride: f(65, 64),
            reg: f(79, 72),
            subreg: f(71, 67),
            mme: f(70, 67),
        },
        Src3Fields {
            is_imm: Field::NONE,
            imm: Field::NONE,
            file: b(98),
            nf_accumulator: Field::NONE,
            ty: f(90, 88),
            abs: b(86),
            neg: b(87),
            vstride: &[b(91), b(83)],
            hstride: f(97, 96),
            reg: f(111, 104),
            subreg: f(103, 99),
            mme: f(102, 99),
        },
        Src3Fields {
            is_imm: b(47),
            imm: f(127, 112),
            file: b(114),
            nf_accumulator: Field::NONE,
            ty: f(82, 80),
            abs: b(84),
            neg: b(85),
            vstride: &[],
            hstride: f(113, 112),
            reg: f(127, 120),
            subreg: f(119, 115),
            mme: f(118, 115),
        },
    ],
    align16: NO_ALIGN16,
    dpas: DpasFields {
        depth: f(49, 48),
        repeat: f(45, 43),
        src1_precision: f(87, 86),
        src2_precision: f(85, 84),
    },
    jip: f(127, 96),
    uip: f(95, 64),
    send: SendFields {
        sfid: f(95, 92),
        desc: &[f(123, 122), f(71, 67), f(55, 51), f(121, 113), f(91, 81)],
        desc_is_reg: b(48),
        exdesc: &[f(127, 124), f(97, 96), f(65, 64), f(47, 35)],
        exdesc_is_reg: b(49),
        exdesc_subreg: f(42, 40),
        eot: b(34),
        dst_file: b(50),
        src0_file: b(66),
        src1_file: b(98),
        src1_reg: f(111, 104),
        src1_len: f(103, 99),
        ex_bso: b(39),
        cps: b(35),
        serialize: b(33),
        no_src_dep_set: Field::NONE,
    },
};

/// XeHPG: destinations of three-source instructions can begin at any byte.
pub const XEHPG: Layout = Layout {
    dst3: Dst3Fields {
        subreg: f(55, 51),
        subreg_scale: 1,
        ..GEN12.dst3
    },
    ..GEN12
};

/// XeHPC and Xe2: a ten-bit scoreboard field moves the control bits up, and sub-registers count
/// words, because registers are 64 bytes.
pub const XEHPC: Layout = Layout {
    swsb: f(17, 8),
    exec_size: f(20, 18),
    channel_offset: f(25, 24),
    channel_unit: 8,
    flag_reg: f(23, 22),
    flag_subreg: b(21),
    pred_control: f(27, 26),
    acc_wr_en: Field::NONE,
    subreg_unit: 2,
    dst: DstFields {
        subreg_odd: b(33),
        addr_imm: &[f(59, 50), b(33)],
        ..GEN12.dst
    },
    src: [
        SrcFields {
            vstride: f(86, 84),
            subreg_odd: b(87),
            addr_imm: &[f(75, 66), b(87)],
            ..GEN12_SRC0
        },
        SrcFields {
            vstride: f(118, 116),
            addr_imm_unit: 2,
            ..GEN12_SRC1
        },
    ],
    send: SendFields {
        serialize: Field::NONE,
        ..GEN12.send
    },
    ..XEHPG
};
