//! `execution_env` and the memory of threads: what a kernel needs, and what it cannot have.

use devinfo::{Family, Platform};

use crate::binary::assembled::list;
use crate::binary::entry::{LocalIds, PrivateMemory};
use crate::binary::error::BinaryError;

use super::kernel::Lowering;

impl Lowering<'_> {
    pub(super) fn simd(&mut self, platform: Option<&Platform>) -> Result<(), BinaryError> {
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

    pub(super) fn memory(&mut self, platform: Option<&Platform>) -> (PrivateMemory, [u32; 2]) {
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

    /// What only `execution_env` tells of.
    pub(super) fn needs(&mut self) {
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
