//! Arithmetic, comparisons, selections.

use isa_encoder::{ArfKind, CondMod, MathFunction, Opcode, Type as M};

use super::modifiers::is_of_floats;
use super::{Loc, Part, Selector, advance, at, machine};
use crate::code::{Inst, Operand, Place, Predicate, What};
use crate::ir::{Bin, Cond, Def, Input, Op, Type, Un, Value};

impl Selector<'_> {
    /// Selects one instruction.
    pub(super) fn inst(&mut self, index: usize) -> Result<(), String> {
        let data = &self.function.insts[index];
        let args = &data.args;
        let result = data.results.first().copied();
        match (&data.op, result) {
            (Op::Phi(_), _) => Ok(()),
            (_, Some(result)) if self.is_fused(result) => Ok(()),
            (Op::Input(input), Some(result)) => self.input(*input, result),
            (Op::Bin(_) | Op::Un(_), Some(result)) if self.parts[result.index()].is_some() => {
                Ok(())
            }
            (Op::Bin(op), Some(result)) if self.function.ty(result) == Type::I64 => {
                self.wide(*op, [args[0], args[1]], result)
            }
            (Op::Bin(op), Some(result)) => self.bin(*op, args[0], args[1], result),
            (Op::Un(op), Some(result)) => self.un(*op, args[0], result),
            (Op::Fma, Some(result)) => self.fma([args[0], args[1], args[2]], result),
            (Op::DotBytes { first, second }, Some(result)) => {
                self.dot_bytes([*first, *second], [args[0], args[1], args[2]], result)
            }
            (Op::Icmp(_) | Op::Fcmp(_), Some(result)) => {
                let loc = self.result(result);
                self.compare(result, Some(loc), loc.pitch != 0, Predicate::None)
            }
            (Op::Select, Some(result)) => self.choose(args[0], args[1], args[2], result),
            (Op::Convert(how), Some(result)) => self.convert(*how, args[0], result),
            (Op::Pair, Some(result)) => self.pair(args[0], args[1], result),
            (Op::Offset(_), Some(result)) => self.half(args[0], 0, result),
            (Op::Pack, Some(result)) => self.pack(args, result),
            (Op::High, Some(result)) => self.half(args[0], 4, result),
            (Op::Load(access), _) => self.load(*access, args[0], &data.results),
            (Op::Store(access), _) => self.store(*access, args[0], &args[1..]),
            (Op::Atomic(space, op), _) => self.atomic(*space, *op, args, result),
            (Op::AtomicOnce(space, op), _) => self.atomic_once(*space, *op, args, result),
            (Op::BlockLoad(space), _) => self.block_load(*space, args[0], &data.results),
            (Op::BlockStore(space), _) => self.block_store(*space, args[0], &args[1..]),
            (Op::ImageBlockLoad(surface), _) => {
                self.image_block_load(*surface, [args[0], args[1]], &data.results)
            }
            (Op::ImageBlockStore(surface), _) => {
                self.image_block_store(*surface, [args[0], args[1]], &args[2..])
            }
            (Op::ImageLoad { surface, written }, _) => {
                self.image_load(*surface, *written, args, &data.results)
            }
            (Op::ImageSample { surface, sampler }, _) => {
                self.image_sample(*surface, *sampler, args, &data.results)
            }
            (Op::ImageStore(surface), _) => {
                let (coordinates, channels) = args.split_at(args.len() - 4);
                self.image_store(*surface, coordinates, channels)
            }
            (Op::Array { cells }, Some(result)) => {
                self.array(*cells, result);
                Ok(())
            }
            (Op::Element { cell }, Some(result)) => self.element(*cell, args[0], result),
            (Op::ElementAt { cell }, Some(result)) => {
                self.element_at(*cell, [args[0], args[1]], result)
            }
            (Op::SetElement { cell }, _) => self.set_element(*cell, args[0], args[1]),
            (Op::SetElementAt { cell, step, count }, _) => {
                let cells = (0..*count).map(|index| cell + index * step);
                self.set_element_at(cells, [args[0], args[1], args[2]])
            }
            (Op::Barrier, _) => self.barrier(),
            (
                Op::Fence {
                    scope,
                    local,
                    global,
                    image,
                },
                _,
            ) => self.fence(*scope, [*local, *global, *image]),
            (Op::Ballot, Some(result)) => self.ballot(args[0], result),
            (Op::Broadcast, Some(result)) => self.broadcast(args[0], args[1], result),
            (Op::Shuffle, Some(result)) => self.shuffle(args[0], args[1], result),
            (Op::ShuffleTwo, Some(result)) => self.shuffle_two([args[0], args[1]], args[2], result),
            (Op::Reduce(op), _) => self.reduce(*op, args, &data.results),
            (Op::Cluster(op, size), _) => self.cluster(*op, *size, args, &data.results),
            (Op::Scan { op, inclusive }, _) => self.scan(*op, *inclusive, args, &data.results),
            (op, _) => Err(format!("no instructions for {op:?}")),
        }
    }

    pub(super) fn is_fused(&self, value: Value) -> bool {
        self.fused[value.index()]
    }

    /// Sources for an instruction with two: the first is no immediate.
    pub(super) fn two(&mut self, a: Operand, b: Operand) -> [Operand; 2] {
        let a = self.in_register(a);
        let b = match b {
            // Only moves have immediates of 64 bits.
            Operand::Imm(_, ty) if ty.bits() == 64 => self.in_register(b),
            other => other,
        };
        [a, b]
    }

    fn bin(&mut self, op: Bin, a: Value, b: Value, result: Value) -> Result<(), String> {
        if op == Bin::Add && self.sum([a, b], result)? {
            return Ok(());
        }
        let to = self.result(result);
        let ty = self.function.ty(result);
        self.combine(op, ty, to, a, b)
    }

    /// Sources of an operation: machine types, and both values.
    fn combine(&mut self, op: Bin, ty: Type, to: Loc, a: Value, b: Value) -> Result<(), String> {
        let words = op == Bin::Mul && ty == Type::I32 && self.is_word(a) && !self.is_word(b);
        let (a, b) = if self.is_const(a) && op.is_commutative() || words {
            (b, a)
        } else {
            (a, b)
        };
        if matches!(op, Bin::Sub | Bin::FSub) && self.is_const(a) && !self.is_const(b) {
            // The constant comes second, so that it is an immediate.
            let (b, a) = (
                self.operand_of(op, ty, b)?.negated(),
                self.operand_of(op, ty, a)?,
            );
            let srcs = self.two(b, a);
            let (source, _) = operation_types(op, ty);
            self.alu(Opcode::Add, at(to, source), &srcs);
            return Ok(());
        }
        let first = self.operand_of(op, ty, a)?;
        let second = match op {
            Bin::Mul if ty == Type::I32 && self.is_word(b) => {
                let word = self.source(b, M::Ud)?;
                retype(word, M::Uw)
            }
            Bin::Shl | Bin::LShr | Bin::AShr | Bin::Rol => self.source(b, M::Ud)?,
            _ => self.operand_of(op, ty, b)?,
        };
        let [first, second] = self.two(first, second);
        self.operate(op, ty, to, first, second, false)
    }

    /// A source of an operation, with the modifiers that it takes.
    fn operand_of(&mut self, op: Bin, ty: Type, value: Value) -> Result<Operand, String> {
        let (source, _) = operation_types(op, ty);
        match op {
            Bin::And | Bin::Or | Bin::Xor if ty == Type::I32 => self.bitwise_source(value),
            _ if is_of_floats(op) => self.float_source(value, source),
            _ => self.source(value, source),
        }
    }

    /// Whether a value of 32 bits is known to fit in 16 without a sign.
    fn is_word(&self, value: Value) -> bool {
        const MOST: u64 = 0xffff;
        if let Some(bits) = self.function.bits(value) {
            return bits <= MOST;
        }
        let Some((_, data)) = self.function.source(value) else {
            return false;
        };
        let known = |index: usize| self.function.bits(data.args[index]);
        match data.op {
            Op::Input(Input::Payload(offset)) => self.function.words.contains(&offset),
            Op::Input(Input::LocalId(_) | Input::Lane) => true,
            Op::Bin(Bin::And) => known(1).is_some_and(|bits| bits <= MOST),
            Op::Bin(Bin::LShr) => known(1).is_some_and(|by| by >= 16),
            _ => false,
        }
    }

    pub(super) fn is_const(&self, value: Value) -> bool {
        !matches!(self.function.def(value), Def::Inst(_))
    }

    /// One operation on operands of [`operation_types`].
    pub(super) fn operate(
        &mut self,
        op: Bin,
        ty: Type,
        to: Loc,
        a: Operand,
        b: Operand,
        all: bool,
    ) -> Result<(), String> {
        let (source, simple) = operation_types(op, ty);
        let dst = at(to, source);
        if let Some(opcode) = simple {
            let b = match op {
                Bin::Sub => self.negate(b),
                Bin::FSub => self.negate(b),
                _ => b,
            };
            self.emit(What::Alu(opcode), dst, &[a, b], all, |_| {});
            return Ok(());
        }
        match op {
            Bin::UMin | Bin::SMin | Bin::FMin | Bin::UMax | Bin::SMax | Bin::FMax => {
                let cond = match op {
                    Bin::UMin | Bin::SMin | Bin::FMin => CondMod::Lt,
                    _ => CondMod::Ge,
                };
                let set = |inst: &mut Inst| inst.cond = Some(cond);
                self.emit(What::Alu(Opcode::Sel), dst, &[a, b], all, set);
                Ok(())
            }
            Bin::Mul => {
                self.multiply(ty, to, a, b, all);
                Ok(())
            }
            Bin::UMulHigh | Bin::SMulHigh if ty == Type::I32 => {
                self.accumulate(true, (to, source), a, b, all);
                Ok(())
            }
            Bin::UDiv | Bin::SDiv | Bin::URem | Bin::SRem if ty == Type::I32 => {
                let function = match op {
                    Bin::UDiv | Bin::SDiv => MathFunction::Iqot,
                    _ => MathFunction::Irem,
                };
                let b = self.in_register(b);
                self.emit(What::Math(function), dst, &[a, b], all, |_| {});
                Ok(())
            }
            _ => Err(format!("no instructions for {op} of {ty}")),
        }
    }

    fn emit(
        &mut self,
        what: What,
        dst: Operand,
        srcs: &[Operand],
        all: bool,
        more: impl Fn(&mut Inst),
    ) {
        match dst {
            Operand::Var { stride: 1.., .. } => self.lanes(what, Some(dst), srcs, all, more),
            _ => self.push_one(what, Some(dst), srcs, more),
        }
    }

    fn negate(&mut self, operand: Operand) -> Operand {
        match operand {
            Operand::Imm(bits, M::F) => Operand::Imm(bits ^ 0x8000_0000, M::F),
            Operand::Imm(bits, M::Hf) => Operand::Imm(bits ^ 0x8000, M::Hf),
            Operand::Imm(number, ty) if ty.is_integer() => {
                let number = number.wrapping_neg();
                match i16::try_from(number) {
                    Ok(_) => Operand::Imm(number, M::W),
                    Err(_) => Operand::Imm(i64::from(number as i32), M::D),
                }
            }
            other => self.in_register(other).negated(),
        }
    }

    /// The low half of a product. Words are multiplied with dwords; a dword is two words.
    fn multiply(&mut self, ty: Type, to: Loc, a: Operand, b: Operand, all: bool) {
        let dst = at(to, M::D);
        let a = retype(a, M::D);
        if ty != Type::I32 {
            let b = retype(b, M::Uw);
            self.emit(What::Alu(Opcode::Mul), dst, &[a, b], all, |_| {});
            return;
        }
        if let Operand::Imm(_, M::W | M::Uw) | Operand::Var { ty: M::Uw, .. } = b {
            self.emit(What::Alu(Opcode::Mul), dst, &[a, b], all, |_| {});
            return;
        }
        if self.target.caps.dword_mul {
            let b = retype(b, M::D);
            self.emit(What::Alu(Opcode::Mul), dst, &[a, b], all, |_| {});
            return;
        }
        // A product by the accumulator takes two instructions, but each has fewer channels.
        let grf = self.target.grf();
        let lanes = if to.pitch == 0 { 1 } else { self.target.simd };
        if 2 * lanes.div_ceil(grf / 4) <= 3 * lanes.div_ceil(grf / 2) {
            self.accumulate(false, (to, M::D), a, b, all);
            return;
        }
        let (low, high) = match b {
            Operand::Imm(number, _) => (
                Operand::Imm(number & 0xffff, M::Uw),
                Operand::Imm(number >> 16 & 0xffff, M::Uw),
            ),
            other => {
                let low = retype(other, M::Uw);
                (low, skip(low, 2))
            }
        };
        let parts = [(); 2].map(|()| self.storage(Type::I32, to.pitch != 0));
        for (part, factor) in parts.iter().zip([low, high]) {
            let part = at(*part, M::D);
            self.emit(What::Alu(Opcode::Mul), part, &[a, factor], all, |_| {});
        }
        let upper = skip(at(parts[0], M::Uw), 2);
        let cross = at(parts[1], M::Uw);
        self.emit(What::Alu(Opcode::Add), upper, &[upper, cross], all, |_| {});
        let product = at(parts[0], M::D);
        self.emit(What::Alu(Opcode::Mov), dst, &[product], all, |_| {});
    }

    /// The high or the low half of a product of dwords: the first with the low words of the second
    /// in the accumulator, then the rest.
    fn accumulate(&mut self, high: bool, to: (Loc, M), a: Operand, b: Operand, all: bool) {
        let (to, ty) = to;
        let dst = at(to, ty);
        let count = if to.pitch == 0 { 1 } else { self.target.simd };
        let (words, b) = match b {
            Operand::Imm(number, _) => (
                Operand::Imm(number & 0xffff, M::Uw),
                match ty {
                    M::D => Operand::Imm(i64::from(number as i32), ty),
                    _ => Operand::Imm(number & 0xffff_ffff, ty),
                },
            ),
            other => (retype(other, M::Uw), other),
        };
        let step = count.min(self.target.grf() / 4);
        for lane in (0..count).step_by(step as usize) {
            let srcs = [a, words, b].map(|operand| advance(operand, lane));
            let channels = (lane as u8, step as u8, all || to.pitch == 0);
            self.half_product(high, advance(dst, lane), srcs, channels);
        }
    }

    /// The same for channels that the accumulator has: from which on, how many, and whether whatever
    /// the mask.
    pub(super) fn half_product(
        &mut self,
        high: bool,
        dst: Operand,
        [a, words, b]: [Operand; 3],
        (from, exec, all): (u8, u8, bool),
    ) {
        let asks = self.target.caps.mach_asks;
        let opcode = match high || asks {
            true => Opcode::Mach,
            false => Opcode::Macl,
        };
        let Operand::Var { ty, .. } = dst else {
            return;
        };
        let accumulator = Operand::Arf(ArfKind::Accumulator, 0, 0, ty, 1);
        let mul = What::Alu(Opcode::Mul);
        self.raw(mul, exec, 0, true, Some(accumulator), &[a, words], |_| {});
        let set = |inst: &mut Inst| inst.accumulates = high && asks;
        self.raw(What::Alu(opcode), exec, from, all, Some(dst), &[a, b], set);
    }

    fn un(&mut self, op: Un, value: Value, result: Value) -> Result<(), String> {
        let ty = self.function.ty(result);
        let to = self.result(result);
        let source = match op {
            Un::CountOnes | Un::LeadingZeros | Un::LowestBit | Un::Reverse => M::Ud,
            _ => machine(ty, false),
        };
        let dst = at(to, source);
        let operand = self.float_source(value, source)?;
        let operand = self.in_register(operand);
        let math = |function| What::Math(function);
        let what = match op {
            Un::FNeg => {
                self.alu(Opcode::Mov, dst, &[operand.negated()]);
                return Ok(());
            }
            Un::FAbs => {
                self.alu(Opcode::Mov, dst, &[operand.magnitude()]);
                return Ok(());
            }
            Un::Floor => What::Alu(Opcode::Rndd),
            Un::Ceil => What::Alu(Opcode::Rndu),
            Un::Truncate => What::Alu(Opcode::Rndz),
            Un::RoundEven => What::Alu(Opcode::Rnde),
            Un::CountOnes => What::Alu(Opcode::Cbit),
            Un::LeadingZeros => What::Alu(Opcode::Lzd),
            Un::LowestBit => What::Alu(Opcode::Fbl),
            Un::Reverse => What::Alu(Opcode::Bfrev),
            Un::Rcp => math(MathFunction::Inv),
            Un::Sqrt => math(MathFunction::Sqt),
            Un::Rsqrt => math(MathFunction::Rsqt),
            Un::Exp2 => math(MathFunction::Exp),
            Un::Log2 => math(MathFunction::Log),
            Un::Sin => math(MathFunction::Sin),
            Un::Cos => math(MathFunction::Cos),
        };
        if matches!(what, What::Math(_)) && ty == Type::F64 {
            return Err(format!("{op} of double precision is not supported"));
        }
        self.apply(what, dst, &[operand], |_| {});
        Ok(())
    }

    fn fma(&mut self, [a, b, c]: [Value; 3], result: Value) -> Result<(), String> {
        let ty = machine(self.function.ty(result), false);
        let to = self.result(result);
        // Three-source instructions write at multiples of 8 bytes.
        let align = &mut self.code.vars[to.place.var.index()].align;
        *align = (*align).max(8);
        let mut srcs = [c, a, b].map(|value| self.float_source(value, ty));
        let mut operands = [Operand::Null(ty); 3];
        for (place, src) in operands.iter_mut().zip(&mut srcs) {
            *place = self.in_register(std::mem::replace(src, Err(String::new()))?);
        }
        self.alu(Opcode::Mad, at(to, ty), &operands);
        Ok(())
    }

    fn dot_bytes(
        &mut self,
        signed: [bool; 2],
        [sum, a, b]: [Value; 3],
        result: Value,
    ) -> Result<(), String> {
        let to = self.result(result);
        let align = &mut self.code.vars[to.place.var.index()].align;
        *align = (*align).max(8);
        let sum = match self.source(sum, M::D)? {
            short @ Operand::Imm(_, M::W) => short,
            other => self.in_register(other),
        };
        let [first, second] = signed.map(|signed| if signed { M::D } else { M::Ud });
        let a = self.source(a, first)?;
        let a = self.in_register(a);
        let b = self.source(b, second)?;
        let b = self.in_register(b);
        self.alu(Opcode::Dp4a, at(to, M::D), &[sum, a, b]);
        Ok(())
    }

    /// Makes a comparison: into a register, or only the flag of what the predicate selects.
    pub(super) fn compare(
        &mut self,
        value: Value,
        to: Option<Loc>,
        lanes: bool,
        predicate: Predicate,
    ) -> Result<(), String> {
        let Some((_, data)) = self.function.source(value) else {
            return Err(format!("v{} is no comparison", value.0));
        };
        let (cond, floats) = match data.op {
            Op::Icmp(cond) => (cond, false),
            Op::Fcmp(cond) => (cond, true),
            _ => return Err(format!("v{} is no comparison", value.0)),
        };
        let (mut a, mut b) = (data.args[0], data.args[1]);
        let ty = self.function.ty(a);
        let is_test = to.is_none() && !floats && matches!(cond, Cond::Eq | Cond::Ne);
        if is_test && self.is_part(a, Part::Test) {
            let modifier = match cond {
                Cond::Eq => CondMod::Eq,
                _ => CondMod::Ne,
            };
            return self.bits_test(a, modifier, lanes, predicate);
        }
        let mut modifier = match cond {
            Cond::Eq => CondMod::Eq,
            Cond::Ne | Cond::Une => CondMod::Ne,
            Cond::Ult | Cond::Slt => CondMod::Lt,
            Cond::Ule | Cond::Sle => CondMod::Le,
        };
        if self.is_const(a) && !self.is_const(b) {
            (a, b) = (b, a);
            modifier = match modifier {
                CondMod::Lt => CondMod::Gt,
                CondMod::Le => CondMod::Ge,
                other => other,
            };
        }
        let signed = matches!(cond, Cond::Slt | Cond::Sle | Cond::Eq | Cond::Ne);
        let source = machine(ty, signed && !floats);
        let (a, b) = (self.float_source(a, source)?, self.float_source(b, source)?);
        let srcs = self.two(a, b);
        let Some(to) = to else {
            self.test((Opcode::Cmp, modifier), source, srcs, lanes, predicate);
            return Ok(());
        };
        let dst = at(to, M::D);
        // What is written is all ones or zeroes, whatever the destination's type; it is the sources'
        // (Mesa `brw_CMP`).
        if source.bits() == 32 {
            let dst = at(to, if floats { M::F } else { M::D });
            let set = |inst: &mut Inst| inst.cond = Some(modifier);
            self.apply(What::Alu(Opcode::Cmp), dst, &srcs, set);
            self.flag = Some((value, lanes));
            return Ok(());
        }
        self.test(
            (Opcode::Cmp, modifier),
            source,
            srcs,
            lanes,
            Predicate::None,
        );
        self.flag = Some((value, lanes));
        self.alu(Opcode::Mov, dst, &[Operand::Imm(0, M::W)]);
        self.apply(
            What::Alu(Opcode::Mov),
            dst,
            &[Operand::Imm(-1, M::W)],
            Self::when,
        );
        Ok(())
    }

    fn choose(&mut self, which: Value, yes: Value, no: Value, result: Value) -> Result<(), String> {
        let ty = self.function.ty(result);
        let to = self.result(result);
        let lanes = to.pitch != 0;
        let halves: &[u32] = if ty.bits() == 64 { &[0, 4] } else { &[0] };
        let part = |s: &mut Self, value: Value, byte: u32| -> Result<Operand, String> {
            Ok(match s.function.bits(value) {
                Some(bits) if ty.bits() == 64 => {
                    Operand::Imm((bits >> (8 * byte)) as i64 & 0xffff_ffff, M::Ud)
                }
                _ => skip(s.source(value, M::Ud)?, byte),
            })
        };
        for byte in halves {
            let (a, b) = (part(self, yes, *byte)?, part(self, no, *byte)?);
            let is_imm = |operand: &Operand| matches!(operand, Operand::Imm(..));
            let (a, b, predicate) = match (is_imm(&a), is_imm(&b)) {
                (true, false) => (b, a, Predicate::Unless),
                (true, true) => (self.in_register(retype_imm(a)), b, Predicate::When),
                _ => (a, b, Predicate::When),
            };
            self.flag_of(which, lanes)?;
            let dst = skip(at(to, M::Ud), *byte);
            let set = |inst: &mut Inst| inst.predicate = predicate;
            self.apply(What::Alu(Opcode::Sel), dst, &[a, b], set);
        }
        Ok(())
    }
}

/// The machine's type of the operands, and the opcode if one instruction does it.
pub(super) fn operation_types(op: Bin, ty: Type) -> (M, Option<Opcode>) {
    let float = machine(ty, false);
    match op {
        Bin::Add | Bin::Sub => (M::D, Some(Opcode::Add)),
        Bin::And => (M::Ud, Some(Opcode::And)),
        Bin::Or => (M::Ud, Some(Opcode::Or)),
        Bin::Xor => (M::Ud, Some(Opcode::Xor)),
        Bin::Shl => (M::Ud, Some(Opcode::Shl)),
        Bin::LShr => (M::Ud, Some(Opcode::Shr)),
        Bin::Rol => (M::Ud, Some(Opcode::Rol)),
        Bin::AShr => (M::D, Some(Opcode::Asr)),
        Bin::FAdd | Bin::FSub => (float, Some(Opcode::Add)),
        Bin::FMul => (float, Some(Opcode::Mul)),
        Bin::FMin | Bin::FMax => (float, None),
        Bin::SMin | Bin::SMax | Bin::SDiv | Bin::SRem | Bin::Mul | Bin::SMulHigh => (M::D, None),
        Bin::UMin | Bin::UMax | Bin::UDiv | Bin::URem | Bin::UMulHigh => (M::Ud, None),
    }
}

/// The same register as elements of another type, at the same distance.
pub(super) fn retype(operand: Operand, to: M) -> Operand {
    match operand {
        Operand::Var {
            place,
            ty,
            stride,
            neg,
            abs,
        } => Operand::Var {
            place,
            ty: to,
            stride: (u32::from(stride) * ty.bytes() / to.bytes()) as u8,
            neg,
            abs,
        },
        Operand::Imm(number, _) if to == M::Uw => Operand::Imm(number & 0xffff, to),
        other => other,
    }
}

/// An immediate as a dword.
fn retype_imm(operand: Operand) -> Operand {
    match operand {
        Operand::Imm(number, _) => Operand::Imm(number & 0xffff_ffff, M::Ud),
        other => other,
    }
}

/// The same operand some bytes further.
pub(super) fn skip(operand: Operand, bytes: u32) -> Operand {
    match operand {
        Operand::Var {
            place,
            ty,
            stride,
            neg,
            abs,
        } => Operand::Var {
            place: Place {
                var: place.var,
                byte: place.byte + bytes,
            },
            ty,
            stride,
            neg,
            abs,
        },
        other => other,
    }
}
