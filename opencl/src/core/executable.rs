//! Executables in a device's memory, and the other form of their code, for pointers to any byte.

use std::borrow::Cow;
use std::sync::{Arc, Mutex};

use compilers::{Again, CompileError, Job, Product, Source};
use devinfo::Target;
use opencl_sys::{CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES};
use spirv_module::Module;
use umd::{ErrorClass, KernelInfo};

use super::device::Device;
use super::{lock, options, platform};
use crate::error::Error;

/// A program that was built for a device.
#[derive(Debug)]
pub(crate) struct Executable {
    program: umd::Program,
    /// What was linked, if it is an executable of that.
    linked: Vec<Arc<[u8]>>,
    /// Whether it was loaded, and not compiled here.
    is_loaded: bool,
    /// The same program for pointers that `program` does not take, once it was needed; or why there is none.
    anywhere: Mutex<Anywhere>,
}

/// The other form of a program's code.
#[derive(Debug, Default)]
enum Anywhere {
    #[default]
    Unknown,
    /// The compiler has crashed at it.
    Crashed,
    /// What there is, or why nothing.
    Known(Result<umd::Program, String>),
}

/// Why there is no other form of the code.
pub(crate) enum NotMade {
    /// There never is one.
    Never(String),
    /// Not this time: what failed may be there at the next.
    Now(Error),
    /// The compiler crashed at it.
    Crashed(Error),
}

impl From<umd::Error> for NotMade {
    fn from(error: umd::Error) -> Self {
        match error.class() {
            ErrorClass::Input | ErrorClass::Usage => Self::Never(error.to_string()),
            ErrorClass::Device | ErrorClass::Failed => Self::Now(match Error::from(error) {
                error if error.code == CL_OUT_OF_HOST_MEMORY => error,
                error => error.with_code(CL_OUT_OF_RESOURCES),
            }),
        }
    }
}

impl From<CompileError> for NotMade {
    fn from(error: CompileError) -> Self {
        let why = error.to_string();
        match error.again() {
            Again::Never => Self::Never(why),
            Again::Once => Self::Crashed(Error::new(CL_OUT_OF_RESOURCES, why)),
            Again::Always => Self::Now(Error::new(CL_OUT_OF_RESOURCES, why)),
        }
    }
}

impl Executable {
    pub(crate) fn new(program: umd::Program, linked: &[Arc<[u8]>], is_loaded: bool) -> Self {
        Self {
            program,
            linked: linked.to_vec(),
            is_loaded,
            anywhere: Mutex::default(),
        }
    }

    pub(crate) fn binary(&self) -> &umd::Binary {
        self.program.binary()
    }

    /// Its kernels, in the order of the file.
    pub(crate) fn kernels(&self) -> &[KernelInfo] {
        self.program.kernels()
    }

    /// A kernel of it, without arguments.
    pub(crate) fn kernel(&self, name: &str) -> Result<umd::Kernel, umd::Error> {
        self.program.kernel(name)
    }

    /// The program built again for its device, so that kernels take pointers to any byte: once, but for attempts that
    /// failed for what passes. A second crash is taken for one that does not.
    pub(crate) fn anywhere(&self, device: &Device) -> Result<umd::Program, NotMade> {
        let mut known = lock(&self.anywhere);
        let has_crashed = match &*known {
            Anywhere::Known(known) => return known.clone().map_err(NotMade::Never),
            Anywhere::Crashed => true,
            Anywhere::Unknown => false,
        };
        let made = match self.make_anywhere(device) {
            Ok(made) => Ok(made),
            Err(NotMade::Never(why)) => Err(why),
            Err(NotMade::Crashed(error)) if has_crashed => Err(error.why.into_owned()),
            Err(crashed @ NotMade::Crashed(_)) => {
                *known = Anywhere::Crashed;
                return Err(crashed);
            }
            Err(now) => return Err(now),
        };
        *known = Anywhere::Known(made.clone());
        made.map_err(NotMade::Never)
    }

    fn make_anywhere(&self, device: &Device) -> Result<umd::Program, NotMade> {
        let never = |why: &str| Err(NotMade::Never(why.to_owned()));
        let first = self.binary();
        // What a file has is what its code was made of, with the checks that were added.
        let (modules, checked) = match first.module() {
            Some(module) => (vec![module], false),
            None => {
                let modules = self.linked.iter().map(|module| &**module);
                (modules.collect(), platform::is_checked())
            }
        };
        // Where Intel's compiler got no options, a file with SPIR-V says none. What is linked here has some.
        let options = match (first.options(), first.module()) {
            (Some(options), _) => options,
            (None, Some(_)) if !first.is_of_own_compiler() => "",
            (None, _) => {
                return never("it is not Intel's compiler's code, of which there is another form");
            }
        };
        if modules.is_empty() {
            return never(&format!(
                "its binary has no SPIR-V to build it of; built with {} it takes any",
                options::ANYWHERE
            ));
        }
        // Sub-groups have the size that the program was told.
        let size = |name: &str| Some(first.kernel(name)?.simd);
        let asked = modules.iter().map(|bytes| match Module::parse(bytes) {
            Ok(module) => {
                if self.is_loaded {
                    let good = module.check(&device.spirv_environment());
                    good.map_err(|error| error.to_string())?;
                    if !module.spec_constants().is_empty() {
                        return Err(
                            "its binary's SPIR-V has specialization constants, whose values are not there"
                                .to_owned(),
                        );
                    }
                }
                Ok(Cow::Owned(module.with_sub_group_sizes(size)))
            }
            Err(error) if first.module().is_some() => Err(error.to_string()),
            // What was linked may be bitcode.
            Err(_) => Ok(Cow::Borrowed(*bytes)),
        });
        let asked = asked.collect::<Result<Vec<_>, String>>();
        let asked = asked.map_err(NotMade::Never)?;
        let asked: Vec<&[u8]> = asked.iter().map(|module| &**module).collect();
        let job = Job {
            source: Source::Modules(&asked),
            product: Product::Zebin,
            target: device.target(),
            options,
            internal: &format!("{} {}", options::INTERNAL, options::ANYWHERE),
            folder: None,
            headers: &[],
            checked,
        };
        let compiled = compilers::installed().and_then(|compiler| compiler.compile(&job))?;
        let binary = read(&compiled.binary, job.target, any_writes_blocks(&modules))?;
        Ok(self.program.beside(binary)?)
    }
}

/// Whether sub-groups may write blocks to buffers in what modules are compiled to.
pub(crate) fn any_writes_blocks(modules: &[&[u8]]) -> bool {
    // Of bitcode nothing is known.
    let writes =
        |module: &[u8]| Module::parse(module).map_or(true, |module| module.writes_blocks());
    modules.iter().any(|module| writes(module))
}

/// A binary for a device.
pub(crate) fn read(
    bytes: &[u8],
    target: Target,
    writes_blocks: bool,
) -> Result<umd::Binary, umd::Error> {
    let binary = umd::Binary::parse_for(bytes, target.platform, target.revision)?;
    Ok(match writes_blocks {
        true => binary,
        false => binary.without_block_writes(),
    })
}
