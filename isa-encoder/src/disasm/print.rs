//! One instruction as text.

use alloc::string::String;
use core::fmt::Write;

use devinfo::Family;

use super::float;
use crate::code::{SendForm, traits};
use crate::model::{
    ArfKind, Attributes, CondMod, Descriptor, Dst, Format, Instruction, Options, Pipe, PredControl,
    RegFile, Region, Register, Send, Specific, Src, Swsb, TokenMode, Type, VStride,
};

/// Where a branch goes: a label or, if there is none, a distance.
pub trait Targets {
    /// Writes the target that is `distance` bytes from the current instruction.
    fn write(&self, out: &mut String, distance: i32);
}

/// Targets as plain distances.
#[derive(Clone, Copy, Debug)]
pub struct Distances;

impl Targets for Distances {
    fn write(&self, out: &mut String, distance: i32) {
        let _ = write!(out, "{distance}");
    }
}

/// The columns at which parts begin, as IGA lays them out.
const MNEMONIC_COLUMN: usize = 8;
const FLAG_COLUMN: usize = 22;
const DST_COLUMN: usize = 33;

/// Appends `instruction`, without a line end.
pub fn instruction(
    out: &mut String,
    family: Family,
    instruction: &Instruction,
    targets: &impl Targets,
) {
    Printer::new(out, family, instruction).print(targets);
}

pub(super) struct Printer<'a> {
    pub(super) out: &'a mut String,
    start: usize,
    family: Family,
    input: &'a Instruction,
}

impl<'a> Printer<'a> {
    pub(super) fn new(out: &'a mut String, family: Family, input: &'a Instruction) -> Self {
        Self {
            start: out.len(),
            out,
            family,
            input,
        }
    }

    /// Fills with spaces up to `column`, with at least one space.
    fn column(&mut self, column: usize) {
        const SPACES: &str = "                                        ";
        let at = self.out.len() - self.start;
        let fill = column.saturating_sub(at).clamp(1, SPACES.len());
        self.out.push_str(&SPACES[..fill]);
    }

    fn number(&mut self, value: u32) {
        decimal(self.out, u64::from(value));
    }

    /// What comes before the mnemonic.
    pub(super) fn in_front(&mut self) {
        self.predicate();
        let at = self.out.len() - self.start;
        self.column(MNEMONIC_COLUMN.max(at + 1));
    }

    /// ` (16|M0)`
    pub(super) fn channels(&mut self) {
        self.out.push_str(" (");
        self.number(u32::from(self.input.exec_size));
        self.out.push_str("|M");
        self.number(u32::from(self.input.channel_offset));
        self.out.push(')');
    }

    fn print(&mut self, targets: &impl Targets) {
        let input = self.input;
        self.in_front();
        self.mnemonic();
        let format = input.opcode.format();
        if format == Format::Nullary {
            self.options();
            return;
        }
        if format != Format::Sync {
            self.channels();
        }
        if let Some(cond) = input.cond {
            self.column(FLAG_COLUMN);
            self.out.push('(');
            self.out.push_str(cond_name(cond));
            self.out.push(')');
            self.flag();
        }
        self.column(DST_COLUMN);
        match format {
            Format::Send => self.send(),
            Format::Sync => self.sync(),
            Format::JumpUnary
            | Format::JumpJip
            | Format::JumpJipUip
            | Format::JumpBrc
            | Format::Call
            | Format::Ret => self.jump(targets),
            _ => self.operands(),
        }
        self.options();
    }

    fn predicate(&mut self) {
        let input = self.input;
        if !input.no_mask && input.predicate.is_none() {
            return;
        }
        self.out.push('(');
        if input.no_mask {
            self.out.push('W');
        }
        if let Some(predicate) = input.predicate {
            if input.no_mask {
                self.out.push('&');
            }
            if predicate.inverse {
                self.out.push('~');
            }
            self.flag();
            match predicate.control {
                PredControl::Sequential => {}
                PredControl::AnyV => self.out.push_str(".anyv"),
                PredControl::AllV => self.out.push_str(".allv"),
                PredControl::Any => self.out.push_str(".any"),
                PredControl::All => self.out.push_str(".all"),
                PredControl::AnyH(n) => {
                    let _ = write!(self.out, ".any{n}h");
                }
                PredControl::AllH(n) => {
                    let _ = write!(self.out, ".all{n}h");
                }
            }
        }
        self.out.push(')');
    }

    fn flag(&mut self) {
        let flag = self.input.flag;
        self.out.push('f');
        self.number(u32::from(flag.register));
        self.out.push('.');
        self.number(u32::from(flag.subregister));
    }

    fn mnemonic(&mut self) {
        let input = self.input;
        self.out.push_str(input.opcode.mnemonic());
        match input.specific {
            Specific::Math(function) => {
                self.out.push('.');
                self.out.push_str(function.mnemonic());
            }
            Specific::Sync(function) => {
                self.out.push('.');
                self.out.push_str(function.mnemonic());
            }
            Specific::Branch(branch) if branch.control => self.out.push_str(".b"),
            Specific::Send(send) if traits(self.family).send != SendForm::Legacy => {
                if let Some(sfid) = send.sfid {
                    self.out.push('.');
                    self.out.push_str(sfid.mnemonic());
                }
            }
            Specific::Dpas(dpas) => {
                let _ = write!(self.out, ".{}x{}", dpas.depth, dpas.repeat);
            }
            Specific::Bfn(table) => {
                let _ = write!(self.out, ".0x{table:02X}");
            }
            _ => {}
        }
    }

    fn operands(&mut self) {
        let input = self.input;
        if input.opcode.format() != Format::Wait {
            self.dst();
        }
        for (i, src) in input.src.iter().enumerate() {
            if *src == Src::None {
                break;
            }
            self.out.push_str("  ");
            self.src(i, src);
        }
    }

    /// A register with its sub-register in elements of `ty`.
    pub(super) fn register(&mut self, reg: Register, ty: Option<Type>) {
        self.register_name(reg);
        let has_subreg = match reg.file {
            RegFile::Grf => true,
            RegFile::Arf(kind) => kind.has_subregister(),
        };
        if let Some(ty) = ty
            && (has_subreg || reg.byte != 0)
        {
            self.out.push('.');
            let unit = traits(self.family).subregister_bits(reg.file, ty);
            self.number(u32::from(reg.byte) * 8 / unit);
        }
    }

    fn register_name(&mut self, reg: Register) {
        match reg.file {
            RegFile::Grf => {
                self.out.push('r');
                self.number(u32::from(reg.number));
            }
            RegFile::Arf(kind) => {
                let table = traits(self.family);
                if kind == ArfKind::Accumulator
                    && table.names_math_macros
                    && let Some(number) = reg.number.checked_sub(table.first_math_macro)
                {
                    self.out.push_str(ArfKind::MathMacro.name());
                    self.number(u32::from(number));
                    return;
                }
                self.out.push_str(kind.name());
                if kind.has_number() || reg.number != 0 {
                    self.number(u32::from(reg.number));
                }
            }
        }
    }

    fn dst(&mut self) {
        let input = self.input;
        if input.saturate {
            self.out.push_str("(sat)");
        }
        let is_dpas = input.opcode.format() == Format::Dpas;
        match input.dst {
            Dst::None => {}
            Dst::Direct { reg, hstride, ty } => {
                let plain = is_dpas && reg.byte == 0;
                self.register(reg, (!plain).then_some(ty));
                if !is_dpas {
                    self.dst_stride(hstride);
                }
                self.ty(ty);
            }
            Dst::Indirect {
                subreg,
                offset,
                hstride,
                ty,
            } => {
                self.indirect(subreg, offset);
                self.dst_stride(hstride);
                self.ty(ty);
            }
            Dst::Macro {
                reg,
                mme,
                hstride,
                ty,
            } => {
                self.register_name(reg);
                self.mme(mme);
                if hstride != traits(self.family).macro_stride(input.opcode) {
                    self.dst_stride(hstride);
                }
                self.ty(ty);
            }
        }
    }

    fn dst_stride(&mut self, hstride: u8) {
        self.out.push('<');
        self.number(u32::from(hstride));
        self.out.push('>');
    }

    fn ty(&mut self, ty: Type) {
        self.out.push(':');
        self.out.push_str(ty.suffix());
    }

    fn mme(&mut self, mme: Option<u8>) {
        match mme {
            Some(mme) => {
                let _ = write!(self.out, ".mme{mme}");
            }
            None => self.out.push_str(".nomme"),
        }
    }

    fn indirect(&mut self, subreg: u8, offset: i16) {
        self.out.push_str("r[a0.");
        self.number(u32::from(subreg));
        if offset != 0 {
            let _ = write!(self.out, ",{offset}");
        }
        self.out.push(']');
    }

    fn src(&mut self, index: usize, src: &Src) {
        let input = self.input;
        let mods = src.mods();
        if mods.neg {
            self.out.push(if input.opcode.has(Attributes::BITWISE) {
                '~'
            } else {
                '-'
            });
        }
        if mods.abs {
            self.out.push_str("(abs)");
        }
        match *src {
            Src::None => {}
            Src::Direct {
                reg, region, ty, ..
            } => {
                let is_dpas = input.opcode.format() == Format::Dpas;
                let plain = is_dpas && index < 2 && reg.byte == 0;
                self.register(reg, (!plain).then_some(ty));
                if !is_dpas {
                    self.region(index, region);
                }
                self.ty(ty);
            }
            Src::Indirect {
                subreg,
                offset,
                region,
                ty,
                ..
            } => {
                self.indirect(subreg, offset);
                self.region(index, region);
                self.ty(ty);
            }
            Src::Immediate { value, ty } => {
                immediate(self.out, value, ty);
                self.ty(ty);
            }
            Src::Macro {
                reg,
                mme,
                region,
                ty,
                ..
            } => {
                self.register_name(reg);
                self.mme(mme);
                if region != traits(self.family).macro_region(input, index, ty) {
                    self.region(index, region);
                }
                self.ty(ty);
            }
        }
    }

    fn region(&mut self, index: usize, region: Region) {
        let ternary = self.input.opcode.format() == Format::Ternary;
        self.out.push('<');
        match region.vstride {
            VStride::Elements(vstride) => {
                self.number(u32::from(vstride));
                if ternary {
                    if index < 2 {
                        self.out.push(';');
                        self.number(u32::from(region.hstride));
                    }
                    self.out.push('>');
                    return;
                }
                self.out.push(';');
            }
            VStride::PerRow => {}
        }
        self.number(u32::from(region.width));
        self.out.push(',');
        self.number(u32::from(region.hstride));
        self.out.push('>');
    }

    fn sync(&mut self) {
        match self.input.src[0] {
            Src::None => self.out.push_str("null"),
            Src::Immediate {
                value,
                ty: Type::Ud,
            } if value != 0
                && matches!(self.input.specific, Specific::Sync(f) if f.takes_tokens()) =>
            {
                let mut separator = '(';
                for token in 0..32 {
                    if value >> token & 1 != 0 {
                        self.out.push(separator);
                        self.out.push('$');
                        self.number(token);
                        separator = ',';
                    }
                }
                self.out.push(')');
            }
            src => self.src(0, &src),
        }
    }

    fn jump(&mut self, targets: &impl Targets) {
        let input = self.input;
        let Specific::Branch(branch) = input.specific else {
            return;
        };
        let typed = traits(self.family).legacy_jumps;
        if let Dst::Direct { reg, ty, .. } = input.dst
            && !typed
        {
            self.register(reg, Some(ty));
            self.out.push_str("  ");
        } else if input.dst != Dst::None {
            self.dst();
            self.out.push_str("  ");
        }
        if let Src::Direct {
            reg, ty, region, ..
        } = input.src[0]
        {
            self.register(reg, Some(ty));
            if typed {
                self.region(0, region);
                self.ty(ty);
            }
        }
        if let Some(jip) = branch.jip {
            targets.write(self.out, jip);
            if let Some(uip) = branch.uip {
                self.out.push_str("  ");
                let start = self.out.len();
                targets.write(self.out, uip);
                // Without parentheses the sign would turn the two into a difference.
                if self.out[start..].starts_with('-') {
                    self.out.insert(start, '(');
                    self.out.push(')');
                }
            }
        }
    }

    fn send(&mut self) {
        let input = self.input;
        let Specific::Send(send) = input.specific else {
            return;
        };
        let form = traits(self.family).send;
        let typed = form == SendForm::Legacy;
        match input.dst {
            Dst::Direct { reg, ty, .. } => {
                self.register(reg, None);
                if typed {
                    self.ty(ty);
                }
            }
            _ => self.dst(),
        }
        for (i, src) in input.src.iter().enumerate() {
            if matches!(src, Src::Indirect { .. }) {
                self.out.push_str("  ");
                self.src(i, src);
            }
            if let Src::Direct {
                reg, ty, region, ..
            } = *src
            {
                self.out.push_str("  ");
                if input.gathers() {
                    let _ = write!(self.out, "r[s0.{}]", reg.byte);
                    continue;
                }
                self.register(reg, None);
                if typed && region != Region::SCALAR {
                    self.region(i, region);
                }
                if i == 1
                    && let Some(length) = send.src1_len
                    && form == SendForm::LengthInInstruction
                {
                    self.out.push(':');
                    self.number(u32::from(length));
                }
                if typed && i == 0 && ty != Type::Ud {
                    self.ty(ty);
                }
            }
        }
        self.out.push_str("  ");
        self.exdesc(&send);
        self.out.push_str("  ");
        match send.desc {
            Descriptor::Immediate(desc) => {
                let _ = write!(self.out, "0x{desc:08X}");
            }
            Descriptor::Register { subreg } => {
                let _ = write!(self.out, "a0.{subreg}");
            }
        }
    }

    fn exdesc(&mut self, send: &Send) {
        match send.exdesc {
            Descriptor::Immediate(exdesc) => {
                let low = traits(self.family).exdesc_low_bits(send);
                let _ = write!(self.out, "0x{:X}", exdesc | low);
            }
            Descriptor::Register { subreg } => {
                if send.exdesc_offset != 0 {
                    let _ = write!(self.out, "0x{:X}:", send.exdesc_offset);
                }
                let _ = write!(self.out, "a0.{subreg}");
            }
        }
    }

    pub(super) fn options(&mut self) {
        let input = self.input;
        let mut separator = " {";
        let mut put = |out: &mut String, text: &str| {
            out.push_str(separator);
            out.push_str(text);
            separator = ",";
        };
        for (option, text) in OPTION_NAMES {
            if input.options.contains(*option) {
                put(self.out, text);
            }
        }
        if let Specific::Send(send) = input.specific {
            for (set, text) in [(send.ex_bso, "ExBSO"), (send.cps, "CPS"), (send.eot, "EOT")] {
                if set {
                    put(self.out, text);
                }
            }
        }
        if input.swsb != Swsb::NONE {
            if input.swsb.no_acc_set {
                put(self.out, "NoAccSBSet");
            }
            if let Some((pipe, distance)) = input.swsb.distance {
                put(self.out, pipe_prefix(pipe));
                self.out.push((b'0' + (distance & 7)) as char);
            }
            if let Some(token) = input.swsb.token {
                put(self.out, "$");
                decimal(self.out, u64::from(token.id));
                self.out.push_str(match token.mode {
                    TokenMode::Set => "",
                    TokenMode::Src => ".src",
                    TokenMode::Dst => ".dst",
                });
            }
        }
        if separator == "," {
            self.out.push('}');
        }
    }
}

/// Options by their names in text.
pub const OPTION_NAMES: &[(Options, &str)] = &[
    (Options::ACC_WR_EN, "AccWrEn"),
    (Options::ATOMIC, "Atomic"),
    (Options::BREAKPOINT, "Breakpoint"),
    (Options::COMPACTED, "Compacted"),
    (Options::NO_COMPACT, "NoCompact"),
    (Options::NO_DD_CHK, "NoDDChk"),
    (Options::NO_DD_CLR, "NoDDClr"),
    (Options::NO_PREEMPT, "NoPreempt"),
    (Options::NO_SRC_DEP_SET, "NoSrcDepSet"),
    (Options::SWITCH, "Switch"),
    (Options::SERIALIZE, "Serialize"),
];

/// The text before a distance.
pub const fn pipe_prefix(pipe: Pipe) -> &'static str {
    match pipe {
        Pipe::Default => "@",
        Pipe::All => "A@",
        Pipe::Float => "F@",
        Pipe::Int => "I@",
        Pipe::Long => "L@",
        Pipe::Math => "M@",
        Pipe::Scalar => "S@",
    }
}

/// The name of a condition modifier.
pub const fn cond_name(cond: CondMod) -> &'static str {
    match cond {
        CondMod::Eq => "eq",
        CondMod::Ne => "ne",
        CondMod::Gt => "gt",
        CondMod::Ge => "ge",
        CondMod::Lt => "lt",
        CondMod::Le => "le",
        CondMod::Ov => "ov",
        CondMod::Un => "un",
        CondMod::Eo => "eo",
    }
}

fn decimal(out: &mut String, value: u64) {
    if value < 10 {
        out.push((b'0' + value as u8) as char);
        return;
    }
    let mut digits = [0; 20];
    let mut at = digits.len();
    let mut rest = value;
    while rest != 0 {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    for digit in &digits[at..] {
        out.push(*digit as char);
    }
}

fn immediate(out: &mut String, value: u64, ty: Type) {
    let _ = match ty {
        Type::W => write!(out, "{}", value as u16 as i16),
        Type::D => write!(out, "{}", value as u32 as i32),
        Type::Q => write!(out, "{}", value as i64),
        Type::F | Type::Df | Type::Hf => {
            float::write(out, value, ty);
            Ok(())
        }
        Type::V | Type::Uv | Type::Vf => write!(out, "0x{value:08X}"),
        _ => write!(out, "0x{value:X}"),
    };
}
