//! Messages of ray tracing.

use core::fmt;

use devinfo::Family;

use super::DescriptorError;
use super::bits::Field;
use crate::Sfid;

const TYPE: Field = Field::new(17, 14);
const SIMD16: Field = Field::bit(8);

const TRACE: u32 = 0;
const SPAWN: u32 = 1;
const SPAWN_OVERDISPATCH: u32 = 2;

/// A message of ray tracing. XeHPG and later; no header.
///
/// Sources: Mesa `brw_eu.h` (`brw_btd_spawn_desc`, `brw_rt_trace_ray_desc`), IGA
/// `MessageDecoderOther.cpp` (`tryDecodeBTD`, `tryDecodeRTA`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RayTracing {
    /// Traces a ray for each channel (the `rta` function).
    ///
    /// Payload: source 0 is a register with the address of the global state, source 1 a plane of
    /// one dword a channel that describes the ray.
    Trace {
        /// 8 or 16; 16 on Xe2.
        simd: u8,
    },
    /// Starts a bindless thread for each channel (the `btd` function).
    ///
    /// Payload: source 0 is a register with the address of the global state, source 1 addresses of
    /// the records of shaders, one of 64 bits a channel.
    Spawn {
        /// 8 or 16; 16 on Xe2.
        simd: u8,
        /// More threads may be started than there is room for.
        overdispatch: bool,
    },
}

pub(super) fn decode(
    family: Family,
    function: Sfid,
    descriptor: u32,
) -> Result<RayTracing, DescriptorError> {
    let undefined = |field, value| DescriptorError::Field {
        function,
        field,
        value,
        descriptor,
    };
    let simd = match SIMD16.is_set(descriptor) {
        true => 16,
        false if family < Family::Xe2 => 8,
        false => return Err(undefined("SIMD mode", 0)),
    };
    match (function, TYPE.get(descriptor)) {
        (Sfid::RayTracing, TRACE) => Ok(RayTracing::Trace { simd }),
        (Sfid::BindlessThreadDispatch, kind @ (SPAWN | SPAWN_OVERDISPATCH)) => {
            Ok(RayTracing::Spawn {
                simd,
                overdispatch: kind == SPAWN_OVERDISPATCH,
            })
        }
        (_, kind) => Err(undefined("message type", kind)),
    }
}

pub(super) fn encode(message: RayTracing) -> Result<(Sfid, u32), DescriptorError> {
    let mut descriptor = 0;
    let (function, kind, simd) = match message {
        RayTracing::Trace { simd } => (Sfid::RayTracing, TRACE, simd),
        RayTracing::Spawn { simd, overdispatch } => {
            let kind = if overdispatch {
                SPAWN_OVERDISPATCH
            } else {
                SPAWN
            };
            (Sfid::BindlessThreadDispatch, kind, simd)
        }
    };
    TYPE.put(&mut descriptor, "message type", kind)?;
    SIMD16.put(&mut descriptor, "SIMD mode", u32::from(simd == 16))?;
    Ok((function, descriptor))
}

impl fmt::Display for RayTracing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Trace { simd } => write!(f, "trace ray simd{simd}"),
            Self::Spawn { simd, overdispatch } => write!(
                f,
                "spawn bindless threads simd{simd}{}",
                if *overdispatch { " overdispatch" } else { "" }
            ),
        }
    }
}
