//! Links modules: what one imports is what another exports.
//!
//! Modules of one program come from several compilers (SYCL's programs and its libraries, oneMKL), and
//! these do not agree on what pointers point to: a function that is exported with `float *` is imported
//! with a pointer to bytes. The pointers of such calls are cast.

use std::collections::{HashMap, HashSet};

use rspirv::binary::Assemble;
use rspirv::dr::{self, Instruction, Operand};
use spirv::{Decoration, LinkageType, MemoryAccess, Op, Word};

use crate::module::{HEADER, Module};
use crate::types::is_type;

/// Why modules are not linked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// There is nothing to link.
    #[error("there is no module")]
    Empty,
    /// A module cannot be read.
    #[error("module {index}: {why}")]
    Module {
        /// Which of them.
        index: usize,
        /// What is wrong.
        why: String,
    },
    /// Modules are for different machines.
    #[error("module {index} has another memory model than module 0")]
    Model {
        /// The first that differs.
        index: usize,
    },
    /// Two modules export a name.
    #[error("{name} is defined more than once")]
    Twice {
        /// The name.
        name: String,
    },
    /// What is imported is something else than what is exported.
    #[error("{name} is imported as another type than it is exported with")]
    Type {
        /// The name.
        name: String,
    },
    /// All modules together need more ids than there are.
    #[error("the modules have too many ids")]
    Ids,
}

/// Makes one module of several, which exports what they export. What none of them exports stays
/// imported. Version and generator are the highest ones.
///
/// # Errors
/// A module cannot be read, two define the same name, or an import does not fit its definition.
pub fn link(modules: &[Module]) -> Result<Vec<u8>, LinkError> {
    let mut linker = Linker::default();
    for (index, module) in modules.iter().enumerate() {
        linker.add(index, module)?;
    }
    let mut linked = linker.whole.ok_or(LinkError::Empty)?;
    share_types(&mut linked);
    resolve(&mut linked, linker.bound)?;
    Ok(linked
        .assemble()
        .into_iter()
        .flat_map(u32::to_le_bytes)
        .collect())
}

/// All modules one after the other, each with ids of its own.
#[derive(Default)]
struct Linker {
    whole: Option<dr::Module>,
    bound: Word,
}

impl Linker {
    fn add(&mut self, index: usize, module: &Module) -> Result<(), LinkError> {
        let loaded = dr::load_words(without_aliasing(module));
        let mut next = loaded.map_err(|why| LinkError::Module {
            index,
            why: why.to_string(),
        })?;
        let base = self.bound;
        let bound = base.checked_add(module.bound());
        self.bound = bound.ok_or(LinkError::Ids)?;
        next.all_inst_iter_mut()
            .for_each(|one| rename(one, |id| id.wrapping_add(base)));
        let Some(whole) = &mut self.whole else {
            self.whole = Some(next);
            return Ok(());
        };
        let model = |module: &dr::Module| {
            let model = module.memory_model.as_ref();
            model.map(|model| model.operands.clone())
        };
        if model(whole) != model(&next) {
            return Err(LinkError::Model { index });
        }
        if let (Some(own), Some(other)) = (&mut whole.header, &next.header) {
            own.version = own.version.max(other.version);
        }
        for (all, more) in [
            (&mut whole.capabilities, next.capabilities),
            (&mut whole.extensions, next.extensions),
        ] {
            for one in more {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        whole.ext_inst_imports.extend(next.ext_inst_imports);
        whole.entry_points.extend(next.entry_points);
        whole.execution_modes.extend(next.execution_modes);
        whole.debug_string_source.extend(next.debug_string_source);
        whole.debug_names.extend(next.debug_names);
        whole
            .debug_module_processed
            .extend(next.debug_module_processed);
        whole.annotations.extend(next.annotations);
        whole.types_global_values.extend(next.types_global_values);
        whole.functions.extend(next.functions);
        Ok(())
    }
}

/// The words of a module without what it says of aliases (`SPV_INTEL_memory_access_aliasing`): no
/// code depends on it, and `rspirv` takes none of it outside of functions.
fn without_aliasing(module: &Module) -> Vec<Word> {
    let gone = MemoryAccess::ALIAS_SCOPE_INTEL_MASK | MemoryAccess::NO_ALIAS_INTEL_MASK;
    let mut out = module.words().get(..HEADER).unwrap_or_default().to_vec();
    for one in module.instructions() {
        let op = one.op();
        let decoration = Decoration::from_u32(one.word(1));
        let declares = matches!(
            op,
            Some(Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL)
        );
        let decorates = matches!(op, Some(Op::DecorateId))
            && matches!(
                decoration,
                Some(Decoration::AliasScopeINTEL | Decoration::NoAliasINTEL)
            );
        if declares || decorates {
            continue;
        }
        let mut operands = one.operands.to_vec();
        // Where the memory operands of an access are. The ids of these two come last.
        let at = match op {
            Some(Op::Load) => 3,
            Some(Op::Store) => 2,
            Some(Op::CopyMemory) => 2,
            Some(Op::CopyMemorySized) => 3,
            _ => usize::MAX,
        };
        if let Some(mask) = operands.get_mut(at) {
            let said = *mask & gone.bits();
            *mask &= !gone.bits();
            operands.truncate(operands.len().saturating_sub(said.count_ones() as usize));
        }
        out.push(((operands.len() as Word + 1) << 16) | Word::from(one.opcode));
        out.extend(operands);
    }
    out
}

/// Changes the ids of an instruction.
fn rename(one: &mut Instruction, to: impl Fn(Word) -> Word) {
    for id in [&mut one.result_id, &mut one.result_type]
        .into_iter()
        .flatten()
    {
        *id = to(*id);
    }
    for id in one.operands.iter_mut().filter_map(Operand::id_ref_any_mut) {
        *id = to(*id);
    }
}

/// What an instruction says of ids, by the id: without the id itself.
fn by_target(all: &[Instruction]) -> HashMap<Word, Vec<(Op, Vec<Operand>)>> {
    let mut out: HashMap<Word, Vec<_>> = HashMap::new();
    for one in all {
        if let Some((target, rest)) = one.operands.split_first()
            && let Some(id) = target.id_ref_any()
        {
            let said = (one.class.opcode, rest.to_vec());
            out.entry(id).or_default().push(said);
        }
    }
    out
}

/// The same types, constants and sets of instructions get one id: types have to be unique.
fn share_types(module: &mut dr::Module) {
    let decorations = by_target(&module.annotations);
    let mut known = HashMap::new();
    let mut same: HashMap<Word, Word> = HashMap::new();
    let is_shared = |one: &Instruction| {
        let op = one.class.opcode;
        let is_type = is_type(op) && op != Op::TypeForwardPointer;
        let constants = [
            Op::Constant,
            Op::ConstantTrue,
            Op::ConstantFalse,
            Op::ConstantNull,
            Op::ConstantComposite,
            Op::ExtInstImport,
        ];
        is_type || constants.contains(&op)
    };
    for all in [
        &mut module.ext_inst_imports,
        &mut module.types_global_values,
    ] {
        all.retain_mut(|one| {
            rename(one, |id| same.get(&id).copied().unwrap_or(id));
            let Some(id) = one.result_id.filter(|_| is_shared(one)) else {
                return true;
            };
            let said = decorations.get(&id).cloned().unwrap_or_default();
            let key = format!(
                "{:?}",
                (one.class.opcode, one.result_type, &one.operands, said)
            );
            match known.get(&key) {
                Some(first) => {
                    same.insert(id, *first);
                    false
                }
                None => {
                    known.insert(key, id);
                    true
                }
            }
        });
    }
    let is_gone = |one: &Instruction| {
        let target = one.operands.first().and_then(Operand::id_ref_any);
        target.is_some_and(|id| same.contains_key(&id))
    };
    module.debug_names.retain(|one| !is_gone(one));
    module.annotations.retain(|one| !is_gone(one));
    for one in module.all_inst_iter_mut() {
        rename(one, |id| same.get(&id).copied().unwrap_or(id));
    }
}

/// The name and the kind of linkage that an instruction decorates an id with.
fn linkage(one: &Instruction) -> Option<(Word, &str, LinkageType)> {
    match one.operands.as_slice() {
        [
            Operand::IdRef(id),
            Operand::Decoration(Decoration::LinkageAttributes),
            Operand::LiteralString(name),
            Operand::LinkageType(kind),
        ] => Some((*id, name, *kind)),
        _ => None,
    }
}

/// Puts definitions in the place of imports.
fn resolve(module: &mut dr::Module, mut bound: Word) -> Result<(), LinkError> {
    let mut defined: HashMap<String, Word> = HashMap::new();
    // Definitions and declarations that others stand for.
    let mut replaced: HashMap<Word, Word> = HashMap::new();
    let mut kernels = HashSet::new();
    for one in &module.entry_points {
        if let Some(Operand::LiteralString(name)) = one.operands.get(2)
            && !kernels.insert(name)
        {
            let name = name.clone();
            return Err(LinkError::Twice { name });
        }
    }
    for (id, name, kind) in module.annotations.iter().filter_map(linkage) {
        match (kind, defined.get(name)) {
            (LinkageType::Import, _) => {}
            (LinkageType::LinkOnceODR, Some(first)) => {
                replaced.insert(id, *first);
            }
            (_, Some(_)) => {
                let name = name.to_owned();
                return Err(LinkError::Twice { name });
            }
            (_, None) => {
                defined.insert(name.to_owned(), id);
            }
        }
    }
    for (id, name, kind) in module.annotations.iter().filter_map(linkage) {
        if kind == LinkageType::Import {
            // The first import stands for the others where nothing is defined.
            let first = *defined.entry(name.to_owned()).or_insert(id);
            if first != id {
                replaced.insert(id, first);
            }
        }
    }
    let names = replaced.iter().filter_map(|(id, to)| {
        let is = |(_, found): &(&String, &Word)| *found == to;
        let (name, _) = defined.iter().find(is)?;
        Some((*id, name.clone()))
    });
    let names: HashMap<Word, String> = names.collect();
    cast_calls(module, &replaced, &names, &mut bound)?;
    drop_replaced(module, &replaced);
    for one in module.all_inst_iter_mut() {
        rename(one, |id| replaced.get(&id).copied().unwrap_or(id));
    }
    // "All function declarations" come before "all function definitions" (SPIR-V, section 2.4).
    module
        .functions
        .sort_by_key(|function| !function.blocks.is_empty());
    if let Some(header) = &mut module.header {
        header.bound = bound;
    }
    Ok(())
}

/// Takes out functions and variables that others stand for, and what is said of them.
fn drop_replaced(module: &mut dr::Module, replaced: &HashMap<Word, Word>) {
    let is_replaced = |id: Option<Word>| id.is_some_and(|id| replaced.contains_key(&id));
    let mut gone: HashSet<Word> = replaced.keys().copied().collect();
    module.functions.retain(|function| {
        let goes = is_replaced(function.def_id());
        if goes {
            let inside = function.all_inst_iter().filter_map(|one| one.result_id);
            gone.extend(inside);
        }
        !goes
    });
    module
        .types_global_values
        .retain(|one| !is_replaced(one.result_id));
    let speaks = |one: &Instruction| {
        let target = one.operands.first().and_then(Operand::id_ref_any);
        target.is_some_and(|id| gone.contains(&id))
    };
    module.debug_names.retain(|one| !speaks(one));
    module.annotations.retain(|one| !speaks(one));
}

/// Casts the pointers of calls whose function was imported with others than it has.
fn cast_calls(
    module: &mut dr::Module,
    replaced: &HashMap<Word, Word>,
    names: &HashMap<Word, String>,
    bound: &mut Word,
) -> Result<(), LinkError> {
    let types: HashMap<Word, Instruction> = module
        .types_global_values
        .iter()
        .filter_map(|one| Some((one.result_id?, one.clone())))
        .collect();
    // The return type and those of the parameters.
    let signature = |function: &dr::Function| -> Option<Vec<Word>> {
        let ty = function.def.as_ref()?.operands.get(1)?.id_ref_any()?;
        let ids = types
            .get(&ty)?
            .operands
            .iter()
            .filter_map(Operand::id_ref_any);
        Some(ids.collect())
    };
    let of = module.functions.iter();
    let signatures: HashMap<Word, Vec<Word>> = of
        .filter_map(|function| Some((function.def_id()?, signature(function)?)))
        .collect();
    let pointer = |ty: &Word| {
        let ty = types.get(ty)?;
        let class = ty.operands.first().cloned();
        class.filter(|_| ty.class.opcode == Op::TypePointer)
    };
    for (id, name) in names {
        let (import, export) = (signatures.get(id), replaced.get(id));
        let export = export.and_then(|export| signatures.get(export));
        let fits = match (import, export) {
            (Some(import), Some(export)) => {
                let mut pairs = import.iter().zip(export);
                import.len() == export.len()
                    && pairs
                        .all(|(a, b)| a == b || pointer(a).is_some() && pointer(a) == pointer(b))
            }
            (None, None) => true,
            _ => false,
        };
        if !fits {
            let name = name.clone();
            return Err(LinkError::Type { name });
        }
    }
    let mut fresh = || {
        let id = *bound;
        *bound += 1;
        id
    };
    for block in module.functions.iter_mut().flat_map(|one| &mut one.blocks) {
        let mut out = Vec::with_capacity(block.instructions.len());
        for mut one in block.instructions.drain(..) {
            let callee = match (one.class.opcode, one.operands.first()) {
                (Op::FunctionCall, Some(Operand::IdRef(callee))) => *callee,
                _ => {
                    out.push(one);
                    continue;
                }
            };
            let import = signatures.get(&callee);
            let export = replaced.get(&callee).and_then(|to| signatures.get(to));
            let (Some(import), Some(export)) = (import, export) else {
                out.push(one);
                continue;
            };
            let arguments = one.operands.iter_mut().skip(1);
            for ((argument, is), takes) in arguments
                .zip(import.iter().skip(1))
                .zip(export.iter().skip(1))
            {
                if is != takes {
                    let id = fresh();
                    let from = std::mem::replace(argument, Operand::IdRef(id));
                    out.push(Instruction::new(
                        Op::Bitcast,
                        Some(*takes),
                        Some(id),
                        vec![from],
                    ));
                }
            }
            match (one.result_type, export.first()) {
                (Some(wanted), Some(&gives)) if wanted != gives => {
                    let result = one.result_id;
                    let id = fresh();
                    one.result_id = Some(id);
                    one.result_type = Some(gives);
                    out.push(one);
                    let from = vec![Operand::IdRef(id)];
                    out.push(Instruction::new(Op::Bitcast, Some(wanted), result, from));
                }
                _ => out.push(one),
            }
        }
        block.instructions = out;
    }
    Ok(())
}
