//! From SPIR-V to a zebin.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread;

use devinfo::{Family, Platform};
use isa_encoder::Disassembler;
use isa_encoder::disasm::Format;

use crate::abi::{Field, FieldKind, TABLE_ENTRIES};
use crate::code::Code;
use crate::emit::{Emitted, emit};
use crate::error::Error;
use crate::front::{self, Entry, Module};
use crate::ir::{Buffer, Input, Op};
use crate::passes;
use crate::regalloc::{self, Allocation};
use crate::relocate;
use crate::schedule;
use crate::select::select;
use crate::target::Target;
use crate::zebin::{self, CompiledKernel};

/// What to compile for.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The platform.
    pub platform: &'static Platform,
    /// The PCI revision; if none, the one that the platform's row has.
    pub revision: Option<u8>,
    /// Lanes of a sub-group, for kernels that require no size.
    pub simd: Option<u32>,
    /// Registers of a thread.
    pub registers: Option<u32>,
    /// For checks: leaves private arrays in memory.
    pub checked: bool,
}

impl Options {
    /// For a platform, with nothing required.
    pub const fn new(platform: &'static Platform) -> Self {
        Self {
            platform,
            revision: None,
            simd: None,
            registers: None,
            checked: false,
        }
    }
}

/// What a compilation gives.
#[derive(Clone, Debug)]
pub struct Zebin {
    /// The file.
    pub bytes: Vec<u8>,
    /// Its kernels.
    pub kernels: Vec<KernelReport>,
}

/// What became of a kernel.
#[derive(Clone, Debug)]
pub struct KernelReport {
    /// Its name.
    pub name: String,
    /// Lanes of a sub-group.
    pub simd: u32,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of scratch memory of a thread, for registers that are spilled.
    pub spilled: u32,
    /// The family that the code is for.
    pub family: Family,
    /// The code.
    pub code: Vec<u8>,
    /// The intermediate representation after the pass that was asked for.
    pub ir: Option<String>,
}

impl KernelReport {
    /// The listing, which assembles to the kernel's bytes.
    pub fn text(&self) -> String {
        Disassembler::new(self.family, Format::default()).print(&self.code)
    }
}

/// Compiles a module.
///
/// # Errors
/// What SPIR-V forbids, what the compiler or the platform cannot do; with the instruction.
pub fn compile(spirv: &[u8], options: &Options) -> Result<Zebin, Error> {
    compile_showing(spirv, options, None)
}

/// Compiles a module, and keeps the intermediate representation after a pass, one of
/// [`pass_names`], or the machine instructions in their last order ([`SCHEDULE`]).
///
/// # Errors
/// As [`compile`].
pub fn compile_showing(
    spirv: &[u8],
    options: &Options,
    pass: Option<&str>,
) -> Result<Zebin, Error> {
    if let Some(pass) = pass
        && !passes::names().chain([SCHEDULE]).any(|name| name == pass)
    {
        let names: Vec<_> = passes::names().chain([SCHEDULE]).collect();
        return Err(Error::Options(format!(
            "no pass {pass}; there are {}",
            names.join(", ")
        )));
    }
    let file = front::file(spirv)?;
    front::validate(&file)?;
    let module = front::module(&file)?;
    let mut kernels = Vec::new();
    let mut reports = Vec::new();
    let made = all_kernels(&module, options, pass)?;
    for (entry, (kernel, ir)) in module.entries.iter().zip(made) {
        reports.push(KernelReport {
            name: entry.name.clone(),
            simd: kernel.target.simd,
            registers: kernel.target.registers,
            spilled: kernel.abi.scratch,
            family: options.platform.family,
            code: kernel.emitted.bytes.clone(),
            ir,
        });
        kernels.push(kernel);
    }
    let target = Target::new(options.platform, 16, 128);
    let revision = options
        .revision
        .unwrap_or(options.platform.default_revision);
    let (data, lines) = (&module.data, &module.lines);
    let bytes = zebin::write(&kernels, data, lines, &target, revision, spirv);
    Ok(Zebin {
        bytes: bytes.map_err(|error| Error::Internal {
            kernel: reports
                .first()
                .map_or_else(String::new, |one| one.name.clone()),
            pass: "emission",
            what: error.to_string(),
        })?,
        kernels: reports,
    })
}

/// Compiles the kernels, as many at a time as the host has processors. The error is that of the first
/// kernel that has one.
fn all_kernels(
    module: &Module<'_>,
    options: &Options,
    pass: Option<&str>,
) -> Result<Vec<(CompiledKernel, Option<String>)>, Error> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut made = Vec::new();
        let entry = || {
            module
                .entries
                .iter()
                .enumerate()
                .nth(next.fetch_add(1, Relaxed))
        };
        while let Some((index, entry)) = entry() {
            let kernel = kernel(module, entry, options, pass);
            if kernel.is_err() {
                // Those before it are taken already, those behind it are not asked for.
                next.store(module.entries.len(), Relaxed);
            }
            made.push((index, kernel));
        }
        made
    };
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let workers = processors.min(module.entries.len()).min(WORKERS);
    let mut made = thread::scope(|scope| {
        // Without a thread there is one worker fewer.
        let others: Vec<_> = (1..workers)
            .filter_map(|_| {
                let thread = thread::Builder::new().stack_size(STACK);
                thread.spawn_scoped(scope, work).ok()
            })
            .collect();
        let mut made = work();
        for other in others {
            match other.join() {
                Ok(more) => made.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        made
    });
    made.sort_by_key(|(index, _)| *index);
    made.into_iter().map(|(_, kernel)| kernel).collect()
}

/// The names of the passes, in order.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    passes::names()
}

/// What [`compile_showing`] takes for the machine instructions in their last order.
pub const SCHEDULE: &str = "schedule";

/// The widths to try, widest first.
fn widths(entry: &Entry, options: &Options) -> Result<Vec<u32>, Error> {
    let platform = options.platform;
    let have = platform.simd_widths.iter().map(|width| u32::from(*width));
    let list = || {
        let names: Vec<_> = platform.simd_widths.iter().map(u8::to_string).collect();
        names.join(", ")
    };
    match entry.sub_group_size.or(options.simd) {
        Some(width) if have.clone().any(|w| w == width) => Ok(vec![width]),
        Some(width) if entry.sub_group_size.is_some() => Err(Error::Limit {
            kernel: entry.name.clone(),
            what: format!(
                "it needs sub-groups of {width}; {} has {}",
                platform.title,
                list()
            ),
        }),
        Some(width) => Err(Error::Options(format!(
            "sub-groups of {width}; {} has {}",
            platform.title,
            list()
        ))),
        None => {
            // From 16 down: what does not fit in registers is made narrower.
            let mut all: Vec<u32> = have.filter(|width| *width <= 16).collect();
            all.sort_by_key(|width| std::cmp::Reverse(*width));
            Ok(all)
        }
    }
}

/// The numbers of registers to try, least first.
fn registers(options: &Options) -> Result<Vec<u32>, Error> {
    let have = options.platform.grf_counts;
    match options.registers {
        Some(count) if have.contains(&(count as u16)) => Ok(vec![count]),
        Some(count) => {
            let names: Vec<_> = have.iter().map(u16::to_string).collect();
            Err(Error::Options(format!(
                "{count} registers a thread; {} has {}",
                options.platform.title,
                names.join(", ")
            )))
        }
        None => Ok([128, 256]
            .into_iter()
            .filter(|count| have.contains(&(*count as u16)))
            .collect()),
    }
}

/// A kernel for sub-groups of one width, before its registers have places.
struct Selected {
    kernel: front::Kernel,
    code: Code,
    shown: Option<String>,
}

/// What fits: a kernel, and where its registers are.
struct Fitting {
    target: Target,
    selected: Selected,
    code: Code,
    allocation: Allocation,
}

/// Finds what fits; what does not fit anywhere is spilled, if it has no arrays in registers.
fn fit(
    module: &Module<'_>,
    entry: &Entry,
    options: &Options,
    pass: Option<&str>,
    arrays: bool,
) -> Result<Option<Fitting>, Error> {
    let counts = registers(options)?;
    let mut forms = Forms {
        module,
        entry,
        pass,
        common: None,
    };
    let widths = widths(entry, options)?;
    let for_lanes = |simd, registers| Target {
        // Checks know the ends of what is in memory.
        arrays: arrays && !options.checked,
        checked: options.checked,
        ..Target::new(options.platform, simd, registers)
    };
    let is_free = entry.sub_group_size.or(options.simd).is_none();
    let may_be_widest = is_free && options.platform.has_simd_width(WIDEST);
    // Most kernels fit so: nothing is made of them for fewer lanes.
    let widest = for_lanes(WIDEST, counts[0]);
    let mut is_refused = false;
    if may_be_widest
        && forms.may_fit_widest(&for_lanes(widths[0], counts[0]))?
        && let Ok(selected) = forms.selected(&widest)
        && selected.kernel.function.private_size == 0
    {
        if selected.is_free_of_lanes()
            && let Ok((code, allocation)) = regalloc::allocate(&selected.code, &widest, false)
        {
            return Ok(Some(Fitting {
                target: widest,
                selected,
                code,
                allocation,
            }));
        }
        is_refused = true;
    }
    let (mut found, mut why) = (None, String::new());
    let mut selected: Vec<Selected> = Vec::new();
    // Fewer registers for wider sub-groups first; what does not fit then is spilled in the narrowest
    // one with the most registers.
    let fitting = counts.iter().flat_map(|count| {
        let widths = 0..widths.len();
        widths.map(move |width| (width, *count, false))
    });
    let last = counts.last().map(|count| (widths.len() - 1, *count, true));
    for (width, registers, spills) in fitting.chain(last) {
        let target = for_lanes(widths[width], registers);
        if width == selected.len() {
            selected.push(forms.selected(&target)?);
        }
        let of = &selected[width];
        if spills && selected.iter().any(Selected::has_arrays) {
            return Ok(None);
        }
        match regalloc::allocate(&of.code, &target, spills) {
            Ok((code, allocation)) => {
                found = Some((width, target, code, allocation));
                break;
            }
            Err(what) => why = what,
        }
    }
    let (width, target, code, allocation) = found.ok_or_else(|| Error::Limit {
        kernel: entry.name.clone(),
        what: why,
    })?;
    let chosen = selected.swap_remove(width);
    let is_refused = is_refused && target.registers == counts[0];
    if may_be_widest && !is_refused && chosen.takes_more(&target) {
        let wide = for_lanes(WIDEST, target.registers);
        if let Ok(wider) = forms.selected(&wide)
            // Arrays that do not fit any more are worse than fewer lanes.
            && wider.kernel.function.private_size <= chosen.kernel.function.private_size
            && let Ok((code, allocation)) = regalloc::allocate(&wider.code, &wide, false)
        {
            return Ok(Some(Fitting {
                target: wide,
                selected: wider,
                code,
                allocation,
            }));
        }
    }
    Ok(Some(Fitting {
        target,
        selected: chosen,
        code,
        allocation,
    }))
}

fn kernel(
    module: &Module<'_>,
    entry: &Entry,
    options: &Options,
    pass: Option<&str>,
) -> Result<(CompiledKernel, Option<String>), Error> {
    let found = match fit(module, entry, options, pass, true)? {
        Some(found) => Some(found),
        None => fit(module, entry, options, pass, false)?,
    };
    let Some(Fitting {
        target,
        selected: chosen,
        code,
        allocation,
    }) = found
    else {
        return Err(Error::Internal {
            kernel: entry.name.clone(),
            pass: "register allocation",
            what: "arrays where there are none".to_owned(),
        });
    };
    let Selected {
        mut kernel, shown, ..
    } = chosen;
    kernel.abi.private = kernel.function.private_size;
    kernel.abi.scratch = allocation.scratch;
    kernel.abi.local_ids = code.local_ids;
    let payload = kernel.abi.payload_bytes();
    let mut code = code;
    let numbers = schedule::schedule(&mut code, &allocation, &target);
    let shown = match pass {
        Some(SCHEDULE) => Some(schedule::show(&code, &numbers, &allocation, &target)),
        _ => shown,
    };
    let emitted: Emitted =
        emit(&code, &allocation, &target, payload).map_err(|what| Error::Internal {
            kernel: entry.name.clone(),
            pass: "emission",
            what,
        })?;
    let family = options.platform.family;
    let addresses = relocate::find(&emitted.bytes, family, code.first_address, &code.addresses);
    let kernel = CompiledKernel {
        entry: entry.clone(),
        abi: kernel.abi,
        relocations: addresses.map_err(|what| Error::Internal {
            kernel: entry.name.clone(),
            pass: "relocation",
            what,
        })?,
        emitted,
        target,
    };
    Ok((kernel, shown))
}

/// The most threads of the host that compile, and the stack of each: as large as Linux gives a process.
const WORKERS: usize = 8;
const STACK: usize = 8 << 20;
/// The most lanes of a thread.
const WIDEST: u32 = 32;
/// The most instructions of a kernel that is first made for that many.
const LIKELY_WIDEST: usize = 1000;

/// Gives pointer arguments surfaces, behind those of images.
fn buffers(kernel: &mut front::Kernel) {
    let pointers: Vec<(u32, u32)> = kernel
        .abi
        .fields
        .iter()
        .filter_map(|field| match field.kind {
            FieldKind::Pointer { arg, .. } => Some((arg, field.offset)),
            _ => None,
        })
        .collect();
    let entries = kernel.abi.images.len()..TABLE_ENTRIES;
    for ((arg, pointer), surface) in pointers.into_iter().zip(entries) {
        let offset = kernel.abi.field(FieldKind::BufferOffset { arg }, 4, 4);
        kernel.function.buffers.push(Buffer {
            arg,
            pointer,
            offset,
            surface: surface as u8,
            used: false,
            begins_before: false,
        });
    }
}

/// Takes fields out of the payload that code does not read or that are not wanted, and tells the code
/// where the others are. Passes that know offsets have run.
fn pack(kernel: &mut front::Kernel, wanted: impl Fn(&Field) -> bool) {
    let function = &mut kernel.function;
    let read = function.listed().filter_map(|inst| match inst.op {
        Op::Input(Input::Payload(offset)) => Some(offset),
        _ => None,
    });
    let read: BTreeSet<u32> = read.collect();
    let is_read = |field: &Field| {
        let mut bytes = read.range(field.offset..field.offset + field.size);
        bytes.next().is_some()
    };
    let moved = kernel
        .abi
        .retain(|field| wanted(field) && (!field.kind.is_implicit() || is_read(field)));
    let place = |offset: &mut u32| {
        let from = moved
            .iter()
            .find(|(field, _)| (field.offset..field.offset + field.size).contains(offset));
        if let Some((field, to)) = from {
            *offset = to + (*offset - field.offset);
        }
        from.is_some()
    };
    for inst in &mut function.insts {
        if let Op::Input(Input::Payload(offset)) = &mut inst.op {
            place(offset);
        }
    }
    function.words.retain_mut(place);
}

impl Selected {
    /// Whether variables of it live in registers.
    fn has_arrays(&self) -> bool {
        let insts = &self.kernel.function.insts;
        insts.iter().any(|inst| matches!(inst.op, Op::Array { .. }))
    }

    /// Whether twice the lanes halve the instructions that all lanes share: 16 lanes, no data from
    /// lane to lane.
    fn takes_more(&self, target: &Target) -> bool {
        target.simd * 2 == WIDEST && self.is_free_of_lanes()
    }

    /// Whether no data goes from lane to lane.
    fn is_free_of_lanes(&self) -> bool {
        let mut insts = self.kernel.function.listed();
        !insts.any(|inst| inst.op.crosses_lanes())
    }
}

/// The forms of a kernel for sub-groups of several widths. Most of the way is the same for all.
struct Forms<'a> {
    module: &'a Module<'a>,
    entry: &'a Entry,
    pass: Option<&'a str>,
    /// The kernel where the ways part.
    common: Option<(front::Kernel, passes::Passing<'a>)>,
}

impl<'a> Forms<'a> {
    /// Whether a kernel may be one for the most lanes: it is the same for each width as far as it is common
    /// to them, has no data from lane to lane, and is small enough for it to be likely. The next form is for
    /// this target, or for another one if it may.
    fn may_fit_widest(&mut self, target: &Target) -> Result<bool, Error> {
        let (mut kernel, mut passing) = self.translated(target)?;
        let mut may = false;
        if !kernel.knows_width {
            passing.common(&mut kernel.function, target)?;
            let mut insts = kernel.function.listed();
            let count = kernel.function.listed().count();
            may = count <= LIKELY_WIDEST && !insts.any(|inst| inst.op.crosses_lanes());
        }
        self.common = Some((kernel, passing));
        Ok(may)
    }

    fn selected(&mut self, target: &Target) -> Result<Selected, Error> {
        let (mut kernel, mut passing) = match self.common.take() {
            Some(common) => common,
            None => self.translated(target)?,
        };
        if !kernel.knows_width {
            passing.common(&mut kernel.function, target)?;
            self.common = Some((kernel.clone(), passing.clone()));
        }
        passing.finish(&mut kernel.function, target)?;
        let used = kernel.function.buffers.iter().filter(|buffer| buffer.used);
        kernel.abi.buffers = used.map(|buffer| (buffer.surface, buffer.arg)).collect();
        let offsets = kernel.function.buffers.iter();
        let offsets = offsets.filter(|buffer| buffer.begins_before);
        let offsets: Vec<u32> = offsets.map(|buffer| buffer.arg).collect();
        let private = kernel.function.private_size != 0;
        pack(&mut kernel, |field| match field.kind {
            FieldKind::BufferOffset { arg } => offsets.contains(&arg),
            FieldKind::PrivateBase => private,
            _ => true,
        });
        let code = select(&kernel.function, target).map_err(|what| Error::Limit {
            kernel: self.entry.name.clone(),
            what,
        })?;
        Ok(Selected {
            kernel,
            code,
            shown: passing.shown,
        })
    }

    /// What the front end makes, before the passes.
    fn translated(&self, target: &Target) -> Result<(front::Kernel, passes::Passing<'a>), Error> {
        let mut kernel = front::kernel(self.module, self.entry, target)?;
        for field in &kernel.abi.fields {
            // A group has no more than a few thousand work-items.
            if let FieldKind::LocalSize | FieldKind::EnqueuedLocalSize = field.kind {
                kernel
                    .function
                    .words
                    .extend([0, 4, 8].map(|byte| field.offset + byte));
            }
        }
        if target.caps.binding_tables {
            buffers(&mut kernel);
        }
        let passing = passes::Passing::begin(&mut kernel.function, &self.entry.name, self.pass);
        let broken = |error| self.module.broken(self.entry, error);
        Ok((kernel, passing.map_err(broken)?))
    }
}
