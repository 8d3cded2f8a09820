//! What all host threads have recorded, and what drivers say of their objects and kernels.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::GpuAddress;
use isa_encoder::Disassembler;
use isa_encoder::disasm::Format;
use softgpu_memory::View;

use super::bytes::{UNWRITTEN, WRITTEN};
use super::checks::{Checks, KEPT};
use super::forbidden::Forbidden;
use super::memory::Memory;
use super::rule::Violation;
use super::same::{Found, leave_out_told, shape};
use crate::Kernel;

/// What a driver asked for, where the hardware gets only the next larger size that it supports.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    /// By start, the padding after an object.
    padding: BTreeMap<u64, Padding>,
    /// By start, objects with a purpose of their own, and their sizes.
    objects: BTreeMap<u64, (u64, Purpose)>,
    /// By start, parts of programs' buffers that kernels get pointers to, and the most bytes of each.
    parts: BTreeMap<u64, u64>,
    /// What kernels may not do with parts of a buffer, by where the buffer begins.
    pub forbidden: BTreeMap<u64, Vec<(Range<u64>, Forbidden)>>,
    /// By the ends of the parts, and of whole buffers that kernels get, the first byte of any that ends there.
    ends: BTreeMap<u64, u64>,
    /// By where a kernel's code begins, the parts of its shared local memory.
    shared: BTreeMap<u64, Vec<(u64, u64)>>,
    /// By a kernel's entry point.
    launched: BTreeMap<u64, Launched>,
}

/// What an object's memory is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A program's buffer.
    Buffer,
    /// A program's image.
    Image,
    /// What kernels print.
    Print,
    /// Threads have parts of it for themselves.
    Threads,
    /// The driver's own.
    Driver,
}

/// What a driver says of a kernel.
#[derive(Clone, Debug, Default)]
pub(super) struct Launched {
    /// Bytes from the first instruction to the entry point.
    skipped: u64,
    /// Where the first instruction is, in bytes from the instruction base.
    pub first: u64,
    /// The most shared local memory asked for it.
    pub local: u64,
    /// The parts of it that are of something, where a driver has said it.
    pub parts: Vec<(u64, u64)>,
    /// Its name.
    pub name: Arc<str>,
    /// It is the driver's own, which moves what it is told to.
    pub own: bool,
    /// Its source lines.
    source: Option<Source>,
}

impl Launched {
    /// Where the instruction at `ip` comes from.
    fn source_of(&self, ip: u64) -> Option<String> {
        let Source(line) = self.source.as_ref()?;
        line(ip.wrapping_sub(self.first))
    }
}

/// Says where the instruction at an offset of a kernel comes from.
type Lines = Arc<dyn Fn(u64) -> Option<String> + Send + Sync>;

/// [`Lines`] of a kernel.
#[derive(Clone)]
struct Source(Lines);

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

/// Says which kernel has the code around an entry point, which the argument reads: its name, its bytes
/// before the entry point, and its source lines.
type Find =
    dyn Fn(&dyn Fn(i64, &mut [u8]) -> bool) -> Option<(String, u64, Option<Lines>)> + Send + Sync;

/// What finds kernels that no driver has named, and what it has found: a search may take long.
#[derive(Default)]
struct Finder {
    find: Mutex<Option<Arc<Find>>>,
    /// By entry point.
    known: Mutex<HashMap<u64, Answer>>,
}

/// What a search has found at an entry point.
struct Answer {
    /// The first bytes there: other code may replace them.
    code: [u8; GUARD],
    kernel: Option<Launched>,
}

/// Bytes by which code at an entry point is recognized.
const GUARD: usize = 64;

impl fmt::Debug for Finder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Finder")
    }
}

impl Finder {
    fn find(&self, kernel: &Kernel, memory: &View<'_>) -> Option<Launched> {
        let entry = kernel.base.offset(kernel.entry).get();
        let mut code = [0; GUARD];
        // Short code may end before; the rest is zeros then.
        let _ = memory.read(GpuAddress::new(entry), &mut code);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        match known.get(&entry) {
            Some(answer) if answer.code == code => answer.kernel.clone(),
            _ => {
                let kernel = self.search(kernel, memory, entry);
                let found = kernel.clone();
                known.insert(entry, Answer { code, kernel });
                found
            }
        }
    }

    fn search(&self, kernel: &Kernel, memory: &View<'_>, entry: u64) -> Option<Launched> {
        let find = self.find.lock().unwrap_or_else(PoisonError::into_inner);
        let find = find.clone()?;
        let (name, skipped, source) = find(&|offset, code| {
            let place = GpuAddress::new(entry.wrapping_add_signed(offset));
            memory.read(place, code).is_ok()
        })?;
        Some(Launched {
            skipped,
            first: kernel.entry.wrapping_sub(skipped),
            name: name.into(),
            source: source.map(Source),
            ..Launched::default()
        })
    }
}

/// Bytes that are mapped, but belong to no object.
#[derive(Clone, Copy, Debug)]
struct Padding {
    end: u64,
    object: GpuAddress,
}

impl Extents {
    /// The object into whose padding an access reaches, and its size.
    pub fn object_padded_at(&self, address: GpuAddress, width: u64) -> Option<(GpuAddress, u64)> {
        let end = address.get().saturating_add(width);
        let (&begin, padding) = self.padding.range(..end).next_back()?;
        let inside = address.get() < padding.end;
        inside.then(|| (padding.object, begin - padding.object.get()))
    }

    /// The object that an address lies in, its size, and its purpose.
    pub fn place(&self, address: u64) -> Option<(GpuAddress, u64, Purpose)> {
        let (&start, &(size, purpose)) = self.objects.range(..=address).next_back()?;
        (address - start < size).then(|| (GpuAddress::new(start), size, purpose))
    }

    /// The program's buffer that an address lies in, and its size.
    pub fn object_at(&self, address: u64) -> Option<(GpuAddress, u64)> {
        let (object, size, purpose) = self.place(address)?;
        (purpose == Purpose::Buffer).then_some((object, size))
    }

    /// What a pointer that a kernel gets is to: the program's buffer that it lies in, or the part of one
    /// that begins there.
    pub fn pointee(&self, pointer: u64) -> Option<(GpuAddress, u64)> {
        let (object, size) = self.object_at(pointer)?;
        let rest = size - (pointer - object.get());
        match self.parts.get(&pointer) {
            Some(&part) if part <= rest => Some((GpuAddress::new(pointer), part)),
            _ => Some((object, size)),
        }
    }

    /// Where what a surface is of begins, which may be behind the surface's base: the surface of a part of a
    /// buffer may begin with the buffer. Surfaces end with whole dwords.
    pub fn begin(&self, base: u64, bytes: u64) -> u64 {
        let end = base.saturating_add(bytes);
        let parts = self.ends.range(end.saturating_sub(3)..=end);
        let begins = parts.map(|(_, begin)| *begin);
        begins.filter(|begin| *begin >= base).min().unwrap_or(base)
    }

    /// Whether drivers say which buffers are programs'.
    pub fn knows_objects(&self) -> bool {
        !self.objects.is_empty()
    }
}

/// What all host threads have recorded: one violation for each instruction and rule, and of code with source, for each
/// fault.
#[derive(Debug, Default)]
pub struct Findings {
    found: Mutex<Vec<Found>>,
    extents: Mutex<Arc<Extents>>,
    memory: Arc<Mutex<Memory>>,
    finder: Finder,
}

impl Findings {
    /// A driver reports that of the `mapped` bytes at `object`, only the first `size` belong to the
    /// object, and what it is for. (Addresses are those of its one address space.)
    pub fn bound(&self, object: GpuAddress, size: u64, mapped: u64, purpose: Purpose) {
        let begin = object.get().saturating_add(size);
        self.change(|extents| {
            if size < mapped {
                let end = object.get().saturating_add(mapped);
                extents.padding.insert(begin, Padding { end, object });
            }
            if purpose != Purpose::Driver {
                extents.objects.insert(object.get(), (size, purpose));
            }
        });
    }

    /// A driver reports that the object of `size` bytes at `object` is gone.
    pub fn unbound(&self, object: GpuAddress, size: u64) {
        let begin = object.get().saturating_add(size);
        self.change(|extents| {
            extents.padding.remove(&begin);
            extents.objects.remove(&object.get());
            extents.forbidden.remove(&object.get());
            extents
                .parts
                .retain(|start, _| !(object.get()..begin).contains(start));
            extents
                .ends
                .retain(|_, start| !(object.get()..begin).contains(start));
        });
        self.memory().bytes.fill(object.get(), size, WRITTEN);
    }

    /// A driver reports that the host has written the `size` bytes at an address.
    pub fn written(&self, address: GpuAddress, size: u64) {
        self.memory().bytes.fill(address.get(), size, WRITTEN);
    }

    /// A driver reports that something is in the `size` bytes at an address, by the host or by a kernel.
    pub fn filled(&self, address: GpuAddress, size: u64) {
        self.memory().bytes.settle(address.get(), size);
    }

    /// A driver reports that the `size` bytes at an address have no content yet.
    pub fn unwritten(&self, address: GpuAddress, size: u64) {
        self.memory().bytes.fill(address.get(), size, UNWRITTEN);
    }

    /// A driver reports that it launches the kernel `name` whose code begins at `first`, by the
    /// instruction at `entry`, with `local_bytes` of shared local memory per group. The largest
    /// report counts. A driver's `own` kernels may move what nothing has written. Violations count from
    /// `first`; `source` says which lines they are of.
    pub fn launches(
        &self,
        name: &str,
        first: GpuAddress,
        entry: GpuAddress,
        local_bytes: u64,
        own: bool,
        source: Option<Lines>,
    ) {
        self.change(|extents| {
            let known = extents.launched.entry(entry.get()).or_default();
            known.skipped = entry.get().saturating_sub(first.get());
            known.local = local_bytes.max(known.local);
            known.own = own;
            known.source = source.map(Source);
            if *known.name != *name {
                known.name = name.into();
            }
        });
    }

    /// A driver reports that it gives a kernel of a program the address of `size` bytes of a buffer. The
    /// largest report counts.
    pub fn passes(&self, address: GpuAddress, size: u64) {
        self.change(|extents| {
            let known = extents.parts.entry(address.get()).or_default();
            *known = size.max(*known);
            let end = address.get().saturating_add(size);
            let begin = extents.ends.entry(end).or_insert(address.get());
            *begin = address.get().min(*begin);
        });
    }

    /// A driver reports where parts of the shared local memory of a kernel whose code begins at `first` begin, and
    /// their bytes. All that were ever reported count: launches wait for each other.
    pub fn shares(&self, first: GpuAddress, parts: &[(u64, u64)]) {
        self.change(|extents| {
            let known = extents.shared.entry(first.get()).or_default();
            for part in parts {
                if !known.contains(part) {
                    known.push(*part);
                }
            }
        });
    }

    /// A driver reports what kernels may not do with the `size` bytes at an address in a buffer.
    pub fn forbids(&self, address: GpuAddress, size: u64, what: Forbidden) {
        let range = address.get()..address.get().saturating_add(size);
        self.change(|extents| {
            if let Some((object, ..)) = extents.place(address.get()) {
                let parts = extents.forbidden.entry(object.get()).or_default();
                parts.push((range, what));
            }
        });
    }

    /// A driver reports that what it has said to [`Findings::forbids`] once is over.
    pub fn permits(&self, address: GpuAddress, size: u64, what: Forbidden) {
        let over = (address.get()..address.get().saturating_add(size), what);
        self.change(|extents| {
            let Some((object, ..)) = extents.place(address.get()) else {
                return;
            };
            let Some(parts) = extents.forbidden.get_mut(&object.get()) else {
                return;
            };
            if let Some(index) = parts.iter().position(|part| *part == over) {
                parts.swap_remove(index);
            }
            if parts.is_empty() {
                extents.forbidden.remove(&object.get());
            }
        });
    }

    /// Kernels that [`Findings::launches`] does not name, and that break a rule, are found by this.
    pub fn finds_kernels(&self, find: Arc<Find>) {
        *self
            .finder
            .find
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Some(find);
    }

    fn memory(&self) -> std::sync::MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, change: impl FnOnce(&mut Extents) -> T) {
        let mut extents = self.extents.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut extents));
    }

    /// The number of the thread that begins next.
    pub fn next_thread(&self) -> u32 {
        self.memory().next_thread()
    }

    /// Where a host thread that runs threads of `kernel` records broken rules. Threads from `since` on may run beside
    /// them; without it, all that began before are over.
    pub fn checks(&self, kernel: &Kernel, since: Option<u32>) -> Checks {
        let extents = self.extents.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = kernel.base.offset(kernel.entry);
        let launched = extents.launched.get(&entry.get()).cloned();
        let (first, running) = self.memory().begin(since);
        Checks {
            launched: launched.map(|known| {
                let first = kernel.entry.wrapping_sub(known.skipped);
                let shared = extents.shared.get(&kernel.base.offset(first).get());
                Launched {
                    first,
                    parts: shared.cloned().unwrap_or_default(),
                    ..known
                }
            }),
            extents: extents.clone(),
            first,
            _running: running,
            memory: self.memory.clone(),
            local_in_order: crate::sf::local_in_order(kernel.family),
            caches: crate::sf::caches(kernel.family),
            ..Checks::default()
        }
    }

    /// Adds what one host thread recorded while it ran threads of `kernel`.
    pub fn add(&self, checks: &Checks, kernel: &Kernel, memory: &View<'_>) {
        let mut new = checks.take();
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        new.retain(|one| {
            let same = |other: &Found| other.is_of(one.rule, one.ip);
            !found.iter().any(same)
        });
        // Of code that was added to a source, one fault may show in several places.
        let has_source = checks.is_apart();
        if has_source {
            leave_out_told(&mut new);
        }
        if new.is_empty() {
            return;
        }
        let named = checks.launched.clone();
        let launched = named.or_else(|| self.finder.find(kernel, memory));
        let source_of = |ip| launched.as_ref().and_then(|known| known.source_of(ip));
        for mut violation in new {
            let first = launched.as_ref().map(|known| known.first);
            violation.kernel = first.unwrap_or(kernel.entry);
            violation.name = launched.as_ref().map(|known| known.name.to_string());
            violation.source = source_of(violation.ip);
            let mut shape = shape(&violation.detail);
            if let Some(line) = violation.other.and_then(source_of) {
                shape.push_str(&line);
            }
            let mut known = found.iter_mut();
            if has_source && known.any(|known| known.takes(&violation, &shape)) {
                continue;
            }
            if found.len() >= KEPT {
                break;
            }
            violation.text = text(kernel, memory, violation.ip).unwrap_or_default();
            if let Some(other) = violation.other {
                let offset = other.wrapping_sub(violation.kernel);
                let of = source_of(other).map_or(String::new(), |line| format!(" ({line})"));
                let text = text(kernel, memory, other).unwrap_or_default();
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                violation
                    .detail
                    .push_str(&format!("; the other is +{offset:#x}{of} `{text}`"));
            }
            found.push(Found::new(violation, shape));
        }
    }

    /// Takes what was found.
    pub fn take(&self) -> Vec<Violation> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *found)
            .into_iter()
            .map(Found::finish)
            .collect()
    }
}

/// The instruction at `ip`.
fn text(kernel: &Kernel, memory: &View<'_>, ip: u64) -> Option<String> {
    let place = kernel.base.offset(ip);
    let mut code = [0; 16];
    // The instruction has run, so at least 8 bytes of it can be read.
    let read = memory.read(place, &mut code);
    let length = if read.is_ok() { 16 } else { 8 };
    let disassembler = Disassembler::new(kernel.family, Format::default());
    let mut lines = disassembler.lines(&code[..length]).into_iter();
    lines.next()?.text
}
