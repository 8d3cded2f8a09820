//! From SPIR-V to a zebin.

use devinfo::Platform;

use crate::emit::{Emitted, emit};
use crate::error::Error;
use crate::front::{self, Entry, Module};
use crate::passes;
use crate::regalloc;
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
}

impl Options {
    /// For a platform, with nothing required.
    pub const fn new(platform: &'static Platform) -> Self {
        Self {
            platform,
            revision: None,
            simd: None,
            registers: None,
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
    /// The code.
    pub code: Vec<u8>,
    /// The listing, which assembles to the kernel's bytes.
    pub text: String,
    /// The intermediate representation after the pass that was asked for.
    pub ir: Option<String>,
}

/// Compiles a module.
///
/// # Errors
/// What SPIR-V forbids, what the compiler or the platform cannot do; with the instruction.
pub fn compile(spirv: &[u8], options: &Options) -> Result<Zebin, Error> {
    compile_showing(spirv, options, None)
}

/// Compiles a module, and keeps the intermediate representation after a pass: one of
/// [`pass_names`].
///
/// # Errors
/// As [`compile`].
pub fn compile_showing(
    spirv: &[u8],
    options: &Options,
    pass: Option<&str>,
) -> Result<Zebin, Error> {
    if let Some(pass) = pass
        && !passes::names().any(|name| name == pass)
    {
        let names: Vec<_> = passes::names().collect();
        return Err(Error::Options(format!(
            "no pass {pass}; there are {}",
            names.join(", ")
        )));
    }
    let file = front::file(spirv)?;
    let module = front::module(&file)?;
    let mut kernels = Vec::new();
    let mut reports = Vec::new();
    for entry in &module.entries {
        let (kernel, ir) = kernel(&module, entry, options, pass)?;
        reports.push(KernelReport {
            name: entry.name.clone(),
            simd: kernel.target.simd,
            registers: kernel.target.registers,
            code: kernel.emitted.bytes.clone(),
            text: kernel.emitted.text.clone(),
            ir,
        });
        kernels.push(kernel);
    }
    let target = Target::new(options.platform, 16, 128);
    let revision = options
        .revision
        .unwrap_or(options.platform.default_revision);
    Ok(Zebin {
        bytes: zebin::write(&kernels, &module.constant_bytes, &target, revision, spirv),
        kernels: reports,
    })
}

/// The names of the passes, in order.
pub fn pass_names() -> impl Iterator<Item = &'static str> {
    passes::names()
}

/// The widths to try, and whether more registers help.
fn widths(entry: &Entry, options: &Options) -> Result<Vec<u32>, Error> {
    let platform = options.platform;
    let have = platform.simd_widths.iter().map(|width| u32::from(*width));
    let list = || {
        let names: Vec<_> = platform.simd_widths.iter().map(u8::to_string).collect();
        names.join(", ")
    };
    match entry.sub_group_size.or(options.simd) {
        Some(width) if have.clone().any(|w| w == width) => Ok(vec![width]),
        Some(width) => Err(Error::Options(format!(
            "kernel {} needs sub-groups of {width}; {} has {}",
            entry.name,
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

fn kernel(
    module: &Module<'_>,
    entry: &Entry,
    options: &Options,
    pass: Option<&str>,
) -> Result<(CompiledKernel, Option<String>), Error> {
    let platform = options.platform;
    let counts: Vec<u32> = match options.registers {
        Some(count) if platform.grf_counts.contains(&(count as u16)) => vec![count],
        Some(count) => {
            let names: Vec<_> = platform.grf_counts.iter().map(u16::to_string).collect();
            return Err(Error::Options(format!(
                "{count} registers a thread; {} has {}",
                platform.title,
                names.join(", ")
            )));
        }
        None => [128, 256]
            .into_iter()
            .filter(|count| platform.grf_counts.contains(&(*count as u16)))
            .collect(),
    };
    let limit = |what: String| Error::Limit {
        kernel: entry.name.clone(),
        what,
    };
    let mut least = u32::MAX;
    let mut tried = Vec::new();
    for width in widths(entry, options)? {
        for &registers in &counts {
            tried.push((width, registers));
        }
    }
    // Fewer registers for wider sub-groups first.
    tried.sort_by_key(|(width, registers)| (*registers, std::cmp::Reverse(*width)));
    for (width, registers) in tried {
        let target = Target::new(platform, width, registers);
        let mut translated = front::kernel(module, entry, width)?;
        let mut shown = None;
        let show = |_: &'static str, text: String| shown = Some(text);
        passes::run(&mut translated.function, &target, &entry.name, show, pass)?;
        let code = select(&translated.function, &target).map_err(limit)?;
        let allocation = match regalloc::allocate(&code, target.grf(), registers) {
            Ok(allocation) => allocation,
            Err(bytes) => {
                least = least.min(bytes);
                continue;
            }
        };
        translated.abi.private = translated.function.private_size;
        let payload = translated.abi.payload_bytes();
        let emitted: Emitted =
            emit(&code, &allocation, &target, payload).map_err(|what| Error::Internal {
                kernel: entry.name.clone(),
                pass: "emission",
                what,
            })?;
        let kernel = CompiledKernel {
            entry: entry.clone(),
            abi: translated.abi,
            emitted,
            target,
        };
        return Ok((kernel, shown));
    }
    Err(limit(format!(
        "it needs {least} bytes of registers at once, and registers are not spilled yet"
    )))
}
