//! What modules are to each other.

use spirv::{Decoration, LinkageType, Op};

use crate::module::{HEADER, Module};

impl Module {
    /// The names that it defines for others: functions and variables with the linkage `Export`, and
    /// kernels. Each is there once.
    pub fn definitions(&self) -> Vec<String> {
        let names = self.instructions().filter_map(|one| match one.op()? {
            Op::EntryPoint => Some(one.text(2)),
            Op::Decorate if one.word(1) == Decoration::LinkageAttributes as u32 => {
                let is_exported = one.operands.last() == Some(&(LinkageType::Export as u32));
                is_exported.then(|| one.text(2))
            }
            _ => None,
        });
        let mut names: Vec<_> = names.collect();
        names.sort();
        names.dedup();
        names
    }

    /// The module without what `spirv-link` gets wrong of the source's places. It renumbers the ids of all
    /// modules behind the first, but not those in `OpLine` and `DebugScope`, and puts `DebugNoScope` behind
    /// the last block's end. So lines stay in the `first` module alone, and debug information in no function.
    pub fn linkable(self, first: bool) -> Self {
        let sets = self.instructions().filter(|one| {
            one.op() == Some(Op::ExtInstImport) && one.text(1).contains(DEBUG_INFORMATION)
        });
        let sets: Vec<u32> = sets.map(|one| one.word(0)).collect();
        let mut words = self.words().get(..HEADER).unwrap_or_default().to_vec();
        let mut in_function = false;
        for one in self.instructions() {
            let goes = match one.op() {
                Some(Op::Line | Op::NoLine) => !first,
                Some(Op::ExtInst) => in_function && sets.contains(&one.word(2)),
                _ => false,
            };
            in_function |= one.op() == Some(Op::Function);
            in_function &= one.op() != Some(Op::FunctionEnd);
            if !goes {
                words.push((one.operands.len() as u32 + 1) << 16 | u32::from(one.opcode));
                words.extend(one.operands);
            }
        }
        self.of_words(words)
    }
}

/// What the names of sets of instructions have that are debug information.
const DEBUG_INFORMATION: &str = "DebugInfo";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_exported_is_a_definition() {
        // OpDecorate %1 LinkageAttributes NAME TYPE; OpEntryPoint Kernel %1 NAME.
        let linkage = |name: &[u8; 4], kind: LinkageType| {
            let name = u32::from_le_bytes(*name);
            let decorate = 6 << 16 | Op::Decorate as u32;
            let linkage = Decoration::LinkageAttributes as u32;
            [decorate, 1, linkage, name, 0, kind as u32]
        };
        let header = [spirv::MAGIC_NUMBER, 0x10000, 0, 9, 0];
        let entry_point = 5 << 16 | Op::EntryPoint as u32;
        let kernel = u32::from_le_bytes(*b"main");
        let words = [
            &header[..],
            &[entry_point, 6, 1, kernel, 0],
            &linkage(b"main", LinkageType::Export),
            &linkage(b"here", LinkageType::Export),
            &linkage(b"else", LinkageType::Import),
        ];
        let bytes = words.concat().into_iter().flat_map(u32::to_le_bytes);
        let module = Module::parse(&bytes.collect::<Vec<_>>()).unwrap();
        assert_eq!(module.definitions(), ["here", "main"]);
    }
}
