//! Codes of sizes.

use devinfo::Family;

use super::types::DispatchError;
use crate::family::traits;

const KIB: u32 = 1024;

/// The code for at least `bytes` bytes of shared local memory.
///
/// # Errors
/// [`DispatchError::Limit`] if a group cannot have that much.
pub fn slm_code(family: Family, bytes: u32) -> Result<u32, DispatchError> {
    let table = traits(family).slm_codes;
    table
        .iter()
        .find(|(size, _)| size * KIB >= bytes)
        .map(|(_, code)| *code)
        .ok_or(DispatchError::Limit {
            what: "shared local memory of a group",
            value: bytes.into(),
            limit: u64::from(table.last().map_or(0, |(size, _)| size * KIB)),
            family,
        })
}

/// The bytes of shared local memory that a code stands for; `None` if the
/// family does not have the code.
pub fn slm_bytes(family: Family, code: u32) -> Option<u32> {
    traits(family)
        .slm_codes
        .iter()
        .find(|(_, c)| *c == code)
        .map(|(size, _)| size * KIB)
}

/// The code for at least `registers` registers of a thread in its interface
/// descriptor; `None` where the count is a mode of the EUs.
///
/// # Errors
/// [`DispatchError::Limit`] if a thread cannot have that many.
pub(crate) fn register_code(family: Family, registers: u32) -> Result<Option<u32>, DispatchError> {
    let codes = traits(family).register_codes;
    let Some((most, _)) = codes.last() else {
        return Ok(None);
    };
    let row = codes.iter().find(|(count, _)| *count >= registers);
    row.map(|(_, code)| Some(*code))
        .ok_or(DispatchError::Limit {
            what: "registers of a thread",
            value: registers.into(),
            limit: u64::from(*most),
            family,
        })
}

/// The registers that a code in the interface descriptor stands for; `None` if
/// the family does not have the code.
pub fn registers(family: Family, code: u32) -> Option<u32> {
    let mut codes = traits(family).register_codes.iter();
    codes
        .find(|(_, known)| *known == code)
        .map(|(count, _)| *count)
}

/// The code of the preferred share of shared local memory in the L1: the smallest with room for a
/// group of `bytes` bytes; `None` where there is no such field.
pub fn preferred_slm(family: Family, bytes: u32) -> Option<u32> {
    traits(family)
        .preferred_slm_codes
        .iter()
        .find(|(size, _)| size * KIB >= bytes)
        .map(|(_, code)| *code)
}

/// The walk orders by code: the dimensions, fastest-counting first. The manual's names ("Walk 120")
/// give each dimension's place instead.
///
/// Source: Intel's compute-runtime, hw_walk_order.h.
const WALK_ORDERS: [[u8; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [2, 0, 1],
    [1, 2, 0],
    [2, 1, 0],
];

/// The dimensions in the order of a COMPUTE_WALKER "Walk Order" code, fastest-counting first;
/// `None` if the code is reserved.
pub fn walk_order(code: u64) -> Option<[u8; 3]> {
    WALK_ORDERS.get(usize::try_from(code).ok()?).copied()
}

/// The code of a walk order.
pub(crate) fn walk_order_code(order: [u8; 3]) -> Option<usize> {
    WALK_ORDERS.iter().position(|known| *known == order)
}

/// The code of the number of samplers: groups of four, at most four of them.
pub(crate) fn sampler_count(count: u32) -> u32 {
    count.div_ceil(4).min(4)
}

/// The code for `count` barriers of a group.
pub(crate) fn barriers(family: Family, count: u32) -> Result<u32, DispatchError> {
    let counts = traits(family).barrier_counts;
    counts
        .iter()
        .position(|&has| has >= count)
        .map(|code| code as u32)
        .ok_or(DispatchError::Limit {
            what: "barriers of a group",
            value: count.into(),
            limit: counts.last().copied().unwrap_or(0).into(),
            family,
        })
}

/// The scratch code of MEDIA_VFE_STATE, up to Gen12LP: log2 of the KiB per thread. Later families have
/// a scratch surface.
pub(crate) fn scratch_code(family: Family, bytes: u32) -> Result<u32, DispatchError> {
    const LIMIT: u32 = 2048 * KIB;
    if bytes > LIMIT {
        return Err(DispatchError::Limit {
            what: "scratch bytes of a thread",
            value: bytes.into(),
            limit: LIMIT.into(),
            family,
        });
    }
    Ok(bytes.max(KIB).next_power_of_two().trailing_zeros() - KIB.trailing_zeros())
}
