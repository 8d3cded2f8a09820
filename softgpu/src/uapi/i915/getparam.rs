//! GETPARAM and REG_READ.

use kmd_iface::uapi::i915::getparam::{
    GetParam, PPGTT_FULL, Param, REG_READ_8B_WA, RENDER_TIMESTAMP, RegRead, SchedulerCaps,
};
use nix::errno::Errno;

use crate::client::File;
use crate::refusal::{Answer, demand, refuse};
use softgpu_memory::user;

pub(super) fn getparam(file: &File, args: &mut GetParam) -> Answer {
    let device = file.device();
    let platform = device.platform;
    let sku = platform.default_sku();
    let number = |value: u32| i32::try_from(value).map_err(|_| Errno::ERANGE);
    let parameter = Param::from_raw(args.param);
    let parameter = demand!(parameter, EINVAL, "param {} is not known", args.param);
    let value = match parameter {
        Param::ChipsetId => number(platform.default_pci_id().into())?,
        Param::Revision => number(device.revision.into())?,
        Param::HasGem
        | Param::HasExecbuf2
        | Param::HasBlt
        | Param::HasRelaxedFencing
        | Param::HasCoherentRings
        | Param::HasRelaxedDelta
        | Param::HasWaitTimeout
        | Param::HasSemaphores
        | Param::HasExecNoReloc
        | Param::HasExecHandleLut
        | Param::MmapVersion
        | Param::HasExecSoftpin
        | Param::HasExecAsync
        | Param::HasExecFence
        | Param::HasExecCapture
        | Param::HasExecBatchFirst
        | Param::HasExecFenceArray
        | Param::HasExecSubmitFence
        | Param::HasExecTimelineFences
        | Param::HasUserptrProbe
        | Param::MmapGttCoherent => 1,
        Param::HasExecConstants | Param::HasBsd2 | Param::HasPooledEu | Param::HasWt => 0,
        Param::HasLlc => i32::from(platform.llc),
        Param::HasAliasingPpgtt => PPGTT_FULL,
        // 10 is the last version of the parser.
        Param::CmdParserVersion => 10,
        Param::SubsliceTotal => number(sku.subslices())?,
        Param::EuTotal => number(sku.eus())?,
        // Resets are per engine.
        Param::HasGpuReset => 2,
        Param::MinEuInPool => 0,
        Param::MmapGttVersion => 4,
        Param::HasScheduler => number(
            (SchedulerCaps::ENABLED | SchedulerCaps::PRIORITY | SchedulerCaps::PREEMPTION).0,
        )?,
        Param::SliceMask => number(mask(sku.slices))?,
        Param::SubsliceMask => number(mask(sku.subslices_per_slice))?,
        Param::HasContextIsolation => {
            let engines = super::engines(device);
            number(engines.iter().fold(0, |mask, e| mask | 1 << e.class))?
        }
        Param::CsTimestampFrequency | Param::OaTimestampFrequency => {
            i32::try_from(platform.timestamp_frequency).map_err(|_| Errno::ERANGE)?
        }
        // No firmware, no protected content, no frequencies.
        Param::HucStatus | Param::PxpStatus => refuse!(ENODEV, "{parameter:?}: there is none"),
        Param::HasContextFreqHint => 0,
    };
    Ok(user::write(args.value, &value)?)
}

/// The `count` lowest bits.
fn mask(count: u8) -> u32 {
    1u32.checked_shl(count.into())
        .map_or(u32::MAX, |bit| bit - 1)
}

pub(super) fn reg_read(file: &File, args: &mut RegRead) -> Answer {
    // The only register that i915 lets clients read.
    match args.offset & !REG_READ_8B_WA {
        RENDER_TIMESTAMP => {
            let ticks = file.device().engines.timestamp();
            // Without the flag the device's read is also 64 bits wide; the register has 36.
            args.val = ticks & ((1 << 36) - 1);
            Ok(())
        }
        offset => refuse!(
            EINVAL,
            "offset {offset:#x}: only the render engine's timestamp"
        ),
    }
}
