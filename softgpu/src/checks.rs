//! Rules that hardware leaves undefined, recorded when a kernel breaks them.

use std::cell::{Cell, RefCell};
use std::fmt;

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
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BlockReadAlignment => "block read alignment",
            Self::BlockWriteAlignment => "block write alignment",
            Self::ImageBlockWriteX => "image block write x",
            Self::ElementAlignment => "element alignment",
            Self::SurfaceBounds => "surface bounds",
        })
    }
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// Which rule.
    pub rule: Rule,
    /// The instruction, in bytes from the instruction base.
    pub ip: u64,
    /// The offending value and the limit.
    pub detail: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {:#x}: {}", self.rule, self.ip, self.detail)
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
                ip,
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
