//! Selection: machine instructions for the intermediate representation.
//!
//! A value that is the same in all lanes is one element, written by one channel whatever the
//! execution mask. Any other value has an element for each lane, a dword or a qword apart: bytes,
//! words and halves are the low part of a dword whose rest means nothing. A truth value is a dword
//! of ones or zeroes; one whose users are all in its block may be made again where it is used, and
//! only in the flag (`flags.rs`).

mod arith;
mod arrays;
mod barrier;
mod blocks;
mod convert;
mod flags;
mod flow;
mod image;
mod lanes;
mod memory;
mod message;
mod modifiers;
mod payload;
mod reduce;
mod sums;
#[cfg(test)]
mod tests;
mod wide;

use hashbrown::HashMap;
use isa_encoder::{Opcode, Type as M};

use crate::code::{Code, Inst, Operand, Place, Predicate, Var, VarData, What};
use crate::ir::cfg::{Dominators, Loops};
use crate::ir::{Bin, Block, Def, Function, Input, Op, Terminator, Type, Value};
use crate::passes::divergence::Divergence;
use crate::relocate;
use crate::target::Target;

/// Where a value is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loc {
    pub place: Place,
    /// Bytes from lane to lane; 0 if all have the same.
    pub pitch: u32,
}

/// An operation that is part of those that use it, by what these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A sum of three numbers.
    Sum,
    /// Sums and shifts of qwords, which make a dword wider.
    Qword,
    /// A test for zero.
    Test,
    /// Operations whose sources have modifiers.
    Modifier,
}

/// Selects instructions.
pub struct Selector<'a> {
    pub(super) function: &'a Function,
    pub(super) target: &'a Target,
    pub(super) divergence: Divergence,
    pub(super) code: Code,
    locs: Vec<Option<Loc>>,
    /// Truth values that are made in f0 where they are used.
    fused: Vec<bool>,
    /// Operations that are part of those that use them.
    parts: Vec<Option<Part>>,
    /// Local ids that are used as the words that they are.
    short: Vec<bool>,
    /// The truth value that f0 has, for lanes or for one channel.
    flag: Option<(Value, bool)>,
    /// The place of each block in the order.
    places: Vec<usize>,
    /// The phis behind each block, and what they get from there.
    moves: Vec<Vec<(Value, Value)>>,
    /// The block being selected.
    pub(super) block: Block,
    /// Offsets of elements in this block: of which lane, how far apart, of how many.
    offsets: Vec<((Value, u32, u32), Var)>,
    /// Copies of floats in this block whose elements were farther apart than floats go with others.
    near: Vec<(Value, Loc)>,
    pub(super) fixed: HashMap<u32, Var>,
    pub(super) uses_float: bool,
}

/// The instructions of a function.
///
/// # Errors
/// What no instructions are known for.
pub fn select(function: &Function, target: &Target) -> Result<Code, String> {
    let dominators = Dominators::new(function);
    let loops = Loops::new(function, &dominators)
        .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))?;
    let divergence = Divergence::new(function, &loops);
    let mut parts = vec![None; function.values.len()];
    sums::parts(function, target, &mut parts);
    wide::parts(function, target, &mut parts);
    let fused = flags::fused(function, &mut parts);
    modifiers::parts(function, &divergence, &mut parts);
    let mut selector = Selector {
        divergence,
        function,
        target,
        code: Code {
            first_address: relocate::unused(function, function.insts.len() as u32),
            local_ids: target.local_ids(function.local_ids()),
            read_ids: function.local_ids(),
            // Most become one or two.
            insts: Vec::with_capacity(2 * function.insts.len()),
            ..Code::default()
        },
        locs: vec![None; function.values.len()],
        short: short(function, &fused),
        fused,
        parts,
        flag: None,
        places: {
            let mut places = vec![usize::MAX; function.blocks.len()];
            for (place, block) in function.order.iter().enumerate() {
                places[block.index()] = place;
            }
            places
        },
        moves: vec![Vec::new(); function.blocks.len()],
        block: Function::ENTRY,
        offsets: Vec::new(),
        near: Vec::new(),
        fixed: HashMap::new(),
        uses_float: function.values.iter().any(|(ty, _)| ty.is_float()),
    };
    selector.run(&loops)?;
    Ok(selector.code)
}

/// Local ids whose users all take words: beside a dword in a register, or beside a number that keeps what they
/// are in 16 bits or goes to a dword.
fn short(function: &Function, fused: &[bool]) -> Vec<bool> {
    // Also as a word with a sign.
    const MOST: u64 = i16::MAX as u64;
    let mut out = vec![false; function.values.len()];
    for inst in function.listed() {
        if matches!(inst.op, Op::Input(Input::LocalId(_))) {
            out[inst.results[0].index()] = true;
        }
    }
    for inst in function.listed() {
        for (index, arg) in inst.args.iter().enumerate() {
            let takes = match (&inst.op, inst.args.as_slice()) {
                (Op::Bin(Bin::Add | Bin::And | Bin::Or | Bin::Xor) | Op::Icmp(_), [a, b]) => {
                    is_dword(function, if index == 0 { *b } else { *a })
                }
                (Op::Bin(Bin::Sub), [_, b]) => index == 0 && is_dword(function, *b),
                (Op::Bin(Bin::Shl | Bin::LShr), [_, by]) => {
                    index == 0 && function.bits(*by).is_some()
                }
                _ => false,
            };
            let number = inst.args.get(1 - index.min(1));
            let number = number.and_then(|value| function.bits(*value));
            let is_small = number.is_some_and(|bits| bits <= MOST);
            let takes = takes
                || is_small
                    && match inst.op {
                        Op::Bin(Bin::And) => true,
                        Op::Icmp(_) => fused[inst.results[0].index()],
                        _ => false,
                    };
            out[arg.index()] &= takes;
        }
    }
    out
}

/// Whether a value is a dword in a register, and more than a word.
fn is_dword(function: &Function, value: Value) -> bool {
    let source = function.source(value);
    source.is_some_and(|(_, data)| !matches!(data.op, Op::Input(Input::LocalId(_))))
}

/// The machine's type of a value, as an unsigned or a signed number.
pub(super) const fn machine(ty: Type, signed: bool) -> M {
    match (ty, signed) {
        (Type::I1, _) => M::D,
        (Type::I8, false) => M::Ub,
        (Type::I8, true) => M::B,
        (Type::I16, false) => M::Uw,
        (Type::I16, true) => M::W,
        (Type::I32, false) => M::Ud,
        (Type::I32, true) => M::D,
        (Type::I64, false) => M::Uq,
        (Type::I64, true) => M::Q,
        (Type::F16, _) => M::Hf,
        (Type::F32, _) => M::F,
        (Type::F64, _) => M::Df,
    }
}

impl Selector<'_> {
    fn run(&mut self, loops: &Loops) -> Result<(), String> {
        let order = self.function.order.clone();
        self.phis(&order);
        if self.uses_float {
            self.keep_denormals();
        }
        let joins = self.joins(&order);
        for (index, &block) in order.iter().enumerate() {
            self.block = block;
            self.flag = None;
            self.offsets.clear();
            self.near.clear();
            let label = Inst::new(What::Label(block, joins[block.index()]), self.simd());
            self.code.insts.push(label);
            for inst in self.function.blocks[block.index()].insts.clone() {
                let data = &self.function.insts[inst.index()];
                let first = self.code.insts.len();
                self.inst(inst.index()).map_err(|what| match data.at {
                    0 => what,
                    at => format!("{what} (word {at} of the module)"),
                })?;
                self.come_from(data.at, first);
            }
            let first = self.code.insts.len();
            self.terminate(block, order.get(index + 1).copied())?;
            self.come_from(self.place_of_end(block), first);
        }
        self.clear_nothing();
        // Each loop as a range of instructions: where its header begins, and the last block in it ends.
        let mut begins = vec![None; self.function.blocks.len()];
        let mut ends = vec![None; loops.all.len()];
        let mut current = Function::ENTRY;
        for (index, inst) in self.code.insts.iter().enumerate() {
            if let What::Label(block, _) = inst.what {
                current = block;
            }
            begins[current.index()].get_or_insert(index);
            if let Some(inner) = loops.of(current) {
                ends[inner] = Some(index);
            }
        }
        for (index, l) in loops.all.iter().enumerate().rev() {
            if let Some(parent) = l.parent {
                ends[parent] = ends[parent].max(ends[index]);
            }
        }
        for (l, end) in loops.all.iter().zip(ends) {
            if let (Some(begin), Some(end)) = (begins[l.header.index()], end) {
                self.code.loops.push((l.header, begin, end));
            }
        }
        Ok(())
    }

    /// Says which word of the module the code comes from that was made last, from an instruction on.
    fn come_from(&mut self, word: u32, first: usize) {
        for inst in &mut self.code.insts[first..] {
            inst.at = word;
        }
    }

    /// The word of the module that the end of a block comes from: that of what decides it.
    fn place_of_end(&self, block: Block) -> u32 {
        let Terminator::Branch(condition, ..) = self.function.blocks[block.index()].end else {
            return 0;
        };
        let source = self.function.source(condition);
        source.map_or(0, |(_, data)| data.at)
    }

    /// The lanes of the kernel.
    pub(super) fn simd(&self) -> u8 {
        self.target.simd as u8
    }

    /// Whether a value differs from lane to lane.
    pub(super) fn differs(&self, value: Value) -> bool {
        matches!(self.function.def(value), Def::Inst(_)) && self.divergence.differs(value)
    }

    /// Whether a value is part of an operation of a kind.
    fn is_part(&self, value: Value, of: Part) -> bool {
        self.parts[value.index()] == Some(of)
    }

    /// Whether a local id is used as the words that it is.
    pub(super) fn is_short(&self, value: Value) -> bool {
        self.short[value.index()]
    }

    /// A register for a value of a type.
    pub(super) fn storage(&mut self, ty: Type, lanes: bool) -> Loc {
        let bytes = ty.bytes().max(4);
        let (size, align, pitch) = match lanes {
            true => {
                let size = (bytes * self.target.simd).next_multiple_of(self.target.grf());
                (size, self.target.grf(), bytes)
            }
            false => (bytes, bytes, 0),
        };
        let var = self.code.var(size, align);
        Loc {
            place: Place { var, byte: 0 },
            pitch,
        }
    }

    /// The place of a result, made now.
    pub(super) fn result(&mut self, value: Value) -> Loc {
        let loc = self.storage(self.function.ty(value), self.differs(value));
        self.set(value, loc);
        loc
    }

    /// Says where a value is.
    pub(super) fn set(&mut self, value: Value, loc: Loc) {
        self.locs[value.index()] = Some(loc);
    }

    /// Says that all lanes have this one element. Of a value that lanes take out of a loop at different times,
    /// each keeps what it got last.
    pub(super) fn set_once(&mut self, value: Value, from: Loc) {
        if !self.differs(value) {
            self.set(value, from);
            return;
        }
        let ty = self.function.ty(value);
        let to = self.result(value);
        self.copy(to, at(from, raw_type(ty)), ty);
    }

    /// Where a value is, if it is in a register.
    pub(super) fn loc(&self, value: Value) -> Option<Loc> {
        self.locs.get(value.index()).copied().flatten()
    }

    /// A value as a source of a machine type of its size or less.
    pub(super) fn source(&mut self, value: Value, ty: M) -> Result<Operand, String> {
        match self.function.def(value) {
            Def::Const(bits) => Ok(immediate(bits, self.function.ty(value), ty)),
            Def::Undef => Ok(immediate(0, self.function.ty(value), ty)),
            Def::Inst(_) => {
                let loc = self.loc(value);
                let mut loc = loc.ok_or_else(|| format!("v{} has no place", value.0))?;
                if (ty, loc.pitch) == (M::F, 8) {
                    loc = self.nearer(value, loc);
                }
                // Local ids are words.
                Ok(at(loc, if loc.pitch == 2 { M::Uw } else { ty }))
            }
        }
    }

    /// Floats a dword apart, of those that a message of qwords has brought.
    fn nearer(&mut self, value: Value, from: Loc) -> Loc {
        if let Some((_, loc)) = self.near.iter().find(|(known, _)| *known == value) {
            return *loc;
        }
        let to = self.storage(Type::F32, true);
        self.alu(Opcode::Mov, at(to, M::Ud), &[at(from, M::Ud)]);
        self.near.push((value, to));
        to
    }

    /// A source that is no immediate.
    pub(super) fn in_register(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Imm(_, given) => {
                // A short immediate stands for a dword.
                let ty = match given {
                    M::W => M::D,
                    M::Uw => M::Ud,
                    other => other,
                };
                let size = ty.bytes().max(4);
                let var = self.code.var(size, size);
                let loc = Loc {
                    place: Place { var, byte: 0 },
                    pitch: 0,
                };
                let to = at(loc, ty);
                self.one(Opcode::Mov, to, &[operand]);
                to
            }
            other => other,
        }
    }

    /// An instruction of one channel.
    pub(super) fn one(&mut self, opcode: Opcode, dst: Operand, srcs: &[Operand]) {
        self.push_one(What::Alu(opcode), Some(dst), srcs, |_| {});
    }

    pub(super) fn push_one(
        &mut self,
        what: What,
        dst: Option<Operand>,
        srcs: &[Operand],
        more: impl Fn(&mut Inst),
    ) {
        self.raw(what, 1, 0, true, dst, srcs, more);
    }

    /// An instruction as it is.
    #[allow(clippy::too_many_arguments, reason = "the parts of an instruction")]
    pub(super) fn raw(
        &mut self,
        what: What,
        exec: u8,
        from: u8,
        no_mask: bool,
        dst: Option<Operand>,
        srcs: &[Operand],
        more: impl Fn(&mut Inst),
    ) {
        let mut inst = Inst::new(what, exec);
        inst.from = from;
        inst.no_mask = no_mask;
        inst.dst = dst;
        for (place, src) in inst.srcs.iter_mut().zip(srcs) {
            *place = Some(*src);
        }
        more(&mut inst);
        let writes_flag = inst.cond.is_some() && !matches!(what, What::Alu(Opcode::Sel));
        if writes_flag {
            self.flag = None;
        }
        self.code.insts.push(inst);
    }

    /// An operation for the lanes, or for one channel if the destination is the same in all.
    pub(super) fn alu(&mut self, opcode: Opcode, dst: Operand, srcs: &[Operand]) {
        self.apply(What::Alu(opcode), dst, srcs, |_| {});
    }

    pub(super) fn apply(
        &mut self,
        what: What,
        dst: Operand,
        srcs: &[Operand],
        more: impl Fn(&mut Inst),
    ) {
        let lanes = matches!(dst, Operand::Var { stride: 1.., .. });
        if lanes {
            self.lanes(what, Some(dst), srcs, false, more);
        } else {
            self.push_one(what, Some(dst), srcs, more);
        }
    }

    /// An operation for all lanes, in as many instructions as their registers need.
    pub(super) fn lanes(
        &mut self,
        what: What,
        dst: Option<Operand>,
        srcs: &[Operand],
        no_mask: bool,
        more: impl Fn(&mut Inst),
    ) {
        self.some_lanes(what, dst, srcs, no_mask, self.target.simd, more);
    }

    /// An operation for the first `count` lanes.
    pub(super) fn some_lanes(
        &mut self,
        what: What,
        dst: Option<Operand>,
        srcs: &[Operand],
        no_mask: bool,
        count: u32,
        more: impl Fn(&mut Inst),
    ) {
        let grf = self.target.grf();
        let mut chunk = count;
        for operand in dst.iter().chain(srcs) {
            if let Operand::Var {
                place,
                ty,
                stride: stride @ 1..,
                ..
            } = operand
            {
                let pitch = u32::from(*stride) * ty.bytes();
                while chunk > 1 && place.byte % grf + (chunk - 1) * pitch + ty.bytes() > 2 * grf {
                    chunk /= 2;
                }
            }
            if let Operand::Indirect { each: true, .. } = operand {
                chunk = chunk.min(16);
            }
        }
        match what {
            What::Math(function) if function.is_integer() => chunk = chunk.min(8),
            What::Math(_) => chunk = chunk.min(grf / 2),
            _ => {}
        }
        let mut lane = 0;
        while lane < count {
            let here = chunk.min(count - lane);
            let dst = dst.map(|operand| advance(operand, lane));
            let srcs: smallvec::SmallVec<[Operand; 3]> =
                srcs.iter().map(|operand| advance(*operand, lane)).collect();
            self.raw(what, here as u8, lane as u8, no_mask, dst, &srcs, &more);
            lane += here;
        }
    }

    /// Moves whole elements, whatever they are.
    pub(super) fn copy(&mut self, to: Loc, from: Operand, ty: Type) {
        let raw = raw_type(ty);
        let dst = at(to, raw);
        self.alu(Opcode::Mov, dst, &[from]);
    }

    /// A value as a source of whole elements.
    pub(super) fn whole(&mut self, value: Value) -> Result<Operand, String> {
        let raw = raw_type(self.function.ty(value));
        let operand = self.source(value, raw)?;
        // An immediate of 64 bits is two.
        Ok(operand)
    }

    /// A register where something is already.
    pub(super) fn fixed(&mut self, byte: u32, size: u32) -> Var {
        if let Some(var) = self.fixed.get(&byte) {
            return *var;
        }
        self.code.vars.push(VarData {
            size,
            align: 4,
            fixed: Some(byte),
            header: None,
            stays: false,
        });
        let var = Var(self.code.vars.len() as u32 - 1);
        self.fixed.insert(byte, var);
        var
    }

    /// Whether the block runs with all lanes.
    pub(super) fn is_whole(&self) -> bool {
        !self.divergence.is_partial(self.block)
    }

    pub(super) fn when(lanes: &mut Inst) {
        lanes.predicate = Predicate::When;
    }
}

/// The type that moves whole elements.
pub(super) const fn raw_type(ty: Type) -> M {
    match ty.bits() {
        64 => M::Uq,
        _ => M::Ud,
    }
}

/// An operand at a place.
pub(super) const fn at(loc: Loc, ty: M) -> Operand {
    Operand::Var {
        place: loc.place,
        ty,
        stride: (loc.pitch / ty.bytes()) as u8,
        neg: false,
        abs: false,
    }
}

/// The same operand `lanes` further.
pub(super) fn advance(operand: Operand, lanes: u32) -> Operand {
    match operand {
        Operand::Var { ty, stride, .. } => {
            arith::skip(operand, lanes * u32::from(stride) * ty.bytes())
        }
        other => other,
    }
}

/// A constant as an immediate of a machine type.
fn immediate(bits: u64, ty: Type, as_type: M) -> Operand {
    // A truth value is ones or zeroes.
    let number = match ty {
        Type::I1 => -((bits & 1) as i64),
        ty if as_type.is_signed() => ty.signed(bits),
        _ => bits as i64,
    };
    match as_type {
        M::Ub | M::B => Operand::Imm(number, M::W),
        M::D | M::Ud if i16::try_from(number).is_ok() && as_type == M::D => {
            Operand::Imm(number, M::W)
        }
        M::Ud if u16::try_from(number).is_ok() => Operand::Imm(number, M::Uw),
        M::Uw => Operand::Imm(number & 0xffff, M::Uw),
        M::Ud => Operand::Imm(number & 0xffff_ffff, M::Ud),
        other => Operand::Imm(number, other),
    }
}
