//! Messages of ray tracing.

use super::layout::{Choice, FamilyTable, Field, messages};

pub(super) const TYPE: Field = Field::new("message type", 17, 14);
const SIMD: FamilyTable<u8> = FamilyTable(
    Field::bit("SIMD mode", 8),
    &[
        (devinfo::span!(..=XeHpc), 0, 8),
        (devinfo::span!(..), 1, 16),
    ],
);

messages! {
    /// A message of ray tracing. XeHPG and later; no header.
    ///
    /// Sources: Mesa `brw_eu.h` (`brw_btd_spawn_desc`, `brw_rt_trace_ray_desc`), IGA
    /// `MessageDecoderOther.cpp` (`tryDecodeBTD`, `tryDecodeRTA`).
    RayTracing;

    /// Traces a ray for each channel (the `rta` function).
    ///
    /// Payload: source 0 is a register with the address of the global state, source 1 a plane of
    /// one dword per channel that describes the ray.
    Trace {
        /// 8 or 16; 16 on Xe2.
        simd: u8,
    } ("trace ray simd{simd}")
        => RayTracing(XeHpg..) [TYPE => 0] { ; simd: SIMD }

    /// Starts a bindless thread for each channel (the `btd` function).
    ///
    /// Payload: source 0 is a register with the address of the global state, source 1 addresses of
    /// shader records, 64 bits per channel.
    Spawn {
        /// 8 or 16; 16 on Xe2.
        simd: u8,
        /// More threads may be started than there is room for.
        overdispatch: bool,
    } ("spawn bindless threads simd{simd}{}", if overdispatch { " overdispatch" } else { "" })
        => BindlessThreadDispatch(XeHpg..) [] { ; overdispatch: Choice(TYPE, [(1, false), (2, true)]), simd: SIMD }
}
