//! What is said of a broken rule.

use std::collections::HashMap;
use std::fmt;

use spirv::Op;

use crate::module::{Instruction, Module};

/// An instruction that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Words before the instruction.
    pub offset: usize,
    /// The instruction's name.
    pub instruction: String,
    /// The id that it makes, and that id's `OpName`.
    pub result: Option<(u32, Option<String>)>,
    /// The file and line that `OpLine` says.
    pub line: Option<(String, u32)>,
    /// The rule, and what breaks it.
    pub why: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((file, line)) = &self.line {
            write!(f, "{file}:{line}: ")?;
        }
        write!(f, "word {}: {}", self.offset, self.instruction)?;
        match &self.result {
            Some((id, Some(name))) => write!(f, " %{id} ({name})")?,
            Some((id, None)) => write!(f, " %{id}")?,
            None => {}
        }
        write!(f, ": {}", self.why)
    }
}

/// The instructions that break a rule, in order, up to the first 64: a line each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violations(pub Vec<Violation>);

impl std::error::Error for Violations {}

impl fmt::Display for Violations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, violation) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            write!(f, "{violation}")?;
        }
        Ok(())
    }
}

/// How many violations are collected at most: each has a copy of a name that the module chooses.
const MOST: usize = 64;

/// Collects violations.
pub(crate) struct Report {
    names: HashMap<u32, String>,
    files: HashMap<u32, String>,
    /// The file's id and the line where the walk is.
    line: Option<(u32, u32)>,
    pub found: Vec<Violation>,
}

impl Report {
    pub(crate) fn new(module: &Module) -> Self {
        Self {
            names: module.texts(Op::Name),
            files: module.texts(Op::String),
            line: None,
            found: Vec::new(),
        }
    }

    /// Follows the walk through the module: "OpLine … applies to the instructions physically
    /// following … up to the first occurrence of … the end of the block, the next OpLine, the next
    /// OpNoLine".
    pub(crate) fn walk(&mut self, one: &Instruction<'_>) {
        match one.op() {
            Some(Op::Line) => self.line = Some((one.word(0), one.word(1))),
            Some(Op::NoLine | Op::Label | Op::FunctionEnd) => self.line = None,
            _ => {}
        }
    }

    /// Adds what is wrong with an instruction, whose result is `result` if it has one.
    pub(crate) fn add(&mut self, one: &Instruction<'_>, result: Option<u32>, why: String) {
        if self.found.len() == MOST {
            return;
        }
        self.found.push(Violation {
            offset: one.offset,
            instruction: match one.op() {
                Some(op) => format!("Op{op:?}"),
                None => format!("opcode {}", one.opcode),
            },
            result: result.map(|id| (id, self.names.get(&id).cloned())),
            line: self.line.map(|(file, line)| {
                let file = self.files.get(&file).cloned();
                (file.unwrap_or_else(|| "?".to_owned()), line)
            }),
            why,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subgroups::Environment;

    #[test]
    fn a_broken_module_is_told_of_in_short() {
        let shuffle = 1 << 16 | Op::SubgroupShuffleINTEL as u32;
        let header = [spirv::MAGIC_NUMBER, 0x1_0200, 0, 1, 0];
        let words = header.into_iter().chain([shuffle; 1000]);
        let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
        let checked = Module::parse(&bytes).unwrap().check(&Environment::ALL);
        assert_eq!(checked.unwrap_err().0.len(), MOST);
    }
}
