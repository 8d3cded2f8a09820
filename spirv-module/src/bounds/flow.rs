//! Which pointers may come from a variable.

use std::collections::{HashMap, HashSet};

use spirv::{Decoration, FunctionParameterAttribute, LinkageType, Op, StorageClass};

use super::layout::Layout;
use crate::module::{Instruction, Module};

/// What decorates a pointer to an argument that is passed by value.
const BY_VALUE: &[u32] = &[
    Decoration::FuncParamAttr as u32,
    FunctionParameterAttribute::ByVal as u32,
];

/// A variable, or an argument that is passed by value.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub size: u64,
    pub name: String,
}

/// What is known of the pointers of a module.
#[derive(Debug, Default)]
pub(super) struct Flow {
    pub variables: HashMap<u32, Variable>,
    /// Pointers that may come from a variable, variables among them.
    pub traced: HashSet<u32>,
    /// Those between which a phi chooses.
    pub chosen: HashSet<u32>,
    /// By function, its parameters that are traced.
    pub parameters: HashMap<u32, Vec<u32>>,
    /// Its parameters.
    pub all_parameters: HashMap<u32, Vec<u32>>,
}

/// The pointer from which an instruction makes another one.
pub(super) fn base(op: Op, one: &Instruction<'_>) -> Option<u32> {
    matches!(
        op,
        Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::Bitcast
            | Op::CopyObject
            | Op::PtrCastToGeneric
            | Op::GenericCastToPtr
            | Op::GenericCastToPtrExplicit
    )
    .then(|| one.word(2))
}

/// The values between which a phi chooses, each with the block that it comes from.
pub(super) fn choices<'a>(one: &Instruction<'a>) -> impl Iterator<Item = [u32; 2]> + use<'a> {
    let pairs = one.operands.get(2..).unwrap_or_default();
    pairs.as_chunks().0.iter().copied()
}

impl Flow {
    pub fn of(module: &Module, layout: &Layout, whole: bool) -> Self {
        let mut flow = Self::default();
        let names = module.texts(Op::Name);
        // Others call these, and their parameters stay as they are.
        let mut fixed = HashSet::new();
        // Where an entry point only calls the function of its name, compilers take that for the kernel.
        let mut entries = HashSet::new();
        let mut builtins = HashSet::new();
        // Structures that are passed by value are objects of their own.
        let mut by_value = HashSet::new();
        let mut own: HashMap<u32, Vec<u32>> = HashMap::new();
        let mut function = 0;
        for one in module.instructions() {
            match one.op() {
                Some(Op::EntryPoint) => {
                    fixed.insert(one.word(1));
                    entries.insert(one.text(2));
                }
                Some(Op::Decorate) if one.word(1) == Decoration::LinkageAttributes as u32 => {
                    // The linkage is the last word, behind the name.
                    let linkage = one.operands.last().copied();
                    let exports = linkage == Some(LinkageType::Export as u32);
                    if !whole || !exports || entries.contains(&one.text(2)) {
                        fixed.insert(one.word(0));
                    }
                }
                Some(Op::Decorate) if one.word(1) == Decoration::BuiltIn as u32 => {
                    builtins.insert(one.word(0));
                }
                Some(Op::Decorate) if one.operands.get(1..) == Some(BY_VALUE) => {
                    by_value.insert(one.word(0));
                }
                Some(Op::Variable) if !builtins.contains(&one.word(1)) => {
                    flow.variable(&one, layout, &names);
                }
                Some(Op::Function) => function = one.word(1),
                Some(Op::FunctionParameter) => {
                    own.entry(function).or_default().push(one.word(1));
                    if by_value.contains(&one.word(1)) {
                        flow.variable(&one, layout, &names);
                    }
                }
                Some(Op::Phi) => flow.chosen.extend(choices(&one).map(|[value, _]| value)),
                // A function whose address is taken is called by nobody knows whom.
                Some(Op::ConstantFunctionPointerINTEL) => {
                    fixed.insert(one.word(2));
                }
                _ => {}
            }
        }
        flow.traced.extend(flow.variables.keys());
        own.retain(|function, _| !fixed.contains(function));
        while flow.spread(module, layout, &own) {}
        for (&function, parameters) in &own {
            let traced = parameters.iter().filter(|one| flow.traced.contains(one));
            let traced: Vec<u32> = traced.copied().collect();
            if !traced.is_empty() {
                flow.parameters.insert(function, traced);
            }
        }
        flow.all_parameters = own;
        flow
    }

    fn variable(&mut self, one: &Instruction<'_>, layout: &Layout, names: &HashMap<u32, String>) {
        let kinds = [
            StorageClass::Workgroup,
            StorageClass::Function,
            StorageClass::UniformConstant,
            StorageClass::CrossWorkgroup,
        ];
        let id = one.word(1);
        let known = |(storage, pointee)| {
            let is = kinds.iter().any(|kind| *kind as u32 == storage);
            is.then(|| layout.size(pointee)).flatten()
        };
        if let Some(size) = layout.pointee(id).and_then(known) {
            // Compilers put the kernel's name before that of a variable in it.
            let name = names.get(&id).map_or("", String::as_str);
            let name = name.rsplit('.').find(|part| part.parse::<u32>().is_err());
            let name = name.unwrap_or_default().to_owned();
            self.variables.insert(id, Variable { size, name });
        }
    }

    /// Goes through the module once. Returns whether anything is new.
    fn spread(&mut self, module: &Module, layout: &Layout, own: &HashMap<u32, Vec<u32>>) -> bool {
        let before = self.traced.len();
        for one in module.instructions() {
            let Some(op) = one.op() else { continue };
            let has = |id: u32| self.traced.contains(&id);
            let from = match op {
                Op::Phi => choices(&one).any(|[value, _]| has(value)),
                Op::Select => has(one.word(3)) || has(one.word(4)),
                Op::FunctionCall => {
                    let parameters = own.get(&one.word(2)).map_or(&[][..], Vec::as_slice);
                    let arguments = one.operands.get(3..).unwrap_or_default();
                    let pairs = parameters.iter().zip(arguments);
                    let new = pairs.filter(|(_, argument)| self.traced.contains(argument));
                    let new: Vec<u32> = new.map(|(parameter, _)| *parameter).collect();
                    self.traced.extend(new);
                    continue;
                }
                _ => base(op, &one).is_some_and(has),
            };
            if from && layout.pointee(one.word(1)).is_some() {
                self.traced.insert(one.word(1));
            }
        }
        self.traced.len() > before
    }
}
