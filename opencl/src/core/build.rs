//! Building programs: compiling and linking.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use compilers::{CompileError, Compiled, Header, Job, Product, Source};
use opencl_sys::*;
use spirv_module::Module;

use super::device::Device;
use super::executable::{Executable, any_writes_blocks, read};
use super::options::{self, Use};
use super::platform;
use super::program::{Build, Origin, Program};
use super::{Context, lock};
use crate::error::{Error, Result, ensure};

/// What is made of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Goal {
    /// An executable, of source or binary (`clBuildProgram`).
    Build,
    /// An object, of source (`clCompileProgram`).
    Compile,
    /// An executable or a library, of objects and libraries (`clLinkProgram`).
    Link,
}

impl Goal {
    /// Checks options.
    pub(crate) fn check_options(self, options: &str) -> Result<()> {
        let (purpose, code) = self.of_options();
        options::check(options, purpose).map_err(|why| Error::new(code, why))
    }

    /// What options are for, and the error of wrong ones.
    fn of_options(self) -> (Use, cl_int) {
        match self {
            Self::Build => (Use::Compile, CL_INVALID_BUILD_OPTIONS),
            Self::Compile => (Use::Compile, CL_INVALID_COMPILER_OPTIONS),
            Self::Link => (Use::Link, CL_INVALID_LINKER_OPTIONS),
        }
    }

    /// The error of source that the compiler refuses.
    fn failure(self) -> cl_int {
        match self {
            Self::Build => CL_BUILD_PROGRAM_FAILURE,
            Self::Compile => CL_COMPILE_PROGRAM_FAILURE,
            Self::Link => CL_LINK_PROGRAM_FAILURE,
        }
    }
}

/// Modules to link.
pub(crate) type Modules = Vec<Arc<[u8]>>;

/// A build that is to be done, for some devices.
#[derive(Debug)]
pub(crate) struct Order {
    pub goal: Goal,
    pub options: String,
    /// What is linked was compiled with these.
    pub inherited: Vec<String>,
    /// Names and texts of headers.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Places of devices in the context, and the modules to link for each; without modules what the
    /// program is made of is built.
    pub places: Vec<(usize, Modules)>,
}

/// What is compiled for a device.
enum Input<'a> {
    Text(&'a [u8]),
    Modules(Vec<Cow<'a, [u8]>>),
    Zebin(Arc<[u8]>),
}

impl Program {
    /// Begins an order, which no other may do meanwhile.
    pub(crate) fn begin(&self, order: &Order) -> Result<()> {
        let mut builds = self.builds();
        // "CL_INVALID_OPERATION if there are kernel objects attached to program"
        ensure(
            self.kernels.load(Ordering::Relaxed) == 0,
            CL_INVALID_OPERATION,
            "the program has kernels",
        )?;
        // "CL_INVALID_OPERATION if the build of a program executable for any of the devices listed
        // in device_list by a previous call to clBuildProgram for program has not completed"
        let is_busy = order.places.iter().any(|&(place, _)| {
            let build = builds.get(place);
            build.is_some_and(|build| build.status == CL_BUILD_IN_PROGRESS)
        });
        ensure(!is_busy, CL_INVALID_OPERATION, "the program is being built")?;
        for &(place, _) in &order.places {
            if let Some(build) = builds.get_mut(place) {
                let kept = match self.origin {
                    Origin::Source(_) | Origin::Il(_) => Build::default(),
                    // What it is made of stands there.
                    Origin::Binaries | Origin::Linked => build.clone(),
                };
                *build = Build {
                    status: CL_BUILD_IN_PROGRESS,
                    options: order.options.clone(),
                    log: String::new(),
                    loaded: None,
                    ..kept
                };
            }
        }
        Ok(())
    }

    /// Does what was begun. The first error is that of the call. All devices have their builds at once, so that kernels
    /// are of all of them.
    pub(crate) fn carry_out(&self, order: &Order) -> Result<()> {
        let mut first = Ok(());
        let mut done = Vec::new();
        for (place, modules) in &order.places {
            let Some(device) = self.context.devices.get(*place) else {
                continue;
            };
            let begun = self.builds().get(*place).cloned().unwrap_or_default();
            let mut log = String::new();
            let made = self.make(device, &begun, order, modules, &mut log);
            let (mut build, result) = match made {
                Ok(build) => (build, Ok(())),
                Err(error) => {
                    if log.is_empty() {
                        log = error.why.clone().into_owned();
                    }
                    let failed = Build {
                        status: CL_BUILD_ERROR,
                        ..begun
                    };
                    (failed, Err(error))
                }
            };
            build.log = log;
            done.push((*place, build));
            first = first.and(result);
        }
        let mut builds = self.builds();
        for (place, build) in done {
            if let Some(own) = builds.get_mut(place) {
                *own = build;
            }
        }
        first
    }

    /// A build for a device.
    fn make(
        &self,
        device: &Device,
        begun: &Build,
        order: &Order,
        modules: &[Arc<[u8]>],
        log: &mut String,
    ) -> Result<Build> {
        let input = self.input(device, begun, order.goal, modules)?;
        let is_uniform = match (&self.origin, order.goal) {
            (Origin::Source(_), _) => options::is_uniform(&order.options),
            _ => begun.is_uniform || options::must_be_uniform(&order.options),
        };
        let product = match order.goal {
            Goal::Compile => Product::Module,
            Goal::Link if options::asks_for_library(&order.options) => Product::Module,
            Goal::Build | Goal::Link => Product::Zebin,
        };
        // Of a binary, no more is known than its code.
        let mut writes_blocks = true;
        let is_loaded = matches!(input, Input::Zebin(_));
        let compiled = match input {
            Input::Zebin(binary) => binary,
            // SPIR-V is an object as it is.
            Input::Modules(modules) if order.goal == Goal::Compile => modules.concat().into(),
            Input::Text(text) => {
                let source = Source::OpenClC(text);
                writes_blocks = may_write_blocks(source, order);
                self.compile(device, source, product, order, log)?
            }
            Input::Modules(modules) => {
                let modules: Vec<&[u8]> = modules.iter().map(|module| &**module).collect();
                let source = Source::Modules(&modules);
                writes_blocks = may_write_blocks(source, order);
                self.compile(device, source, product, order, log)?
            }
        };
        let done = Build {
            status: CL_BUILD_SUCCESS,
            is_uniform,
            ..begun.clone()
        };
        if product == Product::Module {
            return Ok(Build {
                binary_type: match order.goal {
                    Goal::Compile => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                    Goal::Build | Goal::Link => CL_PROGRAM_BINARY_TYPE_LIBRARY,
                },
                module: compiled,
                ..done
            });
        }
        let failed = |why: String| Error::new(order.goal.failure(), why);
        let target = device.target();
        let binary = read(&compiled, target, writes_blocks);
        let loaded = binary.and_then(|binary| umd::Program::new(&device.umd, binary));
        let loaded = loaded.map_err(|error| failed(error.to_string()));
        let loaded = loaded.and_then(|loaded| match loaded.binary().undefined() {
            [] => Ok(loaded),
            names => Err(failed(format!("nothing defines {}", names.join(", ")))),
        });
        let loaded = loaded.inspect_err(|error| log.push_str(&error.why))?;
        Ok(Build {
            binary_type: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            binary: compiled,
            loaded: Some(Arc::new(Executable::new(loaded, modules, is_loaded))),
            ..done
        })
    }

    /// What there is to compile.
    fn input<'a>(
        &'a self,
        device: &Device,
        begun: &Build,
        goal: Goal,
        modules: &'a [Arc<[u8]>],
    ) -> Result<Input<'a>> {
        Ok(match &self.origin {
            Origin::Source(text) => Input::Text(text),
            Origin::Il(bytes) => {
                Input::Modules(vec![Cow::Owned(self.specialized(device, bytes, goal)?)])
            }
            Origin::Binaries if !begun.binary.is_empty() => Input::Zebin(begun.binary.clone()),
            Origin::Binaries if !begun.module.is_empty() => {
                Input::Modules(vec![Cow::Owned(begun.module.to_vec())])
            }
            // "CL_INVALID_BINARY if program is created with clCreateProgramWithBinary and devices
            // listed in device_list do not have a valid program binary loaded"
            Origin::Binaries => {
                let why = "the program has no binary for the device";
                return Err(Error::new(CL_INVALID_BINARY, why));
            }
            Origin::Linked => {
                Input::Modules(modules.iter().map(|module| Cow::from(&**module)).collect())
            }
        })
    }

    /// SPIR-V with the values of its specialization constants, checked for the device.
    fn specialized(&self, device: &Device, bytes: &[u8], goal: Goal) -> Result<Vec<u8>> {
        let bad = |why: String| Error::new(goal.failure(), why);
        let module = Module::parse(bytes).map_err(|error| bad(error.to_string()))?;
        let checked = module.check(&device.spirv_environment());
        checked.map_err(|error| bad(error.to_string()))?;
        Ok(module.specialized(&lock(&self.constants)))
    }

    fn compile(
        &self,
        device: &Device,
        source: Source<'_>,
        product: Product,
        order: &Order,
        log: &mut String,
    ) -> Result<Arc<[u8]>> {
        let headers = order.headers.iter();
        let headers: Vec<_> = headers.map(|(name, text)| Header { name, text }).collect();
        let options = options::for_linked(&order.options, &order.inherited);
        let job = Job {
            source,
            product,
            target: device.target(),
            options: match order.goal {
                Goal::Link => &options,
                Goal::Build | Goal::Compile => &order.options,
            },
            internal: match may_have_pipes(source, order) && device.has_pipes() {
                true => options::WITH_PIPES,
                false => options::INTERNAL,
            },
            folder: None,
            headers: &headers,
            checked: platform::is_checked(),
        };
        let compiled = compilers::installed().and_then(|compiler| compiler.compile(&job));
        match compiled {
            Ok(Compiled { binary, log: said }) => {
                *log = said;
                Ok(binary.into())
            }
            Err(error) => {
                let code = match error {
                    CompileError::Missing if order.goal == Goal::Link => CL_LINKER_NOT_AVAILABLE,
                    CompileError::Missing | CompileError::NoProgram { .. } => {
                        CL_COMPILER_NOT_AVAILABLE
                    }
                    CompileError::Options { .. } => order.goal.of_options().1,
                    _ => order.goal.failure(),
                };
                *log = error.log();
                Err(Error::new(code, error.to_string()))
            }
        }
    }
}

/// Whether there may be pipes in what is compiled: it is OpenCL C 3.0, where they are an option, and some
/// text has the word.
fn may_have_pipes(source: Source<'_>, order: &Order) -> bool {
    let Source::OpenClC(text) = source else {
        return false;
    };
    compilers::language(&order.options).is_some_and(|language| language == "CL3.0")
        && may_say("pipe", text, order)
}

/// Whether sub-groups may write blocks to buffers in what is compiled: a text has the functions' name, or
/// a module uses them.
fn may_write_blocks(source: Source<'_>, order: &Order) -> bool {
    match source {
        Source::OpenClC(text) => may_say("block_write", text, order),
        Source::Modules(modules) => any_writes_blocks(modules),
    }
}

/// Whether the text, the headers or the options have the word, or other files are included, or words are pasted.
fn may_say(word: &str, text: &[u8], order: &Order) -> bool {
    let headers = order.headers.iter().map(|(_, text)| text.as_slice());
    let mut texts = headers.chain([text, order.options.as_bytes()]);
    texts.any(|text| {
        [word, "include", "##"]
            .iter()
            .any(|part| compilers::has(text, part))
    })
}

/// What is linked for the devices at `places`: each with the modules of the programs that have some
/// for it.
pub(crate) fn modules(
    context: &Arc<Context>,
    places: &[usize],
    programs: &[Arc<Program>],
) -> Result<Vec<(usize, Modules)>> {
    let mut all = Vec::new();
    // "CL_INVALID_OPERATION if the compilation or build of a program executable for any of the devices
    // listed in device_list by a previous call to clCompileProgram or clBuildProgram for program has
    // not completed"
    let is_busy = |program: &Arc<Program>| {
        let builds = program.builds();
        let mut of_places = places.iter().filter_map(|&place| builds.get(place));
        of_places.any(|build| build.status == CL_BUILD_IN_PROGRESS)
    };
    ensure(
        !programs.iter().any(is_busy),
        CL_INVALID_OPERATION,
        "a program is being compiled",
    )?;
    for &place in places {
        let modules = programs.iter().filter_map(|program| {
            let builds = program.builds();
            let build = builds
                .get(place)
                .filter(|_| Arc::ptr_eq(&program.context, context));
            // What was built is no object.
            let is_object = |build: &&Build| {
                build.binary.is_empty()
                    && !build.module.is_empty()
                    && matches!(build.status, CL_BUILD_SUCCESS | CL_BUILD_NONE)
            };
            build.filter(is_object).map(|build| build.module.clone())
        });
        let modules: Modules = modules.collect();
        match modules.len() {
            // "None of the programs contain a compiled binary or library for that device. In this
            // case, no link is performed and there will be no program executable generated"
            0 => {}
            count if count == programs.len() => all.push((place, modules)),
            // "All other cases will return a CL_INVALID_OPERATION error."
            count => {
                let of = programs.len();
                let why = format!("{count} of {of} programs were compiled for device {place}");
                return Err(Error::new(CL_INVALID_OPERATION, why));
            }
        }
    }
    Ok(all)
}
