//! A kernel of `.ze_info` as a whole, and its arguments.

use devinfo::Platform;

use crate::binary::entry::{
    KernelAbi, PAYLOAD_UNIT, PayloadEntry, PayloadValue, SamplerSlot, SurfaceSlot, SurfaceSource,
};
use crate::binary::error::BinaryError;
use crate::binary::info::{AddressSpace, ArgInfo, ArgKind, KernelInfo};
use crate::binary::zeinfo::{ZeArgInfo, ZeKernel};

use super::names::{access, element, image_kind_of_type, natural_size};

/// More arguments than any compiler allows; a bound for hostile files.
pub(crate) const MAX_ARGS: u32 = 1024;

/// Lowers one kernel. `relocated` says that its code asks where its payload begins.
///
/// # Errors
/// A field that cannot be meant. What is well formed but not possible here is not an error: it is
/// kept in [`KernelAbi::unsupported`], so that the file's other kernels can be used.
pub(crate) fn kernel(
    path: &str,
    kernel: &ZeKernel,
    misc: Option<&[ZeArgInfo]>,
    platform: &Platform,
    relocated: bool,
) -> Result<KernelAbi, BinaryError> {
    let mut lowering = Lowering {
        path,
        kernel,
        grf: platform.grf_bytes() as u32,
        args: Vec::new(),
        payload: Vec::new(),
        surfaces: Vec::new(),
        samplers: Vec::new(),
        unsupported: None,
    };
    lowering.run(misc, platform, relocated)
}

/// A kernel being lowered.
pub(super) struct Lowering<'a> {
    pub(super) path: &'a str,
    pub(super) kernel: &'a ZeKernel,
    pub(super) grf: u32,
    pub(super) args: Vec<ArgInfo>,
    pub(super) payload: Vec<PayloadEntry>,
    pub(super) surfaces: Vec<SurfaceSlot>,
    pub(super) samplers: Vec<SamplerSlot>,
    pub(super) unsupported: Option<String>,
}

impl Lowering<'_> {
    fn run(
        &mut self,
        misc: Option<&[ZeArgInfo]>,
        platform: &Platform,
        relocated: bool,
    ) -> Result<KernelAbi, BinaryError> {
        let env = &self.kernel.execution_env;
        self.simd(platform)?;
        for arg in misc.unwrap_or_default() {
            self.describe(arg)?;
        }
        let described: Vec<ArgKind> = self.args.iter().map(|arg| arg.kind).collect();
        for (number, arg) in self.kernel.payload_arguments.iter().enumerate() {
            self.argument(number, arg)?;
        }
        for (number, entry) in self.kernel.binding_table_indices.iter().enumerate() {
            let at = format!("binding_table_indices[{number}]");
            let arg = self.arg(&at, Some(entry.arg_index))?;
            self.surface(&at, entry.bti_value, SurfaceSource::Argument(arg))?;
            self.args[arg].binding_table_index = Some(entry.bti_value);
        }
        self.inline_samplers()?;
        self.finish_arguments();
        self.pipes();
        if let Some(misc) = misc {
            self.agree(misc.len(), &described);
        }
        let (private, scratch) = self.memory(platform);
        let local_ids = self.local_ids()?;
        self.needs(platform);
        let implicit_block = self.implicit_block(platform, relocated);
        let required_local_size = self.required_local_size()?;
        let end = self.payload.iter().map(|p| p.offset + p.size).max();
        let cross_thread_size = end.unwrap_or(0).next_multiple_of(PAYLOAD_UNIT);
        let abi = KernelAbi::new(&self.kernel.name, env.simd_size);
        Ok(KernelAbi {
            info: KernelInfo {
                grf_count: env.grf_count,
                args: std::mem::take(&mut self.args),
                slm_size: env.slm_size,
                barriers: env.barrier_count,
                scratch_size: scratch
                    .iter()
                    .fold(0, |sum: u32, &size| sum.saturating_add(size)),
                private_size: private.size,
                required_local_size,
                required_sub_group_size: self.required_sub_group_size()?,
                attributes: self.attributes(),
                // Functions find the buffer through the implicit arguments.
                has_printf: self.has(PayloadValue::PrintfBuffer)
                    || env.has_printf_calls
                        && (implicit_block || self.has(PayloadValue::ImplicitArguments)),
                ..abi.info
            },
            payload: std::mem::take(&mut self.payload),
            cross_thread_size,
            inline_data: env.inline_data_payload_size,
            entry_with_ids: env.offset_to_skip_per_thread_data_load,
            scratch,
            local_ids,
            implicit_block,
            eu: self.eu(platform)?,
            surfaces: std::mem::take(&mut self.surfaces),
            samplers: std::mem::take(&mut self.samplers),
            private,
            walk_order: self.walk_order()?,
            slm_after_static: env.slm_alloc_mode == 1,
            unsupported: self.unsupported.take(),
            ..abi
        })
    }

    pub(super) fn error(&self, at: &str, why: String) -> BinaryError {
        BinaryError::Info {
            path: format!("{}.{at}", self.path),
            why,
        }
    }

    pub(super) fn refuse(&mut self, why: String) {
        self.unsupported.get_or_insert(why);
    }

    pub(super) fn has(&self, value: PayloadValue) -> bool {
        self.payload.iter().any(|entry| entry.value == value)
    }

    /// Each pipe is passed: what a compiler leaves out, its code may use all the same.
    fn pipes(&mut self) {
        let missing =
            self.args.iter().enumerate().find(|(index, arg)| {
                arg.is_pipe() && !self.has(PayloadValue::Address { arg: *index })
            });
        if let Some((index, _)) = missing {
            self.refuse(format!(
                "argument {index} is a pipe, for which the kernel has no place"
            ));
        }
    }

    /// What `kernels_misc_info` says about an argument.
    fn describe(&mut self, misc: &ZeArgInfo) -> Result<(), BinaryError> {
        let index = self.arg("args_info", Some(misc.index))?;
        let (type_name, size) = match misc.type_name.rsplit_once(';') {
            Some((name, size)) => (name, size.parse::<u32>().ok()),
            None => (misc.type_name.as_str(), None),
        };
        // The type of a pipe is that of its packets, the size that of its address.
        let arg = &mut self.args[index];
        arg.type_qualifiers = match misc.type_qualifiers.as_str() {
            "NONE" => String::new(),
            qualifiers => qualifiers.to_owned(),
        };
        let is_pipe = arg.is_pipe();
        let natural = natural_size(type_name).filter(|_| !is_pipe);
        if let (Some(size), Some(natural)) = (size, natural)
            && size != natural
        {
            let why = format!("{type_name} has {natural} bytes, not {size}");
            return Err(self.error("args_info", why));
        }
        let arg = &mut self.args[index];
        arg.name = Some(misc.name.clone()).filter(|name| !name.is_empty());
        arg.type_name = Some(type_name.to_owned()).filter(|name| !name.is_empty());
        arg.address_space = match misc.address_qualifier.as_str() {
            "__global" => Some(AddressSpace::Global),
            "__constant" => Some(AddressSpace::Constant),
            "__local" => Some(AddressSpace::Local),
            "__private" => Some(AddressSpace::Private),
            other => {
                let why = format!("address_qualifier {other:?} is not known");
                return Err(self.error("args_info", why));
            }
        };
        arg.access = access(misc.access_qualifier.trim_start_matches('_'));
        // The kind that holds if the code does not use the argument.
        arg.kind = match (arg.address_space, image_kind_of_type(type_name)) {
            _ if is_pipe => ArgKind::Buffer,
            (_, Some(kind)) => ArgKind::Image(kind),
            _ if type_name == "sampler_t" => ArgKind::Sampler,
            (Some(AddressSpace::Global | AddressSpace::Constant), _) => ArgKind::Buffer,
            (Some(AddressSpace::Local), _) => ArgKind::Local,
            (Some(AddressSpace::Private), _) => {
                size.map_or(ArgKind::Unused, |size| ArgKind::Value {
                    size,
                    element: element(type_name),
                })
            }
            (None, _) => ArgKind::Unused,
        };
        Ok(())
    }

    /// The argument of this index, made if it is not there yet.
    pub(super) fn arg(&mut self, at: &str, index: Option<u32>) -> Result<usize, BinaryError> {
        let index = index.ok_or_else(|| self.error(at, "arg_index is missing".to_owned()))?;
        if index >= MAX_ARGS {
            let why = format!("arg_index is {index}, the limit is {}", MAX_ARGS - 1);
            return Err(self.error(at, why));
        }
        let index = index as usize;
        while self.args.len() <= index {
            self.args.push(ArgInfo::new(ArgKind::Unused));
        }
        Ok(index)
    }
    /// `args_info` and the rest of the kernel speak of the same arguments: a caller sets what
    /// the one says, and the code reads what the other says.
    fn agree(&mut self, count: usize, described: &[ArgKind]) {
        if self.args.len() != count || described.len() != count {
            let takes = self.args.len();
            self.refuse(format!(
                "args_info describes {count} arguments, the kernel takes {takes}"
            ));
        }
        let differs = described
            .iter()
            .zip(&self.args)
            .position(|(described, arg)| {
                let values = matches!(
                    (described, &arg.kind),
                    (ArgKind::Value { .. }, ArgKind::Value { .. })
                );
                // The name of a type of the program's own does not tell that it is an image.
                let is_own = arg.type_name.as_deref().is_some_and(|name| {
                    matches!(arg.kind, ArgKind::Image(_) | ArgKind::Sampler)
                        && !name.contains('*')
                        && image_kind_of_type(name).is_none()
                });
                !values && !is_own && *described != arg.kind
            });
        if let Some((index, described)) = differs.and_then(|i| Some((i, described.get(i)?))) {
            let takes = self.args[index].kind;
            self.refuse(format!(
                "argument {index} is described as a {described}, the kernel takes a {takes}"
            ));
        }
    }
}
