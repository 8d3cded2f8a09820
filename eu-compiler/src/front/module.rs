//! What a module declares outside of functions.

use hashbrown::HashMap;
use spirv::{
    AddressingModel, BuiltIn, Decoration, ExecutionMode, FunctionParameterAttribute, Op,
    StorageClass,
};

use super::data::{Address, Data};
use super::described::Descriptions;
use super::image::ImageShape;
use super::reader::Instruction;
use crate::error::Error;
use crate::ir::{Space, Type};

/// A type of SPIR-V.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// No value.
    Void,
    /// A scalar.
    Scalar(Type),
    /// Components of a scalar type.
    Vector(Type, u32),
    /// Elements of a type.
    Array(u32, u32),
    /// Members of types.
    Struct(Vec<u32>),
    /// A pointer: where to, and to what.
    Pointer(StorageClass, u32),
    /// A function's type.
    Function,
    /// An image.
    Image(ImageShape),
    /// Anything else, by the name of its instruction.
    Opaque(Op),
}

/// A constant: its scalars, `None` where undefined.
pub type Scalar = (Type, Option<u64>);
/// The scalars of a constant.
pub type Scalars = Vec<Scalar>;

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Parameters: types and ids.
    pub params: Vec<(u32, u32)>,
    /// Instructions of the body, as a range of the module's; empty for an import.
    pub body: std::ops::Range<usize>,
}

/// A variable outside of functions.
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    /// Its pointer type.
    pub ty: u32,
    /// Where it is.
    pub class: StorageClass,
}

/// An entry point.
#[derive(Clone, Debug, Default)]
pub struct Entry {
    /// The function.
    pub function: u32,
    /// The name.
    pub name: String,
    /// `reqd_work_group_size`.
    pub local_size: Option<[u32; 3]>,
    /// `work_group_size_hint`.
    pub local_size_hint: Option<[u32; 3]>,
    /// `intel_reqd_sub_group_size`.
    pub sub_group_size: Option<u32>,
    /// `vec_type_hint` as SPIR-V has it.
    pub vector_hint: Option<u32>,
}

/// A module's declarations.
#[derive(Debug)]
pub struct Module<'a> {
    /// What all channels of a sub-group must reach is marked.
    pub marks: bool,
    /// All instructions.
    pub instructions: Vec<Instruction<'a>>,
    /// Types.
    pub shapes: HashMap<u32, Shape>,
    /// Constants with their types.
    pub constants: HashMap<u32, (u32, Scalars)>,
    /// Constants that code computes, as addresses are: instructions without their own place.
    pub computed: HashMap<u32, (Op, Vec<u32>)>,
    /// Decorations of ids: which, and its operands.
    pub decorations: HashMap<u32, Vec<(Decoration, Vec<u32>)>>,
    /// Names.
    pub names: HashMap<u32, String>,
    /// Functions.
    pub functions: HashMap<u32, Definition>,
    /// Addresses of variables in constants.
    pub addresses: HashMap<u32, Vec<Address>>,
    /// Variables in memory.
    pub data: Data,
    /// Variables, in order.
    pub variables: Vec<(u32, Variable)>,
    /// Kernels.
    pub entries: Vec<Entry>,
    /// The imported set of extended instructions.
    pub opencl: Option<u32>,
    /// Imported sets that mean nothing for code.
    pub comments: Vec<u32>,
    /// Samplers that the source describes.
    pub samplers: HashMap<u32, Instruction<'a>>,
    /// What texts say of the arguments of kernels.
    pub descriptions: Descriptions,
    /// Texts.
    strings: HashMap<u32, String>,
    /// Packed structures.
    packed: Vec<u32>,
    /// The sizes and alignments of types that have them.
    sizes: HashMap<u32, (u32, u32)>,
    /// The scalars of all constants.
    scalars: usize,
}

/// The most scalars of a value in code.
pub const MAX_SCALARS: usize = 1 << 14;
/// The most scalars of a constant, and of all constants of a module.
const MAX_CONSTANT: usize = 1 << 21;
const MAX_CONSTANTS: usize = 1 << 22;

/// The size and alignment of every pointer in memory, in a module of 64 bits.
const POINTER: (u32, u32) = (8, 8);

impl<'a> Module<'a> {
    /// Reads the declarations.
    ///
    /// # Errors
    /// What SPIR-V forbids, or what no kernel of OpenCL has.
    pub fn new(instructions: Vec<Instruction<'a>>) -> Result<Self, Error> {
        let mut module = Module {
            marks: false,
            instructions,
            shapes: HashMap::new(),
            constants: HashMap::new(),
            computed: HashMap::new(),
            decorations: HashMap::new(),
            names: HashMap::new(),
            functions: HashMap::new(),
            addresses: HashMap::new(),
            data: Data::default(),
            variables: Vec::new(),
            entries: Vec::new(),
            opencl: None,
            comments: Vec::new(),
            samplers: HashMap::new(),
            descriptions: Descriptions::default(),
            strings: HashMap::new(),
            packed: Vec::new(),
            sizes: HashMap::new(),
            scalars: 0,
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
        module.data = Data::of(&module)?;
        Ok(module)
    }

    fn declare(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        let shape = match i.op {
            Op::ExtInstImport => {
                let name = i.text(1);
                if name == "OpenCL.std" {
                    self.opencl = Some(i.word(0)?);
                } else if name.contains("DebugInfo") || name.starts_with("NonSemantic.") {
                    self.comments.push(i.word(0)?);
                }
                return Ok(());
            }
            Op::String => {
                let text = i.text(1);
                self.descriptions.take(&text);
                self.strings.insert(i.word(0)?, text);
                return Ok(());
            }
            Op::Name => {
                let text = i.text(1);
                self.names.insert(i.word(0)?, text);
                return Ok(());
            }
            Op::Decorate => {
                let decoration = Decoration::from_u32(i.word(1)?);
                let id = i.word(0)?;
                if decoration == Some(Decoration::CPacked) {
                    self.packed.push(id);
                }
                if let Some(decoration) = decoration {
                    let operands = i.rest(2).to_vec();
                    self.decorations
                        .entry(id)
                        .or_default()
                        .push((decoration, operands));
                }
                return Ok(());
            }
            Op::GroupDecorate => {
                let group = i.word(0)?;
                let all = self.decorations.get(&group).cloned().unwrap_or_default();
                for &id in i.rest(1) {
                    self.decorations.entry(id).or_default().extend(all.clone());
                }
                return Ok(());
            }
            Op::EntryPoint => {
                let name = i.text(2);
                self.entries.push(Entry {
                    function: i.word(1)?,
                    name,
                    ..Entry::default()
                });
                return Ok(());
            }
            Op::ExecutionMode => return self.mode(i),
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
                return Ok(());
            }
            Op::TypeVoid => Shape::Void,
            Op::TypeBool => Shape::Scalar(Type::I1),
            Op::TypeInt => {
                let bits = i.word(1)?;
                let ty = Type::of_bits(bits).filter(|ty| *ty != Type::I1);
                Shape::Scalar(ty.ok_or_else(|| {
                    i.unsupported(format!(
                        "integers of {bits} bits; there are 8, 16, 32 and 64"
                    ))
                })?)
            }
            Op::TypeFloat => Shape::Scalar(match i.word(1)? {
                16 => Type::F16,
                32 => Type::F32,
                64 => Type::F64,
                bits => return Err(i.unsupported(format!("floats of {bits} bits"))),
            }),
            Op::TypeVector => match self.shapes.get(&i.word(1)?) {
                Some(Shape::Scalar(ty)) if (1..=16).contains(&i.word(2)?) => {
                    Shape::Vector(*ty, i.word(2)?)
                }
                _ => return Err(i.invalid("components are 2 to 16 scalars")),
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
            // A structure may have it as a member before it is declared.
            Op::TypeForwardPointer => {
                self.sizes.insert(i.word(0)?, POINTER);
                return Ok(());
            }
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
            Op::ConstantTrue
            | Op::ConstantFalse
            | Op::SpecConstantTrue
            | Op::SpecConstantFalse
            | Op::Constant
            | Op::SpecConstant
            | Op::ConstantNull
            | Op::Undef
            | Op::ConstantComposite
            | Op::SpecConstantComposite => return self.constant(i),
            Op::ConstantSampler => {
                self.samplers.insert(i.word(1)?, *i);
                return Ok(());
            }
            Op::SpecConstantOp if self.address_operation(i)? => return Ok(()),
            Op::SpecConstantOp => {
                let (ty, id) = (i.word(0)?, i.word(1)?);
                let op = Op::from_u32(i.word(2)?);
                let op = op.ok_or_else(|| i.invalid("its operation is unknown"))?;
                if matches!(op, Op::UDiv | Op::SDiv | Op::UMod | Op::SRem | Op::SMod)
                    && self.number(i.word(4)?) == Some(0)
                {
                    return Err(i.invalid("a division by zero"));
                }
                match self.constant_operation(op, i)? {
                    Some(scalars) => {
                        self.constants.insert(id, (ty, scalars));
                    }
                    None => {
                        let words = [&[ty, id], i.rest(3)].concat();
                        self.computed.insert(id, (op, words));
                    }
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let id = i.word(0)?;
        if let Some(size) = self.measure(id, &shape) {
            self.sizes.insert(id, size);
        }
        self.shapes.insert(id, shape);
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
            _ => (None, None),
        };
        let word = i.word(2).ok();
        let entries = self.entries.iter_mut();
        for entry in entries.filter(|entry| entry.function == function) {
            match mode {
                Some(ExecutionMode::SubgroupSize) => entry.sub_group_size = word,
                Some(ExecutionMode::VecTypeHint) => entry.vector_hint = word,
                _ => {}
            }
            entry.local_size = local_size.or(entry.local_size);
            entry.local_size_hint = hint.or(entry.local_size_hint);
        }
        Ok(())
    }

    fn constant(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let (ty, id) = (i.word(0)?, i.word(1)?);
        let scalars = match i.op {
            Op::ConstantTrue | Op::SpecConstantTrue => vec![(Type::I1, Some(1))],
            Op::ConstantFalse | Op::SpecConstantFalse => vec![(Type::I1, Some(0))],
            Op::Constant | Op::SpecConstant => {
                let Some(Shape::Scalar(scalar)) = self.shapes.get(&ty) else {
                    return Err(i.invalid("its type is no scalar"));
                };
                let low = u64::from(i.word(2)?);
                let high = match scalar.bits() {
                    64 => u64::from(i.word(3)?) << 32,
                    _ => 0,
                };
                vec![(*scalar, Some((low | high) & scalar.mask()))]
            }
            Op::ConstantNull | Op::Undef => {
                // Offsets begin at zero: something else is no memory.
                let none = match self.shapes.get(&ty) {
                    Some(Shape::Pointer(class, _)) if super::pointer_type(*class) == Type::I32 => {
                        Space::NULL.into()
                    }
                    _ => 0,
                };
                let bits = (i.op == Op::ConstantNull).then_some(none);
                let flat = self.flatten_data(ty, i)?;
                flat.into_iter().map(|(ty, _)| (ty, bits)).collect()
            }
            _ => {
                let mut all = Vec::new();
                let mut addresses = Vec::new();
                for part in i.rest(2) {
                    let Some((scalars, within)) = self.initializer(*part) else {
                        let computed = (Op::CompositeConstruct, i.words.to_vec());
                        self.computed.insert(id, computed);
                        return Ok(());
                    };
                    addresses.extend(within.iter().map(|address| Address {
                        scalar: address.scalar + all.len(),
                        ..*address
                    }));
                    all.extend(scalars.iter().copied());
                    if all.len() > MAX_CONSTANT {
                        return Err(i.unsupported(format!("more than {MAX_CONSTANT} scalars")));
                    }
                }
                if !addresses.is_empty() {
                    self.addresses.insert(id, addresses);
                }
                all
            }
        };
        self.scalars += scalars.len();
        if self.scalars > MAX_CONSTANTS {
            let what = format!("constants of more than {MAX_CONSTANTS} scalars");
            return Err(i.unsupported(what));
        }
        self.constants.insert(id, (ty, scalars));
        Ok(())
    }

    /// A constant's number.
    pub fn number(&self, id: u32) -> Option<u64> {
        match self.constants.get(&id)?.1.as_slice() {
            [(_, bits)] => *bits,
            _ => None,
        }
    }

    /// The type of a constant or variable.
    pub fn type_of(&self, id: u32) -> Option<u32> {
        let variables = self.variables.iter();
        let constant = self.constants.get(&id).map(|(ty, _)| *ty);
        let computed = || self.computed.get(&id)?.1.first().copied();
        let variable = || variables.clone().find(|(other, _)| *other == id);
        constant
            .or_else(computed)
            .or_else(|| Some(variable()?.1.ty))
    }

    /// The first scalar of the part of a type at the end of a path of indices.
    pub fn path(&self, mut ty: u32, indices: &[u32], i: &Instruction<'_>) -> Result<usize, Error> {
        let mut first = 0;
        for index in indices {
            let index = *index as usize;
            match self.shape(ty, i)? {
                Shape::Vector(_, count) if index < *count as usize => return Ok(first + index),
                Shape::Array(element, count) if index < *count as usize => {
                    first += index * self.flatten(*element, i)?.len();
                    ty = *element;
                }
                Shape::Struct(members) if index < members.len() => {
                    for member in &members[..index] {
                        first += self.flatten(*member, i)?.len();
                    }
                    ty = members[index];
                }
                _ => return Err(i.invalid("an index beyond the end")),
            }
        }
        Ok(first)
    }

    /// A type.
    pub fn shape(&self, id: u32, i: &Instruction<'_>) -> Result<&Shape, Error> {
        let shape = self.shapes.get(&id);
        shape.ok_or_else(|| i.invalid(format!("%{id} is no type")))
    }

    /// The size and alignment of a type in memory.
    pub fn size(&self, id: u32, i: &Instruction<'_>) -> Result<(u32, u32), Error> {
        match (self.sizes.get(&id), self.shape(id, i)?) {
            (Some(size), _) => Ok(*size),
            (None, Shape::Void | Shape::Function) => Err(i.invalid(format!("%{id} has no size"))),
            (None, _) => Err(i.unsupported(
                "a type of more than 2 GiB, or of types that are not declared before it",
            )),
        }
    }

    /// The size and alignment of a type whose parts are declared; `None` if it has none, or one of
    /// more than 2 GiB.
    fn measure(&self, id: u32, shape: &Shape) -> Option<(u32, u32)> {
        let (size, align) = match shape {
            Shape::Void | Shape::Function => return None,
            Shape::Scalar(ty) => (ty.bytes(), ty.bytes()),
            Shape::Vector(ty, count) => {
                let size = ty.bytes() * count.next_power_of_two();
                (size, size)
            }
            Shape::Array(element, count) => {
                let (size, align) = *self.sizes.get(element)?;
                (size.checked_mul(*count)?, align)
            }
            Shape::Struct(members) => {
                let packed = self.packed.contains(&id);
                let (mut end, mut most) = (0u32, 1);
                for member in members {
                    let (size, align) = *self.sizes.get(member)?;
                    let align = if packed { 1 } else { align };
                    most = most.max(align);
                    end = end.checked_next_multiple_of(align)?.checked_add(size)?;
                }
                (end.checked_next_multiple_of(most)?, most)
            }
            Shape::Pointer(..) => POINTER,
            Shape::Image(_) | Shape::Opaque(_) => (8, 8),
        };
        (size < 1 << 31).then_some((size, align))
    }

    /// The offset and type of a structure's member.
    pub fn member(&self, id: u32, index: usize, i: &Instruction<'_>) -> Result<(u32, u32), Error> {
        let Shape::Struct(members) = self.shape(id, i)? else {
            return Err(i.invalid(format!("%{id} is no structure")));
        };
        // With this all offsets are below 2 GiB.
        self.size(id, i)?;
        let packed = self.packed.contains(&id);
        let mut end = 0u32;
        for (number, member) in members.iter().enumerate() {
            let (size, align) = self.size(*member, i)?;
            let at = end.next_multiple_of(if packed { 1 } else { align });
            if number == index {
                return Ok((at, *member));
            }
            end = at + size;
        }
        Err(i.invalid(format!("%{id} has {} members", members.len())))
    }

    /// The scalars of a type and their offsets in memory.
    pub fn flatten(&self, id: u32, i: &Instruction<'_>) -> Result<Vec<(Type, u32)>, Error> {
        let mut out = Vec::new();
        self.flatten_at(id, 0, MAX_SCALARS, i, &mut out)?;
        Ok(out)
    }

    /// As [`flatten`](Self::flatten), for what is no value in code: constants and variables may be large.
    pub fn flatten_data(&self, id: u32, i: &Instruction<'_>) -> Result<Vec<(Type, u32)>, Error> {
        let mut out = Vec::new();
        self.flatten_at(id, 0, MAX_CONSTANT, i, &mut out)?;
        Ok(out)
    }

    fn flatten_at(
        &self,
        id: u32,
        at: u32,
        most: usize,
        i: &Instruction<'_>,
        out: &mut Vec<(Type, u32)>,
    ) -> Result<(), Error> {
        if out.len() > most {
            return Err(i.unsupported(format!("a value of more than {most} scalars")));
        }
        match self.shape(id, i)? {
            Shape::Void
            | Shape::Function
            | Shape::Image(_)
            | Shape::Opaque(Op::TypeSampler | Op::TypeSampledImage) => {}
            Shape::Scalar(ty) => out.push((*ty, at)),
            Shape::Vector(ty, count) => {
                out.extend((0..*count).map(|n| (*ty, at + n * ty.bytes())));
            }
            // Nothing of it is a scalar, however many parts there are.
            Shape::Array(..) | Shape::Struct(_) if self.size(id, i)?.0 == 0 => {}
            Shape::Array(element, count) => {
                let (size, _) = self.size(*element, i)?;
                for n in 0..*count {
                    self.flatten_at(*element, at + n * size, most, i, out)?;
                }
            }
            Shape::Struct(members) => {
                for index in 0..members.len() {
                    let (offset, member) = self.member(id, index, i)?;
                    self.flatten_at(member, at + offset, most, i, out)?;
                }
            }
            Shape::Pointer(class, _) => out.push((super::pointer_type(*class), at)),
            Shape::Opaque(_) => out.push((Type::I64, at)),
        }
        Ok(())
    }

    /// A decoration's operands.
    pub fn decoration(&self, id: u32, which: Decoration) -> Option<&[u32]> {
        let all = self.decorations.get(&id)?;
        let found = all.iter().find(|(decoration, _)| *decoration == which)?;
        Some(&found.1)
    }

    /// Whether a parameter points to a value of the function's own.
    pub fn is_by_value(&self, id: u32) -> bool {
        self.has_attribute(id, FunctionParameterAttribute::ByVal)
    }

    /// Whether a parameter has an attribute.
    pub fn has_attribute(&self, id: u32, attribute: FunctionParameterAttribute) -> bool {
        let all = self.decorations.get(&id);
        let all = all.map(Vec::as_slice).unwrap_or_default();
        let attribute = attribute as u32;
        all.iter()
            .any(|(what, words)| *what == Decoration::FuncParamAttr && words.contains(&attribute))
    }

    /// The built-in that a variable is.
    pub fn builtin(&self, id: u32) -> Option<BuiltIn> {
        BuiltIn::from_u32(*self.decoration(id, Decoration::BuiltIn)?.first()?)
    }

    /// A text.
    pub fn string(&self, id: u32) -> Option<&str> {
        self.strings.get(&id).map(String::as_str)
    }
}
