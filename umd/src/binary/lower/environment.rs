//! `execution_env` and the memory of threads: what a kernel needs, and what it cannot have.

use batchbuffer::dispatch::ThreadScheduling;
use devinfo::{Platform, WalkerKind};

use crate::binary::assembled::list;
use crate::binary::entry::{EuMode, LocalIds, PayloadValue, PrivateMemory};
use crate::binary::error::BinaryError;
use crate::binary::info::{ArgInfo, ArgKind};

use super::kernel::Lowering;

impl Lowering<'_> {
    pub(super) fn simd(&mut self, platform: &Platform) -> Result<(), BinaryError> {
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

    pub(super) fn memory(&mut self, platform: &Platform) -> (PrivateMemory, [u32; 2]) {
        // The second slot is a surface beside the first one.
        let slots = match platform.family.walker() {
            WalkerKind::Gpgpu => 1,
            WalkerKind::Compute => 2,
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

    pub(super) fn local_ids(&mut self) -> Result<LocalIds, BinaryError> {
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

    /// Refuses what only `execution_env` and the attributes tell of.
    pub(super) fn needs(&mut self, platform: &Platform) {
        let env = &self.kernel.execution_env;
        let lacks = [
            (
                env.has_device_enqueue,
                "it enqueues kernels from the device (has_device_enqueue)",
            ),
            (env.has_rtcalls, "it traces rays (has_rtcalls)"),
            (
                env.require_assert_buffer,
                "it needs a buffer for assertions (require_assert_buffer)",
            ),
            (
                env.require_sync_buffer,
                "it synchronises across work-groups (require_sync_buffer)",
            ),
            (
                env.slm_alloc_mode > 1,
                "its slm_alloc_mode is none of 0 and 1",
            ),
        ];
        for (_, why) in lacks.into_iter().filter(|(lack, _)| *lack) {
            self.refuse(why.to_owned());
        }
        let images = |arg: &ArgInfo| matches!(arg.kind, ArgKind::Image(_) | ArgKind::Sampler);
        if !platform.images && (env.has_sample || self.args.iter().any(images)) {
            self.refuse(format!("it uses images; {platform} has none"));
        }
        // A compiler may emit it all the same, as ocloc 26.27 does for Meteor Lake.
        if env.has_dpas && !platform.systolic {
            self.refuse(format!("it uses dpas; {platform} has no systolic arrays"));
        }
        if let Some(why) = &self.kernel.user_attributes.invalid_kernel {
            self.refuse(format!("the compiler marked it as invalid: {why}"));
        }
        if let Some(key) = self.kernel.unknown().first() {
            self.refuse(format!(
                ".ze_info has {key:?}, which may matter and is not known here"
            ));
        }
    }

    /// What it needs of the EUs.
    pub(super) fn eu(&self, platform: &Platform) -> Result<EuMode, BinaryError> {
        let env = &self.kernel.execution_env;
        let scheduling = match env.thread_scheduling_mode.as_str() {
            // As NEO has it.
            _ if env.subgroup_independent_forward_progress => ThreadScheduling::RoundRobin,
            "" => ThreadScheduling::Hardware,
            "age_based" => ThreadScheduling::OldestFirst,
            "round_robin" => ThreadScheduling::RoundRobin,
            "round_robin_stall" => ThreadScheduling::StallBasedRoundRobin,
            other => {
                let why =
                    format!("{other:?} is none of age_based, round_robin and round_robin_stall");
                return Err(self.error("execution_env.thread_scheduling_mode", why));
            }
        };
        Ok(EuMode {
            no_fusion: env.require_disable_eufusion && platform.fused_eus,
            systolic: env.has_dpas,
            scheduling,
        })
    }

    /// Whether implicit arguments lie before the payload: what NEO decides by. `relocated` says
    /// that the code asks where the payload begins.
    pub(super) fn implicit_block(&mut self, platform: &Platform, relocated: bool) -> bool {
        let env = &self.kernel.execution_env;
        let needs = env.require_iab || env.has_stack_calls && relocated;
        let loads_itself = platform.family.walker() == WalkerKind::Compute;
        if needs && !loads_itself && !self.has(PayloadValue::ImplicitArguments) {
            self.refuse(
                "it needs implicit arguments (require_iab), and takes no implicit_arg_buffer"
                    .to_owned(),
            );
        }
        needs && loads_itself
    }

    /// The sub-group size that the source required. It is in two places, and `simd_size` is what
    /// the compiler made of it.
    pub(super) fn required_sub_group_size(&self) -> Result<Option<u32>, BinaryError> {
        let env = &self.kernel.execution_env;
        let attribute = self.kernel.user_attributes.intel_reqd_sub_group_size;
        let required = Some(env.required_sub_group_size)
            .filter(|&size| size != 0)
            .or(attribute.filter(|&size| size != 0));
        if let Some(required) = required
            && required != env.simd_size
        {
            let why = format!("{required} is required, simd_size is {}", env.simd_size);
            return Err(self.error("execution_env.required_sub_group_size", why));
        }
        Ok(required)
    }

    /// The attributes of the source as OpenCL has them.
    pub(super) fn attributes(&self) -> String {
        let attributes = &self.kernel.user_attributes;
        let list = |values: &Option<Vec<u32>>| {
            let texts = values.as_ref()?.iter().map(u32::to_string);
            Some(texts.collect::<Vec<_>>().join(","))
        };
        let size = attributes
            .intel_reqd_sub_group_size
            .filter(|&size| size != 0);
        [
            (
                "reqd_work_group_size",
                list(&attributes.reqd_work_group_size),
            ),
            (
                "work_group_size_hint",
                list(&attributes.work_group_size_hint),
            ),
            ("vec_type_hint", attributes.vec_type_hint.clone()),
            (
                "intel_reqd_sub_group_size",
                size.map(|size| size.to_string()),
            ),
            (
                "intel_reqd_workgroup_walk_order",
                list(&attributes.intel_reqd_workgroup_walk_order),
            ),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}({})", value?)))
        .collect::<Vec<_>>()
        .join(" ")
    }

    pub(super) fn required_local_size(&self) -> Result<Option<[u32; 3]>, BinaryError> {
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

    pub(super) fn walk_order(&self) -> Result<[u8; 3], BinaryError> {
        match self
            .kernel
            .execution_env
            .work_group_walk_order_dimensions
            .as_slice()
        {
            // Dimensions without local ids are given as 0: x alone, x and y, y and x.
            [] | [0, 0, 0] | [0, 1, 0] => Ok([0, 1, 2]),
            [1, 0, 0] => Ok([1, 0, 2]),
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
