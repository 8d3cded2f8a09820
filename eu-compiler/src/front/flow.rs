//! Blocks, phis, branches, calls.

use hashbrown::{HashMap, HashSet};
use spirv::{Decoration, Op as Spv};

use super::module::Entry;
use super::reader::Instruction;
use super::translate::{Frame, OpenPhi, Translator};
use super::types::{Part, Shape, space_of};
use super::value::Val;
use crate::abi::{Argument, FieldKind};
use crate::error::Error;
use crate::ir::{
    Access, Bin, Block, Cond, Convert, Input, Op, Space, Terminator, Type, Value, alignment_at,
};

/// What ends a block.
const ENDS: [Spv; 7] = [
    Spv::Branch,
    Spv::BranchConditional,
    Spv::Switch,
    Spv::Return,
    Spv::ReturnValue,
    Spv::Unreachable,
    Spv::Kill,
];

/// A block: its label and its instructions.
type Labelled<'a, 'b> = (u32, &'b [Instruction<'a>]);

/// Calls within calls; OpenCL has no recursion.
const MAX_DEPTH: usize = 256;

impl<'a> Translator<'a> {
    /// The kernel's arguments, from the payload.
    pub(super) fn arguments(&mut self, entry: &Entry) -> Result<Vec<Val>, Error> {
        let module = self.module;
        let first = Instruction {
            op: Spv::EntryPoint,
            number: Spv::EntryPoint as u32,
            words: &[],
            at: 0,
        };
        let definition = module.functions.get(&entry.function);
        let definition =
            definition.ok_or_else(|| first.invalid(format!("{} has no function", entry.name)))?;
        let mut out = Vec::new();
        let count = definition.params.len();
        let types = module.descriptions.types(&entry.name, count);
        let qualifiers = module.qualifiers(&entry.name, &definition.params);
        for (index, &(ty, id)) in definition.params.iter().enumerate() {
            let arg = index as u32;
            let name = module.names.get(&id).cloned().unwrap_or_default();
            let mut argument = Argument {
                name,
                address_space: "__private",
                size: 8,
                qualifiers: qualifiers[index].clone(),
                ..Argument::default()
            };
            let val = match module.types.shape(ty, &first)?.clone() {
                Shape::Pointer(class, pointee) => match space_of(class) {
                    Some(Space::Global) => {
                        let constant = class == spirv::StorageClass::UniformConstant;
                        argument.address_space = if constant { "__constant" } else { "__global" };
                        argument.type_name = "void*".to_owned();
                        let offset = self.abi.field(FieldKind::Pointer { arg, constant }, 8, 8);
                        // A pointer is aligned for what its type says that it points to; messages
                        // ask for dwords. Of structures, SPIR-V does not say which are packed.
                        let align = match module.types.shape(pointee, &first)? {
                            Shape::Scalar(_) | Shape::Vector(..) => {
                                module.types.size(pointee, &first)?.1
                            }
                            _ => 1,
                        };
                        self.function.aligned.push((offset, align.min(4)));
                        let value = self.payload(offset, Type::I64);
                        Val::pointer(value, Some(Space::Global))
                    }
                    Some(Space::Local) => {
                        argument.address_space = "__local";
                        argument.type_name = "void*".to_owned();
                        let align = module
                            .types
                            .size(pointee, &first)
                            .map_or(16, |(_, a)| a.max(16));
                        let offset = self.abi.field(FieldKind::Local { arg, align }, 8, 8);
                        let value = self.payload(offset, Type::I32);
                        let end = self.slm_end();
                        let value = self.here().bin(Bin::Add, value, end);
                        Val::pointer(value, Some(Space::Local))
                    }
                    Some(Space::Private) if module.is_by_value(id) => {
                        let (size, align) = module.types.size(pointee, &first)?;
                        argument.type_name = "struct".to_owned();
                        argument.size = size;
                        let base = FieldKind::Value { arg, source: 0 };
                        let offset = self.abi.field(base, size, align.max(4));
                        let flat = module.types.flatten(pointee, &first)?;
                        let memory = self.alloca(size, align);
                        for part in flat {
                            let value = self.payload_part(offset, align.max(4), part);
                            let place = self.constant(Type::I32, u64::from(part.at));
                            let place = self.here().bin(Bin::Add, memory, place);
                            let access = Access::new(Space::Private, alignment_at(align, part.at));
                            self.here().push(Op::Store(access), &[place, value], &[]);
                        }
                        Val::pointer(memory, Some(Space::Private))
                    }
                    _ => {
                        return Err(first.unsupported(format!(
                            "argument {index} of {} points to {class:?}",
                            entry.name
                        )));
                    }
                },
                Shape::Image(shape) => self.image_argument(shape, arg, &mut argument, &first)?,
                Shape::Opaque(Spv::TypeSampler) => {
                    self.sampler_argument(arg, &mut argument, &first)?
                }
                Shape::Opaque(Spv::TypePipe) => {
                    argument.address_space = "__global";
                    argument.type_name = "void".to_owned();
                    argument.qualifiers.push("pipe");
                    let constant = false;
                    let offset = self.abi.field(FieldKind::Pointer { arg, constant }, 8, 8);
                    Val::one(self.payload(offset, Type::I64))
                }
                Shape::Opaque(op) => {
                    return Err(first
                        .unsupported(format!("argument {index} of {} is an {op:?}", entry.name)));
                }
                shape => {
                    let (size, align) = module.types.size(ty, &first)?;
                    argument.type_name = type_name(&shape);
                    argument.size = size;
                    let base = FieldKind::Value { arg, source: 0 };
                    let offset = self.abi.field(base, size, align.max(4));
                    let flat = module.types.flatten(ty, &first)?;
                    let mut values = Vec::new();
                    for part in flat {
                        let stored = self.payload_part(offset, align.max(4), part);
                        values.push(self.loaded(stored, part));
                    }
                    Val::many(values)
                }
            };
            if let Some(types) = &types {
                argument.type_name = types[index].to_owned();
            }
            self.abi.arguments.push(argument);
            out.push(val);
        }
        Ok(out)
    }

    /// A value of the payload.
    pub(super) fn payload(&mut self, offset: u32, ty: Type) -> Value {
        self.one(Op::Input(Input::Payload(offset)), &[], ty)
    }

    /// A part of an argument, as it is in memory. Of a packed structure it may lie anywhere, also across
    /// registers: it is put together of dwords.
    fn payload_part(&mut self, offset: u32, align: u32, part: Part) -> Value {
        let ty = part.stored();
        if alignment_at(align, part.at) >= ty.bytes() {
            return self.payload(offset + part.at, ty);
        }
        let byte = part.at % 4;
        let first = offset + part.at - byte;
        let bytes = byte + ty.bytes();
        let dwords: Vec<Value> = (0..bytes.div_ceil(4))
            .map(|n| self.payload(first + 4 * n, Type::I32))
            .collect();
        let halves: Vec<Value> = (0..ty.bytes().div_ceil(4) as usize)
            .map(|n| {
                let high = dwords.get(n + 1).filter(|_| byte != 0);
                let by = self.constant(Type::I32, u64::from(8 * byte));
                let low = self.here().bin(Bin::LShr, dwords[n], by);
                let Some(high) = high else { return low };
                let by = self.constant(Type::I32, u64::from(32 - 8 * byte));
                let high = self.here().bin(Bin::Shl, *high, by);
                self.here().bin(Bin::Or, low, high)
            })
            .collect();
        let whole = match halves[..] {
            [low, high] => self.one(Op::Pair, &[low, high], Type::I64),
            _ => self.resize(halves[0], ty.integer(), false),
        };
        self.here().convert(Convert::Bitcast, whole, ty)
    }

    /// The size of static local memory, which is known at the end.
    pub(super) fn slm_end(&mut self) -> Value {
        let function = &mut self.function;
        *self
            .slm_end
            .get_or_insert_with(|| function.undef(Type::I32))
    }

    /// Translates a function in place. `exit` is where it returns to; none ends the kernel.
    pub(super) fn call(
        &mut self,
        id: u32,
        args: Vec<Val>,
        from: Option<&Instruction<'_>>,
    ) -> Result<Val, Error> {
        let module = self.module;
        let nowhere = Instruction {
            op: Spv::Function,
            number: Spv::Function as u32,
            words: &[],
            at: 0,
        };
        let i = from.unwrap_or(&nowhere);
        let definition = module.functions.get(&id);
        let definition = definition.ok_or_else(|| i.invalid(format!("%{id} is no function")))?;
        if definition.body.is_empty() {
            let linkage = module.decoration(id, Decoration::LinkageAttributes);
            let name = linkage.map(spirv_module::text).unwrap_or_default();
            return match self.imported(&name, &args, i)? {
                Some(val) => Ok(val),
                None => Err(i.unsupported(format!("the function {name}, which has no body"))),
            };
        }
        let same = |frame: &Frame<'_>| frame.id == id && std::ptr::eq(frame.module, module);
        if self.frames.iter().any(same) {
            let name = match module.names.get(&id) {
                Some(name) => name.clone(),
                None => format!("%{id}"),
            };
            return Err(i.unsupported(format!("the function {name} calls itself")));
        }
        if self.frames.len() >= MAX_DEPTH {
            return Err(i.unsupported(format!("calls nested more than {MAX_DEPTH} deep")));
        }
        if args.len() != definition.params.len() {
            return Err(i.invalid("the number of arguments"));
        }
        let mut args = args;
        let mut variables = Vec::new();
        if from.is_some() {
            for (&(ty, id), arg) in definition.params.iter().zip(&mut args) {
                if module.is_by_value(id) {
                    *arg = self.copied(arg, ty, i)?;
                    variables.extend_from_slice(&arg.scalars);
                }
            }
        }
        let exit = from.map(|_| self.function.add_block());
        let body = &module.instructions[definition.body.clone()];
        let parts = parts(body)?;
        let blocks: HashMap<u32, Block> = parts
            .iter()
            .map(|(label, _)| (*label, self.function.add_block()))
            .collect();
        let first = module.instructions[definition.body.start].word(0)?;
        let entry = blocks.get(&first).copied();
        let entry = entry.ok_or_else(|| i.invalid(format!("%{id} does not begin with a label")))?;
        self.end(Terminator::Jump(entry));
        for (ty, id) in &definition.params {
            self.types.insert(*id, *ty);
        }
        let params = definition.params.iter().map(|param| param.1);
        self.frames.push(Frame {
            id,
            module,
            values: params.zip(args).collect(),
            blocks,
            label: first,
            edges: HashMap::new(),
            phis: Vec::new(),
            exit,
            variables,
            returns: Vec::new(),
        });
        for (_, part) in &parts {
            for instruction in *part {
                self.instruction(instruction)?;
            }
        }
        self.complete_phis()?;
        let frame = self.frames.pop();
        let (Some(exit), Some(frame)) = (exit, frame) else {
            return Ok(Val::default());
        };
        self.block = exit;
        let value = self.returned(&frame.returns, i)?;
        for variable in frame.variables {
            self.lifetime(variable, false);
        }
        Ok(value)
    }

    /// What a call gives, in the block that its returns lead to.
    fn returned(&mut self, returns: &[(Block, Val)], i: &Instruction<'_>) -> Result<Val, Error> {
        let Some((_, like)) = returns.first() else {
            return Ok(Val::default());
        };
        let mut out = like.clone();
        if returns.len() > 1 {
            out.origin = None;
            let from: Vec<Block> = returns.iter().map(|(block, _)| *block).collect();
            for index in 0..like.scalars.len() {
                let args: Option<Vec<Value>> = returns
                    .iter()
                    .map(|(_, val)| val.scalars.get(index).copied())
                    .collect();
                let args = args.ok_or_else(|| i.invalid("its returns differ"))?;
                let ty = self.function.ty(args[0]);
                out.scalars[index] = self.one(Op::Phi(from.clone()), &args, ty);
            }
        }
        Ok(out)
    }

    /// Ends the present block.
    pub(super) fn end(&mut self, end: Terminator) {
        self.function.blocks[self.block.index()].end = end;
    }

    fn target(&mut self, label: u32, i: &Instruction<'_>) -> Result<Block, Error> {
        let from = self.frame().label;
        let block = self.block;
        self.frame()
            .edges
            .entry((from, label))
            .or_default()
            .push(block);
        let target = self.frame().blocks.get(&label).copied();
        target.ok_or_else(|| i.invalid(format!("%{label} is no label of this function")))
    }

    /// Flow; `false` if the instruction is none.
    pub(super) fn flow(&mut self, i: &Instruction<'a>) -> Result<bool, Error> {
        match i.op {
            Spv::Label => {
                let label = i.word(0)?;
                let block = self.frame().blocks.get(&label).copied();
                let missing = || i.invalid(format!("%{label} is no block of this function"));
                self.block = block.ok_or_else(missing)?;
                self.frame().label = label;
            }
            // What flow alone tells, or hints.
            Spv::LoopMerge | Spv::SelectionMerge => {}
            Spv::LoopControlINTEL | Spv::AssumeTrueKHR => {}
            Spv::LifetimeStart | Spv::LifetimeStop => self.lifetime_of(i)?,
            Spv::Branch => {
                let to = self.target(i.word(0)?, i)?;
                self.end(Terminator::Jump(to));
            }
            Spv::BranchConditional => {
                let condition = self.scalar(i.word(0)?, i)?;
                let (yes, no) = (i.word(1)?, i.word(2)?);
                let end = if yes == no {
                    Terminator::Jump(self.target(yes, i)?)
                } else {
                    Terminator::Branch(condition, self.target(yes, i)?, self.target(no, i)?)
                };
                self.end(end);
            }
            Spv::Switch => self.switch(i)?,
            Spv::Return | Spv::ReturnValue => {
                let val = match i.op {
                    Spv::ReturnValue => self.get(i.word(0)?, i)?,
                    _ => Val::default(),
                };
                let block = self.block;
                match self.frame().exit {
                    Some(exit) => {
                        self.frame().returns.push((block, val));
                        self.end(Terminator::Jump(exit));
                    }
                    None => self.end(Terminator::Return),
                }
            }
            Spv::Unreachable => self.end(Terminator::Unreachable),
            Spv::Phi => {
                let types = self.result_types(i)?;
                let mut insts = Vec::new();
                let mut values = Vec::new();
                for ty in types {
                    let inst = self.here().push(Op::Phi(Vec::new()), &[], &[ty]);
                    values.push(self.function.result(inst));
                    insts.push(inst);
                }
                let space = match self.module.types.shape(i.word(0)?, i)? {
                    Shape::Pointer(class, _) => space_of(*class),
                    _ => None,
                };
                self.set(
                    i.word(1)?,
                    Val {
                        space,
                        ..Val::many(values)
                    },
                );
                let block = self.frame().label;
                let words: &'a [u32] = i.words;
                let operands = words.get(2..).unwrap_or_default();
                self.frame().phis.push(OpenPhi {
                    insts,
                    block,
                    operands,
                    instruction: *i,
                });
            }
            Spv::FunctionCall => {
                let args = i.rest(3).iter().map(|id| self.get(*id, i));
                let args = args.collect::<Result<Vec<_>, _>>()?;
                let mut val = self.call(i.word(2)?, args, Some(i))?;
                // It does not return: nothing that follows runs.
                let types = self.result_types(i)?;
                if val.scalars.is_empty() && !types.is_empty() {
                    val = Val::many(types.into_iter().map(|ty| self.function.undef(ty)));
                }
                self.set(i.word(1)?, val);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A chain of comparisons.
    fn switch(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let value = self.scalar(i.word(0)?, i)?;
        let ty = self.function.ty(value);
        let words = if ty.bits() == 64 { 2 } else { 1 };
        for case in i.rest(2).chunks_exact(words + 1) {
            let high = if words == 2 {
                u64::from(case[1]) << 32
            } else {
                0
            };
            let number = self.constant(ty, u64::from(case[0]) | high);
            let same = self.one(Op::Icmp(Cond::Eq), &[value, number], Type::I1);
            let to = self.target(case[words], i)?;
            let next = self.function.add_block();
            self.end(Terminator::Branch(same, to, next));
            self.block = next;
        }
        let to = self.target(i.word(1)?, i)?;
        self.end(Terminator::Jump(to));
        Ok(())
    }

    /// Gives phis their operands.
    fn complete_phis(&mut self) -> Result<(), Error> {
        let phis = std::mem::take(&mut self.frame().phis);
        let mut known: HashSet<Block> = HashSet::new();
        for phi in phis {
            known.clear();
            let i = &phi.instruction;
            let own = self.frame().blocks.get(&phi.block).copied();
            let own = own.ok_or_else(|| i.invalid("a phi outside of the function's blocks"))?;
            let mut blocks = Vec::new();
            let mut args: Vec<Vec<Value>> = vec![Vec::new(); phi.insts.len()];
            for pair in phi.operands.chunks_exact(2) {
                let edge = (pair[1], phi.block);
                let from = self.frame().edges.get(&edge).cloned().unwrap_or_default();
                if from.is_empty() {
                    continue;
                }
                let val = self.get(pair[0], i)?;
                if val.scalars.len() != phi.insts.len() {
                    return Err(i.invalid("an operand of another type"));
                }
                for block in from {
                    // A block that branches here twice is one predecessor.
                    let end = &self.function.blocks[block.index()].end;
                    if !end.successors().contains(&own) || !known.insert(block) {
                        continue;
                    }
                    blocks.push(block);
                    for (list, value) in args.iter_mut().zip(&val.scalars) {
                        list.push(*value);
                    }
                }
            }
            for (inst, args) in phi.insts.iter().zip(args) {
                let data = &mut self.function.insts[inst.index()];
                data.op = Op::Phi(blocks.clone());
                data.args = args.into();
            }
        }
        Ok(())
    }
}

/// The blocks of a body by their labels, each after those that dominate it, as the translator from
/// LLVM does not always write them. What is not reached is left out.
fn parts<'a, 'b>(body: &'b [Instruction<'a>]) -> Result<Vec<Labelled<'a, 'b>>, Error> {
    let mut known = HashMap::new();
    for part in body.split_inclusive(|i| ENDS.contains(&i.op)) {
        let Some(begin) = part.iter().position(|i| i.op == Spv::Label) else {
            continue;
        };
        let part = &part[begin..];
        let label = part[0].word(0)?;
        known.insert(label, part);
    }
    let successors = |label: &u32| -> Vec<u32> {
        let Some(end) = known.get(label).and_then(|part| part.last()) else {
            return Vec::new();
        };
        match end.op {
            Spv::Branch => end.words.to_vec(),
            Spv::BranchConditional => end.words.iter().copied().skip(1).take(2).collect(),
            Spv::Switch => {
                // A case is a number of one or two words, and a label.
                let cases = end.rest(2);
                let of = |words: usize| cases.chunks_exact(words + 1).map(move |c| c[words]);
                let short = cases.len() % 2 == 0 && of(1).all(|to| known.contains_key(&to));
                let default = end.words.iter().copied().skip(1).take(1);
                match short {
                    true => default.chain(of(1)).collect(),
                    false => default.chain(of(2)).collect(),
                }
            }
            _ => Vec::new(),
        }
    };
    let first = body.first().map(|i| i.word(0)).transpose()?.unwrap_or(0);
    let mut seen: HashSet<u32> = [first].into_iter().collect();
    let mut stack = vec![(first, successors(&first))];
    let mut order = Vec::new();
    while let Some((label, next)) = stack.last_mut() {
        match next.pop() {
            Some(to) if known.contains_key(&to) && seen.insert(to) => {
                stack.push((to, successors(&to)));
            }
            Some(_) => {}
            None => {
                order.extend(known.get(label).map(|part| (*label, *part)));
                stack.pop();
            }
        }
    }
    order.reverse();
    Ok(order)
}

/// A type of OpenCL C; signedness is not in SPIR-V.
fn type_name(shape: &Shape) -> String {
    let scalar = |ty: &Type| match ty {
        Type::I1 => "bool",
        Type::I8 => "uchar",
        Type::I16 => "ushort",
        Type::I32 => "uint",
        Type::I64 => "ulong",
        Type::F16 => "half",
        Type::F32 => "float",
        Type::F64 => "double",
    };
    match shape {
        Shape::Scalar(ty) => scalar(ty).to_owned(),
        Shape::Vector(ty, count) => format!("{}{count}", scalar(ty)),
        _ => "struct".to_owned(),
    }
}
