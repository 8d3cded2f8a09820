//! Labels and branches of a whole kernel.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::Diagnostic;
use super::emit::Emitter;
use super::fragment::{Finding, Fragment};
use super::instruction::{Parsed, Target};
use crate::model::{Instruction, Opcode, Options, Specific};

impl Fragment {
    /// Settles the branches of a whole kernel. `text` holds the names of the labels.
    pub fn link(&mut self, text: &str, emitter: &Emitter, diagnostics: &mut Vec<Diagnostic>) {
        let mut labels = BTreeMap::new();
        for (offset, span) in &self.labels {
            let name = span.of(text);
            if labels.insert(name, *offset).is_some() {
                diagnostics.push(Diagnostic::error(
                    *span,
                    format!("the label `{name}` is defined twice"),
                ));
            }
        }
        for (offset, parsed) in core::mem::take(&mut self.branches) {
            if emitter.checks() {
                let strays = self.strays(&parsed, offset);
                self.findings
                    .extend(strays.map(|stray| (offset, Finding::Target(stray))));
            }
            match resolve(&parsed, offset, text, &labels) {
                Ok(branch) => emitter.settle(&parsed, &branch, offset, self),
                Err(diagnostic) => self.findings.push((offset, Finding::Error(diagnostic))),
            }
        }
        self.findings.sort_by_key(|(offset, _)| *offset);
    }

    /// What is wrong with a branch's distances that are given as numbers. Labels are always in
    /// front of something; absolute targets are not known here.
    fn strays(&self, parsed: &Parsed, from: usize) -> Option<Diagnostic> {
        if parsed.instruction.opcode == Opcode::Calla {
            return None;
        }
        parsed.targets.into_iter().flatten().find_map(|target| {
            let Target::Distance(distance) = target else {
                return None;
            };
            let to = from as i64 + i64::from(distance);
            let place = usize::try_from(to).ok().filter(|to| *to <= self.code.len());
            let message = match place {
                None => "the branch leaves the kernel",
                Some(to) if self.is_boundary(to) => return None,
                Some(_) => "the branch goes into the middle of an instruction",
            };
            let help = format!("its target is byte {to} of {}", self.code.len());
            Some(Diagnostic::error(parsed.span, message.into()).with_help(help))
        })
    }

    /// Whether an instruction begins or the code ends at `offset`. Data may contain anything.
    fn is_boundary(&self, offset: usize) -> bool {
        offset == self.code.len()
            || self
                .lines
                .binary_search_by_key(&offset, |line| line.offset())
                .is_ok()
            || self.data.iter().any(|data| data.contains(&offset))
    }
}

/// A branch with its distances.
fn resolve(
    parsed: &Parsed,
    from: usize,
    text: &str,
    labels: &BTreeMap<&str, usize>,
) -> Result<Instruction, Diagnostic> {
    let distance = |target: Target| {
        let span = match target {
            Target::Distance(distance) => return Ok(distance),
            Target::Label(span) => span,
        };
        let name = span.of(text);
        let Some(&to) = labels.get(name) else {
            return Err(Diagnostic::error(
                span,
                format!("the label `{name}` is not defined in this kernel"),
            ));
        };
        i32::try_from(to as i64 - from as i64)
            .map_err(|_| Diagnostic::error(span, format!("the label `{name}` is too far away")))
    };
    let mut instruction = parsed.instruction;
    instruction.options.remove(Options::NO_COMPACT);
    if let Specific::Branch(branch) = &mut instruction.specific {
        let [jip, uip] = parsed.targets;
        branch.jip = jip.map(distance).transpose()?;
        branch.uip = uip.map(distance).transpose()?;
    }
    Ok(instruction)
}
