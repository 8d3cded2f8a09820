//! Instructions, types and constants that are added.

use std::collections::{BTreeMap, HashMap};

use spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

use super::layout::{Kind, Layout};
use crate::module::{HEADER, Module};
use crate::types::is_type;

/// Types of the code that is added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Types {
    pub word: u32,
    pub wide: u32,
    pub truth: u32,
    /// Four dwords.
    pub four: u32,
    /// A pointer to them in global memory.
    pub to_four: u32,
}

/// A module that grows.
#[derive(Debug)]
pub(super) struct Builder {
    bound: u32,
    /// Types and constants, which go before the first function.
    globals: Vec<u32>,
    pub types: Types,
    constants: HashMap<(u32, u64), u32>,
    names: HashMap<[u32; 4], u32>,
    /// By component and their number, types of vectors.
    vectors: HashMap<(u32, u32), u32>,
    /// By what they are, variables with built-in values, and whether they were added.
    inputs: BTreeMap<u32, (u32, bool)>,
    /// By storage and type, that of pointers.
    pointers: HashMap<(u32, u32), u32>,
}

/// Adds an instruction.
pub(super) fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend_from_slice(operands);
}

impl Builder {
    pub fn new(module: &Module, layout: &Layout) -> Self {
        let mut bound = module.bound();
        let mut globals = Vec::new();
        let mut ty = |found: Option<u32>, op: Op, operands: &[u32]| {
            found.unwrap_or_else(|| {
                let id = bound;
                bound = bound.wrapping_add(1);
                push(&mut globals, op, &[&[id], operands].concat());
                id
            })
        };
        let integer =
            |bits| layout.find(|kind| matches!(kind, Kind::Integer { bits: b } if *b == bits));
        let word = ty(integer(32), Op::TypeInt, &[32, 0]);
        let wide = ty(integer(64), Op::TypeInt, &[64, 0]);
        let truth = layout.find(|kind| matches!(kind, Kind::Bool));
        let truth = ty(truth, Op::TypeBool, &[]);
        let four = layout.find(
            |kind| matches!(kind, Kind::Vector { component, count: 4 } if *component == word),
        );
        let four = ty(four, Op::TypeVector, &[word, 4]);
        let global = StorageClass::CrossWorkgroup as u32;
        let to_four = layout.find(
            |kind| matches!(kind, Kind::Pointer { storage, pointee } if (*storage, *pointee) == (global, four)),
        );
        let to_four = ty(to_four, Op::TypePointer, &[global, four]);
        let types = Types {
            word,
            wide,
            truth,
            four,
            to_four,
        };
        let pointers = HashMap::from([((global, four), to_four)]);
        let built_in = module.instructions().filter(|one| {
            one.op() == Some(Op::Decorate)
                && one.word(1) == Decoration::BuiltIn as u32
                && layout.type_of(one.word(0)).is_some()
        });
        let inputs = built_in.map(|one| (one.word(2), (one.word(0), false)));
        Self {
            bound,
            globals,
            types,
            constants: HashMap::new(),
            names: HashMap::new(),
            vectors: HashMap::new(),
            inputs: inputs.collect(),
            pointers,
        }
    }

    /// A new id.
    pub fn id(&mut self) -> u32 {
        let id = self.bound;
        self.bound = id.wrapping_add(1);
        id
    }

    /// A constant of 32 bits.
    pub fn word(&mut self, value: u32) -> u32 {
        self.constant(self.types.word, value.into(), &[value])
    }

    /// A constant of 64 bits.
    pub fn wide(&mut self, value: u64) -> u32 {
        let words = [value as u32, (value >> 32) as u32];
        self.constant(self.types.wide, value, &words)
    }

    fn constant(&mut self, ty: u32, value: u64, words: &[u32]) -> u32 {
        if let Some(known) = self.constants.get(&(ty, value)) {
            return *known;
        }
        let id = self.id();
        push(
            &mut self.globals,
            Op::Constant,
            &[&[ty, id], words].concat(),
        );
        self.constants.insert((ty, value), id);
        id
    }

    /// True.
    pub fn always(&mut self) -> u32 {
        self.truth(Op::ConstantTrue)
    }

    /// False.
    pub fn never(&mut self) -> u32 {
        self.truth(Op::ConstantFalse)
    }

    fn truth(&mut self, op: Op) -> u32 {
        let ty = self.types.truth;
        if let Some(known) = self.constants.get(&(ty, op as u64)) {
            return *known;
        }
        let id = self.id();
        push(&mut self.globals, op, &[ty, id]);
        self.constants.insert((ty, op as u64), id);
        id
    }

    /// The first sixteen bytes of a name, as four dwords.
    pub fn name(&mut self, name: &str) -> u32 {
        let mut bytes = [0; 16];
        bytes
            .iter_mut()
            .zip(name.bytes())
            .for_each(|(to, from)| *to = from);
        let dwords = bytes.as_chunks::<4>().0;
        self.four(std::array::from_fn(|index| {
            u32::from_le_bytes(dwords[index])
        }))
    }

    /// A constant of four dwords.
    pub fn four(&mut self, dwords: [u32; 4]) -> u32 {
        if let Some(known) = self.names.get(&dwords) {
            return *known;
        }
        let parts = dwords.map(|dword| self.word(dword));
        let id = self.id();
        let operands = [&[self.types.four, id], &parts[..]].concat();
        push(&mut self.globals, Op::ConstantComposite, &operands);
        self.names.insert(dwords, id);
        id
    }

    /// The type of vectors of so many dwords or qwords.
    pub fn vector(&mut self, component: u32, count: u32, layout: &Layout) -> u32 {
        if (component, count) == (self.types.word, 4) {
            return self.types.four;
        }
        if let Some(known) = self.vectors.get(&(component, count)) {
            return *known;
        }
        let wanted = (component, u64::from(count));
        let same = |kind: &Kind| matches!(kind, Kind::Vector { component, count } if (*component, *count) == wanted);
        let id = layout.find(same).unwrap_or_else(|| {
            let id = self.id();
            push(&mut self.globals, Op::TypeVector, &[id, component, count]);
            id
        });
        self.vectors.insert((component, count), id);
        id
    }

    /// The variable of a type with a built-in value; `None` if the module has one of another type.
    pub fn input(&mut self, what: BuiltIn, ty: u32, layout: &Layout) -> Option<u32> {
        if let Some(&(known, was_added)) = self.inputs.get(&(what as u32)) {
            let is_same = was_added || layout.pointee(known).is_some_and(|(_, of)| of == ty);
            return is_same.then_some(known);
        }
        let input = StorageClass::Input as u32;
        let pointer = self.pointer(input, ty, layout);
        let id = self.id();
        push(&mut self.globals, Op::Variable, &[pointer, id, input]);
        self.inputs.insert(what as u32, (id, true));
        Some(id)
    }

    /// The type of pointers to a type in a kind of memory.
    pub fn pointer(&mut self, storage: u32, ty: u32, layout: &Layout) -> u32 {
        if let Some(known) = self.pointers.get(&(storage, ty)) {
            return *known;
        }
        let same = |kind: &Kind| matches!(kind, Kind::Pointer { storage: s, pointee } if (*s, *pointee) == (storage, ty));
        let id = layout.find(same).unwrap_or_else(|| {
            let id = self.id();
            push(&mut self.globals, Op::TypePointer, &[id, storage, ty]);
            id
        });
        self.pointers.insert((storage, ty), id);
        id
    }

    /// The type of a function with `added` parameters more, three for each pointer.
    pub fn function_type(&mut self, operands: &[u32], added: usize) -> u32 {
        let id = self.id();
        let Types { wide, four, .. } = self.types;
        let more = [wide, wide, four].repeat(added);
        let same = operands.get(1..).unwrap_or_default();
        push(
            &mut self.globals,
            Op::TypeFunction,
            &[&[id], same, &more].concat(),
        );
        id
    }

    /// All words of the module with these functions.
    pub fn finish(self, module: &Module, functions: &[u32]) -> Vec<u32> {
        let mut words = module.words().get(..HEADER).unwrap_or_default().to_vec();
        if let Some(bound) = words.get_mut(3) {
            *bound = self.bound;
        }
        let needs = Capability::Int64 as u32;
        let has =
            |one: crate::Instruction<'_>| one.op() == Some(Op::Capability) && one.word(0) == needs;
        if !module.instructions().any(has) {
            push(&mut words, Op::Capability, &[needs]);
        }
        let added = self.inputs.iter().filter(|(_, (_, was_added))| *was_added);
        let added: Vec<[u32; 2]> = added.map(|(what, (id, _))| [*id, *what]).collect();
        let mut decorated = false;
        for one in module.instructions() {
            let op = one.op();
            if op == Some(Op::Function) {
                break;
            }
            let mut operands = one.operands.to_vec();
            // Entry points say which inputs they have, and decorations stand before types.
            match op {
                Some(Op::EntryPoint) => operands.extend(added.iter().map(|[id, _]| *id)),
                Some(op) if is_type(op) && !decorated => {
                    decorated = true;
                    for &[id, what] in &added {
                        let built_in = Decoration::BuiltIn as u32;
                        push(&mut words, Op::Decorate, &[id, built_in, what]);
                        push(&mut words, Op::Decorate, &[id, Decoration::Constant as u32]);
                    }
                }
                _ => {}
            }
            words.push((operands.len() as u32 + 1) << 16 | u32::from(one.opcode));
            words.extend(operands);
        }
        words.extend(self.globals);
        words.extend_from_slice(functions);
        words
    }
}
