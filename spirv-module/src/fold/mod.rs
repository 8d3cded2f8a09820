//! Operations on constants, done: `OpSpecConstantOp` becomes the constant that it gives.
//!
//! What is no matter of numbers stays: addresses, and conversions in other directions than to the nearest.

mod numbers;
mod write;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use spirv::{Decoration, FPRoundingMode, Op};

use crate::module::{Instruction, Module};
use crate::types::{Type, Types};
use numbers::{Given, Number, operate};

/// The most components of a vector.
const MAX_COMPONENTS: u32 = 16;
/// How many parts of constants are made for one module: each insertion makes all parts anew.
const MAX_MADE: usize = 1 << 20;
/// How many parts an instruction has words for.
const MAX_PARTS: u32 = u16::MAX as u32 - 3;

/// A constant that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constant {
    /// Its type.
    pub ty: u32,
    /// What it is.
    pub value: Value,
}

/// What a constant is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number with these bits, or a boolean.
    Bits(u64),
    /// Null in all its parts.
    Null,
    /// Undefined in all its parts.
    Undefined,
    /// Of these, which may be other ids than those of known constants.
    Parts(Arc<[u32]>),
}

/// The constants of a module whose values are known. There are none if the module has no operation on
/// constants.
#[derive(Clone, Debug, Default)]
pub struct Constants {
    known: HashMap<u32, Constant>,
    /// By operation, the ids of constants that are no ids of the module, and of which its result consists.
    made: HashMap<u32, Vec<u32>>,
    /// All ids are smaller than this.
    bound: u32,
}

impl Constants {
    /// A constant, by its id.
    pub fn get(&self, id: u32) -> Option<&Constant> {
        self.known.get(&id)
    }
}

impl Module {
    /// The constants, with what operations on them give.
    pub fn constants(&self) -> Constants {
        let mut all = self.instructions();
        if !all.any(|one| one.op() == Some(Op::SpecConstantOp)) {
            return Constants::default();
        }
        let mut folder = Folder::of(self);
        let declarations = self.instructions();
        for one in declarations.take_while(|one| one.op() != Some(Op::Function)) {
            folder.take(&one);
        }
        folder.constants
    }
}

struct Folder {
    types: Types,
    /// Types of floats with an encoding of their own.
    encoded: HashSet<u32>,
    /// What is not rounded to the nearest.
    rounded: HashSet<u32>,
    constants: Constants,
    /// The constants that the operation has made.
    new: Vec<u32>,
    /// How many more parts may be made.
    left: usize,
}

impl Folder {
    fn of(module: &Module) -> Self {
        let (mut encoded, mut rounded) = (HashSet::new(), HashSet::new());
        for one in module.instructions() {
            let mode = |at| one.word(at) == Decoration::FPRoundingMode as u32;
            match one.op() {
                Some(Op::TypeFloat) if one.operands.len() > 2 => {
                    encoded.insert(one.word(0));
                }
                Some(Op::Decorate) if mode(1) && one.word(2) != FPRoundingMode::RTE as u32 => {
                    rounded.insert(one.word(0));
                }
                Some(Op::GroupDecorate) if rounded.contains(&one.word(0)) => {
                    rounded.extend(one.operands);
                }
                _ => {}
            }
        }
        Self {
            types: Types::of(module),
            encoded,
            rounded,
            constants: Constants {
                bound: module.bound(),
                ..Constants::default()
            },
            new: Vec::new(),
            left: MAX_MADE,
        }
    }

    /// Takes a declaration.
    fn take(&mut self, one: &Instruction<'_>) {
        let (ty, id) = (one.word(0), one.word(1));
        let value = match one.op() {
            Some(Op::ConstantTrue | Op::SpecConstantTrue) => Some(Value::Bits(1)),
            Some(Op::ConstantFalse | Op::SpecConstantFalse) => Some(Value::Bits(0)),
            Some(Op::Constant | Op::SpecConstant) => self.number(ty).map(|number| {
                let bits = u64::from(one.word(2)) | u64::from(one.word(3)) << 32;
                Value::Bits(number.cut(bits))
            }),
            Some(Op::ConstantNull) => Some(match self.number(ty) {
                Some(_) => Value::Bits(0),
                None => Value::Null,
            }),
            Some(Op::Undef) => Some(Value::Undefined),
            Some(Op::ConstantComposite | Op::SpecConstantComposite) => {
                let parts = one.operands.get(2..).unwrap_or_default();
                Some(Value::Parts(parts.into()))
            }
            Some(Op::SpecConstantOp) if !self.rounded.contains(&id) => {
                self.new.clear();
                let value = self.operation(ty, one);
                // A part is of another type than its place only in broken modules.
                let is_number = self.number(ty).is_some();
                let value = value.filter(|value| is_number || !matches!(value, Value::Bits(_)));
                // What an operation made that came to nothing is not used.
                let made = std::mem::take(&mut self.new);
                if value.is_some() {
                    self.constants.made.insert(id, made);
                }
                value
            }
            _ => None,
        };
        if let Some(value) = value {
            let known = &mut self.constants.known;
            known.entry(id).or_insert(Constant { ty, value });
        }
    }

    /// The number that a type is of.
    fn number(&self, ty: u32) -> Option<Number> {
        let of = self.types.get(ty)?;
        Number::of(of).filter(|_| !self.encoded.contains(&ty))
    }

    /// The number that a type has components of, and how many if it is a vector.
    fn components(&self, ty: u32) -> Option<(Number, Option<u32>)> {
        match self.types.get(ty)? {
            Type::Vector { component, count } if count <= MAX_COMPONENTS => {
                Some((self.number(component)?, Some(count)))
            }
            _ => Some((self.number(ty)?, None)),
        }
    }

    fn known(&self, id: u32) -> Option<&Constant> {
        self.constants.known.get(&id)
    }

    /// A constant with an id of its own.
    fn make(&mut self, ty: u32, value: Value) -> Option<u32> {
        let id = self.constants.bound;
        self.constants.bound = id.checked_add(1)?;
        self.left = self.left.checked_sub(1)?;
        self.constants.known.insert(id, Constant { ty, value });
        self.new.push(id);
        Some(id)
    }

    /// A constant of parts.
    fn composite(&mut self, parts: Vec<u32>) -> Option<Value> {
        self.left = self.left.checked_sub(parts.len())?;
        Some(Value::Parts(parts.into()))
    }

    /// What an operation gives; `None` if it is none that is done here.
    fn operation(&mut self, ty: u32, one: &Instruction<'_>) -> Option<Value> {
        let op = Op::from_u32(one.word(2))?;
        let operands = one.operands.get(3..)?;
        match op {
            Op::CompositeExtract => self.extracted(*operands.first()?, operands.get(1..)?),
            Op::CompositeInsert => {
                let (object, composite) = (*operands.first()?, *operands.get(1)?);
                self.inserted(object, composite, operands.get(2..)?)
            }
            Op::VectorShuffle => self.shuffled(ty, operands),
            Op::Select => self.selected(operands),
            _ => {
                let null = self.null(op, ty, *operands.first()?);
                null.or_else(|| self.of_numbers(op, ty, operands))
            }
        }
    }

    /// The type of a part.
    fn part_type(&self, ty: u32, index: u32) -> Option<u32> {
        match self.types.get(ty)? {
            Type::Vector { component, count } => (index < count).then_some(component),
            Type::Array { element, .. } => Some(element),
            Type::Struct => self.types.parts(ty).get(index as usize).copied(),
            _ => None,
        }
    }

    /// A null or undefined value of a type.
    fn blank(&self, ty: u32, is_null: bool) -> Value {
        match (is_null, self.number(ty)) {
            (true, Some(_)) => Value::Bits(0),
            (true, None) => Value::Null,
            (false, _) => Value::Undefined,
        }
    }

    /// The value of a part of a constant.
    fn extracted(&self, composite: u32, path: &[u32]) -> Option<Value> {
        let mut constant = self.known(composite)?.clone();
        for &index in path {
            constant = match &constant.value {
                Value::Parts(parts) => self.known(*parts.get(index as usize)?)?.clone(),
                Value::Null | Value::Undefined => {
                    let ty = self.part_type(constant.ty, index)?;
                    let value = self.blank(ty, constant.value == Value::Null);
                    Constant { ty, value }
                }
                Value::Bits(_) => return None,
            };
        }
        Some(constant.value)
    }

    /// The parts of a constant, each with an id.
    fn parts(&mut self, constant: &Constant) -> Option<Vec<u32>> {
        let is_null = match &constant.value {
            Value::Parts(parts) => {
                self.left = self.left.checked_sub(parts.len())?;
                return Some(parts.to_vec());
            }
            Value::Bits(_) => return None,
            value => *value == Value::Null,
        };
        let (part, count) = match self.types.get(constant.ty)? {
            Type::Vector { component, count } => (component, count),
            Type::Array { element, length } => match self.known(length)?.value {
                Value::Bits(length) => (element, u32::try_from(length).ok()?),
                _ => return None,
            },
            Type::Struct => {
                let parts = self.types.parts(constant.ty).to_vec();
                let make = |ty| self.make(ty, self.blank(ty, is_null));
                return parts.into_iter().map(make).collect();
            }
            _ => return None,
        };
        if count > MAX_PARTS {
            return None;
        }
        self.left = self.left.checked_sub(count as usize)?;
        let part = self.make(part, self.blank(part, is_null))?;
        Some(vec![part; count as usize])
    }

    /// A constant with another part.
    fn inserted(&mut self, object: u32, composite: u32, path: &[u32]) -> Option<Value> {
        // The types and parts of what the part is in, the outermost first.
        let mut around = Vec::new();
        let mut at = composite;
        for &index in path {
            let constant = self.known(at)?.clone();
            let parts = self.parts(&constant)?;
            at = *parts.get(index as usize)?;
            around.push((constant.ty, parts));
        }
        let mut part = object;
        let mut levels = around.into_iter().zip(path).rev().peekable();
        while let Some(((ty, mut parts), &index)) = levels.next() {
            *parts.get_mut(index as usize)? = part;
            let value = Value::Parts(parts.into());
            if levels.peek().is_none() {
                return Some(value);
            }
            part = self.make(ty, value)?;
        }
        // Without a path it is the object itself.
        Some(self.known(object)?.value.clone())
    }

    fn shuffled(&mut self, ty: u32, operands: &[u32]) -> Option<Value> {
        let Type::Vector { component, .. } = self.types.get(ty)? else {
            return None;
        };
        let [one, other, picks @ ..] = operands else {
            return None;
        };
        let mut all = Vec::new();
        for id in [one, other] {
            let constant = self.known(*id)?.clone();
            all.extend(self.parts(&constant)?);
        }
        let mut picked = Vec::new();
        for &pick in picks {
            picked.push(match pick {
                u32::MAX => self.make(component, Value::Undefined)?,
                pick => *all.get(pick as usize)?,
            });
        }
        self.composite(picked)
    }

    fn selected(&mut self, operands: &[u32]) -> Option<Value> {
        let &[condition, yes, no] = operands else {
            return None;
        };
        let condition = self.known(condition)?.clone();
        // If it is undefined, either is right.
        if self.number(condition.ty).is_some() {
            let chosen = if condition.value == Value::Bits(0) {
                no
            } else {
                yes
            };
            return Some(self.known(chosen)?.value.clone());
        }
        let (yes, no) = (self.known(yes)?.clone(), self.known(no)?.clone());
        let (yes, no) = (self.parts(&yes)?, self.parts(&no)?);
        let conditions = self.scalars(&condition)?;
        if yes.len() != conditions.len() || no.len() != conditions.len() {
            return None;
        }
        let chosen = conditions.into_iter().zip(yes.into_iter().zip(no));
        let chosen = chosen.map(|(condition, (yes, no))| match condition {
            Given::Bits(0) => no,
            Given::Bits(_) | Given::Undefined => yes,
        });
        self.composite(chosen.collect())
    }

    /// A null pointer as another pointer or a number, and zero as a pointer.
    fn null(&self, op: Op, ty: u32, of: u32) -> Option<Value> {
        let is_cast = matches!(
            op,
            Op::Bitcast
                | Op::PtrCastToGeneric
                | Op::GenericCastToPtr
                | Op::ConvertPtrToU
                | Op::ConvertUToPtr
        );
        let from = self.known(of).filter(|_| is_cast)?;
        let is_pointer = |ty| matches!(self.types.get(ty), Some(Type::Pointer { .. }));
        let is_null = match from.value {
            Value::Null => is_pointer(from.ty) && (is_pointer(ty) || self.number(ty).is_some()),
            Value::Bits(0) => is_pointer(ty),
            _ => false,
        };
        is_null.then(|| self.blank(ty, true))
    }

    /// The components of a vector of numbers, or a number.
    fn scalars(&self, constant: &Constant) -> Option<Vec<Given>> {
        let (_, count) = self.components(constant.ty)?;
        let count = count.unwrap_or(1) as usize;
        let scalars = match &constant.value {
            Value::Bits(bits) => vec![Given::Bits(*bits)],
            Value::Null => vec![Given::Bits(0); count],
            Value::Undefined => vec![Given::Undefined; count],
            Value::Parts(parts) => {
                let of = |id: &u32| match self.known(*id)?.value {
                    Value::Bits(bits) => Some(Given::Bits(bits)),
                    Value::Undefined => Some(Given::Undefined),
                    Value::Null | Value::Parts(_) => None,
                };
                parts.iter().map(of).collect::<Option<_>>()?
            }
        };
        (scalars.len() == count).then_some(scalars)
    }

    /// An operation on numbers, or on each component of vectors.
    fn of_numbers(&mut self, op: Op, ty: u32, operands: &[u32]) -> Option<Value> {
        let (to, count) = self.components(ty)?;
        let mut from = None;
        let mut lists = Vec::new();
        for id in operands.iter().take(2) {
            let constant = self.known(*id)?;
            let (number, _) = self.components(constant.ty)?;
            // Only what is shifted by may be of another type.
            let shifts = matches!(
                op,
                Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic
            );
            if *from.get_or_insert(number) != number && !shifts {
                return None;
            }
            lists.push(self.scalars(constant)?);
        }
        let from = from?;
        let given = match (op, lists.as_slice()) {
            (Op::Bitcast, [list]) => cast(list, from, to)?,
            _ => {
                let mut given = Vec::new();
                for index in 0..lists.first()?.len() {
                    let mut numbers = Vec::new();
                    for list in &lists {
                        match list.get(index)? {
                            Given::Bits(bits) => numbers.push(*bits),
                            Given::Undefined => {}
                        }
                    }
                    given.push(match numbers.len() == lists.len() {
                        true => operate(op, to, from, &numbers)?,
                        false => Given::Undefined,
                    });
                }
                given
            }
        };
        let value = |given| match given {
            Given::Bits(bits) => Value::Bits(bits),
            Given::Undefined => Value::Undefined,
        };
        match (count, self.types.get(ty)?) {
            (Some(count), Type::Vector { component, .. }) if given.len() == count as usize => {
                let make = |given| self.make(component, value(given));
                let parts = given.into_iter().map(make).collect::<Option<_>>()?;
                self.composite(parts)
            }
            (None, _) => match given.as_slice() {
                [given] => Some(value(*given)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// The same bits in components of another type. "If the width of the components differs, the components
/// are mapped such that lower-numbered ones have the lower-order bits."
fn cast(list: &[Given], from: Number, to: Number) -> Option<Vec<Given>> {
    if from == Number::Bool || to == Number::Bool {
        return None;
    }
    let bytes = |number: Number| (number.width() / 8) as usize;
    let mut all = Vec::new();
    for given in list {
        match given {
            Given::Bits(bits) => {
                let bits = bits.to_le_bytes();
                all.extend(bits.into_iter().take(bytes(from)).map(Some));
            }
            Given::Undefined => all.extend(vec![None; bytes(from)]),
        }
    }
    if all.len() % bytes(to) != 0 {
        return None;
    }
    let component = |bytes: &[Option<u8>]| {
        let mut bits = [0; 8];
        for (to, byte) in bits.iter_mut().zip(bytes) {
            match byte {
                Some(byte) => *to = *byte,
                None => return Given::Undefined,
            }
        }
        Given::Bits(u64::from_le_bytes(bits))
    };
    Some(all.chunks(bytes(to)).map(component).collect())
}
