//! Which pipe an instruction runs in, and how long its results take there.

use devinfo::Family;

use super::access::View;
use crate::code::{SwsbEncoding, effect, is_double_math, traits};
use crate::model::{
    Attributes, Descriptor, Dst, Format, Instruction, Pipe, Sfid, Specific, Src, SyncFunction,
    Token, TokenMode, Type,
};

/// What executes an instruction, as far as order matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Nothing that others could wait for (`sync`).
    None,
    /// A pipe whose instructions finish in order. Gen12LP has one, [`Pipe::Default`], in which
    /// 64-bit instructions take longer.
    InOrder {
        /// The pipe.
        pipe: Pipe,
        /// 64-bit types on Gen12LP.
        long: bool,
    },
    /// A unit that finishes at any time and then frees the instruction's token. Instructions of the
    /// same unit read their sources in order.
    OutOfOrder(OutOfOrder),
}

/// The units behind tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfOrder {
    /// A shared function; shared local memory counts as a separate function behind a data port.
    Send(Option<Sfid>, bool),
    /// Extended math, to XeHPG.
    Math,
    /// The systolic array.
    Dpas,
}

/// How the pipes of a family are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pipes {
    /// One in-order pipe; math out of order (Gen12LP).
    One,
    /// Float, integer, long (any 64-bit operand); math out of order (XeHPG).
    Three,
    /// Float, integer (including 64-bit), long (`:df` results), math (XeHPC, Xe2).
    Four,
    /// The same, and immediates to the scalar register.
    Five,
}

fn pipes(family: Family) -> Option<Pipes> {
    match traits(family).swsb {
        SwsbEncoding::None => None,
        SwsbEncoding::SingleDist => Some(Pipes::One),
        SwsbEncoding::ThreeDist => Some(Pipes::Three),
        SwsbEncoding::FourDist => Some(Pipes::Four),
        SwsbEncoding::FiveDist => Some(Pipes::Five),
    }
}

/// Whether a family has a software scoreboard.
pub fn has_scoreboard(family: Family) -> bool {
    pipes(family).is_some()
}

/// Whether a family has one in-order pipe, which distances do not name.
pub fn is_single(family: Family) -> bool {
    pipes(family) == Some(Pipes::One)
}

/// The unit that executes `instruction`.
///
/// Source: IGA `RegDeps.cpp`, `setDEPPipeClass_*`; IGC `G4_INST::getInstructionPipeXe`; Mesa
/// `inferred_exec_pipe`.
pub fn unit(family: Family, view: View, instruction: &Instruction) -> Unit {
    let Some(pipes) = pipes(family) else {
        return Unit::None;
    };
    let in_order = |pipe| Unit::InOrder { pipe, long: false };
    match instruction.opcode.format() {
        Format::Sync => return Unit::None,
        Format::Send => return Unit::OutOfOrder(send(pipes, view, instruction)),
        Format::Dpas => return Unit::OutOfOrder(OutOfOrder::Dpas),
        Format::Math if matches!(pipes, Pipes::Four | Pipes::Five) => return in_order(Pipe::Math),
        Format::Math => return Unit::OutOfOrder(OutOfOrder::Math),
        _ => {}
    }
    let dst = match instruction.dst {
        Dst::None => instruction.src[0].ty(),
        _ => instruction.dst.ty(),
    };
    let any = |test: fn(Type) -> bool| {
        dst.is_some_and(test) || instruction.src.iter().filter_map(Src::ty).any(test)
    };
    let wide = |ty: Type| ty.bits() == 64;
    match pipes {
        Pipes::One => Unit::InOrder {
            pipe: Pipe::Default,
            long: any(wide),
        },
        _ if instruction.opcode.is_branch() => in_order(Pipe::Int),
        // Meteor Lake runs `:df` in its math unit and marks that with a token; the other platforms
        // of the family lack the type.
        Pipes::Three
            if is_double_math(traits(family).swsb, instruction)
                && (view == View::Worst || sets_token(family, instruction)) =>
        {
            Unit::OutOfOrder(OutOfOrder::Math)
        }
        Pipes::Three if any(wide) => in_order(Pipe::Long),
        Pipes::Five if is_scalar_immediate(instruction) => in_order(Pipe::Scalar),
        Pipes::Four | Pipes::Five if dst == Some(Type::Df) => in_order(Pipe::Long),
        _ if dst.is_some_and(Type::is_float) => in_order(Pipe::Float),
        _ => in_order(Pipe::Int),
    }
}

/// An immediate to the scalar register (IGA `isScalarPipeInst`).
fn is_scalar_immediate(instruction: &Instruction) -> bool {
    let [src0, ..] = &instruction.src;
    let to_scalar = matches!(instruction.dst, Dst::Direct { reg, .. } if reg.is_scalar());
    to_scalar && matches!(src0, Src::Immediate { .. })
}

/// What the token of an annotation does.
pub fn token(family: Family, instruction: &Instruction) -> Option<Token> {
    effect(traits(family).swsb, instruction)
}

fn sets_token(family: Family, instruction: &Instruction) -> bool {
    token(family, instruction).is_some_and(|token| token.mode == TokenMode::Set)
}

/// The function of a send. A data port message with binding table index 0xFE goes to shared local
/// memory (IGA `setSendPipeType`, from XeHPG on; IGC `hasSameFunctionID`, always).
fn send(pipes: Pipes, view: View, instruction: &Instruction) -> OutOfOrder {
    let Some(send) = instruction.send() else {
        return OutOfOrder::Send(None, false);
    };
    let apart = pipes != Pipes::One || view == View::Worst;
    let slm = match (send.sfid, send.desc) {
        _ if !apart => false,
        (Some(Sfid::Slm), _) => true,
        (Some(Sfid::DataPort0), Descriptor::Immediate(desc)) => {
            desc & 0xff == 0xfe && desc & 1 << 18 == 0
        }
        (Some(Sfid::DataPort1), Descriptor::Immediate(desc)) => desc & 0xff == 0xfe,
        _ => false,
    };
    OutOfOrder::Send(send.sfid, slm)
}

/// The pipe whose distances count `instruction`. Where that is not documented
/// ([`Attributes::UNCOUNTED`]), the checker counts it and the annotator does not.
pub fn counts(view: View, instruction: &Instruction, unit: Unit) -> Option<Pipe> {
    let uncounted = instruction.opcode.has(Attributes::UNCOUNTED);
    match unit {
        Unit::InOrder { pipe, .. } if !(uncounted && view == View::Worst) => Some(pipe),
        _ => None,
    }
}

/// The longest [`window`].
pub const LONGEST_WINDOW: u8 = 18;

/// How many instructions of its pipe must follow until a result is available without a wait.
///
/// IGA and Mesa have 10, 14 for 64-bit results and 18 for math; IGC adds one to the first two.
pub fn window(view: View, unit: Unit, instruction: &Instruction) -> u8 {
    let slack = if view == View::Worst { 1 } else { 0 };
    match unit {
        Unit::InOrder {
            pipe: Pipe::Math, ..
        } => LONGEST_WINDOW,
        Unit::InOrder {
            pipe: Pipe::Long, ..
        } => 14 + slack,
        Unit::InOrder { long: true, .. } => 14 + slack,
        // XeHPC has 64-bit integers in the integer pipe.
        Unit::InOrder { .. } if view == View::Worst && wide(instruction) => 15,
        _ => 10 + slack,
    }
}

fn wide(instruction: &Instruction) -> bool {
    instruction.dst.ty().is_some_and(|ty| ty.bits() == 64)
}

/// A set of in-order pipes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipeSet(u8);

impl PipeSet {
    /// Every pipe.
    pub const ALL: PipeSet = PipeSet(0xff);

    /// One pipe.
    pub fn of(pipe: Pipe) -> PipeSet {
        PipeSet(1 << pipe as u8)
    }

    /// Whether `pipe` is in the set.
    pub fn has(self, pipe: Pipe) -> bool {
        self.0 & 1 << pipe as u8 != 0
    }

    /// The only pipe, if there is one.
    fn only(self) -> Option<Pipe> {
        [Pipe::Float, Pipe::Int, Pipe::Long, Pipe::Math]
            .into_iter()
            .find(|pipe| self == PipeSet::of(*pipe))
    }
}

/// The pipes that a distance of `pipe` on `instruction` waits for.
///
/// Without a name it means, from XeHPG on, the pipes that make values of the source operands'
/// types (IGC `setOperandTypeIndicated`, Mesa `inferred_sync_pipe`), and of immediates where it has
/// no other operands (Mesa alone); sends and `sync` have no types and wait for all.
pub fn waits_for(family: Family, instruction: &Instruction, pipe: Pipe) -> PipeSet {
    match pipe {
        Pipe::All => PipeSet::ALL,
        Pipe::Default => operand_pipes(family, instruction),
        named => PipeSet::of(named),
    }
}

/// What the distance on `instruction` waits for: the instruction this far back in these pipes, and all
/// earlier ones.
pub fn distance(family: Family, instruction: &Instruction) -> Option<(PipeSet, u8)> {
    let (pipe, distance) = instruction.swsb.distance?;
    Some((waits_for(family, instruction, pipe), distance))
}

fn operand_pipes(family: Family, instruction: &Instruction) -> PipeSet {
    let Some(pipes) = pipes(family) else {
        return PipeSet::default();
    };
    if pipes == Pipes::One
        || matches!(
            instruction.opcode.format(),
            Format::Sync | Format::Send | Format::Dpas
        )
    {
        return PipeSet::ALL;
    }
    let registers = type_pipes(pipes, instruction, is_register);
    match registers == PipeSet::default() {
        true => type_pipes(pipes, instruction, is_immediate),
        false => registers,
    }
}

fn is_immediate(src: &Src) -> bool {
    matches!(src, Src::Immediate { .. })
}

fn is_register(src: &Src) -> bool {
    src.ty().is_some() && !is_immediate(src)
}

/// The pipes that make values of the types of those sources.
fn type_pipes(pipes: Pipes, instruction: &Instruction, which: fn(&Src) -> bool) -> PipeSet {
    let sources = instruction.src.iter().filter(|src| which(src));
    let mut set = PipeSet::default();
    for ty in sources.filter_map(Src::ty) {
        let long = match pipes {
            Pipes::Four | Pipes::Five => ty == Type::Df,
            Pipes::One | Pipes::Three => ty.bits() == 64,
        };
        let pipe = if long {
            Pipe::Long
        } else if ty.is_float() {
            Pipe::Float
        } else {
            Pipe::Int
        };
        set.0 |= PipeSet::of(pipe).0;
    }
    set
}

/// The one pipe that an unnamed distance on `instruction` certainly means, if there is one.
pub fn unnamed(family: Family, instruction: &Instruction) -> Option<Pipe> {
    if pipes(family) == Some(Pipes::One) {
        return Some(Pipe::Default);
    }
    match instruction.opcode.format() {
        Format::Sync | Format::Send | Format::Dpas => None,
        _ if !instruction.src.iter().any(is_register) => None,
        _ => operand_pipes(family, instruction).only(),
    }
}

/// The tokens of a `sync.allrd` or `sync.allwr`: those of its mask, or all.
pub fn sync_mask(instruction: &Instruction) -> Option<(TokenMode, u32)> {
    let mode = match instruction.specific {
        Specific::Sync(SyncFunction::AllRd) => TokenMode::Src,
        Specific::Sync(SyncFunction::AllWr) => TokenMode::Dst,
        _ => return None,
    };
    let mask = match instruction.src[0] {
        Src::Immediate { value, .. } => value as u32,
        Src::Direct { reg, .. } if !reg.is_null() => 0,
        _ => u32::MAX,
    };
    Some((mode, mask))
}
