//! The encoder: what all formats share, and the formats of one and two sources.

use devinfo::{Family, for_family};

use crate::code::EncodeError;
use crate::code::bits::{Field, Overflow, Split, Word};
use crate::code::compact::{self, LastDword};
use crate::code::families::FAMILIES;
use crate::code::family::FamilyTable;
use crate::code::layout::Layout;
use crate::code::odd::OddBits;
use crate::code::swsb::{self, SwsbClass, SwsbEncoding};
use crate::disasm::print::OPTION_NAMES;
use crate::model::{
    ArfKind, Attributes, CondMod, Dst, Format, Instruction, Opcode, Options, PredControl, RegFile,
    Specific, Src, SyncFunction,
};

type Result<T> = core::result::Result<T, EncodeError>;

/// Encodes an instruction: 16 bytes, or 8 with [`crate::Options::COMPACTED`]. The length is
/// returned with the bytes; the rest is 0.
///
/// # Errors
/// [`EncodeError`] names the operand or field that `family` cannot express.
pub fn encode(family: Family, instruction: &Instruction) -> Result<([u8; 16], usize)> {
    of_family(family, instruction, Size::Asked)
}

/// Encodes an instruction in the 8-byte form if it has one, otherwise in the 16-byte form.
///
/// # Errors
/// As [`encode`].
pub fn encode_shortest(family: Family, instruction: &Instruction) -> Result<([u8; 16], usize)> {
    of_family(family, instruction, Size::Shortest)
}

/// Encodes an instruction as [`encode`] does, with odd bits.
///
/// # Errors
/// As [`encode`].
pub(crate) fn encode_with(
    family: Family,
    instruction: &Instruction,
    odd: &OddBits,
) -> Result<([u8; 16], usize)> {
    of_family(family, instruction, Size::AskedWith(odd))
}

/// The form to encode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Size<'a> {
    /// What [`Options::COMPACTED`] says.
    Asked,
    /// The same, with odd bits.
    AskedWith(&'a OddBits),
    /// The 8-byte form if there is one, even if it is not asked for.
    Shortest,
}

fn of_family(
    family: Family,
    instruction: &Instruction,
    size: Size<'_>,
) -> Result<([u8; 16], usize)> {
    for_family!(family, N => Encoder::<N>::encode(instruction, size))
}

/// The encoder of family number `N`. As in the decoder, the tables are constants of the instance.
pub(super) struct Encoder<'a, const N: usize> {
    pub(super) input: &'a Instruction,
    pub(super) word: Word,
    /// The operands have math macro registers.
    pub(super) is_macro: bool,
}

impl<'a, const N: usize> Encoder<'a, N> {
    pub(super) const TABLE: &'static FamilyTable = &FAMILIES[N];
    pub(super) const LAYOUT: &'static Layout = &FAMILIES[N].layout;

    fn encode(input: &'a Instruction, size: Size<'_>) -> Result<([u8; 16], usize)> {
        let mut encoder = Self {
            input,
            word: Word(0),
            is_macro: match input.specific {
                Specific::Math(function) => function.is_macro(),
                _ => input.opcode.has(Attributes::MACRO),
            },
        };
        encoder.instruction()?;
        if let Size::AskedWith(odd) = size {
            encoder.word = odd.apply(encoder.word);
        }
        if input.options.contains(Options::COMPACTED) {
            return Ok((encoder.compact(size)?.0.to_le_bytes(), 8));
        }
        if size == Size::Shortest
            && Self::TABLE
                .options(input.opcode)
                .contains(Options::COMPACTED)
            && let Ok(short) = encoder.compact(size)
        {
            return Ok((short.0.to_le_bytes(), 8));
        }
        Ok((encoder.word.0.to_le_bytes(), 16))
    }

    pub(super) fn cannot<T>(&self, field: &'static str, value: u64) -> Result<T> {
        Err(EncodeError::Field {
            family: Self::TABLE.family,
            opcode: self.input.opcode,
            field,
            value,
        })
    }

    /// Like [`Self::cannot`], for what text gives as a decimal number.
    pub(super) fn number<T>(
        &self,
        field: &'static str,
        value: u8,
        allowed: &'static str,
    ) -> Result<T> {
        Err(EncodeError::Number {
            family: Self::TABLE.family,
            opcode: self.input.opcode,
            field,
            value: u64::from(value),
            allowed,
        })
    }

    pub(super) fn form<T>(&self, field: &'static str) -> Result<T> {
        Err(EncodeError::Form {
            family: Self::TABLE.family,
            opcode: self.input.opcode,
            field,
        })
    }

    #[inline(always)]
    pub(super) fn set(&mut self, name: &'static str, field: Field, value: u64) -> Result<()> {
        match self.word.put(field, value) {
            Ok(()) => Ok(()),
            Err(Overflow(value)) => self.cannot(name, value),
        }
    }

    #[inline(always)]
    pub(super) fn scatter(&mut self, name: &'static str, split: Split, value: u64) -> Result<()> {
        match self.word.scatter(split, value) {
            Ok(()) => Ok(()),
            Err(Overflow(value)) => self.cannot(name, value),
        }
    }

    fn compact(&self, size: Size<'_>) -> Result<Word> {
        let opcode = self.input.opcode;
        let fail = |why| EncodeError::NotCompactable { opcode, why };
        let tables = Self::TABLE.compaction;
        let form = tables
            .form(opcode.format())
            .ok_or(fail("the format has none"))?;
        let mut last = match (opcode.format(), self.input.src[1]) {
            (Format::Unary | Format::Binary | Format::Math, Src::None)
                if tables.ignores_unused && !matches!(size, Size::AskedWith(_)) =>
            {
                LastDword::Unused
            }
            _ => LastDword::Source1,
        };
        if !matches!(opcode.format(), Format::Ternary | Format::Dpas) {
            for src in &self.input.src {
                if let Src::Immediate { ty, .. } = *src {
                    let imm = self.word.get32(Self::LAYOUT.imm32);
                    if ty.bits() == 64 {
                        return Err(fail("a 64-bit immediate"));
                    }
                    let short = tables.imm_coding.shorten(ty, imm);
                    let short = short.ok_or(fail("the immediate needs more bits"))?;
                    last = LastDword::Immediate(short);
                }
            }
        }
        let mut word = compact::compact(form, tables.imm, self.word, last).map_err(fail)?;
        if word.set(Self::LAYOUT.compacted, 1).is_err() {
            return Err(fail("the family has none"));
        }
        Ok(word)
    }

    pub(super) fn instruction(&mut self) -> Result<()> {
        let input = self.input;
        let family = Self::TABLE.family;
        let opcode = input.opcode;
        let Some(code) = Self::TABLE.code(opcode) else {
            return Err(EncodeError::Opcode { family, opcode });
        };
        self.word = Word(u128::from(code));
        self.nothing_is_left_out()?;
        self.controls()?;
        match opcode.format() {
            Format::Nullary => Ok(()),
            Format::Unary => self.basic(1),
            Format::Binary => self.basic(2),
            Format::Math => self.math(),
            Format::Ternary => self.ternary(),
            Format::Dpas => self.dpas(),
            Format::Sync => self.sync(),
            Format::Wait => self.wait(),
            Format::Send => self.send(),
            Format::JumpUnary
            | Format::JumpJip
            | Format::JumpJipUip
            | Format::JumpBrc
            | Format::Call
            | Format::Ret => self.jump(),
        }
    }

    /// Everything without a field in the format must be as in [`Instruction::new`]. The format's
    /// own function checks its operands.
    #[inline(always)]
    fn nothing_is_left_out(&self) -> Result<()> {
        let input = self.input;
        let opcode = input.opcode;
        let wrong = input.options.difference(Self::TABLE.options(opcode));
        if !wrong.is_empty() {
            return self.option(wrong);
        }
        let format = opcode.format();
        let (has_dst, has_controls) = match format {
            Format::Unary | Format::Binary | Format::Ternary | Format::Math => (true, true),
            Format::Dpas | Format::Send | Format::Call | Format::Wait => (true, false),
            Format::Nullary => {
                let bare = Instruction {
                    options: input.options,
                    swsb: input.swsb,
                    ..Instruction::new(opcode)
                };
                return if bare == *input {
                    Ok(())
                } else {
                    self.form("operands")
                };
            }
            _ => (false, false),
        };
        if !has_controls && input.saturate {
            return self.form("Saturate");
        }
        if !has_controls && input.cond.is_some() {
            return self.form("CondModifier");
        }
        if !has_dst && input.dst != Dst::None {
            return self.form("Dst");
        }
        let has_specific = match format {
            Format::Unary | Format::Binary | Format::Wait => false,
            Format::Ternary => opcode == Opcode::Bfn,
            _ => return Ok(()),
        };
        let fits = match input.specific {
            Specific::None => !has_specific,
            Specific::Bfn(_) => has_specific,
            _ => false,
        };
        if fits { Ok(()) } else { self.form("function") }
    }

    #[cold]
    fn option<T>(&self, wrong: Options) -> Result<T> {
        let name = OPTION_NAMES
            .iter()
            .find(|(option, _)| wrong.contains(*option));
        Err(EncodeError::Option {
            family: Self::TABLE.family,
            opcode: self.input.opcode,
            option: name.map_or("", |(_, name)| name),
        })
    }

    pub(super) fn controls(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let input = self.input;
        let class = SwsbClass::of(input.opcode);
        match swsb::encode(Self::TABLE.swsb, class, input.swsb) {
            Some(bits) if Self::TABLE.swsb != SwsbEncoding::None => {
                self.set("SWSB", l.swsb, bits)?;
            }
            Some(_) => {}
            None => return self.form("SWSB"),
        }
        for (field, option, name) in [
            (l.breakpoint, Options::BREAKPOINT, "Breakpoint"),
            (l.no_dd_clr, Options::NO_DD_CLR, "NoDDClr"),
            (l.no_dd_chk, Options::NO_DD_CHK, "NoDDChk"),
        ] {
            self.set(name, field, u64::from(input.options.contains(option)))?;
        }
        let thread_control = match (
            input.options.contains(Options::ATOMIC),
            input.options.contains(Options::SWITCH),
            input.options.contains(Options::NO_PREEMPT),
        ) {
            (false, false, false) => 0,
            (true, false, false) => 1,
            (false, true, false) => 2,
            (false, false, true) => 3,
            _ => return self.form("ThreadCtrl"),
        };
        if l.thread_control.exists() {
            self.set("ThreadCtrl", l.thread_control, thread_control)?;
        } else {
            self.set("Atomic", l.atomic, thread_control)?;
        }
        if input.opcode.format() == Format::Nullary {
            return Ok(());
        }
        let size = u64::from(input.exec_size);
        if !size.is_power_of_two() || size > 32 {
            return self.cannot("ExecSize", size);
        }
        self.set("ExecSize", l.exec_size, u64::from(size.trailing_zeros()))?;
        let offset = input.channel_offset;
        if !offset.is_multiple_of(l.channel_unit) {
            return self.cannot("ChanOff", u64::from(offset));
        }
        self.set(
            "ChanOff",
            l.channel_offset,
            u64::from(offset / l.channel_unit),
        )?;
        self.set("MaskCtrl", l.no_mask, u64::from(input.no_mask))?;
        self.set("FlagReg", l.flag_reg, u64::from(input.flag.register))?;
        self.set(
            "FlagSubReg",
            l.flag_subreg,
            u64::from(input.flag.subregister),
        )?;
        self.predicate()
    }

    #[inline(always)]
    pub(super) fn predicate(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let Some(predicate) = self.input.predicate else {
            return Ok(());
        };
        if !self.input.opcode.has(Attributes::PREDICATE) {
            return self.form("PredCtrl");
        }
        let align16 =
            Self::TABLE.align16 && (self.is_macro || self.input.opcode.format() == Format::Ternary);
        if align16 && !predicate.control.is_of_align16() {
            return self.form("PredCtrl");
        }
        let group = |n: u8| {
            ((2..=32).contains(&n) && n.is_power_of_two())
                .then(|| u64::from(n.trailing_zeros() - 1) * 2 + 4)
        };
        let short = l.pred_control.width() == 2;
        let code = match predicate.control {
            PredControl::Sequential => Some(1),
            PredControl::Any if short => Some(2),
            PredControl::All if short => Some(3),
            PredControl::AnyV if !short => Some(2),
            PredControl::AllV if !short => Some(3),
            PredControl::AnyH(n) if !short => group(n),
            PredControl::AllH(n) if !short => group(n).map(|code| code + 1),
            _ => None,
        };
        let Some(code) = code else {
            return self.form("PredCtrl");
        };
        self.set("PredCtrl", l.pred_control, code)?;
        self.set("PredInv", l.pred_inverse, u64::from(predicate.inverse))
    }

    #[inline(always)]
    pub(super) fn arithmetic_controls(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let input = self.input;
        if input.saturate && !Self::TABLE.has(input.opcode, Attributes::SATURATION) {
            return self.form("Saturate");
        }
        self.set("Saturate", l.saturate, u64::from(input.saturate))?;
        let acc = input.options.contains(Options::ACC_WR_EN);
        self.set("AccWrEn", l.acc_wr_en, u64::from(acc))
    }

    #[inline(always)]
    pub(super) fn cond(&mut self) -> Result<()> {
        match self.input.cond {
            None => Ok(()),
            Some(CondMod::Eo) => self.form("CondModifier"),
            Some(_) if !self.input.opcode.has(Attributes::CONDITION) => self.form("CondModifier"),
            Some(cond) => self.set("CondModifier", Self::LAYOUT.cond, cond as u64),
        }
    }

    pub(super) fn basic(&mut self, sources: usize) -> Result<()> {
        let l = Self::LAYOUT;
        let sources = if sources == 2 && Self::TABLE.is_unary(self.input.opcode) {
            1
        } else {
            sources
        };
        self.arithmetic_controls()?;
        self.cond()?;
        self.dst(&l.dst)?;
        self.sources(sources)
    }

    /// The first `count` sources of the one- and two-source formats: only the last may be an
    /// immediate, because it replaces everything after it.
    fn sources(&mut self, count: usize) -> Result<()> {
        let [fields0, fields1] = &Self::LAYOUT.src;
        let [src0, src1, _] = &self.input.src;
        let [name0, name1, _] = SRC_NAMES;
        if count > 1 && matches!(src0, Src::Immediate { .. }) {
            return self.form(name0);
        }
        self.src(fields0, src0, name0)?;
        if count > 1 {
            self.src(fields1, src1, name1)?;
        }
        self.no_more_sources(count)
    }

    pub(super) fn no_more_sources(&self, sources: usize) -> Result<()> {
        for (src, name) in self.input.src.iter().zip(SRC_NAMES).skip(sources) {
            if *src != Src::None {
                return self.form(name);
            }
        }
        Ok(())
    }

    pub(super) fn math(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let Specific::Math(function) = self.input.specific else {
            return self.form("MathFC");
        };
        if !Self::TABLE.math_functions.contains(&Some(function)) {
            return self.form("MathFC");
        }
        self.arithmetic_controls()?;
        // The macros' condition modifier is implied.
        match self.input.cond {
            None => {}
            Some(CondMod::Eo) if function.is_macro() => {}
            Some(_) => return self.form("CondModifier"),
        }
        self.dst(&l.dst)?;
        if function.is_macro() && Self::TABLE.align16 {
            self.set("AccessMode", l.access_mode, 1)?;
        }
        self.set("MathFC", l.function, function as u64)?;
        self.sources(function.sources())
    }

    pub(super) fn sync(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let Specific::Sync(function) = self.input.specific else {
            return self.form("SyncFC");
        };
        if !Self::TABLE.sync_functions.contains(&Some(function)) {
            return self.form("SyncFC");
        }
        self.set("SyncFC", l.function, function as u64)?;
        self.set("Dst.HorzStride", l.dst.hstride, 1)?;
        // Immediates are masks of tokens; a barrier has a number, or a flag that holds it.
        let fits = match (function, self.input.src[0]) {
            (_, Src::None) => true,
            (SyncFunction::AllRd | SyncFunction::AllWr, src) => {
                matches!(src, Src::Immediate { .. })
            }
            (SyncFunction::Bar, src) if Self::TABLE.numbered_barriers => match src {
                Src::Direct { reg, .. } => reg.file == RegFile::Arf(ArfKind::Flag),
                src => matches!(src, Src::Immediate { .. }),
            },
            _ => false,
        };
        if !fits {
            return self.form(SRC_NAMES[0]);
        }
        if self.input.src[0] != Src::None {
            self.src(&l.src[0], &self.input.src[0], SRC_NAMES[0])?;
        }
        self.no_more_sources(1)
    }

    pub(super) fn wait(&mut self) -> Result<()> {
        let l = Self::LAYOUT;
        let acc = self.input.options.contains(Options::ACC_WR_EN);
        self.set("AccWrEn", l.acc_wr_en, u64::from(acc))?;
        self.dst(&l.dst)?;
        self.src(&l.src[0], &self.input.src[0], SRC_NAMES[0])?;
        self.no_more_sources(1)
    }
}

pub(super) const SRC_NAMES: [&str; 3] = ["Src0", "Src1", "Src2"];
