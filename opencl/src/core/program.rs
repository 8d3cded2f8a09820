//! Programs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};

use compilers::{CompileError, Compiler, Job, Ocloc};
use opencl_sys::*;

use super::context::Context;
use super::device::Device;
use super::handle::{Base, Object};
use super::lock;
use crate::error::{Error, Result, ensure};

/// What kernels are compiled for: buffers that begin at any byte.
const INTERNAL: &str = "-cl-intel-has-buffer-offset-arg";

/// A program.
#[derive(Debug)]
pub(crate) struct Program {
    base: Base,
    pub context: Arc<Context>,
    /// The places in the context of the devices that it is associated with.
    pub places: Vec<usize>,
    /// What it was made of.
    pub source: String,
    /// One for each device of the context.
    builds: Mutex<Vec<Build>>,
    /// The kernels that were made of it and still live.
    pub kernels: AtomicUsize,
}

/// A program for one device.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    pub status: cl_build_status,
    pub options: String,
    pub log: String,
    pub binary_type: cl_program_binary_type,
    /// The zebin; empty if there is none.
    pub binary: Vec<u8>,
    /// The executable in the device's memory.
    pub loaded: Option<umd::Program>,
}

impl Default for Build {
    fn default() -> Self {
        Self {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            binary_type: CL_PROGRAM_BINARY_TYPE_NONE,
            binary: Vec::new(),
            loaded: None,
        }
    }
}

impl Build {
    /// Whether all work-groups of a launch must have one size. Before OpenCL C 2.0 they must, and
    /// if an option says so.
    pub(crate) fn is_uniform(&self) -> bool {
        let mut words = self.options.split_whitespace();
        let is_newer = ["CL2.0", "CL3.0", "CLC++"]
            .iter()
            .any(|language| self.options.contains(&format!("-cl-std={language}")));
        !is_newer || words.any(|word| word == "-cl-uniform-work-group-size")
    }
}

impl Object for Program {
    const INVALID: cl_int = CL_INVALID_PROGRAM;
    const NAME: &'static str = "program";
    fn base(&self) -> &Base {
        &self.base
    }
}

impl Program {
    /// A program of OpenCL C.
    pub(crate) fn of_source(context: Arc<Context>, source: String) -> Self {
        let count = context.devices.len();
        Self {
            base: Base::new(),
            context,
            places: (0..count).collect(),
            source,
            builds: Mutex::new(vec![Build::default(); count]),
            kernels: AtomicUsize::new(0),
        }
    }

    /// Its devices.
    pub(crate) fn devices(&self) -> impl Iterator<Item = &Arc<Device>> {
        let devices = &self.context.devices;
        self.places.iter().filter_map(|&place| devices.get(place))
    }

    /// What it is for each device of the context.
    pub(crate) fn builds(&self) -> MutexGuard<'_, Vec<Build>> {
        lock(&self.builds)
    }

    /// Begins a build for the devices at `places`, which no other call may do meanwhile.
    pub(crate) fn begin(&self, places: &[usize], options: &str) -> Result<()> {
        // "CL_INVALID_OPERATION if there are kernel objects attached to program"
        ensure(
            self.kernels.load(Ordering::Relaxed) == 0,
            CL_INVALID_OPERATION,
            "the program has kernels",
        )?;
        let mut builds = self.builds();
        // "CL_INVALID_OPERATION if the build of a program executable for any of the devices listed
        // in device_list by a previous call to clBuildProgram for program has not completed"
        let is_busy = places.iter().any(|&place| {
            let build = builds.get(place);
            build.is_some_and(|build| build.status == CL_BUILD_IN_PROGRESS)
        });
        ensure(!is_busy, CL_INVALID_OPERATION, "the program is being built")?;
        for &place in places {
            if let Some(build) = builds.get_mut(place) {
                *build = Build {
                    status: CL_BUILD_IN_PROGRESS,
                    options: options.to_owned(),
                    ..Build::default()
                };
            }
        }
        Ok(())
    }

    /// Builds for the devices at `places`.
    pub(crate) fn build(&self, places: &[usize], options: &str) -> Result<()> {
        let mut first = Ok(());
        for &place in places {
            let Some(device) = self.context.devices.get(place) else {
                continue;
            };
            let (build, result) = self.build_for(device, options);
            if let Some(own) = self.builds().get_mut(place) {
                *own = build;
            }
            first = first.and(result);
        }
        first
    }

    fn build_for(&self, device: &Device, options: &str) -> (Build, Result<()>) {
        let mut build = Build {
            status: CL_BUILD_ERROR,
            options: options.to_owned(),
            ..Build::default()
        };
        let compiled = Ocloc::default().compile(&Job {
            source: compilers::Source::OpenClC(&self.source),
            target: device.target(),
            options,
            internal: INTERNAL,
            folder: None,
            headers: &[],
        });
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(error) => {
                let code = match error {
                    CompileError::Missing => CL_COMPILER_NOT_AVAILABLE,
                    _ => CL_BUILD_PROGRAM_FAILURE,
                };
                let why = error.to_string();
                build.log = match error {
                    CompileError::Refused { log, .. } => log,
                    _ => why.clone(),
                };
                return (build, Err(Error::new(code, why)));
            }
        };
        build.log = compiled.log;
        match umd::Program::load(&device.umd, &compiled.binary) {
            Ok(loaded) => {
                build.status = CL_BUILD_SUCCESS;
                build.binary_type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
                build.binary = compiled.binary;
                build.loaded = Some(loaded);
                (build, Ok(()))
            }
            Err(error) => {
                build.log.push_str(&error.to_string());
                let error = Error::from(error).with_code(CL_BUILD_PROGRAM_FAILURE);
                (build, Err(error))
            }
        }
    }
}
