//! Reads what a module declares.

use spirv::{AddressingModel, Decoration, ExecutionMode, Op, StorageClass};
use spirv_module::Constants;

use super::super::lines::Lines;
use super::super::reader::Instruction;
use super::super::types::{ImageShape, MAX_COMPONENTS, MAX_CONSTANT, Shape};
use super::{Address, Constant, Contents, Data, Definition, Entry, Module, Variable};
use crate::error::Error;
use crate::ir::Type;

/// The most scalars of all constants of a module.
const MAX_CONSTANTS: usize = 1 << 22;

/// Reads the declarations.
///
/// # Errors
/// What SPIR-V forbids, or what no kernel of OpenCL has.
pub fn read(instructions: Vec<Instruction<'_>>, folded: Constants) -> Result<Module<'_>, Error> {
    let mut module = Module {
        instructions,
        folded,
        ..Module::default()
    };
    let mut function: Option<(u32, Definition)> = None;
    for index in 0..module.instructions.len() {
        let i = module.instructions[index];
        match i.op {
            Op::Function => {
                function = Some((i.word(1)?, Definition::default()));
            }
            Op::FunctionParameter => {
                let param = (i.word(0)?, i.word(1)?);
                match &mut function {
                    Some((_, definition)) => definition.params.push(param),
                    None => return Err(i.invalid("it is outside of a function")),
                }
            }
            Op::Label => match &mut function {
                Some((_, definition)) if definition.body.is_empty() => {
                    definition.body = index..index + 1;
                }
                Some(_) => {}
                None => return Err(i.invalid("it is outside of a function")),
            },
            Op::FunctionEnd => {
                let Some((id, mut definition)) = function.take() else {
                    return Err(i.invalid("no function begins before it"));
                };
                if !definition.body.is_empty() {
                    definition.body.end = index;
                }
                module.functions.insert(id, definition);
            }
            _ if function.is_none() => module.declare(&i)?,
            _ => {}
        }
    }
    // These name constants that are declared after them.
    for index in 0..module.instructions.len() {
        let i = module.instructions[index];
        if i.op == Op::ExecutionModeId {
            module.mode(&i)?;
        }
    }
    module.declare_again()?;
    module.lines = Lines::of(&module.instructions, &module.strings);
    module.data = Data::of(&module).map_err(|error| module.with_line(error))?;
    Ok(module)
}

impl<'a> Module<'a> {
    fn declare(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        match i.op {
            Op::ExtInstImport => {
                let name = i.text(1);
                if name == "OpenCL.std" {
                    self.opencl = Some(i.word(0)?);
                } else if name.contains("DebugInfo") || name.starts_with("NonSemantic.") {
                    self.comments.push(i.word(0)?);
                }
            }
            Op::String => {
                let text = i.text(1);
                self.descriptions.take(&text);
                self.strings.insert(i.word(0)?, text);
            }
            Op::Name => {
                let text = i.text(1);
                self.names.insert(i.word(0)?, text);
            }
            Op::Decorate => {
                let decoration = Decoration::from_u32(i.word(1)?);
                let id = i.word(0)?;
                if decoration == Some(Decoration::CPacked) {
                    self.types.pack(id);
                }
                if let Some(decoration) = decoration {
                    let operands = i.rest(2).to_vec();
                    self.decorations
                        .entry(id)
                        .or_default()
                        .push((decoration, operands));
                }
            }
            Op::GroupDecorate => {
                let group = i.word(0)?;
                let all = self.decorations.get(&group).cloned().unwrap_or_default();
                for &id in i.rest(1) {
                    if all.iter().any(|(which, _)| *which == Decoration::CPacked) {
                        self.types.pack(id);
                    }
                    self.decorations.entry(id).or_default().extend(all.clone());
                }
            }
            Op::EntryPoint => {
                let name = i.text(2);
                self.entries.push(Entry {
                    function: i.word(1)?,
                    name,
                    ..Entry::default()
                });
            }
            Op::ExecutionMode => self.mode(i)?,
            Op::MemoryModel if i.word(0)? == AddressingModel::Physical32 as u32 => {
                return Err(i.unsupported("addresses of 32 bits; devices have 64"));
            }
            Op::Variable => {
                let class = StorageClass::from_u32(i.word(2)?)
                    .ok_or_else(|| i.invalid("its storage class is unknown"))?;
                let variable = Variable {
                    ty: i.word(0)?,
                    class,
                };
                self.variables.push((i.word(1)?, variable));
            }
            // A structure may have it as a member before it is declared.
            Op::TypeForwardPointer => self.types.expect_pointer(i.word(0)?),
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::Constant
            | Op::SpecConstant
            | Op::ConstantNull
            | Op::Undef
            | Op::ConstantComposite
            | Op::SpecConstantComposite => self.constant(i)?,
            Op::ConstantSampler => {
                self.samplers.insert(i.word(1)?, *i);
            }
            Op::SpecConstantOp => self.operation(i)?,
            // Nothing computes it: a use is an error.
            Op::ConstantFunctionPointerINTEL => {
                self.computed.insert(i.word(1)?, (i.op, i.words.to_vec()));
            }
            _ => {
                if let Some(shape) = self.declared_type(i)? {
                    self.types.insert(i.word(0)?, shape);
                }
            }
        }
        Ok(())
    }

    /// Declares constants again whose operands were not known: translators write the addresses of
    /// variables, as numbers, before the variables.
    fn declare_again(&mut self) -> Result<(), Error> {
        for index in 0..self.instructions.len() {
            if self.computed.is_empty() {
                break;
            }
            let i = self.instructions[index];
            let is_constant = matches!(
                i.op,
                Op::SpecConstantOp | Op::ConstantComposite | Op::SpecConstantComposite
            );
            if is_constant && self.computed.remove(&i.word(1)?).is_some() {
                self.declare(&i)?;
            }
        }
        Ok(())
    }

    /// The type that an instruction declares, if it does.
    fn declared_type(&self, i: &Instruction<'_>) -> Result<Option<Shape>, Error> {
        Ok(Some(match i.op {
            Op::TypeVoid => Shape::Void,
            Op::TypeBool => Shape::Scalar(Type::I1),
            Op::TypeInt => {
                let bits = i.word(1)?;
                let ty = Type::of_bits(bits).filter(|ty| *ty != Type::I1);
                Shape::Scalar(ty.ok_or_else(|| {
                    i.unsupported(format!(
                        "integers of {bits} bits; there are 8, 16, 32 and 64. Clang's optimizer makes \
                         others, `-Xclang -disable-llvm-passes` leaves it out"
                    ))
                })?)
            }
            Op::TypeFloat => Shape::Scalar(match i.word(1)? {
                16 => Type::F16,
                32 => Type::F32,
                64 => Type::F64,
                bits => return Err(i.unsupported(format!("floats of {bits} bits"))),
            }),
            Op::TypeVector => match self.types.get(i.word(1)?) {
                // `VectorAnyINTEL` allows any number.
                Some(Shape::Scalar(ty)) => match i.word(2)? {
                    0 => return Err(i.invalid("it has no components")),
                    count @ ..=MAX_COMPONENTS => Shape::Vector(*ty, count),
                    _ => {
                        return Err(i.unsupported(format!(
                            "vectors of more than {MAX_COMPONENTS} components"
                        )));
                    }
                },
                _ => return Err(i.invalid("its components are no scalars")),
            },
            Op::TypeArray => {
                let length = self.number(i.word(2)?);
                let length = length.ok_or_else(|| i.invalid("its length is no constant"))?;
                let length = u32::try_from(length);
                Shape::Array(
                    i.word(1)?,
                    length.map_err(|_| i.unsupported("an array of 4 Gi elements"))?,
                )
            }
            Op::TypeStruct => Shape::Struct(i.rest(1).to_vec()),
            Op::TypePointer => {
                let class = StorageClass::from_u32(i.word(1)?)
                    .ok_or_else(|| i.invalid("its storage class is unknown"))?;
                Shape::Pointer(class, i.word(2)?)
            }
            Op::TypeFunction => Shape::Function,
            Op::TypeImage => Shape::Image(ImageShape::declared(i)?),
            Op::TypeSampler
            | Op::TypeSampledImage
            | Op::TypeOpaque
            | Op::TypeEvent
            | Op::TypeDeviceEvent
            | Op::TypeReserveId
            | Op::TypeQueue
            | Op::TypePipe
            | Op::TypePipeStorage
            | Op::TypeNamedBarrier => Shape::Opaque(i.op),
            _ => return Ok(None),
        }))
    }

    /// A constant that is computed from others.
    fn operation(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        if self.address_operation(i)? {
            return Ok(());
        }
        let (ty, id) = (i.word(0)?, i.word(1)?);
        let op = Op::from_u32(i.word(2)?);
        let op = op.ok_or_else(|| i.invalid("its operation is unknown"))?;
        match self.constant_operation(i)? {
            Some(scalars) => self.add(id, Constant::of(ty, scalars), i),
            None => {
                let words = [&[ty, id], i.rest(3)].concat();
                self.computed.insert(id, (op, words));
                Ok(())
            }
        }
    }

    /// Adds a constant to the others.
    fn add(&mut self, id: u32, constant: Constant<'a>, i: &Instruction<'_>) -> Result<(), Error> {
        self.weight += constant.weight;
        if self.weight > MAX_CONSTANTS {
            let what = format!("constants of more than {MAX_CONSTANTS} scalars");
            return Err(i.unsupported(what));
        }
        self.constants.insert(id, constant);
        Ok(())
    }

    fn mode(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let function = i.word(0)?;
        let id = i.op == Op::ExecutionModeId;
        let size = |module: &Self| -> Result<[u32; 3], Error> {
            let mut out = [0; 3];
            for (index, place) in out.iter_mut().enumerate() {
                let word = i.word(2 + index)?;
                let number = match id {
                    true => module.number(word).and_then(|n| u32::try_from(n).ok()),
                    false => Some(word),
                };
                *place = number.ok_or_else(|| i.invalid("a size is no constant"))?;
            }
            Ok(out)
        };
        let mode = ExecutionMode::from_u32(i.word(1)?);
        let (local_size, hint) = match mode {
            Some(ExecutionMode::LocalSize | ExecutionMode::LocalSizeId) => {
                (Some(size(self)?), None)
            }
            Some(ExecutionMode::LocalSizeHint | ExecutionMode::LocalSizeHintId) => {
                (None, Some(size(self)?))
            }
            // Code that is made for rounding to the nearest would round otherwise in part.
            Some(
                mode @ (ExecutionMode::RoundingModeRTZ
                | ExecutionMode::RoundingModeRTPINTEL
                | ExecutionMode::RoundingModeRTNINTEL
                | ExecutionMode::FloatingPointModeALTINTEL),
            ) => return Err(i.unsupported(format!("the execution mode {mode:?}"))),
            _ => (None, None),
        };
        let word = i.word(2).ok();
        let flushed = match mode {
            Some(ExecutionMode::DenormFlushToZero) => {
                let width = i.word(2)?;
                let ty = [Type::F16, Type::F32, Type::F64].into_iter();
                let ty = ty.clone().find(|ty| ty.bits() == width);
                Some(ty.ok_or_else(|| i.invalid(format!("no float has {width} bits")))?)
            }
            _ => None,
        };
        let entries = self.entries.iter_mut();
        for entry in entries.filter(|entry| entry.function == function) {
            match mode {
                Some(ExecutionMode::SubgroupSize) => entry.sub_group_size = word,
                Some(ExecutionMode::VecTypeHint) => entry.vector_hint = word,
                _ => entry.flushed.extend(flushed),
            }
            entry.local_size = local_size.or(entry.local_size);
            entry.local_size_hint = hint.or(entry.local_size_hint);
        }
        Ok(())
    }

    fn constant(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let (ty, id) = (i.word(0)?, i.word(1)?);
        let scalars = |scalars| Constant::of(ty, scalars);
        let constant = match i.op {
            Op::ConstantTrue | Op::SpecConstantTrue => scalars(vec![(Type::I1, Some(1))]),
            Op::ConstantFalse | Op::SpecConstantFalse => scalars(vec![(Type::I1, Some(0))]),
            Op::Constant | Op::SpecConstant => {
                let Some(Shape::Scalar(scalar)) = self.types.get(ty) else {
                    return Err(i.invalid("its type is no scalar"));
                };
                let low = u64::from(i.word(2)?);
                let high = match scalar.bits() {
                    64 => u64::from(i.word(3)?) << 32,
                    _ => 0,
                };
                scalars(vec![(*scalar, Some((low | high) & scalar.mask()))])
            }
            Op::ConstantNull | Op::Undef => {
                let contents = match i.op {
                    Op::ConstantNull => Contents::Null(*i),
                    _ => Contents::Undefined(*i),
                };
                let count = self.types.count(ty, i)?;
                Constant {
                    ty,
                    count,
                    weight: count,
                    contents,
                }
            }
            _ => {
                let parts = i.rest(2);
                let (mut count, mut weight) = (0, 0);
                let mut addresses = Vec::new();
                for part in parts {
                    let Some((scalars, within)) = self.initializer(*part) else {
                        let computed = (Op::CompositeConstruct, i.words.to_vec());
                        self.computed.insert(id, computed);
                        return Ok(());
                    };
                    addresses.extend(within.iter().map(|address| Address {
                        scalar: address.scalar + count,
                        ..*address
                    }));
                    count += scalars;
                    let known = self.constants.get(part);
                    weight += known.map_or(1, |constant| constant.weight.max(1));
                    if weight > MAX_CONSTANT {
                        return Err(i.unsupported(format!("more than {MAX_CONSTANT} scalars")));
                    }
                }
                if !addresses.is_empty() {
                    self.addresses.insert(id, addresses);
                }
                Constant {
                    ty,
                    count,
                    weight,
                    contents: Contents::Parts(parts),
                }
            }
        };
        self.add(id, constant, i)
    }
}
