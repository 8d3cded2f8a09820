//! SPIR-V modules from instructions.

use std::collections::{BTreeSet, HashMap};

use spirv::{
    AccessQualifier, AddressingModel, BuiltIn, Capability, Decoration, Dim, ExecutionMode,
    ExecutionModel, FunctionControl, ImageFormat, MemoryAccess, MemoryModel, Op, Scope,
    SelectionControl, StorageClass,
};

use super::element::Element;

/// An id.
pub type Id = u32;

/// A module.
#[derive(Default)]
pub struct Assembler {
    next: Id,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    entries: Vec<u32>,
    modes: Vec<u32>,
    annotations: Vec<u32>,
    declarations: Vec<u32>,
    functions: Vec<u32>,
    known: HashMap<(Op, Vec<u32>), Id>,
    variables: Vec<Id>,
}

/// Appends an instruction.
fn put(to: &mut Vec<u32>, op: Op, operands: &[u32]) {
    to.push((operands.len() as u32 + 1) << 16 | op as u32);
    to.extend(operands);
}

/// A text as operands.
fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    let words = bytes.chunks_exact(4);
    words
        .map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]))
        .collect()
}

impl Assembler {
    /// An empty module.
    pub fn new() -> Self {
        let mut new = Self {
            next: 1,
            ..Self::default()
        };
        for capability in [
            Capability::Addresses,
            Capability::Kernel,
            Capability::Linkage,
            Capability::Int64,
        ] {
            new.capability(capability);
        }
        new
    }

    pub fn id(&mut self) -> Id {
        self.next += 1;
        self.next - 1
    }

    pub fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// A type or constant, declared once.
    fn declare(&mut self, op: Op, ty: Option<Id>, operands: &[u32]) -> Id {
        let key: Vec<u32> = ty.into_iter().chain(operands.iter().copied()).collect();
        if let Some(id) = self.known.get(&(op, key.clone())) {
            return *id;
        }
        let id = self.id();
        let words: Vec<u32> = ty
            .into_iter()
            .chain([id])
            .chain(operands.iter().copied())
            .collect();
        put(&mut self.declarations, op, &words);
        self.known.insert((op, key), id);
        id
    }

    pub fn void(&mut self) -> Id {
        self.declare(Op::TypeVoid, None, &[])
    }

    pub fn bool(&mut self) -> Id {
        self.declare(Op::TypeBool, None, &[])
    }

    fn int(&mut self, bits: u32) -> Id {
        match bits {
            8 => self.capability(Capability::Int8),
            16 => self.capability(Capability::Int16),
            _ => {}
        }
        self.declare(Op::TypeInt, None, &[bits, 0])
    }

    pub fn uint(&mut self) -> Id {
        self.int(32)
    }

    pub fn scalar(&mut self, of: Element) -> Id {
        match of {
            Element::F16 | Element::F32 | Element::F64 => {
                match of {
                    Element::F16 => self.capability(Capability::Float16),
                    Element::F64 => self.capability(Capability::Float64),
                    _ => {}
                }
                self.declare(Op::TypeFloat, None, &[of.bits()])
            }
            _ => self.int(of.bits()),
        }
    }

    /// A scalar, or a vector of it.
    pub fn vector(&mut self, of: Element, count: u32) -> Id {
        let scalar = self.scalar(of);
        match count {
            1 => scalar,
            _ => {
                if count > 4 {
                    self.capability(Capability::Vector16);
                }
                self.declare(Op::TypeVector, None, &[scalar, count])
            }
        }
    }

    pub fn pointer(&mut self, class: StorageClass, to: Id) -> Id {
        self.declare(Op::TypePointer, None, &[class as u32, to])
    }

    pub fn number(&mut self, number: u32) -> Id {
        let ty = self.uint();
        self.declare(Op::Constant, Some(ty), &[number])
    }

    pub fn long(&mut self, number: u32) -> Id {
        let ty = self.int(64);
        self.declare(Op::Constant, Some(ty), &[number, 0])
    }

    pub fn null(&mut self, ty: Id) -> Id {
        self.declare(Op::ConstantNull, Some(ty), &[])
    }

    pub fn scope(&mut self, scope: Scope) -> Id {
        self.number(scope as u32)
    }

    /// A built-in variable.
    pub fn built_in(&mut self, which: BuiltIn, ty: Id) -> Id {
        let pointer = self.pointer(StorageClass::Input, ty);
        let key = (Op::Variable, vec![pointer, which as u32]);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = self.id();
        let class = StorageClass::Input as u32;
        put(&mut self.declarations, Op::Variable, &[pointer, id, class]);
        for words in [
            vec![id, Decoration::BuiltIn as u32, which as u32],
            vec![id, Decoration::Constant as u32],
        ] {
            put(&mut self.annotations, Op::Decorate, &words);
        }
        self.variables.push(id);
        self.known.insert(key, id);
        id
    }

    /// An instruction of the function.
    pub fn op(&mut self, op: Op, operands: &[u32]) {
        put(&mut self.functions, op, operands);
    }

    /// The same with a result.
    pub fn value(&mut self, op: Op, ty: Id, operands: &[u32]) -> Id {
        let id = self.id();
        let words: Vec<u32> = [ty, id].iter().chain(operands).copied().collect();
        put(&mut self.functions, op, &words);
        id
    }

    pub fn load(&mut self, ty: Id, pointer: Id, align: u32) -> Id {
        let aligned = MemoryAccess::ALIGNED.bits();
        self.value(Op::Load, ty, &[pointer, aligned, align])
    }

    pub fn store(&mut self, pointer: Id, value: Id, align: u32) {
        let aligned = MemoryAccess::ALIGNED.bits();
        self.op(Op::Store, &[pointer, value, aligned, align]);
    }

    /// A two-dimensional image that is read or written.
    pub fn image(&mut self, access: AccessQualifier) -> Id {
        self.capability(Capability::ImageBasic);
        let (void, flat) = (self.void(), Dim::Dim2D as u32);
        let unknown = ImageFormat::Unknown as u32;
        let operands = [void, flat, 0, 0, 0, 0, unknown, access as u32];
        self.declare(Op::TypeImage, None, &operands)
    }

    /// Begins a kernel with parameters of these types; gives them.
    pub fn kernel(&mut self, name: &str, simd: u32, types: &[Id]) -> Vec<Id> {
        let void = self.void();
        let ty: Vec<u32> = [void].into_iter().chain(types.iter().copied()).collect();
        let ty = self.declare(Op::TypeFunction, None, &ty);
        let id = self.id();
        let mut entry = vec![ExecutionModel::Kernel as u32, id];
        entry.extend(text(name));
        put(&mut self.entries, Op::EntryPoint, &entry);
        self.capability(Capability::SubgroupDispatch);
        put(
            &mut self.modes,
            Op::ExecutionMode,
            &[id, ExecutionMode::SubgroupSize as u32, simd],
        );
        let control = FunctionControl::NONE.bits();
        put(&mut self.functions, Op::Function, &[void, id, control, ty]);
        let params = types
            .iter()
            .map(|ty| self.value(Op::FunctionParameter, *ty, &[]))
            .collect();
        let label = self.id();
        self.label(label);
        params
    }

    pub fn label(&mut self, label: Id) {
        self.op(Op::Label, &[label]);
    }

    /// A branch whose first way alone has instructions.
    pub fn only_if(&mut self, condition: Id, then: Id, after: Id) {
        let control = SelectionControl::NONE.bits();
        self.op(Op::SelectionMerge, &[after, control]);
        self.op(Op::BranchConditional, &[condition, then, after]);
        self.label(then);
    }

    /// Ends the kernel.
    pub fn end(&mut self) {
        self.op(Op::Return, &[]);
        self.op(Op::FunctionEnd, &[]);
    }

    /// The module's bytes.
    pub fn finish(self) -> Vec<u8> {
        let mut words = vec![spirv::MAGIC_NUMBER, 0x0001_0300, 0, self.next, 0];
        for capability in &self.capabilities {
            put(&mut words, Op::Capability, &[*capability]);
        }
        for extension in &self.extensions {
            put(&mut words, Op::Extension, &text(extension));
        }
        put(
            &mut words,
            Op::MemoryModel,
            &[
                AddressingModel::Physical64 as u32,
                MemoryModel::OpenCL as u32,
            ],
        );
        // Every kernel names the built-in variables of all.
        let mut entries = self.entries.as_slice();
        while let [first, ..] = entries {
            let count = (first >> 16) as usize;
            let mut operands = entries[1..count].to_vec();
            operands.extend(&self.variables);
            put(&mut words, Op::EntryPoint, &operands);
            entries = &entries[count..];
        }
        words.extend(self.modes);
        words.extend(self.annotations);
        words.extend(self.declarations);
        words.extend(self.functions);
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}
