//! Pointers, variables, loads, stores.

use spirv::{MemoryAccess, Op as Spv, StorageClass};

use super::copy::copied_alignment;
use super::module::{Placed, Section, Variable};
use super::reader::Instruction;
use super::translate::Translator;
use super::types::{Part, Shape, space_of};
use super::value::{Component, Val};
use crate::abi::FieldKind;
use crate::error::Error;
use crate::ir::{
    Access, Bin, Cond, Convert, Cursor, Function, Input, Op, Space, Symbol, Type, Value,
    alignment_at,
};

/// The most elements of one access.
const MAX_ELEMENTS: usize = 4;

impl Translator<'_> {
    /// Memory; `false` if the instruction does not use it.
    pub(super) fn memory(&mut self, i: &Instruction<'_>) -> Result<bool, Error> {
        match i.op {
            Spv::Variable => {
                let Shape::Pointer(_, pointee) = *self.module.types.shape(i.word(0)?, i)? else {
                    return Err(i.invalid("its type is no pointer"));
                };
                if self.is_object(pointee, i)? {
                    self.set(i.word(1)?, Val::default());
                    return Ok(true);
                }
                let (size, align) = self.module.types.size(pointee, i)?;
                let align = self.module.alignment(i.word(1)?, align, i)?;
                let value = self.alloca(size, align);
                if self.frames.len() > 1 {
                    self.lifetime(value, true);
                    self.frame().variables.push(value);
                }
                let val = Val::pointer(value, Some(Space::Private));
                if let Ok(initializer) = i.word(3) {
                    let initial = self.get(initializer, i)?;
                    self.store(&val, &initial, pointee, Given::aligned(align), i)?;
                }
                self.set(i.word(1)?, val);
            }
            Spv::AccessChain
            | Spv::InBoundsAccessChain
            | Spv::PtrAccessChain
            | Spv::InBoundsPtrAccessChain => self.access_chain(i)?,
            Spv::PtrCastToGeneric => {
                let val = self.get(i.word(2)?, i)?;
                let val = self.make_generic(&val, i)?;
                self.set(i.word(1)?, val);
            }
            Spv::GenericCastToPtr | Spv::GenericCastToPtrExplicit => {
                let val = self.get(i.word(2)?, i)?;
                let wanted = self.pointer_space(i)?;
                let wanted = wanted.ok_or_else(|| i.invalid("its result is a generic pointer"))?;
                let asks = i.op == Spv::GenericCastToPtrExplicit;
                let val = self.make_specific(&val, wanted, asks, i)?;
                self.set(i.word(1)?, val);
            }
            Spv::GenericPtrMemSemantics => self.memory_of(i)?,
            Spv::ConvertPtrToU => {
                let ty = self.component(i.word(0)?, i)?;
                let pointer = self.get(i.word(2)?, i)?;
                let mut value = self.scalar(i.word(2)?, i)?;
                // One number for a place, whatever kind of pointer points there.
                if let Some(number) = pointer.from_null {
                    value = number;
                } else if ty == Type::I64
                    && let Ok(address) = self.address(&pointer, i)
                {
                    value = self.number_of(address);
                }
                let value = self.resize(value, ty, false);
                self.set(i.word(1)?, Val::one(value));
            }
            Spv::ConvertUToPtr => {
                let value = self.scalar(i.word(2)?, i)?;
                let space = self.pointer_space(i)?;
                if let Some(wanted @ (Space::Private | Space::Local)) = space
                    && self.function.ty(value) == Type::I64
                {
                    let generic = Val::pointer(value, None);
                    let pointer = self.make_specific(&generic, wanted, false, i)?;
                    self.set(i.word(1)?, pointer);
                    return Ok(true);
                }
                let ty = self.component(i.word(0)?, i)?;
                let value = self.resize(value, ty, false);
                self.set(i.word(1)?, Val::pointer(value, space));
            }
            Spv::PtrDiff => {
                let (a, b) = (self.scalar(i.word(2)?, i)?, self.scalar(i.word(3)?, i)?);
                let difference = self.here().bin(Bin::Sub, a, b);
                let wide = self.resize(difference, Type::I64, true);
                let pointee = self.pointee(i.word(2)?, i)?;
                let (size, _) = self.module.types.size(pointee, i)?;
                let size = self.constant(Type::I64, u64::from(size.max(1)));
                let value = self.divide_integers(Bin::SDiv, wide, size);
                let ty = self.component(i.word(0)?, i)?;
                let value = self.resize(value, ty, true);
                self.set(i.word(1)?, Val::one(value));
            }
            Spv::SizeOf => {
                let pointee = self.pointee(i.word(2)?, i)?;
                let (size, _) = self.module.types.size(pointee, i)?;
                let ty = self.component(i.word(0)?, i)?;
                let value = self.constant(ty, size.into());
                self.set(i.word(1)?, Val::one(value));
            }
            Spv::Load => {
                let pointer = self.get(i.word(2)?, i)?;
                let ty = i.word(0)?;
                let val = match pointer.builtin {
                    Some((builtin, component)) => self.builtin(builtin, component, i)?,
                    None if self.is_object(ty, i)? => {
                        let stored = pointer.object.map(Val::object);
                        stored.ok_or_else(|| i.unsupported("an image that nothing has stored"))?
                    }
                    None => {
                        let given = self.given(i, 3, ty)?;
                        self.load(&pointer, ty, given, i)?
                    }
                };
                self.set(i.word(1)?, val);
            }
            Spv::Store => {
                let (pointer, value) = (self.get(i.word(0)?, i)?, self.get(i.word(1)?, i)?);
                let ty = self.pointee(i.word(0)?, i)?;
                if self.is_object(ty, i)? {
                    self.store_object(i.word(0)?, &value, i)?;
                    return Ok(true);
                }
                let given = self.given(i, 2, ty)?;
                self.store(&pointer, &value, ty, given, i)?;
            }
            Spv::CopyMemory => {
                let (to, from) = (self.get(i.word(0)?, i)?, self.get(i.word(1)?, i)?);
                let ty = self.pointee(i.word(0)?, i)?;
                let mut given = self.given(i, 2, ty)?;
                if let Some(align) = copied_alignment(i, 2) {
                    given.align = given.align.min(align.max(1));
                }
                self.copy_value(&to, &from, ty, given, i)?;
            }
            Spv::CopyMemorySized => self.copy_bytes(i)?,
            _ => return self.atomic(i),
        }
        Ok(true)
    }

    /// A pointer to a copy of what a pointer of type `ty` points to.
    pub(super) fn copied(
        &mut self,
        from: &Val,
        ty: u32,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        let &Shape::Pointer(_, pointee) = self.module.types.shape(ty, i)? else {
            return Err(i.invalid("a value is no pointer"));
        };
        let (size, align) = self.module.types.size(pointee, i)?;
        let volatile = false;
        let given = Given { align, volatile };
        let memory = self.alloca(size, align);
        self.lifetime(memory, true);
        let to = Val::pointer(memory, Some(Space::Private));
        self.copy_value(&to, from, pointee, given, i)?;
        Ok(to)
    }

    /// Whether a type is that of images or samplers, which have no values: a variable of it is what is
    /// stored in it.
    fn is_object(&self, ty: u32, i: &Instruction<'_>) -> Result<bool, Error> {
        let shape = self.module.types.shape(ty, i)?;
        Ok(matches!(
            shape,
            Shape::Image(_) | Shape::Opaque(Spv::TypeSampler)
        ))
    }

    /// Stores an image or sampler in a variable, which holds no other one before or after.
    fn store_object(&mut self, variable: u32, val: &Val, i: &Instruction<'_>) -> Result<(), Error> {
        let place = self.frame().values.get_mut(&variable);
        let place = place.ok_or_else(|| i.unsupported("an image in memory of others"))?;
        if val.object.is_none() {
            return Err(i.invalid("it stores no image or sampler"));
        }
        if place.object.is_some() && place.object != val.object {
            return Err(i.unsupported("a variable of several images or samplers"));
        }
        place.object = val.object;
        Ok(())
    }

    /// The type that a pointer points to, as the pointer's type has it.
    pub(super) fn pointee(&self, id: u32, i: &Instruction<'_>) -> Result<u32, Error> {
        let ty = self.type_of(id, i)?;
        match self.module.types.shape(ty, i)? {
            Shape::Pointer(_, pointee) => Ok(*pointee),
            _ => Err(i.invalid(format!("%{id} is no pointer"))),
        }
    }

    /// What the operands of an access say; the alignment is otherwise that of its type.
    fn given(&self, i: &Instruction<'_>, at: usize, ty: u32) -> Result<Given, Error> {
        let mask = MemoryAccess::from_bits_truncate(i.word(at).unwrap_or(0));
        let align = match mask.contains(MemoryAccess::ALIGNED) {
            true => i.word(at + 1)?,
            false => self.module.types.size(ty, i)?.1,
        };
        match align.is_power_of_two() {
            true => Ok(Given {
                align,
                volatile: mask.contains(MemoryAccess::VOLATILE),
            }),
            false => Err(i.invalid(format!("{align} is no alignment"))),
        }
    }

    /// An integer of another size.
    pub(super) fn resize(&mut self, value: Value, ty: Type, signed: bool) -> Value {
        let from = self.function.ty(value);
        let how = match (from.bits() > ty.bits(), signed) {
            (true, _) => Convert::Trunc,
            (false, true) => Convert::SExt,
            (false, false) => Convert::ZExt,
        };
        self.here().convert(how, value, ty)
    }

    /// Private memory. It is made in the entry block: an inlined function in a loop has one.
    pub(super) fn alloca(&mut self, size: u32, align: u32) -> Value {
        self.private_base();
        let op = Op::Alloca {
            size: size.max(1),
            align,
        };
        let inst = self.function.make(op, &[], &[Type::I32], self.at);
        self.function.blocks[0].insts.push(inst);
        self.function.result(inst)
    }

    /// Says that a variable begins or ends to be used.
    pub(super) fn lifetime(&mut self, variable: Value, begins: bool) {
        self.here().push(Op::Lifetime { begins }, &[variable], &[]);
    }

    /// The same by an instruction of the module, if it is about all of a variable.
    pub(super) fn lifetime_of(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let (pointer, bytes) = (self.get(i.word(0)?, i)?, i.word(1)?);
        let &[value] = pointer.scalars.as_slice() else {
            return Ok(());
        };
        let source = self.function.source(value);
        if let Some(Op::Alloca { size, .. }) = source.map(|(_, data)| &data.op)
            && (bytes == 0 || bytes >= *size)
        {
            self.lifetime(value, i.op == Spv::LifetimeStart);
        }
        Ok(())
    }

    /// Takes the address of private memory.
    pub(super) fn private_base(&mut self) {
        let base = self.abi.field(FieldKind::PrivateBase, 8, 8);
        self.function.private_base = Some(base);
    }

    /// A variable outside of functions.
    pub(super) fn variable(
        &mut self,
        id: u32,
        variable: Variable,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        if let Some(builtin) = self.module.builtin(id) {
            return Ok(Val {
                builtin: Some((builtin, Component::All)),
                ..Val::default()
            });
        }
        let Shape::Pointer(_, pointee) = *self.module.types.shape(variable.ty, i)? else {
            return Err(i.invalid(format!("%{id} is no pointer")));
        };
        let (size, align) = self.module.types.size(pointee, i)?;
        let align = self.module.alignment(id, align, i)?;
        match variable.class {
            StorageClass::Workgroup => {
                let at = self.abi.slm.checked_next_multiple_of(align.max(4));
                let end = at.and_then(|at| at.checked_add(size));
                let (Some(at), Some(end)) = (at, end.filter(|end| *end < 1 << 31)) else {
                    return Err(i.unsupported("local memory of more than 2 GiB"));
                };
                self.abi.slm = end;
                let value = self.constant(Type::I32, u64::from(at));
                Ok(Val::pointer(value, Some(Space::Local)))
            }
            _ if self.module.data.places.contains_key(&id) => {
                let value = self.address_of(self.module.data.places[&id], 0);
                Ok(Val::pointer(value, Some(Space::Global)))
            }
            class => Err(match self.module.undefined(id) {
                Some(name) => i.not_defined(&name),
                None => i.unsupported(format!("a variable in {class:?} outside of functions")),
            }),
        }
    }

    /// The address of a place among the variables of the program, made in the entry block, where
    /// every use sees it.
    pub(super) fn address_of(&mut self, place: Placed, offset: i64) -> Value {
        let within = offset.wrapping_add(place.offset.into());
        let (of, offset) = match place.section {
            Section::Constants => (Symbol::Constants, within),
            Section::Globals => (Symbol::Globals, within),
            Section::Strings => (Symbol::Text(place.offset), offset),
        };
        let mut entry = Cursor {
            function: &mut self.function,
            block: Function::ENTRY,
            at: self.at,
        };
        let halves = [false, true]
            .map(|high| entry.one(Op::Input(Input::Address { of, high }), &[], Type::I32));
        let base = entry.one(Op::Pair, &halves, Type::I64);
        let offset = entry.constant(Type::I64, offset as u64);
        match entry.function.bits(offset) {
            Some(0) => base,
            _ => entry.bin(Bin::Add, base, offset),
        }
    }

    /// Steps from a pointer.
    fn access_chain(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let base = self.get(i.word(2)?, i)?;
        let with_element = matches!(i.op, Spv::PtrAccessChain | Spv::InBoundsPtrAccessChain);
        if let Some((builtin, Component::All)) = base.builtin {
            let component = match i.word(3 + usize::from(with_element)) {
                Ok(index) => {
                    let index = self.index(index, i)?;
                    let known = self.function.bits(index);
                    known.map_or(Component::At(index), |bits| Component::Known(bits as u32))
                }
                Err(_) => Component::All,
            };
            let val = Val {
                builtin: Some((builtin, component)),
                ..Val::default()
            };
            self.set(i.word(1)?, val);
            return Ok(());
        }
        let [pointer] = base.scalars[..] else {
            return Err(i.invalid("its base is no pointer"));
        };
        let origin = match base.origin {
            Some((pointer, space)) => Some((self.chain(pointer, with_element, i)?, space)),
            None => None,
        };
        let is_null = self.function.ty(pointer) == Type::I32
            && self.function.bits(pointer) == Some(Space::NULL.into());
        let from_null = match (is_null, base.from_null) {
            (true, _) => Some(self.constant(Type::I64, 0)),
            (false, from_null) => from_null,
        };
        let from_null = from_null.map(|number| self.chain(number, with_element, i));
        let val = Val {
            origin,
            from_null: from_null.transpose()?,
            ..Val::pointer(self.chain(pointer, with_element, i)?, base.space)
        };
        self.set(i.word(1)?, val);
        Ok(())
    }

    /// Steps from an address.
    fn chain(
        &mut self,
        mut pointer: Value,
        with_element: bool,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let width = self.function.ty(pointer);
        let mut ty = self.pointee(i.word(2)?, i)?;
        let mut offset = 0i64;
        let mut indices = i.rest(3);
        if with_element {
            let (size, _) = self.module.types.size(ty, i)?;
            self.step(&mut pointer, &mut offset, i.word(3)?, size, i)?;
            indices = i.rest(4);
        }
        for id in indices {
            match self.module.types.shape(ty, i)?.clone() {
                Shape::Vector(scalar, _) => {
                    self.step(&mut pointer, &mut offset, *id, scalar.bytes(), i)?;
                    break;
                }
                Shape::Array(element, _) => {
                    let (size, _) = self.module.types.size(element, i)?;
                    self.step(&mut pointer, &mut offset, *id, size, i)?;
                    ty = element;
                }
                Shape::Struct(_) => {
                    let index = self.number(*id, i)? as usize;
                    let (at, member) = self.module.types.member(ty, index, i)?;
                    offset += i64::from(at);
                    ty = member;
                }
                _ => return Err(i.invalid("an index into a scalar")),
            }
        }
        if offset != 0 {
            let offset = self.constant(width, offset as u64);
            pointer = self.here().bin(Bin::Add, pointer, offset);
        }
        Ok(pointer)
    }

    fn step(
        &mut self,
        pointer: &mut Value,
        offset: &mut i64,
        index: u32,
        size: u32,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let index = self.scalar(index, i)?;
        let ty = self.function.ty(index);
        if let Some(bits) = self.function.bits(index) {
            let step = ty.signed(bits).wrapping_mul(i64::from(size));
            *offset = offset.wrapping_add(step);
            return Ok(());
        }
        let width = self.function.ty(*pointer);
        let index = self.resize(index, width, true);
        let scaled = if size.is_power_of_two() {
            let by = self.constant(width, u64::from(size.trailing_zeros()));
            self.here().bin(Bin::Shl, index, by)
        } else {
            let size = self.constant(width, u64::from(size));
            self.here().bin(Bin::Mul, index, size)
        };
        *pointer = self.here().bin(Bin::Add, *pointer, scaled);
        Ok(())
    }

    /// A pointer's address and memory.
    pub(super) fn address(
        &self,
        pointer: &Val,
        i: &Instruction<'_>,
    ) -> Result<(Value, Space), Error> {
        let value = pointer.scalars.first().copied();
        let value = value.ok_or_else(|| i.invalid("it takes a pointer"))?;
        if let Some(origin) = pointer.origin {
            return Ok(origin);
        }
        match pointer.space {
            Some(space) => Ok((value, space)),
            None if self.function.ty(value) == Type::I64 => Ok((value, Space::Generic)),
            None => Err(i.unsupported("a pointer into an unknown memory")),
        }
    }

    pub(super) fn offset(&mut self, base: Value, offset: u32) -> Value {
        let ty = self.function.ty(base);
        match offset {
            0 => base,
            _ => {
                let offset = self.constant(ty, u64::from(offset));
                self.here().bin(Bin::Add, base, offset)
            }
        }
    }

    /// Reads a value of a type.
    pub(super) fn load(
        &mut self,
        pointer: &Val,
        ty: u32,
        given: Given,
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        let parts = self.module.types.flatten(ty, i)?;
        let stored = self.read(pointer, &parts, given, i)?;
        let (_, space) = self.address(pointer, i)?;
        let values = stored.into_iter().zip(parts);
        let values: Vec<Value> = values
            .map(|(value, part)| {
                let value = self.loaded(value, part);
                match part.is_pointer {
                    true => value,
                    false => self.perhaps_pointer(value, space),
                }
            })
            .collect();
        Ok(Val {
            space: match self.module.types.shape(ty, i)? {
                Shape::Pointer(class, _) => space_of(*class),
                _ => None,
            },
            ..Val::many(values)
        })
    }

    /// Reads scalars as they are in memory.
    fn read(
        &mut self,
        pointer: &Val,
        parts: &[Part],
        given: Given,
        i: &Instruction<'_>,
    ) -> Result<Vec<Value>, Error> {
        let (base, space) = self.address(pointer, i)?;
        let mut values = Vec::new();
        for (ty, at, count) in runs(parts, self.caps.access_bytes(given.at(space, 0))) {
            let place = self.offset(base, at);
            let op = Op::Load(given.at(space, at));
            let inst = self.here().push(op, &[place], &vec![ty; count]);
            values.extend_from_slice(&self.function.insts[inst.index()].results);
        }
        Ok(values)
    }

    /// What was loaded as a number. In private memory it may be a pointer that was stored there; a generic pointer
    /// may point there.
    pub(super) fn perhaps_pointer(&mut self, value: Value, space: Space) -> Value {
        match (space, self.function.ty(value)) {
            (Space::Private | Space::Generic, Type::I64) => {
                self.one(Op::Number, &[value], Type::I64)
            }
            _ => value,
        }
    }

    /// What a scalar is that memory has as this.
    pub(super) fn loaded(&mut self, stored: Value, part: Part) -> Value {
        match (part.ty, part.into) {
            (_, Some(space)) => self.narrowed(stored, space),
            (Type::I1, _) => {
                let zero = self.constant(Type::I8, 0);
                self.one(Op::Icmp(Cond::Ne), &[stored, zero], Type::I1)
            }
            _ => stored,
        }
    }

    /// What memory has for a scalar.
    fn for_memory(&mut self, value: Value, part: Part) -> Value {
        match (part.ty, part.into) {
            (_, Some(space)) => self.widened(value, space),
            (Type::I1, _) => self.here().convert(Convert::ZExt, value, Type::I8),
            _ => value,
        }
    }

    /// Writes a value of a type.
    pub(super) fn store(
        &mut self,
        pointer: &Val,
        value: &Val,
        ty: u32,
        given: Given,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let parts = self.module.types.flatten(ty, i)?;
        let mut stored = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let value = value.scalars.get(index).copied();
            let value = value.filter(|value| self.function.ty(*value) == part.ty);
            let value = value.ok_or_else(|| i.invalid("a value of another type"))?;
            stored.push(self.for_memory(value, *part));
        }
        self.write(pointer, &parts, &stored, given, i)
    }

    /// Writes scalars as they are in memory.
    fn write(
        &mut self,
        pointer: &Val,
        parts: &[Part],
        mut stored: &[Value],
        given: Given,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let (base, space) = self.address(pointer, i)?;
        for (_, at, count) in runs(parts, self.caps.access_bytes(given.at(space, 0))) {
            let place = self.offset(base, at);
            let Some((now, rest)) = stored.split_at_checked(count) else {
                return Err(i.invalid("a value of another type"));
            };
            stored = rest;
            let args = [&[place], now].concat();
            self.here().push(Op::Store(given.at(space, at)), &args, &[]);
        }
        Ok(())
    }

    /// Copies a value of a type as it is in memory.
    fn copy_value(
        &mut self,
        to: &Val,
        from: &Val,
        ty: u32,
        given: Given,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let parts = self.module.types.flatten(ty, i)?;
        let stored = self.read(from, &parts, given, i)?;
        self.write(to, &parts, &stored, given, i)
    }

    /// A lane's number.
    pub(super) fn lane(&mut self) -> Value {
        self.one(Op::Input(Input::Lane), &[], Type::I32)
    }
}

/// Runs of scalars of one type behind each other, as one access of at most so many bytes takes them: the
/// type in memory, where it begins, how many. Quad qwords are aligned.
fn runs(parts: &[Part], most: u32) -> Vec<(Type, u32, usize)> {
    let mut runs: Vec<(Type, u32, usize)> = Vec::new();
    for part in parts {
        let (ty, at) = (part.stored(), part.at);
        match runs.last_mut() {
            Some((last, start, count))
                if *last == ty
                    && *count < MAX_ELEMENTS.max(4 * MAX_ELEMENTS / ty.bytes() as usize)
                    && *start + *count as u32 * ty.bytes() == at =>
            {
                *count += 1;
            }
            _ => runs.push((ty, at, 1)),
        }
    }
    let mut joined: Vec<(Type, u32, usize)> = Vec::with_capacity(runs.len());
    for (ty, at, count) in runs {
        let bytes = |count: usize| count as u32 * ty.bytes();
        match joined.last_mut() {
            Some((last, start, before))
                if (*last, *before) == (ty, count)
                    && start.is_multiple_of(8)
                    && *start + bytes(count) == at
                    && bytes(count) == 16
                    && 2 * bytes(count) <= most =>
            {
                *before += count;
            }
            _ => joined.push((ty, at, count)),
        }
    }
    joined
}

/// What is said of an access.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given {
    pub(super) align: u32,
    volatile: bool,
}

impl Given {
    /// Only its alignment.
    pub(super) const fn aligned(align: u32) -> Self {
        Self {
            align,
            volatile: false,
        }
    }

    /// A part of it, so many bytes behind its begin.
    fn at(self, space: Space, offset: u32) -> Access {
        Access {
            space,
            align: alignment_at(self.align, offset),
            volatile: self.volatile,
        }
    }
}
