//! The targets of kernels, and how kernels are compiled and run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use devinfo::{Platform, Target, span};
use eu_compiler::Options;
use spirv_module::Module;
use stack_tests::launch::{self, Launch};
use stack_tests::subject;
use stack_tests::tool;
use umd::{Binary, Device};

use super::ast::{ELEMENTS, Expr, FloatOp, GLOBAL_SIZE, Kernel, Kind, LOCAL_SIZE};
use super::evaluate::Memory;
use super::print;
use super::reduce::each_expr;

/// How long a compiler may take for one kernel.
const DEADLINE: Duration = Duration::from_secs(300);

/// Which `ocloc` to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    /// Debian's, release 22.43.
    Debian,
    /// The command in this environment variable.
    Newer,
    /// This project's, behind Debian's for the way to SPIR-V.
    Own,
}

/// The start of the message of a compiler that refuses a kernel.
pub const REFUSED: &str = "not compiled";

/// The environment variable with the command of the newer compiler.
pub const NEWER: &str = "NEWER_OCLOC";

/// A compiler's device and the software GPU that runs its code.
#[derive(Debug)]
pub struct CompiledFor {
    pub compiler: Compiler,
    /// The compiler's name for it.
    pub device: &'static str,
    arguments: &'static [&'static str],
    soft: &'static str,
}

const fn debian(device: &'static str, soft: &'static str) -> CompiledFor {
    CompiledFor {
        compiler: Compiler::Debian,
        device,
        arguments: &[],
        soft,
    }
}

const fn newer(device: &'static str, soft: &'static str) -> CompiledFor {
    CompiledFor {
        compiler: Compiler::Newer,
        ..debian(device, soft)
    }
}

const fn own(device: &'static str, soft: &'static str) -> CompiledFor {
    CompiledFor {
        compiler: Compiler::Own,
        ..debian(device, soft)
    }
}

/// Every instruction set, by each compiler that knows it.
pub static TARGETS: &[CompiledFor] = &[
    debian("bdw", "bdw"),
    debian("skl", "skl"),
    debian("icllp", "icl"),
    debian("tgllp", "tgl"),
    CompiledFor {
        arguments: &["-revision_id", "8"],
        ..debian("dg2", "dg2:8")
    },
    debian("pvc", "pvc"),
    newer("tgllp", "tgl"),
    newer("mtl-h", "mtl"),
    newer("pvc", "pvc"),
    newer("lnl-m", "lnl"),
    newer("bmg-g21", "bmg"),
    newer("ptl-h", "ptl"),
    own("bdw", "bdw"),
    own("skl", "skl"),
    own("icllp", "icl"),
    own("tgllp", "tgl"),
    own("dg2", "dg2:8"),
    own("dg2", "mtl"),
    own("pvc", "pvc"),
    own("pvc", "lnl"),
    own("pvc", "bmg"),
    own("pvc", "ptl"),
];

/// Whether it takes the size of an unsigned number that it has converted and negated.
fn takes_size_of_negated(kernel: &Kernel) -> bool {
    let mut found = false;
    let is_unsigned = |e: &Expr| !e.ty.scalar.is_float() && !e.ty.scalar.is_signed();
    let negates = |e: &Expr| match &e.kind {
        Kind::Float(FloatOp::Neg, of) => of.iter().any(|of| match &of.kind {
            Kind::Convert(from, ..) => is_unsigned(from),
            _ => false,
        }),
        _ => false,
    };
    each_expr(&mut kernel.body.clone(), &mut |e| {
        found |= matches!(&e.kind, Kind::Float(FloatOp::Abs, of) if of.iter().any(negates));
    });
    found
}

impl CompiledFor {
    /// Names it in messages.
    pub fn name(&self) -> String {
        match self.compiler {
            Compiler::Own => format!("Own for {}", self.soft.replace(':', "-")),
            compiler => format!("{compiler:?} for {}", self.device),
        }
    }

    fn target(&self) -> Target {
        let target = Target::parse(self.soft);
        target.unwrap_or_else(|e| panic!("{}: {e}", self.soft))
    }

    fn platform(&self) -> &'static Platform {
        self.target().platform
    }

    /// Whether the kernel suits it: the platform has the sub-group size, and the compiler has no
    /// known bug with the kernel's features.
    pub fn takes(&self, kernel: &Kernel) -> bool {
        let family = self.platform().family;
        // Release 22.43 gives a negated operand to the instruction for rotations, which came with
        // Gen12 and has no such modifier. From Gen11 on its products of 64 bits read all lanes
        // of an operand that is one lane's value. And on Gen8 a block write of 8 bytes becomes a message of
        // two dwords, for which it may copy two bytes: `(W) mov (2|M0) r26.0<1>:b r23.0<2;2,1>:b`.
        // Everywhere `fabs(-convert_float(x))` of an unsigned 0 is negative: it compares with zero, and negates.
        let wrong = self.compiler == Compiler::Debian
            && (kernel.rotates && span!(Gen12Lp..).contains(family)
                || kernel.broadcasts && span!(Gen11..).contains(family)
                || kernel.writes_narrow_blocks() && span!(Gen8).contains(family)
                || takes_size_of_negated(kernel));
        self.platform().has_simd_width(kernel.sub_group as u32) && !wrong
    }

    /// Compiles in its own folder; as for `--check`, if it is `watched`.
    ///
    /// # Errors
    /// What the compiler says.
    pub fn compile(
        &self,
        kernel: &Kernel,
        folder: &Path,
        watched: bool,
    ) -> Result<Vec<u8>, String> {
        let source = folder.join("random.cl");
        fs::write(&source, print::source(kernel)).map_err(|e| e.to_string())?;
        if self.compiler != Compiler::Own && !watched {
            return self.ocloc(folder, &["-file", "random.cl", "-exclude_ir"]);
        }
        let mut module = self.ocloc(folder, &["-file", "random.cl", "-spv_only"])?;
        if watched && let Ok(parsed) = Module::parse(&module) {
            let found = parsed.with_decorations_found();
            let found = found.map_err(|error| error.to_string())?;
            module = found.with_bounds(true).unwrap_or(module);
        }
        if self.compiler != Compiler::Own {
            fs::write(folder.join("watched.spv"), module).map_err(|e| e.to_string())?;
            let words = ["-spirv_input", "-file", "watched.spv", "-exclude_ir"];
            return self.ocloc(folder, &words);
        }
        let target = self.target();
        let options = Options {
            revision: Some(target.revision),
            checked: watched,
            ..Options::new(target.platform)
        };
        let zebin = eu_compiler::compile(&module, &options);
        let zebin = zebin.map_err(|error| format!("{REFUSED}: {error}"))?;
        Ok(zebin.bytes)
    }

    /// What ocloc makes with these words.
    fn ocloc(&self, folder: &Path, what: &[&str]) -> Result<Vec<u8>, String> {
        let newer = std::env::var(NEWER).unwrap_or_default();
        let mut words = match self.compiler {
            Compiler::Debian | Compiler::Own => "ocloc",
            Compiler::Newer => &newer,
        }
        .split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command
            .args(words)
            .args(["compile", "-q", "-device", self.device])
            .args(self.arguments)
            .args(["-options", "-cl-std=CL2.0"])
            .args(["-internal_options", "-cl-intel-allow-zebin"])
            .args(what)
            .args(["-output", "random", "-output_no_suffix"])
            .current_dir(folder);
        let output = tool::run_with_deadline(&mut command, DEADLINE);
        // The newer compiler adds an extension regardless.
        let mut made = ["random", "random.bin", "random.spv"].iter();
        let made = made.find_map(|name| {
            let path = folder.join(name);
            let content = fs::read(&path).ok()?;
            fs::remove_file(path).ok().map(|()| content)
        });
        match made {
            Some(made) if output.status.success() => Ok(made),
            _ => Err(format!(
                "{REFUSED}: {}\n{}{}",
                output.status,
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            )),
        }
    }

    /// Whether the compiler is known to be wrong about kernels that it compiles to this: release
    /// 22.43 writes a whole narrow value to scratch memory where only some lanes have a new one.
    ///
    /// # Errors
    /// If it is not a zebin.
    pub fn is_wrong(&self, kernel: &Kernel, zebin: &[u8]) -> Result<bool, String> {
        let binary = Binary::parse(zebin).map_err(|error| error.to_string())?;
        let arrays: usize = kernel.arrays.iter().map(|ty| ty.bytes() * ELEMENTS).sum();
        let own = (arrays * kernel.sub_group).next_power_of_two().max(1024);
        let scratch = binary.kernels().iter().map(|k| k.scratch_size as usize);
        let most = if arrays > 0 { own } else { 0 };
        Ok(self.compiler == Compiler::Debian && scratch.max() > Some(most))
    }

    /// Whether the device that is named, if one is, takes what is compiled for it.
    pub fn runs(&self) -> bool {
        subject::runs(self.soft)
    }

    /// Runs the compiled kernel, and returns what it left in memory.
    ///
    /// # Errors
    /// What the driver says.
    pub fn run(&self, kernel: &Kernel, zebin: &[u8], watched: bool) -> Result<Memory, String> {
        let spec = subject::device(self.soft);
        if watched {
            // Only a device that checks has a place for what the code that was added tells.
            return Self::run_on(&launch::device(&spec), kernel, zebin);
        }
        let [interpreted, compiled] = [launch::device, launch::compiling_device]
            .map(|device| Self::run_on(&device(&spec), kernel, zebin));
        let (interpreted, compiled) = (interpreted?, compiled?);
        if compiled != interpreted {
            return Err("host code leaves other memory than the interpreter".into());
        }
        Ok(interpreted)
    }

    fn run_on(device: &Device, kernel: &Kernel, zebin: &[u8]) -> Result<Memory, String> {
        let memory = Memory::new(kernel);
        let observed = Launch::new("random", "random", &[GLOBAL_SIZE as u64])
            .local(&[LOCAL_SIZE as u32])
            .buffer(&memory.out)
            .buffer(&kernel.input)
            .buffer(&memory.blocks)
            .buffer(&memory.cells)
            .buffer(&memory.own)
            .observe(device, zebin);
        if let Some(violation) = observed.violations.first() {
            return Err(format!("it breaks a rule: {violation:?}"));
        }
        let contents = observed.contents.map_err(|error| error.to_string())?;
        let dwords = |index: usize| {
            let (dwords, _) = contents[index].as_chunks();
            dwords.iter().copied().map(u32::from_le_bytes).collect()
        };
        let (qwords, _) = contents[0].as_chunks();
        Ok(Memory {
            out: qwords.iter().copied().map(u64::from_le_bytes).collect(),
            blocks: contents[2].clone(),
            cells: dwords(3),
            own: dwords(4),
        })
    }
}
