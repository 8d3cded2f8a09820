//! Where a host thread records broken rules, and what it knows while it runs a group.

use std::cell::{Cell as Slot, RefCell};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use devinfo::GpuAddress;

use super::arrays::Reports;
use super::bytes::POINTER;
use super::findings::{Extents, Launched, Purpose};
use super::gaps::Gaps;
use super::group::Group;
use super::memory::Memory;
use super::pointers::Pointee;
use super::rule::{Rule, Violation};

/// The most violations that are kept; all are counted.
pub(super) const KEPT: usize = 64;

/// The registers of a message as the checks see them: a state for each byte
/// ([`super::memory::WRITTEN`] and the like).
#[derive(Debug, Default)]
pub(super) struct Registers {
    /// Source 0 followed by source 1.
    pub payload: Vec<u8>,
    pub response: Vec<u8>,
    /// The bytes of the response that nothing reads.
    pub unread: Vec<Range<usize>>,
    /// The shared function has said what it does to the response.
    pub answered: bool,
    /// Part of the response comes from memory where a driver keeps pointers.
    pub pointers: bool,
    /// The bytes of the response that a channel's element takes.
    pub slot: Option<usize>,
}

/// A load of bytes that nothing has written.
#[derive(Debug)]
pub(super) struct EmptyLoad {
    pub thread: u32,
    pub ip: u64,
    /// The message's number.
    pub message: u32,
    /// Where the first of the bytes is.
    pub place: String,
}

/// The channels that a thread began with, and those that are at its instruction.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Here {
    pub active: u32,
    pub dispatched: u32,
    /// Channels of a whole sub-group.
    pub simd: u8,
}

/// Where the threads of one host thread record broken rules.
#[derive(Debug, Default)]
pub struct Checks {
    pub(super) extents: Arc<Extents>,
    pub(super) launched: Option<Launched>,
    pub(super) memory: Arc<Mutex<Memory>>,
    /// The number of the first thread that may run beside the launch's, or is its own.
    pub(super) first: u32,
    /// While there is this, the launch runs.
    pub(super) _running: Arc<()>,
    /// Shared local memory is in order without fences.
    pub(super) local_in_order: bool,
    /// Sub-slices have caches of what others write.
    pub(super) caches: bool,
    /// The message that is executed goes past them.
    pub(super) uncached: Slot<bool>,
    /// The sampler accesses memory for it.
    pub(super) sampled: Slot<bool>,
    /// It has read a program's buffer.
    pub(super) read_buffer: Slot<bool>,
    /// It is the whole thread's, not its channels'.
    pub(super) whole: Slot<bool>,
    /// The first of them.
    pub(super) channel: Slot<u8>,
    /// The channel of its access, counted from that one.
    pub(super) lane: Slot<Option<u8>>,
    pub(super) ip: Slot<u64>,
    pub(super) here: Slot<Here>,
    pub(super) count: Slot<u64>,
    pub(super) found: RefCell<Vec<Violation>>,
    /// The group that runs, and its thread.
    pub(super) group: RefCell<Group>,
    pub(super) thread: Slot<u32>,
    pub(super) message: RefCell<Registers>,
    pub(super) messages: Slot<u32>,
    /// The object that was last accessed: where it begins, its bytes, and what it is for.
    pub(super) nearest: Slot<Option<(u64, u64, Purpose)>>,
    /// The surface that was last accessed: its base, its bytes, and where what it is of begins.
    pub(super) surface: Slot<(u64, u64, u64)>,
    /// The last load of bytes that nothing has written.
    pub(super) empty_load: RefCell<Option<EmptyLoad>>,
    /// The launch's kernel has told that its channels are in order by what it tells alone.
    pub(super) apart: Slot<bool>,
    /// What it stores of vectors of three has no fourth component.
    pub(super) no_threes: Slot<bool>,
    /// It has told of a channel that reads what is not there.
    pub(super) reads_told: Slot<bool>,
    /// What it has told of bytes that need no value.
    pub(super) gaps: RefCell<Gaps>,
    /// What code has told of accesses beyond arrays.
    pub(super) reports: RefCell<Reports>,
}

impl Checks {
    /// Sets the current instruction.
    pub fn set_ip(&self, ip: u64) {
        self.ip.set(ip);
    }

    /// Sets the channels that execute it.
    pub(crate) fn set_here(&self, here: Here) {
        self.here.set(here);
    }

    /// The current instruction.
    pub(super) fn ip(&self) -> u64 {
        self.ip.get()
    }

    /// Records a broken rule: one for each instruction and rule, and only the first are kept.
    pub fn report(&self, rule: Rule, detail: impl FnOnce() -> String) {
        self.report_pair(rule, None, detail);
    }

    /// The same with the other party's instruction.
    pub(super) fn report_pair(
        &self,
        rule: Rule,
        other: Option<u64>,
        detail: impl FnOnce() -> String,
    ) {
        self.report_at(self.ip(), rule, other, detail);
    }

    /// The same of an instruction that may be an earlier one.
    pub(super) fn report_at(
        &self,
        ip: u64,
        rule: Rule,
        other: Option<u64>,
        detail: impl FnOnce() -> String,
    ) {
        self.count.set(self.count.get() + 1);
        let mut found = self.found.borrow_mut();
        let known = found
            .iter()
            .any(|violation| violation.ip == ip && violation.rule == rule);
        if !known && found.len() < KEPT {
            found.push(Violation {
                rule,
                name: None,
                kernel: 0,
                ip,
                source: None,
                text: String::new(),
                detail: detail(),
                other,
            });
        }
    }

    /// The next access of the message is this channel's.
    pub(crate) fn set_lane(&self, lane: Option<u8>) {
        self.lane.set(lane);
    }

    /// Who makes the access, in words.
    pub(crate) fn culprit(&self) -> String {
        self.who(self.lane.get().map(|lane| lane + self.channel.get()))
    }

    /// Records an access of `width` bytes at `address` that reaches into the padding after an
    /// object.
    pub(crate) fn stateless(&self, address: GpuAddress, width: u64) {
        self.past(Rule::BufferBounds, address, width);
    }

    /// The same by a surface, whose size the hardware has in dwords.
    pub(crate) fn padding(&self, address: GpuAddress, width: u64) {
        self.past(Rule::SurfaceBounds, address, width);
    }

    fn past(&self, rule: Rule, address: GpuAddress, width: u64) {
        if let Some((object, size)) = self.extents.object_padded_at(address, width) {
            self.report(rule, || {
                let past = address.get().saturating_add(width) - (object.get() + size);
                format!(
                    "{}: {width} bytes at {address} reach {past:#x} bytes past the end of the \
                     buffer of {size:#x} bytes at {object}",
                    self.culprit()
                )
            });
        }
    }

    /// Whether an access by a surface with this base and so many bytes is before the part of a buffer that the
    /// surface is of.
    pub(crate) fn is_before(&self, (base, bytes): (GpuAddress, u64), offset: u64) -> bool {
        let (base, known) = (base.get(), self.surface.get());
        let begin = match (known.0, known.1) == (base, bytes) {
            true => known.2,
            false => self.extents.begin(base, bytes),
        };
        self.surface.set((base, bytes, begin));
        base.wrapping_add(offset) < begin
    }

    /// Records such an access.
    pub(crate) fn before(&self, surface: (GpuAddress, u64), offset: u64, width: u64) {
        if self.is_before(surface, offset) {
            self.report(Rule::SurfaceBounds, || {
                let (base, _, begin) = self.surface.get();
                let before = begin - base - offset;
                format!("{width} bytes {before:#x} bytes before the part of a buffer at {begin:#x}")
            });
        }
    }

    /// Records an access of shared local memory outside the size asked for, which is part of the
    /// `bytes` that the hardware has.
    pub(crate) fn local(&self, offset: u64, width: u64, bytes: u64) {
        let asked = self.launched.as_ref().map_or(bytes, |known| known.local);
        if offset.saturating_add(width) > asked {
            return self.report(Rule::LocalBounds, || {
                format!(
                    "{}: {width} bytes at offset {offset:#x} of {asked:#x} bytes",
                    self.culprit()
                )
            });
        }
        if !self.is_in_part(offset, width) {
            self.report(Rule::LocalBounds, || {
                let parts = self.launched.iter().flat_map(|known| &known.parts);
                let distance = |(begin, size): &(u64, u64)| {
                    let behind = (offset + width).saturating_sub(begin + size);
                    behind.max(begin.saturating_sub(offset))
                };
                let (begin, size) = parts.min_by_key(|part| distance(part)).unwrap_or(&(0, 0));
                let at = offset.wrapping_sub(*begin).cast_signed();
                format!(
                    "{}: {width} bytes at offset {at} of an argument or variables of {size:#x} bytes",
                    self.culprit()
                )
            });
        }
    }

    /// Whether an access of shared local memory stays inside one of the parts that the kernel's driver tells of.
    pub(super) fn is_in_part(&self, offset: u64, width: u64) -> bool {
        let parts = self.launched.as_ref().map_or(&[][..], |known| &known.parts);
        let inside = |(begin, size): &(u64, u64)| {
            let at = offset.wrapping_sub(*begin);
            at < *size && *size - at >= width
        };
        parts.is_empty() || parts.iter().any(inside)
    }

    /// How many times a rule was broken.
    pub fn count(&self) -> u64 {
        self.count.get()
    }

    /// Takes what was recorded.
    pub fn take(&self) -> Vec<Violation> {
        self.found.take()
    }

    pub(super) fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state of the bytes of `value` if it is a pointer to an object of a program, or to a part of one.
    pub(crate) fn pointer(&self, value: u64) -> Option<u8> {
        // The driver's kernels move what they are told to, wherever parts begin.
        let own = self.launched.as_ref().is_some_and(|known| known.own);
        let pointee = match own {
            true => self.extents.object_at(value)?,
            false => self.extents.pointee(value)?,
        };
        self.memory().pointers.state(pointee)
    }

    /// What a pointer with this state points to, and its size.
    pub(super) fn pointee(&self, state: u8) -> Option<Pointee> {
        (state >= POINTER).then(|| self.memory().pointers.pointee(state))?
    }

    /// Where an address lies, in words.
    pub(super) fn describe(&self, address: u64) -> String {
        match self.extents.place(address) {
            Some((object, size, purpose)) => {
                let offset = address - object.get();
                let what = match purpose {
                    Purpose::Buffer => "buffer",
                    Purpose::Image => "image",
                    Purpose::Print => "printf buffer",
                    Purpose::Threads => "threads' private memory",
                    Purpose::Driver => "driver's memory",
                };
                format!("byte {offset:#x} of the {what} of {size:#x} bytes at {object}")
            }
            None => format!("address {}", GpuAddress::new(address)),
        }
    }
}
