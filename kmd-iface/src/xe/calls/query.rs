//! DEVICE_QUERY.

use nix::time::ClockId;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::node_ext::{NodeExt, user_pointer_mut};
use crate::records::{dwords, records};
use crate::uapi::xe::EngineClassInstance;
use crate::uapi::xe::query::{self, Config, ConfigFlags, QueryId};
use crate::{KmdError, KmdResult, Node};

pub use crate::uapi::xe::query::{Engine, EngineCycles, Gt, MemRegion};

/// The most bytes that a query may answer: hardware tables have a few kilobytes.
const MAX_BLOB: u32 = 1 << 20;

fn bad_answer(what: String) -> KmdError {
    KmdError::BadAnswer {
        ioctl: query::DEVICE_QUERY.name(),
        what,
    }
}

/// DEVICE_QUERY: asks for the length, then for the bytes.
pub fn query_blob(node: &dyn Node, id: QueryId) -> KmdResult<Vec<u8>> {
    let mut argument = query::DeviceQuery {
        query: id as u32,
        ..Default::default()
    };
    node.call(query::DEVICE_QUERY, &mut argument)?;
    if argument.size > MAX_BLOB {
        return Err(bad_answer(format!("{} bytes for {id:?}", argument.size)));
    }
    let mut blob = vec![0u8; argument.size as usize];
    argument.data = user_pointer_mut(blob.as_mut_slice());
    if !blob.is_empty() {
        node.call(query::DEVICE_QUERY, &mut argument)?;
    }
    Ok(blob)
}

/// A query whose structure goes in and comes out.
fn query_in_out<T: FromBytes + IntoBytes + Immutable>(
    node: &dyn Node,
    id: QueryId,
    value: &mut T,
) -> KmdResult<()> {
    let mut argument = query::DeviceQuery {
        query: id as u32,
        size: u32::try_from(size_of::<T>()).unwrap_or(u32::MAX),
        data: user_pointer_mut(value),
        ..Default::default()
    };
    node.call(query::DEVICE_QUERY, &mut argument)?;
    Ok(())
}

/// The engines.
pub fn engines(node: &dyn Node) -> KmdResult<Vec<Engine>> {
    let blob = query_blob(node, QueryId::Engines)?;
    records(
        query::DEVICE_QUERY.name(),
        &blob,
        |h: &query::EnginesHeader| h.num_engines,
    )
}

/// The memory regions.
pub fn mem_regions(node: &dyn Node) -> KmdResult<Vec<MemRegion>> {
    let blob = query_blob(node, QueryId::MemRegions)?;
    records(
        query::DEVICE_QUERY.name(),
        &blob,
        |h: &query::MemRegionsHeader| h.num_mem_regions,
    )
}

/// The GTs.
pub fn gt_list(node: &dyn Node) -> KmdResult<Vec<Gt>> {
    let blob = query_blob(node, QueryId::GtList)?;
    records(
        query::DEVICE_QUERY.name(),
        &blob,
        |h: &query::GtListHeader| h.num_gt,
    )
}

/// The configuration values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// PCI device id.
    pub device_id: u16,
    /// PCI revision.
    pub revision: u8,
    /// Flags.
    pub flags: ConfigFlags,
    /// Least alignment of bindings in bytes.
    pub min_alignment: u64,
    /// Bits of a GPU address.
    pub va_bits: u32,
    /// The highest priority of a queue.
    pub max_priority: u64,
}

/// The configuration.
///
/// # Errors
/// What the kernel answers, or an answer without one of the values.
pub fn config(node: &dyn Node) -> KmdResult<Configuration> {
    let blob = query_blob(node, QueryId::Config)?;
    let values: Vec<u64> = records(
        query::DEVICE_QUERY.name(),
        &blob,
        |h: &query::ConfigHeader| h.num_params,
    )?;
    let value = |which: Config| {
        values
            .get(which as usize)
            .copied()
            .ok_or_else(|| bad_answer(format!("no {which:?} in the configuration")))
    };
    let [low, high, revision, ..] = value(Config::RevAndDeviceId)?.to_le_bytes();
    Ok(Configuration {
        device_id: u16::from_le_bytes([low, high]),
        revision,
        flags: ConfigFlags(value(Config::Flags)?),
        min_alignment: value(Config::MinAlignment)?,
        va_bits: u32::try_from(value(Config::VaBits)?).unwrap_or(0),
        max_priority: value(Config::MaxExecQueuePriority)?,
    })
}

/// The GuC's hardware attribute table, as dwords.
pub fn hwconfig(node: &dyn Node) -> KmdResult<Vec<u32>> {
    let blob = query_blob(node, QueryId::Hwconfig)?;
    dwords(query::DEVICE_QUERY.name(), &blob)
}

/// What a topology mask is about: `TOPO_*` of [`crate::uapi::xe::query`].
pub type MaskKind = u16;

/// The topology masks: GT, kind, and the bytes of the mask.
pub fn topology_masks(node: &dyn Node) -> KmdResult<Vec<(u16, MaskKind, Vec<u8>)>> {
    let blob = query_blob(node, QueryId::GtTopology)?;
    parse_masks(&blob)
}

fn parse_masks(mut rest: &[u8]) -> KmdResult<Vec<(u16, MaskKind, Vec<u8>)>> {
    let mut masks = Vec::new();
    while !rest.is_empty() {
        let short = || bad_answer("a topology mask that is cut off".to_owned());
        let (header, tail) = query::TopologyMask::read_from_prefix(rest).map_err(|_| short())?;
        let (mask, tail) = tail
            .split_at_checked(header.num_bytes as usize)
            .ok_or_else(short)?;
        masks.push((header.gt_id, header.ty, mask.to_vec()));
        rest = tail;
    }
    Ok(masks)
}

/// An engine's timestamp, with `CLOCK_MONOTONIC` at that time.
pub fn engine_cycles(node: &dyn Node, engine: EngineClassInstance) -> KmdResult<EngineCycles> {
    let mut cycles = EngineCycles {
        eci: engine,
        clockid: ClockId::CLOCK_MONOTONIC.as_raw(),
        ..Default::default()
    };
    query_in_out(node, QueryId::EngineCycles, &mut cycles)?;
    Ok(cycles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_follow_each_other_and_must_be_whole() {
        let mut blob = Vec::new();
        for (gt, kind, mask) in [(0u16, 2u16, [0x3f, 0]), (1, 4, [0xff, 0xff])] {
            blob.extend(gt.to_ne_bytes());
            blob.extend(kind.to_ne_bytes());
            blob.extend(2u32.to_ne_bytes());
            blob.extend(mask);
        }
        assert_eq!(
            parse_masks(&blob).unwrap(),
            [(0, 2, vec![0x3f, 0]), (1, 4, vec![0xff, 0xff])]
        );
        for length in 1..blob.len() {
            assert_eq!(
                parse_masks(&blob[..length]).is_ok(),
                length == 10,
                "{length}"
            );
        }
    }
}
