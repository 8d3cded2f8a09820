//! GETPARAM, REG_READ and QUERY.

use nix::errno::Errno;
use zerocopy::FromBytes;

use crate::node_ext::{NodeExt, user_pointer_mut};
use crate::records::{dwords, records};
use crate::uapi::i915::getparam::{self, Param};
use crate::uapi::i915::query::{self, QueryId};
use crate::{KmdError, KmdResult, Node, Topology};

pub use crate::uapi::i915::query::{EngineInfo, MemoryRegionInfo};

/// The most bytes that a query may answer: hardware tables have a few kilobytes.
const MAX_BLOB: i32 = 1 << 20;

/// GETPARAM.
///
/// # Errors
/// What the kernel answers; `EINVAL` for a parameter that it does not know.
pub fn getparam(node: &dyn Node, param: Param) -> KmdResult<i32> {
    let mut value = 0i32;
    let mut argument = getparam::GetParam {
        param: param as i32,
        pad: 0,
        value: user_pointer_mut(&mut value),
    };
    node.call(getparam::GETPARAM, &mut argument)?;
    Ok(value)
}

/// REG_READ.
///
/// # Errors
/// What the kernel answers; `EINVAL` for a register that it does not allow.
pub fn reg_read(node: &dyn Node, offset: u64) -> KmdResult<u64> {
    let mut argument = getparam::RegRead { offset, val: 0 };
    node.call(getparam::REG_READ, &mut argument)?;
    Ok(argument.val)
}

/// QUERY of one item: asks for its length, then for its bytes.
///
/// # Errors
/// What the kernel answers for the call or, as a negative length, for the item.
pub fn query_blob(node: &dyn Node, id: QueryId, flags: u32) -> KmdResult<Vec<u8>> {
    let mut item = query::QueryItem {
        query_id: id as u64,
        length: 0,
        flags,
        data_ptr: 0,
    };
    query_item(node, &mut item)?;
    if item.length > MAX_BLOB {
        return Err(bad_answer(format!("{} bytes for {id:?}", item.length)));
    }
    let mut blob = vec![0u8; usize::try_from(item.length).unwrap_or(0)];
    item.data_ptr = user_pointer_mut(blob.as_mut_slice());
    query_item(node, &mut item)?;
    blob.truncate(usize::try_from(item.length).unwrap_or(0));
    Ok(blob)
}

fn query_item(node: &dyn Node, item: &mut query::QueryItem) -> KmdResult<()> {
    let mut argument = query::Query {
        num_items: 1,
        flags: 0,
        items_ptr: user_pointer_mut(item),
    };
    node.call(query::QUERY, &mut argument)?;
    if item.length < 0 {
        let errno = Errno::from_raw(item.length.saturating_neg());
        return Err(KmdError::from_errno(query::QUERY.name(), errno));
    }
    Ok(())
}

fn bad_answer(what: String) -> KmdError {
    KmdError::BadAnswer {
        ioctl: query::QUERY.name(),
        what,
    }
}

/// QUERY of the engines.
pub fn engines(node: &dyn Node) -> KmdResult<Vec<EngineInfo>> {
    let blob = query_blob(node, QueryId::EngineInfo, 0)?;
    records(
        query::QUERY.name(),
        &blob,
        |header: &query::EngineInfoHeader| header.num_engines,
    )
}

/// QUERY of the memory regions.
pub fn memory_regions(node: &dyn Node) -> KmdResult<Vec<MemoryRegionInfo>> {
    let blob = query_blob(node, QueryId::MemoryRegions, 0)?;
    records(
        query::QUERY.name(),
        &blob,
        |header: &query::MemoryRegionsHeader| header.num_regions,
    )
}

/// QUERY of the GuC's hardware attribute table, as dwords.
///
/// # Errors
/// What the kernel answers; there is none before XeHPG, except on Alder Lake-P.
pub fn hwconfig(node: &dyn Node) -> KmdResult<Vec<u32>> {
    let blob = query_blob(node, QueryId::HwconfigBlob, 0)?;
    dwords(query::QUERY.name(), &blob)
}

/// QUERY of slices, subslices and EUs.
pub fn topology(node: &dyn Node) -> KmdResult<Topology> {
    let blob = query_blob(node, QueryId::TopologyInfo, 0)?;
    parse_topology(&blob)
}

/// Decodes the masks of a topology answer.
fn parse_topology(blob: &[u8]) -> KmdResult<Topology> {
    let (info, data) = query::TopologyInfo::read_from_prefix(blob)
        .map_err(|_| bad_answer(format!("{} bytes of topology", blob.len())))?;
    let bit = |base: usize, index: usize| -> KmdResult<bool> {
        data.get(base + index / 8)
            .map(|byte| byte >> (index % 8) & 1 == 1)
            .ok_or_else(|| bad_answer("topology masks beyond its end".to_owned()))
    };
    let max_subslices = usize::from(info.max_subslices);
    let mut slices = Vec::new();
    for slice in 0..usize::from(info.max_slices) {
        let mut subslices = vec![0; max_subslices];
        if bit(0, slice)? {
            let mask =
                usize::from(info.subslice_offset) + slice * usize::from(info.subslice_stride);
            for (subslice, eus) in subslices.iter_mut().enumerate() {
                if !bit(mask, subslice)? {
                    continue;
                }
                let mask = usize::from(info.eu_offset)
                    + (slice * max_subslices + subslice) * usize::from(info.eu_stride);
                for eu in 0..usize::from(info.max_eus_per_subslice) {
                    *eus += u32::from(bit(mask, eu)?);
                }
            }
        }
        slices.push(subslices);
    }
    Ok(Topology { slices })
}

#[cfg(test)]
mod tests {
    use zerocopy::IntoBytes;

    use super::*;

    /// Two slices of three subslices of eight EUs, with fuses blown: slice 1 lacks subslice 0,
    /// and an EU of its subslice 2.
    fn answer() -> Vec<u8> {
        let info = query::TopologyInfo {
            flags: 0,
            max_slices: 2,
            max_subslices: 3,
            max_eus_per_subslice: 8,
            subslice_offset: 1,
            subslice_stride: 1,
            eu_offset: 3,
            eu_stride: 1,
        };
        let mut blob = info.as_bytes().to_vec();
        blob.extend([0b11, 0b111, 0b110]);
        blob.extend([0xff, 0xff, 0xff, 0x00, 0xff, 0x7f]);
        blob
    }

    #[test]
    fn topology_masks_become_counts() {
        let topology = parse_topology(&answer()).unwrap();
        assert_eq!(topology.slices, [[8, 8, 8], [0, 8, 7]]);
        assert_eq!(topology.slice_count(), 2);
        assert_eq!(topology.subslice_count(), 5);
        assert_eq!(topology.eu_count(), 39);
    }

    #[test]
    fn a_short_topology_is_an_error() {
        let blob = answer();
        for length in 0..blob.len() {
            assert!(parse_topology(&blob[..length]).is_err(), "{length}");
        }
    }
}
