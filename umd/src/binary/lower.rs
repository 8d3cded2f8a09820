//! From `.ze_info` to what the queue needs to start a kernel.

use devinfo::{Family, Platform};

use crate::image::ImageKind;
use crate::sampler::{AddressingMode, FilterMode, Sampler};

use super::assembled::list;
use super::entry::{
    ImageQuery, KernelEntry, LocalIds, PAYLOAD_UNIT, PayloadEntry, PayloadValue, PrivateMemory,
    SamplerQuery, SamplerSlot, SamplerSource, SurfaceSlot, SurfaceSource,
};
use super::error::BinaryError;
use super::info::{AccessQualifier, AddressSpace, ArgInfo, ArgKind, KernelInfo, ValueType};
use super::zeinfo::{PayloadArgument, ZeArgInfo, ZeKernel};

/// More arguments than any compiler allows; a bound for hostile files.
const MAX_ARGS: u32 = 1024;
/// The most bytes of a cross-thread payload: a generous bound for hostile files. The walker's
/// own limit is checked at launch.
const MAX_PAYLOAD: u32 = 64 << 10;
/// Binding table indices from here on are reserved: SLM, stateless, bindless (IGC `igc.h`).
const MAX_BTI: u32 = 240;

/// Lowers one kernel.
///
/// # Errors
/// A field that cannot be meant. What is well formed but not possible here is not an error: it is
/// kept in [`KernelEntry::unsupported`], so that the file's other kernels can be used.
pub(crate) fn kernel(
    path: &str,
    kernel: &ZeKernel,
    misc: Option<&[ZeArgInfo]>,
    platform: Option<&Platform>,
) -> Result<KernelEntry, BinaryError> {
    let mut lowering = Lowering {
        path,
        kernel,
        grf: platform.map_or(32, |p| p.grf_bytes() as u32),
        args: Vec::new(),
        payload: Vec::new(),
        surfaces: Vec::new(),
        samplers: Vec::new(),
        unsupported: None,
    };
    lowering.run(misc, platform)
}

struct Lowering<'a> {
    path: &'a str,
    kernel: &'a ZeKernel,
    grf: u32,
    args: Vec<ArgInfo>,
    payload: Vec<PayloadEntry>,
    surfaces: Vec<SurfaceSlot>,
    samplers: Vec<SamplerSlot>,
    unsupported: Option<String>,
}

impl Lowering<'_> {
    fn run(
        &mut self,
        misc: Option<&[ZeArgInfo]>,
        platform: Option<&Platform>,
    ) -> Result<KernelEntry, BinaryError> {
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
        if let Some(misc) = misc {
            self.agree(misc.len(), &described)?;
        }
        let (private, scratch) = self.memory(platform);
        let local_ids = self.local_ids()?;
        self.needs();
        let required_local_size = self.required_local_size()?;
        let end = self.payload.iter().map(|p| p.offset + p.size).max();
        let cross_thread_size = end.unwrap_or(0).next_multiple_of(PAYLOAD_UNIT);
        Ok(KernelEntry {
            info: KernelInfo {
                name: self.kernel.name.clone(),
                simd: env.simd_size,
                grf_count: env.grf_count,
                args: std::mem::take(&mut self.args),
                code_size: 0,
                slm_size: env.slm_size,
                barriers: env.barrier_count,
                scratch_size: scratch
                    .iter()
                    .fold(0, |sum: u32, &size| sum.saturating_add(size)),
                private_size: private.size,
                required_local_size,
                required_sub_group_size: self.kernel.user_attributes.intel_reqd_sub_group_size,
                has_printf: self.has(PayloadValue::PrintfBuffer),
                cross_thread_register: 0,
            },
            segment: 0,
            offset: 0,
            payload: std::mem::take(&mut self.payload),
            cross_thread_size,
            inline_data: env.inline_data_payload_size,
            entry_with_ids: env.offset_to_skip_per_thread_data_load,
            scratch,
            local_ids,
            surfaces: std::mem::take(&mut self.surfaces),
            samplers: std::mem::take(&mut self.samplers),
            private,
            walk_order: self.walk_order()?,
            slm_after_static: env.slm_alloc_mode == 1,
            unsupported: self.unsupported.take(),
        })
    }

    fn error(&self, at: &str, why: String) -> BinaryError {
        BinaryError::Info {
            path: format!("{}.{at}", self.path),
            why,
        }
    }

    fn refuse(&mut self, why: String) {
        self.unsupported.get_or_insert(why);
    }

    fn has(&self, value: PayloadValue) -> bool {
        self.payload.iter().any(|entry| entry.value == value)
    }

    fn simd(&mut self, platform: Option<&Platform>) -> Result<(), BinaryError> {
        let env = &self.kernel.execution_env;
        let simd = env.simd_size;
        if !matches!(simd, 1 | 8 | 16 | 32) {
            let why = format!("{simd} is not one of 1, 8, 16 and 32");
            return Err(self.error("execution_env.simd_size", why));
        }
        if !(1..=512).contains(&env.grf_count) {
            let why = format!("{} is not between 1 and 512", env.grf_count);
            return Err(self.error("execution_env.grf_count", why));
        }
        let Some(platform) = platform else {
            return Ok(());
        };
        if simd != 1 && !platform.has_simd_width(simd) {
            let have = list(platform.simd_widths);
            self.refuse(format!(
                "it needs SIMD{simd}; {platform} runs sub-groups of {have}"
            ));
        }
        let grfs = u16::try_from(env.grf_count).unwrap_or(u16::MAX);
        if !platform.grf_counts.contains(&grfs) {
            let have = list(platform.grf_counts);
            self.refuse(format!(
                "it needs {grfs} registers a thread; {platform} has {have}"
            ));
        }
        Ok(())
    }

    /// What `kernels_misc_info` says about an argument.
    fn describe(&mut self, misc: &ZeArgInfo) -> Result<(), BinaryError> {
        let index = self.arg("args_info", Some(misc.index))?;
        let (type_name, size) = match misc.type_name.rsplit_once(';') {
            Some((name, size)) => (name, size.parse::<u32>().ok()),
            None => (misc.type_name.as_str(), None),
        };
        let natural = natural_size(type_name);
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
    fn arg(&mut self, at: &str, index: Option<u32>) -> Result<usize, BinaryError> {
        let index = index.ok_or_else(|| self.error(at, "arg_index is missing".to_owned()))?;
        if index >= MAX_ARGS {
            let why = format!("arg_index is {index}, the limit is {}", MAX_ARGS - 1);
            return Err(self.error(at, why));
        }
        let index = index as usize;
        while self.args.len() <= index {
            self.args.push(ArgInfo {
                kind: ArgKind::Unused,
                name: None,
                type_name: None,
                address_space: None,
                access: None,
                payload_offset: None,
                binding_table_index: None,
                alignment: 1,
            });
        }
        Ok(index)
    }

    fn argument(&mut self, number: usize, arg: &PayloadArgument) -> Result<(), BinaryError> {
        let at = format!("payload_arguments[{number}]");
        let vector = |value| (value, 1u32..=12);
        let dword = |value| (value, 4..=4);
        let pointer = |value| (value, 4..=8);
        let (value, sizes) = match arg.arg_type.as_str() {
            "global_id_offset" => vector(PayloadValue::GlobalOffset),
            "local_size" => vector(PayloadValue::LocalSize),
            "enqueued_local_size" => vector(PayloadValue::EnqueuedLocalSize),
            "group_count" => vector(PayloadValue::GroupCount),
            "global_size" => vector(PayloadValue::GlobalSize),
            "work_dimensions" => dword(PayloadValue::WorkDimensions),
            "printf_buffer" => pointer(PayloadValue::PrintfBuffer),
            "private_base_stateless" => pointer(PayloadValue::PrivateBase),
            "const_base" => return self.base(&at, arg, false),
            "global_base" => return self.base(&at, arg, true),
            "arg_byvalue" => {
                let index = self.arg(&at, arg.arg_index)?;
                let source = arg.source_offset.unwrap_or(0);
                self.value(&at, index, source, arg.size)?;
                (PayloadValue::Value { arg: index, source }, 1..=MAX_PAYLOAD)
            }
            "arg_bypointer" => return self.pointer(&at, arg),
            "buffer_address" => {
                let index = self.arg(&at, arg.arg_index)?;
                pointer(PayloadValue::Address { arg: index })
            }
            "buffer_offset" => {
                let index = self.arg(&at, arg.arg_index)?;
                dword(PayloadValue::BufferOffset { arg: index })
            }
            "buffer_size" => {
                let index = self.arg(&at, arg.arg_index)?;
                (PayloadValue::BufferSize { arg: index }, 8..=8)
            }
            "inline_sampler" => {
                let index = arg
                    .sampler_index
                    .ok_or_else(|| self.error(&at, "sampler_index is missing".to_owned()))?;
                pointer(PayloadValue::BindlessInlineSampler { index })
            }
            other => match self.query(&at, arg)? {
                Some(value) => dword(value),
                None => {
                    self.refuse(format!("it needs the payload argument {other:?}"));
                    return Ok(());
                }
            },
        };
        if arg.size == 0 {
            return Ok(());
        }
        self.entry(&at, arg, value, sizes)
    }

    /// Image and sampler queries.
    fn query(
        &mut self,
        at: &str,
        arg: &PayloadArgument,
    ) -> Result<Option<PayloadValue>, BinaryError> {
        let image = |query| Some((Some(query), None));
        let sampler = |query| Some((None, Some(query)));
        let query = match arg.arg_type.as_str() {
            "image_width" => image(ImageQuery::Width),
            "image_height" => image(ImageQuery::Height),
            "image_depth" => image(ImageQuery::Depth),
            "image_array_size" => image(ImageQuery::ArraySize),
            "image_channel_order" | "image_srgb_channel_order" => image(ImageQuery::ChannelOrder),
            "image_channel_data_type" => image(ImageQuery::ChannelDataType),
            "image_num_mip_levels" => image(ImageQuery::MipLevels),
            "image_num_samples" => image(ImageQuery::Samples),
            "sampler_snap_wa" => sampler(SamplerQuery::SnapWa),
            "sampler_normalized" => sampler(SamplerQuery::Normalized),
            "sampler_address" => sampler(SamplerQuery::AddressingMode),
            _ => None,
        };
        let Some(query) = query else {
            return Ok(None);
        };
        let index = self.arg(at, arg.arg_index)?;
        Ok(match query {
            (Some(query), _) => Some(PayloadValue::Image { arg: index, query }),
            (_, Some(query)) => Some(PayloadValue::Sampler { arg: index, query }),
            _ => None,
        })
    }

    fn entry(
        &mut self,
        at: &str,
        arg: &PayloadArgument,
        value: PayloadValue,
        sizes: std::ops::RangeInclusive<u32>,
    ) -> Result<(), BinaryError> {
        if !sizes.contains(&arg.size) {
            let why = format!(
                "{} has {} bytes, {} to {} are possible",
                arg.arg_type,
                arg.size,
                sizes.start(),
                sizes.end()
            );
            return Err(self.error(at, why));
        }
        let offset = arg
            .offset
            .ok_or_else(|| self.error(at, "offset is missing".to_owned()))?;
        if offset
            .checked_add(arg.size)
            .is_none_or(|end| end > MAX_PAYLOAD)
        {
            let why = format!(
                "{} bytes at {offset}, the payload's limit is {MAX_PAYLOAD}",
                arg.size
            );
            return Err(self.error(at, why));
        }
        self.payload.push(PayloadEntry {
            offset,
            size: arg.size,
            value,
        });
        let index = match value {
            PayloadValue::Value { arg, .. }
            | PayloadValue::Address { arg }
            | PayloadValue::SlmOffset { arg, .. }
            | PayloadValue::BindlessSurface { arg }
            | PayloadValue::BindlessSampler { arg } => Some(arg),
            _ => None,
        };
        if let Some(arg) = index.and_then(|index| self.args.get_mut(index)) {
            let first = arg.payload_offset.unwrap_or(u32::MAX);
            arg.payload_offset = Some(first.min(offset));
        }
        Ok(())
    }

    fn value(&mut self, at: &str, index: usize, source: u32, size: u32) -> Result<(), BinaryError> {
        let end = source
            .checked_add(size)
            .filter(|&end| end <= MAX_PAYLOAD)
            .ok_or_else(|| {
                let why = format!("source_offset {source}: the limit is {MAX_PAYLOAD}");
                self.error(at, why)
            })?;
        let arg = &mut self.args[index];
        // The declared type's size has precedence: small types travel as four bytes.
        let declared = arg.address_space == Some(AddressSpace::Private);
        match &mut arg.kind {
            ArgKind::Value { .. } if declared => {}
            ArgKind::Value { size, .. } => *size = (*size).max(end),
            kind => {
                *kind = ArgKind::Value {
                    size: end,
                    element: None,
                };
            }
        }
        Ok(())
    }

    fn pointer(&mut self, at: &str, arg: &PayloadArgument) -> Result<(), BinaryError> {
        let index = self.arg(at, arg.arg_index)?;
        if let Some(access) = access(&arg.access_type) {
            self.args[index].access.get_or_insert(access);
        }
        if arg.is_pipe {
            self.refuse(format!("argument {index} is a pipe"));
        }
        let kind = match arg.addrspace.as_str() {
            "local" => ArgKind::Local,
            "sampler" => ArgKind::Sampler,
            "image" => match image_kind(&arg.image_type) {
                Some(kind) => ArgKind::Image(kind),
                None => {
                    let what = &arg.image_type;
                    self.refuse(format!("argument {index} is an image of type {what:?}"));
                    ArgKind::Image(ImageKind::D2)
                }
            },
            "global" | "constant" | "" => ArgKind::Buffer,
            other => {
                let why = format!("addrspace {other:?} is not known");
                return Err(self.error(at, why));
            }
        };
        self.args[index].kind = kind;
        if arg.addrspace == "constant" {
            self.args[index].address_space = Some(AddressSpace::Constant);
        }
        match (arg.addrmode.as_str(), kind) {
            ("stateful", ArgKind::Sampler) => {
                let slot = arg
                    .sampler_index
                    .ok_or_else(|| self.error(at, "sampler_index is missing".to_owned()))?;
                self.sampler(at, slot, SamplerSource::Argument(index))
            }
            ("stateful", _) => Ok(()),
            ("stateless", ArgKind::Buffer) => {
                self.entry(at, arg, PayloadValue::Address { arg: index }, 4..=8)
            }
            ("slm", ArgKind::Local) => {
                let alignment = arg.slm_alignment.unwrap_or(16).max(1);
                if !alignment.is_power_of_two() || alignment > 1 << 16 {
                    let why = format!("slm_alignment {alignment} is no power of two up to 65536");
                    return Err(self.error(at, why));
                }
                let value = PayloadValue::SlmOffset {
                    arg: index,
                    alignment,
                };
                self.entry(at, arg, value, 4..=8)
            }
            ("bindless", ArgKind::Sampler) => {
                if let Some(slot) = arg.sampler_index {
                    self.sampler(at, slot, SamplerSource::Argument(index))?;
                }
                self.entry(at, arg, PayloadValue::BindlessSampler { arg: index }, 4..=8)
            }
            ("bindless", _) => {
                self.entry(at, arg, PayloadValue::BindlessSurface { arg: index }, 4..=8)
            }
            (mode, kind) => {
                let why = format!("addrmode {mode:?} is not possible for a {kind}");
                Err(self.error(at, why))
            }
        }
    }

    /// `const_base` and `global_base`: an address, a binding table entry, or both.
    fn base(&mut self, at: &str, arg: &PayloadArgument, global: bool) -> Result<(), BinaryError> {
        if arg.addrmode == "bindless" {
            self.refuse(format!("it needs a bindless {}", arg.arg_type));
            return Ok(());
        }
        let (value, source) = if global {
            (PayloadValue::GlobalBase, SurfaceSource::Globals)
        } else {
            (PayloadValue::ConstantBase, SurfaceSource::Constants)
        };
        if let Some(index) = arg.bti_value {
            self.surface(at, index, source)?;
        }
        if arg.offset.is_some() && arg.size != 0 {
            self.entry(at, arg, value, 4..=8)?;
        }
        Ok(())
    }

    fn surface(&mut self, at: &str, index: u32, source: SurfaceSource) -> Result<(), BinaryError> {
        if index >= MAX_BTI {
            let why = format!("bti_value is {index}, the limit is {}", MAX_BTI - 1);
            return Err(self.error(at, why));
        }
        if self
            .surfaces
            .iter()
            .any(|slot| slot.index == index && slot.source != source)
        {
            let why = format!("bti_value {index} stands for two things");
            return Err(self.error(at, why));
        }
        self.surfaces.push(SurfaceSlot {
            index,
            source,
            media_block: false,
            used: true,
        });
        Ok(())
    }

    fn sampler(&mut self, at: &str, index: u32, source: SamplerSource) -> Result<(), BinaryError> {
        // The descriptor's sampler index has four bits.
        if index > 15 {
            let why = format!("sampler_index is {index}, the limit is 15");
            return Err(self.error(at, why));
        }
        self.samplers.push(SamplerSlot { index, source });
        Ok(())
    }

    fn inline_samplers(&mut self) -> Result<(), BinaryError> {
        for (number, sampler) in self.kernel.inline_samplers.iter().enumerate() {
            let at = format!("inline_samplers[{number}]");
            let addressing = match sampler.addrmode.as_str() {
                "none" => AddressingMode::None,
                "clamp_edge" => AddressingMode::ClampToEdge,
                "clamp_border" => AddressingMode::ClampToBorder,
                "repeat" => AddressingMode::Repeat,
                "mirror" => AddressingMode::MirroredRepeat,
                other => {
                    return Err(self.error(&at, format!("addrmode {other:?} is not known")));
                }
            };
            let filter = match sampler.filtermode.as_str() {
                "nearest" => FilterMode::Nearest,
                "linear" => FilterMode::Linear,
                other => {
                    return Err(self.error(&at, format!("filtermode {other:?} is not known")));
                }
            };
            let state = Sampler {
                addressing,
                filter,
                normalized: sampler.normalized,
            };
            self.sampler(&at, sampler.sampler_index, SamplerSource::Inline(state))?;
        }
        Ok(())
    }

    /// Arguments that the code only reaches through a surface are buffers.
    fn finish_arguments(&mut self) {
        for slot in &self.surfaces {
            if let SurfaceSource::Argument(index) = slot.source
                && let Some(arg) = self.args.get_mut(index)
                && arg.kind == ArgKind::Unused
            {
                arg.kind = ArgKind::Buffer;
            }
        }
    }

    /// `args_info` and the rest of the kernel speak of the same arguments: a caller sets what
    /// the one says, and the code reads what the other says.
    fn agree(&self, count: usize, described: &[ArgKind]) -> Result<(), BinaryError> {
        if self.args.len() != count || described.len() != count {
            let why = format!(
                "it describes {count} arguments, the kernel takes {}",
                self.args.len()
            );
            return Err(self.error("args_info", why));
        }
        for (index, (arg, described)) in self.args.iter().zip(described).enumerate() {
            let same = match (described, &arg.kind) {
                (ArgKind::Value { .. }, ArgKind::Value { .. }) => true,
                (described, kind) => described == kind,
            };
            if !same {
                let why = format!(
                    "argument {index} is described as {described}, the kernel takes {}",
                    arg.kind
                );
                return Err(self.error("args_info", why));
            }
        }
        Ok(())
    }

    fn memory(&mut self, platform: Option<&Platform>) -> (PrivateMemory, [u32; 2]) {
        // The second slot is a surface beside the first one.
        let slots = match platform.map(|platform| platform.family) {
            Some(family) if family < Family::XeHpg => 1,
            _ => 2,
        };
        let mut private = PrivateMemory::default();
        let mut scratch = [0; 2];
        for buffer in &self.kernel.per_thread_memory_buffers {
            let slot = scratch[..slots].get_mut(buffer.slot as usize);
            match (buffer.kind.as_str(), buffer.usage.as_str(), slot) {
                ("global", "private_space", _) => {
                    private = PrivateMemory {
                        size: buffer.size,
                        per_lane: buffer.is_simt_thread,
                    };
                }
                ("scratch", _, Some(slot)) => *slot = buffer.size.max(*slot),
                ("scratch", _, None) => {
                    let why = format!("it needs scratch slot {}", buffer.slot);
                    self.unsupported.get_or_insert(why);
                }
                (kind, usage, _) => {
                    let why = format!("it needs per-thread memory {kind:?} for {usage:?}");
                    self.unsupported.get_or_insert(why);
                }
            }
        }
        (private, scratch)
    }

    fn local_ids(&mut self) -> Result<LocalIds, BinaryError> {
        let mut ids = LocalIds::default();
        let simd = self.kernel.execution_env.simd_size;
        for (number, arg) in self.kernel.per_thread_payload_arguments.iter().enumerate() {
            let at = format!("per_thread_payload_arguments[{number}]");
            let packed = match arg.arg_type.as_str() {
                "local_id" => false,
                "packed_local_ids" => true,
                other => {
                    self.refuse(format!("it needs the per-thread argument {other:?}"));
                    continue;
                }
            };
            // 16-bit lanes; every dimension begins at a register.
            let each = if packed {
                2
            } else {
                (simd * 2).next_multiple_of(self.grf)
            };
            let dimensions = arg.size.div_ceil(each);
            if arg.offset != 0 || dimensions == 0 || dimensions > 3 {
                let why = format!(
                    "{} bytes at {} are not local ids of one to three dimensions of {each} bytes",
                    arg.size, arg.offset
                );
                return Err(self.error(&at, why));
            }
            ids = LocalIds {
                dimensions,
                bytes_per_dimension: each,
                packed,
            };
        }
        Ok(ids)
    }

    /// What only `execution_env` tells of.
    fn needs(&mut self) {
        let env = &self.kernel.execution_env;
        let lacks = [
            (
                env.has_device_enqueue,
                "it enqueues kernels from the device",
            ),
            (env.has_rtcalls, "it traces rays"),
            (
                env.require_assert_buffer,
                "it needs a buffer for assertions",
            ),
            (
                env.require_sync_buffer,
                "it synchronises across work-groups",
            ),
            (env.require_iab, "it needs the implicit argument buffer"),
            (env.slm_alloc_mode > 1, "its slm_alloc_mode is not known"),
        ];
        let invalid = self.kernel.user_attributes.invalid_kernel.clone();
        for (_, why) in lacks.into_iter().filter(|(lack, _)| *lack) {
            self.refuse(why.to_owned());
        }
        if let Some(why) = invalid {
            self.refuse(format!("the compiler marked it as invalid: {why}"));
        }
    }

    fn required_local_size(&self) -> Result<Option<[u32; 3]>, BinaryError> {
        let env = &self.kernel.execution_env.required_work_group_size;
        let attribute = self.kernel.user_attributes.reqd_work_group_size.as_ref();
        let size = if env.iter().any(|&n| n != 0) {
            env
        } else {
            attribute.unwrap_or(env)
        };
        if size.iter().all(|&n| n == 0) {
            return Ok(None);
        }
        match size.as_slice() {
            &[x, y, z] if x != 0 && y != 0 && z != 0 => Ok(Some([x, y, z])),
            other => {
                let why = format!("{other:?} is not three numbers above zero");
                Err(self.error("required_work_group_size", why))
            }
        }
    }

    fn walk_order(&self) -> Result<[u8; 3], BinaryError> {
        match self
            .kernel
            .execution_env
            .work_group_walk_order_dimensions
            .as_slice()
        {
            [] => Ok([0, 1, 2]),
            &[a, b, c]
                if [a, b, c]
                    .iter()
                    .fold(0u32, |m, &d| m | 1u32.checked_shl(d).unwrap_or(0))
                    == 7 =>
            {
                Ok([a as u8, b as u8, c as u8])
            }
            other => {
                let why = format!("{other:?} is not an order of 0, 1 and 2");
                Err(self.error("execution_env.work_group_walk_order_dimensions", why))
            }
        }
    }
}

fn access(text: &str) -> Option<AccessQualifier> {
    match text {
        "readonly" | "read_only" => Some(AccessQualifier::ReadOnly),
        "writeonly" | "write_only" => Some(AccessQualifier::WriteOnly),
        "readwrite" | "read_write" => Some(AccessQualifier::ReadWrite),
        _ => None,
    }
}

/// `image_type` of `.ze_info`.
fn image_kind(text: &str) -> Option<ImageKind> {
    Some(match text {
        "image_buffer" => ImageKind::D1Buffer,
        "image_1d" => ImageKind::D1,
        "image_1d_array" => ImageKind::D1Array,
        "image_2d" | "image_2d_depth" | "image_2d_media" | "image_2d_media_block" => ImageKind::D2,
        "image_2d_array" | "image_2d_array_depth" => ImageKind::D2Array,
        "image_3d" => ImageKind::D3,
        _ => return None,
    })
}

/// The image types of OpenCL C.
fn image_kind_of_type(name: &str) -> Option<ImageKind> {
    Some(match name {
        "image1d_t" => ImageKind::D1,
        "image1d_buffer_t" => ImageKind::D1Buffer,
        "image1d_array_t" => ImageKind::D1Array,
        "image2d_t" | "image2d_depth_t" => ImageKind::D2,
        "image2d_array_t" | "image2d_array_depth_t" => ImageKind::D2Array,
        "image3d_t" => ImageKind::D3,
        _ => return None,
    })
}

/// The element type of an OpenCL C type.
/// The size of a scalar or vector of OpenCL C in bytes (6.3.2, 6.1.5); `None` for other types.
fn natural_size(name: &str) -> Option<u32> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let lanes = match name.get(base.len()..)? {
        "" => 1,
        "2" => 2,
        "3" | "4" => 4,
        "8" => 8,
        "16" => 16,
        _ => return None,
    };
    let scalar = match base {
        "char" | "uchar" => 1,
        "short" | "ushort" | "half" => 2,
        "int" | "uint" | "float" => 4,
        "long" | "ulong" | "double" => 8,
        _ => return None,
    };
    Some(lanes * scalar)
}

fn element(name: &str) -> Option<ValueType> {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match base {
        "char" | "short" | "int" | "long" => Some(ValueType::Int),
        "uchar" | "ushort" | "uint" | "ulong" => Some(ValueType::Uint),
        "half" | "float" | "double" => Some(ValueType::Float),
        _ => None,
    }
}
