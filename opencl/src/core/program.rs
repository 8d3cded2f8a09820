//! Programs.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex, MutexGuard};

use opencl_sys::*;
use spirv_module::Module;

use super::container::{Container, Kind};
use super::context::Context;
use super::device::Device;
use super::executable::Executable;
use super::handle::{Base, Object};
use super::lock;
use super::options;
use crate::error::{Error, Result};

/// What a binary of SPIR-V is, as `cl_khr_spir` calls it.
pub(crate) const INTERMEDIATE: cl_program_binary_type = 0x40E1;

/// A program.
#[derive(Debug)]
pub(crate) struct Program {
    base: Base,
    pub context: Arc<Context>,
    /// The places in the context of the devices that it is associated with.
    pub places: Vec<usize>,
    /// What it was made of.
    pub origin: Origin,
    /// One for each device of the context.
    builds: Mutex<Vec<Build>>,
    /// Values of specialization constants, by their id.
    pub constants: Mutex<BTreeMap<u32, Vec<u8>>>,
    /// The kernels that were made of it and still live. It becomes more than none while the builds are locked: what a
    /// kernel is made of is not built anew before it counts. A clone is made of a kernel that counts.
    pub kernels: AtomicUsize,
}

/// What a program is made of.
#[derive(Debug)]
pub(crate) enum Origin {
    /// OpenCL C, without zero bytes.
    Source(Vec<u8>),
    /// SPIR-V.
    Il(Vec<u8>),
    /// A binary for each device.
    Binaries,
    /// Other programs.
    Linked,
}

/// A program for one device.
#[derive(Clone, Debug)]
pub(crate) struct Build {
    pub status: cl_build_status,
    pub options: String,
    pub log: String,
    pub binary_type: cl_program_binary_type,
    /// SPIR-V or LLVM's bitcode that can be linked; empty if there is none.
    pub module: Arc<[u8]>,
    /// The zebin; empty if there is none.
    pub binary: Arc<[u8]>,
    /// The executable in the device's memory.
    pub loaded: Option<Arc<Executable>>,
    /// Whether all work-groups of a launch must have one size.
    pub is_uniform: bool,
}

impl Default for Build {
    fn default() -> Self {
        Self {
            status: CL_BUILD_NONE,
            options: String::new(),
            log: String::new(),
            binary_type: CL_PROGRAM_BINARY_TYPE_NONE,
            module: [].into(),
            binary: [].into(),
            loaded: None,
            is_uniform: false,
        }
    }
}

impl Build {
    /// What a binary is of.
    ///
    /// # Errors
    /// It is none for the device.
    pub(crate) fn of_binary(device: &Device, bytes: &[u8]) -> Result<Self> {
        let invalid = |why: String| Error::new(CL_INVALID_BINARY, why);
        let check = |module: &[u8]| {
            let module = Module::parse(module).map_err(|error| invalid(error.to_string()))?;
            let checked = module.check(&device.spirv_environment());
            checked.map_err(|error| invalid(error.to_string()))
        };
        if spirv_module::is_spirv(bytes) {
            check(bytes)?;
            return Ok(Self {
                binary_type: INTERMEDIATE,
                module: bytes.into(),
                ..Self::default()
            });
        }
        if let Some(container) = Container::read(bytes).map_err(invalid)? {
            if spirv_module::is_spirv(&container.module) {
                check(&container.module)?;
            }
            return Ok(Self {
                binary_type: match container.kind {
                    Kind::Objects => CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
                    Kind::Library => CL_PROGRAM_BINARY_TYPE_LIBRARY,
                    Kind::Executable => CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                },
                is_uniform: options::is_uniform(&container.options),
                options: container.options,
                module: container.module.into(),
                ..Self::default()
            });
        }
        let target = device.target();
        umd::Binary::parse_for(bytes, target.platform, target.revision)
            .map_err(|error| invalid(error.to_string()))?;
        Ok(Self {
            binary_type: CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
            binary: bytes.into(),
            ..Self::default()
        })
    }

    /// What `CL_PROGRAM_BINARIES` gives; empty if there is none.
    pub(crate) fn to_binary(&self) -> Result<Arc<[u8]>> {
        let kind = match self.binary_type {
            _ if !self.binary.is_empty() => return Ok(self.binary.clone()),
            CL_PROGRAM_BINARY_TYPE_EXECUTABLE => Kind::Executable,
            CL_PROGRAM_BINARY_TYPE_LIBRARY => Kind::Library,
            CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT => Kind::Objects,
            _ => return Ok(self.module.clone()),
        };
        let container = Container {
            kind,
            options: self.options.clone(),
            module: self.module.to_vec(),
        };
        let written = container.write();
        let written = written.map_err(|why| Error::new(CL_OUT_OF_HOST_MEMORY, why))?;
        Ok(written.into())
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
    /// A program for all devices of the context.
    pub(crate) fn new(context: Arc<Context>, origin: Origin) -> Self {
        let count = context.devices.len();
        Self::of_builds(
            context,
            (0..count).collect(),
            origin,
            vec![Build::default(); count],
        )
    }

    /// A program for some devices of the context, with a build for each device of the context.
    pub(crate) fn of_builds(
        context: Arc<Context>,
        places: Vec<usize>,
        origin: Origin,
        builds: Vec<Build>,
    ) -> Self {
        Self {
            base: Base::new(),
            context,
            places,
            origin,
            builds: Mutex::new(builds),
            constants: Mutex::default(),
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
}
