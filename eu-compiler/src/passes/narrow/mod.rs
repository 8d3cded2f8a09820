//! Generic pointers whose memory is known become pointers into it.
//!
//! In OpenCL C 2.0 a pointer is generic unless its declaration says otherwise, and a pointer into local or
//! private memory is generic while it is in memory itself. With calls inlined and variables values, most come
//! from conversions of pointers into one memory. What is computed of those, and chosen among them and null, points
//! there, too: its accesses go there, and it is an offset where that memory has offsets. Then private variables
//! may become values that only such pointers kept in memory, and these may be pointers.
//!
//! What numbers of pointers are computed to ([`Op::Number`]) may point anywhere.

use hashbrown::HashMap;

use super::simplify::sweep;
use super::{memory, surfaces};
use crate::ir::cfg::reverse_postorder;
use crate::ir::{
    Bin, Block, Cond, Convert, Cursor, Def, Function, Inst, InstData, Op, Replaced, Space, Type,
    Value,
};
use crate::target::Target;

/// How often variables become values at most. Each time takes pointers to pointers one step further.
const ROUNDS: usize = 4;
/// How deep the parts of an index are looked at.
const DEPTH: u32 = 4;
/// How many sums lie between a variable and a place in it at most.
const STEPS: u32 = 16;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    for _ in 0..ROUNDS {
        let is_generic = |op: &Op| asks(op) || matches!(op, Op::ToGeneric(_));
        if !function.listed().any(|data| is_generic(&data.op)) || !Narrow::run(function) {
            break;
        }
        sweep(function);
        memory::run(function, target)?;
    }
    forget_global(function);
    surfaces::forget_plain_numbers(function);
    Ok(())
}

/// Whether an operation takes a generic pointer and would be simpler with another.
fn asks(op: &Op) -> bool {
    match op {
        Op::Load(access) | Op::Store(access) => access.space == Space::Generic,
        Op::Atomic(space, _) => *space == Space::Generic,
        Op::FromGeneric(_) | Op::PointsInto(_) => true,
        _ => false,
    }
}

/// Whether an operation is about a pointer and not an access.
const fn is_about(op: &Op) -> bool {
    matches!(op, Op::FromGeneric(_) | Op::PointsInto(_))
}

/// Addresses of global memory are generic ones as they are.
fn forget_global(function: &mut Function) {
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        for inst in function.take(block) {
            let data = &function.insts[inst.index()];
            match data.op {
                Op::ToGeneric(Space::Global) => replaced.insert(data.results[0], data.args[0]),
                _ => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    replaced.apply(function);
}

/// What a value may be.
#[derive(Clone, Copy, Default, PartialEq)]
struct Kind(u8);

impl Kind {
    const NULL: Self = Self(1);
    /// A number, as also a pointer that was in memory.
    const NUMBER: Self = Self(2);
    const GLOBAL: Self = Self(4);
    const LOCAL: Self = Self(8);
    const PRIVATE: Self = Self(16);
    /// An address that nobody knows more of.
    const ANY: Self = Self(32);
    const ADDRESS: Self = Self(4 | 8 | 16 | 32);

    const fn into(space: Space) -> Self {
        match space {
            Space::Global => Self::GLOBAL,
            Space::Local => Self::LOCAL,
            Space::Private => Self::PRIVATE,
            Space::Generic => Self::ANY,
        }
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn only(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The only memory that it points into, unless it is null.
    fn space(self) -> Option<Space> {
        let spaces = [Space::Global, Space::Local, Space::Private];
        let mut spaces = spaces.into_iter();
        spaces.find(|space| self.only(Self(!Self::NULL.0)) == Self::into(*space))
    }

    /// A sum. What is added to null points nowhere; `counts` if it is a number then.
    fn plus(self, other: Self, counts: bool) -> Self {
        let (a, b) = (self.only(Self::ADDRESS), other.only(Self::ADDRESS));
        match (a.is_none(), b.is_none()) {
            _ if self.is_none() || other.is_none() => Self::default(),
            (false, false) => Self::ANY,
            (false, true) => self,
            (true, false) => other,
            (true, true) if counts || ![self, other].contains(&Self::NULL) => Self::NUMBER,
            (true, true) => Self::default(),
        }
    }

    fn minus(self, other: Self, counts: bool) -> Self {
        match other.only(Self::ADDRESS).is_none() {
            _ if self.is_none() || other.is_none() => Self::default(),
            true => self.plus(other, counts),
            // A distance.
            false if self.space().is_some() && self.space() == other.space() => Self::NUMBER,
            false => Self::ANY,
        }
    }
}

/// What the values of a function may be.
fn kinds(function: &Function, order: &[Block]) -> Vec<Kind> {
    let kinds = function.values.iter().map(|(_, def)| match def {
        Def::Const(0) | Def::Undef => Kind::NULL,
        Def::Const(_) => Kind::NUMBER,
        Def::Inst(_) => Kind::default(),
    });
    let mut kinds: Vec<Kind> = kinds.collect();
    // What is added to null only counts once it is known that there is nothing else.
    for counts in [false, true] {
        let mut changed = true;
        while std::mem::take(&mut changed) {
            let insts = order.iter().map(|block| &function.blocks[block.index()]);
            for inst in insts.flat_map(|block| &block.insts) {
                let data = &function.insts[inst.index()];
                let kind = kind(function, &kinds, data, counts);
                for result in &data.results {
                    let known = &mut kinds[result.index()];
                    changed |= known.or(kind) != *known;
                    *known = known.or(kind);
                }
            }
        }
    }
    kinds
}

/// What the results of an instruction may be.
fn kind(function: &Function, kinds: &[Kind], data: &InstData, counts: bool) -> Kind {
    let of = |index: usize| kinds[data.args[index].index()];
    let any = || {
        let kinds = data.args.iter().map(|arg| kinds[arg.index()]);
        kinds.fold(Kind::default(), Kind::or)
    };
    match &data.op {
        Op::Phi(_) => any(),
        Op::Select => of(1).or(of(2)),
        Op::Bin(Bin::Add) => of(0).plus(of(1), counts),
        Op::Bin(Bin::Sub) => of(0).minus(of(1), counts),
        Op::ToGeneric(Space::Global) if of(0) == Kind::NULL => Kind::NULL,
        Op::ToGeneric(space) => match (space, function.bits(data.args[0])) {
            (Space::Local | Space::Private, Some(bits)) if bits == Space::NULL.into() => Kind::NULL,
            (Space::Local, Some(_)) => Kind::LOCAL,
            (Space::Private, _) if is_variable(function, data.args[0]) => Kind::PRIVATE,
            _ => Kind::into(*space).or(Kind::NULL),
        },
        Op::Number if of(0).only(Kind::ADDRESS).is_none() => of(0),
        Op::Load(_) | Op::Atomic(..) | Op::FromGeneric(_) | Op::PointsInto(_) | Op::Icmp(_) => {
            Kind::NUMBER
        }
        _ if any().only(Kind::ADDRESS).is_none() => Kind::NUMBER,
        _ => Kind::ANY,
    }
}

/// Whether an offset is that of a private variable or of a place in it.
fn is_variable(function: &Function, mut offset: Value) -> bool {
    for _ in 0..STEPS {
        match function.source(offset) {
            Some((_, data)) if data.op == Op::Bin(Bin::Add) => offset = data.args[0],
            Some((_, data)) => return matches!(data.op, Op::Alloca { .. }),
            None => break,
        }
    }
    false
}

/// What a value may be, and the offsets of those that only point into local or only into private memory.
struct Narrow<'a> {
    function: &'a mut Function,
    kinds: Vec<Kind>,
    /// Those of which someone takes the offset.
    wanted: Vec<bool>,
    offsets: HashMap<Value, Value>,
    replaced: Replaced,
    /// Phis of offsets, and those that they are of.
    phis: Vec<(Inst, Inst)>,
    /// Whether something is simpler than before.
    changed: bool,
}

impl<'a> Narrow<'a> {
    fn run(function: &'a mut Function) -> bool {
        let order = reverse_postorder(function);
        let mut this = Self {
            kinds: kinds(function, &order),
            wanted: vec![false; function.values.len()],
            function,
            offsets: HashMap::new(),
            replaced: Replaced::default(),
            phis: Vec::new(),
            changed: false,
        };
        this.want(&order);
        for block in order {
            this.block(block);
        }
        for (narrow, phi) in std::mem::take(&mut this.phis) {
            let args = this.function.insts[phi.index()].args.clone();
            let args = args.into_iter().map(|arg| this.offset(arg)).collect();
            this.function.insts[narrow.index()].args = args;
        }
        this.replaced.apply(this.function);
        this.changed
    }

    fn space(&self, value: Value) -> Option<Space> {
        self.kinds.get(value.index()).and_then(|kind| kind.space())
    }

    /// The memory of offsets that a value points into, if it is one.
    fn memory(&self, value: Value) -> Option<Space> {
        let space = self.space(value);
        space.filter(|space| matches!(space, Space::Local | Space::Private))
    }

    fn is_null(&self, value: Value) -> bool {
        self.kinds.get(value.index()) == Some(&Kind::NULL)
    }

    /// The pointer that a number is of.
    fn counted(&self, value: Value) -> Value {
        match self.function.source(value) {
            Some((_, data)) if data.op == Op::Number => data.args[0],
            _ => value,
        }
    }

    /// Both operands, if they point into one memory, or nowhere.
    fn both(&self, data: &InstData) -> Option<[Value; 2]> {
        let &[a, b] = data.args.as_slice() else {
            return None;
        };
        // Numbers of pointers are compared as those.
        let [a, b] = match data.op {
            Op::Icmp(_) => [a, b].map(|value| self.counted(value)),
            _ => [a, b],
        };
        let fits = match (self.memory(a), self.memory(b), &data.op) {
            (Some(a), Some(b), Op::Bin(Bin::Sub) | Op::Icmp(_)) => a == b,
            (None, Some(_), Op::Icmp(_)) => self.is_null(a),
            (Some(_), None, Op::Icmp(_)) => self.is_null(b),
            _ => false,
        };
        fits.then_some([a, b])
    }

    /// Finds the values of which someone takes the offset.
    fn want(&mut self, order: &[Block]) {
        let mut work: Vec<Value> = Vec::new();
        for block in order {
            for inst in &self.function.blocks[block.index()].insts {
                let data = &self.function.insts[inst.index()];
                if let Some(both) = self.both(data) {
                    work.extend(both);
                } else if asks(&data.op) {
                    work.extend(data.args.first());
                }
            }
        }
        while let Some(value) = work.pop() {
            if self.memory(value).is_none()
                || std::mem::replace(&mut self.wanted[value.index()], true)
            {
                continue;
            }
            if let Some((_, data)) = self.function.source(value)
                && !matches!(data.op, Op::ToGeneric(_))
            {
                work.extend_from_slice(&data.args);
            }
        }
    }

    fn block(&mut self, block: Block) {
        let mut wide: Vec<(Value, Value, Space)> = Vec::new();
        for inst in self.function.take(block) {
            let data = self.function.insts[inst.index()].clone();
            if !matches!(data.op, Op::Phi(_)) {
                for (value, offset, space) in std::mem::take(&mut wide) {
                    self.widen(block, data.at, value, offset, space);
                }
            }
            let &[result] = data.results.as_slice() else {
                self.place(inst, &data);
                self.function.blocks[block.index()].insts.push(inst);
                continue;
            };
            let memory = self.memory(result).filter(|_| self.wanted[result.index()]);
            match (&data.op, memory) {
                (Op::ToGeneric(_), Some(_)) => {
                    self.offsets.insert(result, data.args[0]);
                }
                (Op::Phi(_), Some(space)) => {
                    let narrow =
                        self.function
                            .make(data.op.clone(), &data.args, &[Type::I32], data.at);
                    self.function.blocks[block.index()].insts.push(narrow);
                    let offset = self.function.result(narrow);
                    self.phis.push((narrow, inst));
                    self.offsets.insert(result, offset);
                    wide.push((result, offset, space));
                    continue;
                }
                (Op::Select | Op::Bin(_), Some(space)) => {
                    let offset = self.computed(block, &data);
                    self.offsets.insert(result, offset);
                    self.widen(block, data.at, result, offset, space);
                    continue;
                }
                _ => {
                    if let Some(value) = self.instead(block, &data) {
                        self.replaced.insert(result, value);
                        continue;
                    }
                    self.place(inst, &data);
                }
            }
            self.function.blocks[block.index()].insts.push(inst);
        }
        for (value, offset, space) in wide {
            self.widen(block, 0, value, offset, space);
        }
    }

    /// For those that still take the generic pointer.
    fn widen(&mut self, block: Block, at: u32, value: Value, offset: Value, space: Space) {
        let mut at = Cursor {
            function: self.function,
            block,
            at,
        };
        let wide = at.one(Op::ToGeneric(space), &[offset], Type::I64);
        self.replaced.insert(value, wide);
    }

    /// An access through a pointer into one memory goes there.
    fn place(&mut self, inst: Inst, data: &InstData) {
        let is_generic = asks(&data.op) && !is_about(&data.op);
        let Some(pointer) = data.args.first().copied().filter(|_| is_generic) else {
            return;
        };
        // No message does atomic operations on private memory, whose addresses are global ones.
        let is_atomic = matches!(data.op, Op::Atomic(..));
        let space = self.space(pointer);
        let Some(space) = space.filter(|space| !(is_atomic && *space == Space::Private)) else {
            return;
        };
        let pointer = match space {
            Space::Local | Space::Private => self.offset(pointer),
            _ => pointer,
        };
        let data = &mut self.function.insts[inst.index()];
        data.args[0] = pointer;
        match &mut data.op {
            Op::Load(access) | Op::Store(access) => access.space = space,
            Op::Atomic(of, _) => *of = space,
            _ => {}
        }
        self.changed = true;
    }

    /// The offset of a pointer.
    fn offset(&mut self, pointer: Value) -> Value {
        match self.offsets.get(&pointer) {
            Some(offset) => *offset,
            None if self.is_null(pointer) => {
                let none = Space::NULL.into();
                self.function.constant(Type::I32, none)
            }
            // Nothing leads there.
            None => self.function.undef(Type::I32),
        }
    }

    /// Computes the offset of a pointer that is chosen, or computed of another.
    fn computed(&mut self, block: Block, data: &InstData) -> Value {
        let is_address = |value: &Value| self.memory(*value).is_some();
        if data.op == Op::Select {
            let [yes, no] = [1, 2].map(|arg: usize| self.offset(data.args[arg]));
            let mut at = Cursor {
                function: self.function,
                block,
                at: data.at,
            };
            return at.one(Op::Select, &[data.args[0], yes, no], Type::I32);
        }
        let [pointer, index] = match is_address(&data.args[0]) {
            true => [data.args[0], data.args[1]],
            false => [data.args[1], data.args[0]],
        };
        let (pointer, index) = (self.offset(pointer), self.replaced.find(index));
        let mut at = Cursor {
            function: self.function,
            block,
            at: data.at,
        };
        let index = low(&mut at, index, DEPTH);
        at.one(data.op.clone(), &[pointer, index], Type::I32)
    }

    /// The value that an instruction's is where memories are known.
    fn instead(&mut self, block: Block, data: &InstData) -> Option<Value> {
        let pointer = *data.args.first()?;
        let kind = self.kinds.get(pointer.index()).copied()?;
        let value = match data.op {
            Op::FromGeneric(space) if self.space(pointer) == Some(space) => self.offset(pointer),
            // Who asks takes null for what comes out best.
            Op::PointsInto(space) => {
                let known = kind.only(Kind(!Kind::NULL.0));
                let unknown = Kind::NUMBER.or(Kind::ANY);
                let is = known == Kind::into(space);
                let may = !known.only(Kind::into(space).or(unknown)).is_none();
                if !is && may {
                    return None;
                }
                self.function.constant(Type::I1, is.into())
            }
            Op::Icmp(cond) => {
                let [a, b] = self.both(data)?;
                let never = |of: Value, null: Value| {
                    let kind = self.kinds.get(of.index()).copied().unwrap_or_default();
                    self.is_null(null) && kind.only(Kind::NULL).is_none()
                };
                if matches!(cond, Cond::Eq | Cond::Ne) && (never(a, b) || never(b, a)) {
                    self.changed = true;
                    return Some(self.function.constant(Type::I1, (cond == Cond::Ne).into()));
                }
                // With a sign: null and what is before a variable at zero come first.
                let cond = match cond {
                    Cond::Ult => Cond::Slt,
                    Cond::Ule => Cond::Sle,
                    other => other,
                };
                let args = [a, b].map(|arg| self.offset(arg));
                let mut at = Cursor {
                    function: self.function,
                    block,
                    at: data.at,
                };
                at.one(Op::Icmp(cond), &args, Type::I1)
            }
            Op::Bin(Bin::Sub) => {
                let args = self.both(data)?.map(|arg| self.offset(arg));
                let mut at = Cursor {
                    function: self.function,
                    block,
                    at: data.at,
                };
                let distance = at.one(data.op.clone(), &args, Type::I32);
                return Some(at.convert(Convert::SExt, distance, Type::I64));
            }
            _ => return None,
        };
        self.changed = true;
        Some(value)
    }
}

/// The low 32 bits of an index, computed as such as far as that is simple.
fn low(at: &mut Cursor<'_>, value: Value, depth: u32) -> Value {
    if let Some(bits) = at.function.bits(value) {
        return at.constant(Type::I32, bits);
    }
    let source = at.function.source(value).map(|(_, data)| data.clone());
    match source.map(|data| (data.op, data.args)) {
        Some((Op::Convert(how @ (Convert::SExt | Convert::ZExt)), args)) => {
            at.convert(how, args[0], Type::I32)
        }
        Some((Op::Bin(op @ (Bin::Add | Bin::Sub | Bin::Mul)), args)) if depth > 0 => {
            let args = [args[0], args[1]].map(|arg| low(at, arg, depth - 1));
            at.bin(op, args[0], args[1])
        }
        Some((Op::Bin(Bin::Shl), args))
            if depth > 0 && at.function.bits(args[1]).is_some_and(|by| by < 32) =>
        {
            let args = [args[0], args[1]].map(|arg| low(at, arg, depth - 1));
            at.bin(Bin::Shl, args[0], args[1])
        }
        _ => at.convert(Convert::Trunc, value, Type::I32),
    }
}

#[cfg(test)]
mod tests;
