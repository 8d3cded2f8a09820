//! Codes of sizes.

use devinfo::Family;

use super::types::DispatchError;

const KIB: u32 = 1024;

/// Shared local memory sizes in KiB with their codes, in rising order.
///
/// Sources: BDW, SKL and TGL PRM vol 2d, INTERFACE_DESCRIPTOR_DATA, "Shared
/// Local Memory Size"; for XeHPC and Xe2 Intel's compute-runtime, which also
/// has the 24 and 48 KiB codes.
fn slm_table(family: Family) -> &'static [(u32, u32)] {
    const GEN8: &[(u32, u32)] = &[(0, 0), (4, 1), (8, 2), (16, 4), (32, 8), (64, 16)];
    const GEN9: &[(u32, u32)] = &[
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 3),
        (8, 4),
        (16, 5),
        (32, 6),
        (64, 7),
    ];
    const XE_HPC: &[(u32, u32)] = &[
        (0, 0),
        (1, 1),
        (2, 2),
        (4, 3),
        (8, 4),
        (16, 5),
        (24, 8),
        (32, 6),
        (48, 9),
        (64, 7),
        (96, 10),
        (128, 11),
    ];
    match family {
        Family::Gen8 => GEN8,
        Family::Gen9 | Family::Gen11 | Family::Gen12Lp | Family::XeHpg => GEN9,
        Family::XeHpc | Family::Xe2 => XE_HPC,
    }
}

/// The code for at least `bytes` bytes of shared local memory.
///
/// # Errors
/// [`DispatchError::Limit`] if a group cannot have as much.
pub fn slm_code(family: Family, bytes: u32) -> Result<u32, DispatchError> {
    let table = slm_table(family);
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
    slm_table(family)
        .iter()
        .find(|(_, c)| *c == code)
        .map(|(size, _)| size * KIB)
}

/// The code of the preferred share of shared local memory in the L1, the
/// smallest one with room for a group of `bytes` bytes; `None` where there is
/// no such field.
///
/// Sources: genxml `PREF_SLM_ALLOCATION_SIZE` (Xe2); Intel's compute-runtime
/// for XeHPG and XeHPC.
pub fn preferred_slm(family: Family, bytes: u32) -> Option<u32> {
    const XE_HP: &[(u32, u32)] = &[(0, 8), (16, 9), (32, 10), (64, 11), (96, 12), (128, 13)];
    const XE2: &[(u32, u32)] = &[
        (0, 0),
        (16, 1),
        (32, 2),
        (64, 3),
        (96, 4),
        (128, 5),
        (160, 6),
        (192, 7),
        (224, 8),
        (256, 9),
        (384, 10),
    ];
    let table = match family {
        Family::XeHpg | Family::XeHpc => XE_HP,
        Family::Xe2 => XE2,
        _ => return None,
    };
    table
        .iter()
        .find(|(size, _)| size * KIB >= bytes)
        .map(|(_, code)| *code)
}

/// The walk orders by their codes: the dimensions, the one that counts fastest
/// first. The manual's names ("Walk 120") give each dimension's place instead.
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

/// The dimensions in the order of a COMPUTE_WALKER "Walk Order" code, the one
/// that counts fastest first; `None` if the code is reserved.
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

/// The code for `count` barriers of a group (from XeHPG).
pub(crate) fn barriers(family: Family, count: u32) -> Result<u32, DispatchError> {
    const COUNTS: [u32; 8] = [0, 1, 2, 4, 8, 16, 24, 32];
    let most = if family == Family::XeHpg { 1 } else { 7 };
    COUNTS
        .iter()
        .take(most + 1)
        .position(|&has| has >= count)
        .map(|code| code as u32)
        .ok_or(DispatchError::Limit {
            what: "barriers of a group",
            value: count.into(),
            limit: COUNTS.get(most).copied().unwrap_or(0).into(),
            family,
        })
}

/// The scratch code of MEDIA_VFE_STATE: log2 of the KiB a thread.
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
