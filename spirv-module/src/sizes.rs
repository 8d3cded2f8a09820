//! Sizes of sub-groups that kernels require.

use std::collections::HashSet;

use spirv::{Capability, ExecutionMode, Op};

use crate::module::{HEADER, Module};

impl Module {
    /// The file in which kernels that require no size of sub-groups require the one that `size` has for
    /// their names.
    pub fn with_sub_group_sizes(&self, size: impl Fn(&str) -> Option<u32>) -> Vec<u8> {
        let of = |op| self.instructions().filter(move |one| one.op() == Some(op));
        let required = of(Op::ExecutionMode);
        let required = required.filter(|one| one.word(1) == ExecutionMode::SubgroupSize as u32);
        let mut known: HashSet<u32> = required.map(|one| one.word(0)).collect();
        let mut modes = Vec::new();
        for entry in of(Op::EntryPoint) {
            let Some(size) = size(&entry.text(2)) else {
                continue;
            };
            // A function can have two names, and one size.
            if known.insert(entry.word(1)) {
                let mode = ExecutionMode::SubgroupSize as u32;
                modes.extend([
                    4 << 16 | Op::ExecutionMode as u32,
                    entry.word(1),
                    mode,
                    size,
                ]);
            }
        }
        // "All OpEntryPoint instructions … All execution-mode declarations" (2.4)
        let last = of(Op::EntryPoint).last();
        let Some(last) = last.filter(|_| !modes.is_empty()) else {
            return self.to_bytes();
        };
        let mut words = self.words().to_vec();
        let end = last.offset + 1 + last.operands.len();
        words.splice(end..end, modes);
        let dispatch = Capability::SubgroupDispatch as u32;
        if !of(Op::Capability).any(|one| one.word(0) == dispatch) {
            let capability = [2 << 16 | Op::Capability as u32, dispatch];
            words.splice(HEADER..HEADER, capability);
        }
        self.bytes(&words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two kernels, of which the second requires a size.
    fn module() -> Module {
        let op = |op: Op, operands: &[u32]| {
            let mut words = vec![(1 + operands.len() as u32) << 16 | op as u32];
            words.extend(operands);
            words
        };
        let name = |text: &[u8; 4]| u32::from_le_bytes(*text);
        let words = [
            vec![spirv::MAGIC_NUMBER, 0x10000, 0, 9, 0],
            op(Op::Capability, &[Capability::Kernel as u32]),
            op(Op::EntryPoint, &[6, 1, name(b"one\0")]),
            op(Op::EntryPoint, &[6, 2, name(b"two\0")]),
            op(
                Op::ExecutionMode,
                &[2, ExecutionMode::SubgroupSize as u32, 8],
            ),
        ];
        let bytes: Vec<u8> = words
            .concat()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        Module::parse(&bytes).unwrap()
    }

    fn sizes(module: &Module) -> Vec<(u32, u32)> {
        let all = module.instructions();
        let modes = all.filter(|one| one.op() == Some(Op::ExecutionMode));
        modes.map(|one| (one.word(0), one.word(2))).collect()
    }

    #[test]
    fn what_requires_no_size_gets_one() {
        let asked = module().with_sub_group_sizes(|name| (name != "other").then_some(32));
        let asked = Module::parse(&asked).unwrap();
        assert_eq!(sizes(&asked), [(1, 32), (2, 8)]);
        let ops: Vec<_> = asked.instructions().filter_map(|one| one.op()).collect();
        let (capability, entry, mode) = (Op::Capability, Op::EntryPoint, Op::ExecutionMode);
        assert_eq!(ops, [capability, capability, entry, entry, mode, mode]);
    }

    #[test]
    fn nothing_changes_where_no_size_is_known() {
        let module = module();
        assert_eq!(module.with_sub_group_sizes(|_| None), module.to_bytes());
        assert_eq!(
            module.with_sub_group_sizes(|name| (name == "two").then_some(16)),
            module.to_bytes()
        );
    }
}
