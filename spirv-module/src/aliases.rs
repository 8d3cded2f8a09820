//! What `SPV_INTEL_memory_access_aliasing` says of pointers: which accesses are not of one place.
//!
//! Nothing here uses it, and linkers of releases before it refuse a module that has it.

use spirv::{Capability, Decoration, MemoryAccess, Op};

use crate::module::{HEADER, Instruction, Module};

const EXTENSION: &str = "SPV_INTEL_memory_access_aliasing";

impl Module {
    /// The module without the scopes of aliases.
    pub fn without_aliases(self) -> Self {
        let has = self.instructions().any(|one| {
            one.op() == Some(Op::Extension) && one.text(0) == EXTENSION
                || one.op() == Some(Op::Capability) && one.word(0) == CAPABILITY
        });
        if !has {
            return self;
        }
        let mut words = self.words().get(..HEADER).unwrap_or_default().to_vec();
        for one in self.instructions().filter(|one| !is_of_aliases(one)) {
            // Where the first word of an access's memory operands is.
            let access = match one.op() {
                Some(Op::Load | Op::CopyMemorySized) => Some(3),
                Some(Op::Store | Op::CopyMemory) => Some(2),
                _ => None,
            };
            let operands = match access {
                Some(at) => without_scopes(one.operands, at),
                None => one.operands.to_vec(),
            };
            words.push((operands.len() as u32 + 1) << 16 | u32::from(one.opcode));
            words.extend(operands);
        }
        self.of_words(words)
    }
}

const CAPABILITY: u32 = Capability::MemoryAccessAliasingINTEL as u32;

/// Whether an instruction is of nothing else.
fn is_of_aliases(one: &Instruction<'_>) -> bool {
    match one.op() {
        Some(Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL) => {
            true
        }
        Some(Op::Capability) => one.word(0) == CAPABILITY,
        Some(Op::Extension) => one.text(0) == EXTENSION,
        Some(Op::DecorateId) => [
            Decoration::AliasScopeINTEL as u32,
            Decoration::NoAliasINTEL as u32,
        ]
        .contains(&one.word(1)),
        _ => false,
    }
}

/// The operands of an access, whose memory operands begin at `at`: each set has its bits, and then what the
/// bits want, the lowest first. Copies may have two sets.
fn without_scopes(operands: &[u32], at: usize) -> Vec<u32> {
    let scopes = MemoryAccess::ALIAS_SCOPE_INTEL_MASK | MemoryAccess::NO_ALIAS_INTEL_MASK;
    let wanting = scopes
        | MemoryAccess::ALIGNED
        | MemoryAccess::MAKE_POINTER_AVAILABLE
        | MemoryAccess::MAKE_POINTER_VISIBLE;
    let (first, mut rest) = operands.split_at(at.min(operands.len()));
    let mut kept = first.to_vec();
    while let [bits, wanted @ ..] = rest {
        kept.push(bits & !scopes.bits());
        rest = wanted;
        for bit in (0..32).map(|bit| 1 << bit & bits & wanting.bits()) {
            if let ([value, left @ ..], true) = (rest, bit != 0) {
                kept.extend((bit & scopes.bits() == 0).then_some(*value));
                rest = left;
            }
        }
    }
    kept
}
