//! Rules that hardware leaves undefined, recorded when a kernel breaks them.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use isa_encoder::Disassembler;
use isa_encoder::disasm::Format;

use crate::dispatch::Walker;
use crate::mem::View;

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// Block reads begin at multiples of 4 bytes (of the element, where that is larger).
    BlockReadAlignment,
    /// Block writes begin at multiples of 16 bytes (on load/store units: of the element).
    BlockWriteAlignment,
    /// Image block writes begin at an x that is a multiple of 4 bytes.
    ImageBlockWriteX,
    /// Elements are aligned to their size.
    ElementAlignment,
    /// Stateful accesses stay inside their surface.
    SurfaceBounds,
    /// Block reads and writes of a sub-group need all of its channels: a sub-group at the end of
    /// a range that is no multiple of its size lacks some. (Told from other uses of the messages
    /// on the classic data port only.)
    PartialSubGroup,
    /// Block reads and writes of a sub-group, and barriers, are reached by all of its channels.
    DivergentFlow,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlockReadAlignment => "block read alignment",
            Self::BlockWriteAlignment => "block write alignment",
            Self::ImageBlockWriteX => "image block write x",
            Self::ElementAlignment => "element alignment",
            Self::SurfaceBounds => "surface bounds",
            Self::PartialSubGroup => "block access in a partial sub-group",
            Self::DivergentFlow => "sub-group operation in divergent flow",
        })
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The kernel's entry point, in bytes from the instruction base.
    pub kernel: u64,
    /// The instruction, in bytes from the instruction base.
    pub ip: u64,
    /// The instruction in the assembler's syntax.
    pub text: String,
    /// The offending value and the limit.
    pub detail: String,
}

impl Violation {
    /// The instruction's offset in the kernel.
    pub fn offset(&self) -> u64 {
        self.ip.wrapping_sub(self.kernel)
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (offset, text) = (self.offset(), self.text.trim());
        write!(
            f,
            "kernel+{offset:#x}: {text}: {}: {}",
            self.rule, self.detail
        )
    }
}

/// The most violations that are kept; all are counted.
const KEPT: usize = 64;

/// Where the threads of one host thread record what they break.
#[derive(Debug, Default)]
pub struct Checks {
    ip: Cell<u64>,
    count: Cell<u64>,
    found: RefCell<Vec<Violation>>,
}

impl Checks {
    /// Says which instruction runs now.
    pub fn set_ip(&self, ip: u64) {
        self.ip.set(ip);
    }

    /// Records a broken rule: one for each instruction and rule, and [`KEPT`] at most.
    pub fn report(&self, rule: Rule, detail: impl FnOnce() -> String) {
        self.count.set(self.count.get() + 1);
        let ip = self.ip.get();
        let mut found = self.found.borrow_mut();
        let known = found
            .iter()
            .any(|violation| violation.ip == ip && violation.rule == rule);
        if !known && found.len() < KEPT {
            found.push(Violation {
                rule,
                kernel: 0,
                ip,
                text: String::new(),
                detail: detail(),
            });
        }
    }

    /// How many times a rule was broken.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// Takes what was recorded.
    pub fn take(&self) -> Vec<Violation> {
        self.found.take()
    }
}

/// What all host threads have recorded: one violation for each instruction and rule.
#[derive(Debug, Default)]
pub struct Findings {
    found: Mutex<Vec<Violation>>,
}

impl Findings {
    /// Adds what one host thread recorded while it ran `walker`.
    pub(crate) fn add(&self, checks: &Checks, walker: &Walker, memory: &View<'_>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for mut violation in checks.take() {
            violation.kernel = walker.kernel;
            let known = found.iter().any(|other| {
                (other.rule, other.kernel, other.ip)
                    == (violation.rule, violation.kernel, violation.ip)
            });
            if !known && found.len() < KEPT {
                let place = walker.bases.instruction.offset(violation.ip);
                let mut code = [0; 16];
                // The instruction has run: it can be read, in 8 bytes at least.
                let read = memory.read(place, &mut code);
                let length = if read.is_ok() { 16 } else { 8 };
                let lines =
                    Disassembler::new(walker.family, Format::default()).lines(&code[..length]);
                if let Some(text) = lines.into_iter().next().and_then(|line| line.text) {
                    violation.text = text;
                }
                found.push(violation);
            }
        }
    }

    /// Takes what was found.
    pub fn take(&self) -> Vec<Violation> {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
