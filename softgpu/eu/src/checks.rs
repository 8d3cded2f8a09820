//! Rules that hardware leaves undefined, recorded when a kernel breaks them.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::GpuAddress;
use isa_encoder::Disassembler;
use isa_encoder::disasm::Format;

use softgpu_memory::View;

use crate::Kernel;

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
    /// Stateless accesses stay inside the size asked for, not only inside its pages
    /// ([`Findings::bound`]).
    BufferBounds,
    /// Accesses of shared local memory stay inside the size asked for, not only inside the size
    /// that the hardware rounds it up to ([`Findings::launches`]).
    LocalBounds,
    /// Block reads and writes of a sub-group need all of its channels: a sub-group at the end of
    /// a range that is not a multiple of its size lacks some. (Only distinguished from other uses
    /// of the messages on the classic data port.)
    PartialSubGroup,
    /// All channels of a sub-group reach its block reads and writes, and barriers.
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
            Self::BufferBounds => "buffer bounds",
            Self::LocalBounds => "local memory bounds",
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
    /// Where the kernel's code begins, in bytes from the instruction base.
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

/// The sizes that a driver asked for, where the hardware gets only the next larger size that it
/// supports.
#[derive(Clone, Debug, Default)]
struct Extents {
    /// By start, the padding after an object.
    padding: BTreeMap<u64, Padding>,
    /// By a kernel's entry point.
    launched: BTreeMap<u64, Launched>,
}

/// What a driver says of a kernel.
#[derive(Clone, Copy, Debug, Default)]
struct Launched {
    /// Bytes from the first instruction to the entry point.
    skipped: u64,
    /// The most shared local memory asked for it.
    local: u64,
}

/// Bytes that are mapped, but belong to no object.
#[derive(Clone, Copy, Debug)]
struct Padding {
    end: u64,
    object: GpuAddress,
}

/// Where the threads of one host thread record broken rules.
#[derive(Debug, Default)]
pub struct Checks {
    extents: Arc<Extents>,
    launched: Option<Launched>,
    ip: Cell<u64>,
    count: Cell<u64>,
    found: RefCell<Vec<Violation>>,
}

impl Checks {
    /// Sets the current instruction.
    pub fn set_ip(&self, ip: u64) {
        self.ip.set(ip);
    }

    /// Records a broken rule: one for each instruction and rule, and only the first are kept.
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

    /// Records an access of `width` bytes at `address` that reaches into the padding after an
    /// object.
    pub(crate) fn stateless(&self, address: GpuAddress, width: u64) {
        let end = address.get().saturating_add(width);
        let before = self.extents.padding.range(..end).next_back();
        if let Some((&begin, padding)) = before
            && address.get() < padding.end
        {
            self.report(Rule::BufferBounds, || {
                let (object, size) = (padding.object, begin - padding.object.get());
                let past = end - begin;
                format!(
                    "{width} bytes at {address} reach {past:#x} bytes past the end of {size:#x} \
                     bytes at {object}"
                )
            });
        }
    }

    /// Records an access of shared local memory outside the size asked for, which is part of the
    /// `bytes` that the hardware has.
    pub(crate) fn local(&self, offset: u64, width: u64, bytes: u64) {
        let asked = self.launched.map_or(bytes, |known| known.local);
        if offset.saturating_add(width) > asked {
            self.report(Rule::LocalBounds, || {
                format!("{width} bytes at offset {offset:#x} of {asked:#x} bytes")
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
    extents: Mutex<Arc<Extents>>,
}

impl Findings {
    /// A driver reports that of the `mapped` bytes at `object`, only the first `size` belong to the
    /// object. (Addresses are those of its one address space.)
    pub fn bound(&self, object: GpuAddress, size: u64, mapped: u64) {
        if size < mapped {
            let end = object.get().saturating_add(mapped);
            let padding = Padding { end, object };
            let begin = object.get().saturating_add(size);
            self.change(|extents| extents.padding.insert(begin, padding));
        }
    }

    /// A driver reports that the object of `size` bytes at `object` is gone.
    pub fn unbound(&self, object: GpuAddress, size: u64) {
        let begin = object.get().saturating_add(size);
        self.change(|extents| extents.padding.remove(&begin));
    }

    /// A driver reports that it launches the kernel whose code begins at `first`, by the
    /// instruction at `entry`, with `local_bytes` of shared local memory per group. The largest
    /// report counts. Violations count from `first`.
    pub fn launches(&self, first: GpuAddress, entry: GpuAddress, local_bytes: u64) {
        self.change(|extents| {
            let known = extents.launched.entry(entry.get()).or_default();
            known.skipped = entry.get().saturating_sub(first.get());
            known.local = local_bytes.max(known.local);
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut Extents) -> T) {
        let mut extents = self.extents.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut extents));
    }

    /// Where a host thread that runs threads of `kernel` records broken rules.
    pub fn checks(&self, kernel: &Kernel) -> Checks {
        let extents = self.extents.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = kernel.base.offset(kernel.entry);
        Checks {
            launched: extents.launched.get(&entry.get()).copied(),
            extents: extents.clone(),
            ..Checks::default()
        }
    }

    /// Adds what one host thread recorded while it ran threads of `kernel`.
    pub fn add(&self, checks: &Checks, kernel: &Kernel, memory: &View<'_>) {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for mut violation in checks.take() {
            let skipped = checks.launched.map_or(0, |known| known.skipped);
            violation.kernel = kernel.entry.wrapping_sub(skipped);
            let known = found.iter().any(|other| {
                (other.rule, other.kernel, other.ip)
                    == (violation.rule, violation.kernel, violation.ip)
            });
            if !known && found.len() < KEPT {
                let place = kernel.base.offset(violation.ip);
                let mut code = [0; 16];
                // The instruction has run, so at least 8 bytes of it can be read.
                let read = memory.read(place, &mut code);
                let length = if read.is_ok() { 16 } else { 8 };
                let lines =
                    Disassembler::new(kernel.family, Format::default()).lines(&code[..length]);
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
