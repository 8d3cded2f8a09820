//! Arrays and structures of a work-item begin with values that nothing has written, and have them again when their
//! scope has ended.
//!
//! Compilers keep small ones in registers, and give what is never written no register of its own: a read of it
//! gets what another value has left there. So each part gets a value from a variable that nothing writes, by a
//! load that compilers must not leave out. The software GPU knows such a value, wherever it goes.

use std::collections::{BTreeSet, HashMap, HashSet};

use spirv::{MemoryAccess, Op, StorageClass};

use super::Rewriter;
use super::parts::{Part, access, part_of, parts};
use super::relative::{is_number, is_relative};
use crate::bounds::build::push;
use crate::bounds::layout::{Kind, Layout};
use crate::module::{Instruction, Module};

/// A work-item's own memory.
const OWN: u32 = StorageClass::Function as u32;

/// The variables of a module's functions that begin without a value.
#[derive(Debug, Default)]
pub(super) struct Unwritten {
    /// By variable, its parts.
    parts: HashMap<u32, Vec<Part>>,
    /// By function, its variables.
    functions: HashMap<u32, Vec<u32>>,
    /// By function, the types of values that may be none.
    values: HashMap<u32, BTreeSet<u32>>,
    /// By pointer, the variable that it is to the beginning of.
    whole: HashMap<u32, u32>,
    /// Variables whose lives begin where an instruction says so.
    scoped: HashSet<u32>,
}

impl Unwritten {
    pub fn of(module: &Module, layout: &Layout) -> Self {
        let mut all = Self::default();
        let mut function = 0;
        for one in module.instructions() {
            match one.op() {
                Some(Op::Function) => function = one.word(1),
                Some(Op::Variable) => {
                    all.variable(&one, function, layout);
                }
                Some(Op::Bitcast) => {
                    if let Some(&variable) = all.whole.get(&one.word(2)) {
                        all.whole.insert(one.word(1), variable);
                    }
                }
                Some(op) if is_relative(op) && is_number(layout, one.word(0)) => {
                    all.values.entry(function).or_default().insert(one.word(0));
                }
                Some(Op::LifetimeStart) => all.scoped.extend(all.whole.get(&one.word(0))),
                _ => {}
            }
        }
        all
    }

    fn variable(&mut self, one: &Instruction<'_>, function: u32, layout: &Layout) -> Option<()> {
        let &[_, id, storage] = one.operands else {
            return None;
        };
        let (_, ty) = layout.pointee(id)?;
        let small = matches!(layout.kind(ty)?, Kind::Array { .. } | Kind::Structure(_));
        if storage != OWN || !small {
            return None;
        }
        let mut parts = parts(layout, ty)?;
        parts.retain(|part| !matches!(layout.kind(part.ty), Some(Kind::Pointer { .. })));
        self.parts.insert(id, parts);
        self.functions.entry(function).or_default().push(id);
        self.whole.insert(id, id);
        Some(())
    }
}

impl Rewriter<'_> {
    /// The variables of a function that nothing writes, one a type: where its first block begins.
    pub(super) fn declare_unwritten(&mut self) {
        self.sources.clear();
        let own = self.unwritten.functions.get(&self.function);
        let parts = own
            .into_iter()
            .flatten()
            .filter_map(|one| self.unwritten.parts.get(one));
        let mut types: BTreeSet<u32> = parts.flatten().map(|part| part.ty).collect();
        types.extend(
            self.unwritten
                .values
                .get(&self.function)
                .into_iter()
                .flatten(),
        );
        for ty in types {
            let pointer = self.builder.pointer(OWN, ty, self.layout);
            let id = self.builder.id();
            let operands = [pointer, id, OWN];
            push(&mut self.words, Op::Variable, &operands);
            self.sources.insert(ty, id);
        }
    }

    /// The lives of the function's variables begin, but for those of which an instruction says when.
    pub(super) fn begin_lives(&mut self) {
        let own = self.unwritten.functions.get(&self.function).cloned();
        for variable in own.unwrap_or_default() {
            if !self.unwritten.scoped.contains(&variable) {
                self.unwrite(variable);
            }
        }
    }

    /// The life of what a pointer is to begins.
    pub(super) fn begin_life(&mut self, pointer: u32) {
        if let Some(&variable) = self.unwritten.whole.get(&pointer) {
            self.unwrite(variable);
        }
    }

    /// The life of what a pointer is to ends. Compilers are not told: they would leave out what is stored then.
    pub(super) fn will_end(&mut self, pointer: u32) -> Option<()> {
        self.ended.push(*self.unwritten.whole.get(&pointer)?);
        Some(())
    }

    /// The lives of variables have ended, unless more of them do, or the function does, and nothing can look.
    pub(super) fn end_lives(&mut self, next: Op) {
        match next {
            Op::LifetimeStop | Op::Line | Op::NoLine => {}
            Op::Return | Op::ReturnValue => self.ended.clear(),
            _ => {
                for variable in std::mem::take(&mut self.ended) {
                    self.unwrite(variable);
                }
            }
        }
    }

    /// All parts of a variable get values that nothing has written.
    fn unwrite(&mut self, variable: u32) {
        self.added = true;
        let mut values: HashMap<u32, u32> = HashMap::new();
        let parts = self.unwritten.parts.get(&variable);
        for part in parts.into_iter().flatten() {
            let Part { ty, alignment, .. } = part;
            let Some(&source) = self.sources.get(ty) else {
                continue;
            };
            let words = &mut self.words;
            let builder = &mut *self.builder;
            let value = *values.entry(*ty).or_insert_with(|| {
                let id = builder.id();
                let natural = self.layout.alignment(*ty).unwrap_or(1);
                let how = access(MemoryAccess::VOLATILE, natural);
                push(words, Op::Load, &[*ty, id, source, how[0], how[1]]);
                id
            });
            let part = part_of(builder, words, self.layout, (variable, OWN), part);
            let how = access(MemoryAccess::NONE, *alignment);
            push(words, Op::Store, &[part, value, how[0], how[1]]);
        }
    }
}
