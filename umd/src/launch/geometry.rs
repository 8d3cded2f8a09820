//! How an index space becomes walkers: local size, regions, threads, masks.

use devinfo::Platform;

use crate::binary::KernelAbi;
use crate::error::{ArgumentError, ErrorKind};
use crate::range::NdRange;

/// Threads of a group that a walker can count (GPGPU_WALKER "Thread Width Counter Maximum" has
/// six bits; COMPUTE_WALKER takes more, but no platform has more threads on one subslice's
/// barrier).
const MAX_THREADS: u32 = 64;

/// The part of an index space whose groups have one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Walk {
    /// The id of the first group.
    pub first_group: [u32; 3],
    /// Groups.
    pub groups: [u32; 3],
    /// Work-items of each group.
    pub local: [u32; 3],
    /// Threads of each group.
    pub threads: u32,
    /// The lanes of a group's last thread that run.
    pub last_mask: u32,
}

impl Walk {
    /// Work-items of each group.
    pub(crate) fn items(&self) -> u64 {
        items(self.local)
    }
}

/// An index space cut into walkers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Geometry {
    /// The local size that was asked for or chosen: `get_enqueued_local_size`.
    pub local: [u32; 3],
    /// `get_num_groups`.
    pub groups: [u32; 3],
    /// `get_global_size`.
    pub global: [u32; 3],
    /// `get_global_offset`.
    pub offset: [u32; 3],
    /// `get_work_dim`.
    pub dimensions: u32,
    /// Lanes of a thread.
    pub simd: u32,
}

impl Geometry {
    /// One to eight walkers: the whole groups, and the smaller ones at each upper edge. None if
    /// the index space is empty.
    pub(crate) fn walks(&self) -> impl Iterator<Item = Walk> + use<> {
        walks(self.global, self.local, self.simd)
    }
}

/// Cuts an index space into walkers, for subslices of so many EUs.
///
/// # Errors
/// A local size that the kernel or the platform does not take; a range beyond 32 bits.
pub(crate) fn geometry(
    entry: &KernelAbi,
    range: &NdRange,
    platform: &Platform,
    eus: u32,
) -> Result<Geometry, ArgumentError> {
    let limit = max_local(entry, platform, eus);
    let global = dwords(ErrorKind::InvalidGlobalSize, "global size", range.global())?;
    let offset = dwords(
        ErrorKind::InvalidGlobalOffset,
        "global offset",
        range.offset(),
    )?;
    for (size, start) in global.iter().zip(offset) {
        if start.checked_add(size.saturating_sub(1)).is_none() {
            return Err(ArgumentError::Range {
                kind: ErrorKind::InvalidGlobalOffset,
                why: format!("work-items {start} + {size} are beyond 32 bits"),
            });
        }
    }
    let dimensions = range.dimensions();
    if let Some(required) = entry.info.required_local_size
        && let Some(beyond) = (dimensions as usize..3).rev().find(|&d| required[d] != 1)
    {
        // CL_INVALID_WORK_GROUP_SIZE: the size of a dimension that is not there is 1.
        return Err(ArgumentError::Range {
            kind: ErrorKind::InvalidWorkGroupSize,
            why: format!(
                "the global size has {dimensions} dimensions, the kernel requires the local size \
                 {required:?}, which has {}",
                beyond + 1
            ),
        });
    }
    let local = match (range.local(), entry.info.required_local_size) {
        (Some(local), Some(required)) if local != required => {
            return Err(ArgumentError::Range {
                kind: ErrorKind::InvalidWorkGroupSize,
                why: format!("the local size is {local:?}, the kernel requires {required:?}"),
            });
        }
        (_, Some(required)) => required,
        (Some(local), None) => local,
        (None, None) => choose_local(global, limit, entry.info.simd, range.is_uniform()),
    };
    let items = items(local);
    if items > u64::from(limit) {
        return Err(ArgumentError::Range {
            kind: ErrorKind::InvalidWorkGroupSize,
            why: format!(
                "the local size {local:?} has {items} work-items; {platform} runs at most {limit} \
                 at SIMD{}",
                entry.info.simd
            ),
        });
    }
    let mut sizes = global.iter().zip(local);
    if range.is_uniform() && !sizes.all(|(size, local)| size.is_multiple_of(local)) {
        return Err(ArgumentError::Range {
            kind: ErrorKind::InvalidWorkGroupSize,
            why: format!(
                "the local size {local:?} does not divide the global size {global:?}, and all groups \
                 must have one size"
            ),
        });
    }
    Ok(Geometry {
        local,
        groups: std::array::from_fn(|d| global[d].div_ceil(local[d])),
        global,
        offset,
        dimensions: range.dimensions(),
        simd: entry.info.simd,
    })
}

/// The most work-items of a group on subslices of so many EUs.
pub(crate) fn max_local(entry: &KernelAbi, platform: &Platform, eus: u32) -> u32 {
    let on_subslice = platform.threads_of(eus, entry.info.grf_count);
    let threads = MAX_THREADS.min(on_subslice).max(1);
    platform
        .max_work_group_size(eus)
        .min(entry.info.simd.saturating_mul(threads))
}

/// A local size with whole threads where that is possible. It divides the global size if that must be
/// so, or gives threads enough lanes.
fn choose_local(global: [u32; 3], limit: u32, simd: u32, uniform: bool) -> [u32; 3] {
    // Enough threads for latency hiding, and groups small enough to spread over subslices.
    let wanted = limit.min(256).max(simd.min(limit));
    let mut local = [1u32; 3];
    let mut room = wanted;
    for (size, local) in global.into_iter().zip(&mut local) {
        *local = largest_divisor(size, room);
        room /= *local;
    }
    let whole = local.iter().product::<u32>();
    // A size with large prime factors has no good divisor: smaller groups at the edge are better
    // than threads with few lanes.
    if !uniform && whole < simd && u64::from(global[0]) >= u64::from(simd) {
        return [wanted.min(global[0]).max(1), 1, 1];
    }
    local
}

fn largest_divisor(size: u32, limit: u32) -> u32 {
    (1..=limit.min(size).max(1))
        .rev()
        .find(|&n| size.is_multiple_of(n))
        .unwrap_or(1)
}

/// The whole groups and the smaller ones at the upper edges, each with its threads.
fn walks(global: [u32; 3], local: [u32; 3], simd: u32) -> impl Iterator<Item = Walk> + use<> {
    // In each dimension: the groups of whole size, then the last, smaller one.
    let parts = move |d: usize| {
        let whole = global[d] / local[d];
        let rest = global[d] % local[d];
        [(0, whole, local[d]), (whole, u32::from(rest > 0), rest)]
            .into_iter()
            .filter(|&(_, count, _)| count > 0)
    };
    let columns = move |y, z| parts(0).map(move |x| [x, y, z]);
    let rows = move |z| parts(1).flat_map(move |y| columns(y, z));
    parts(2).flat_map(rows).map(move |[x, y, z]| {
        let local = [x.2, y.2, z.2];
        let items = items(local);
        let lanes = u64::from(simd.max(1));
        Walk {
            first_group: [x.0, y.0, z.0],
            groups: [x.1, y.1, z.1],
            local,
            threads: u32::try_from(sub_groups(local, simd)).unwrap_or(u32::MAX),
            last_mask: match (items % lanes) as u32 {
                // Threads of kernels of one lane start with all (`Simd::for_kernel`).
                0 if simd == 1 => u32::MAX,
                0 => lanes_mask(simd),
                rest => lanes_mask(rest),
            },
        }
    })
}

/// The sub-groups of a group: its threads. What is asked of a kernel and what is dispatched come
/// from here.
pub(crate) fn sub_groups(local: [u32; 3], simd: u32) -> u64 {
    items(local).div_ceil(simd.max(1).into())
}

fn lanes_mask(lanes: u32) -> u32 {
    match lanes {
        0..=31 => (1 << lanes) - 1,
        _ => u32::MAX,
    }
}

fn items(local: [u32; 3]) -> u64 {
    local
        .iter()
        .map(|&n| u64::from(n))
        .fold(1, u64::saturating_mul)
}

fn dwords(kind: ErrorKind, what: &str, values: [u64; 3]) -> Result<[u32; 3], ArgumentError> {
    let mut out = [0; 3];
    for (to, from) in out.iter_mut().zip(values) {
        *to = u32::try_from(from).map_err(|_| ArgumentError::Range {
            kind,
            why: format!("the {what} {from} is beyond 32 bits, which kernels count in"),
        })?;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uneven_ranges_have_up_to_eight_walkers() {
        let walks: Vec<_> = walks([10, 7, 3], [4, 2, 2], 8).collect();
        assert_eq!(walks.len(), 8);
        let all: u64 = walks
            .iter()
            .map(|w| items(w.local) * w.groups.iter().map(|&n| u64::from(n)).product::<u64>())
            .sum();
        assert_eq!(all, 10 * 7 * 3);
        assert_eq!(walks[0].groups, [2, 3, 1]);
        assert_eq!((walks[0].threads, walks[0].last_mask), (2, 0xff));
        let last = walks[7];
        assert_eq!(last.first_group, [2, 3, 1]);
        assert_eq!(last.local, [2, 1, 1]);
        assert_eq!((last.threads, last.last_mask), (1, 0b11));
    }

    #[test]
    fn even_ranges_have_one() {
        let walks: Vec<_> = walks([64, 4, 1], [16, 2, 1], 32).collect();
        assert_eq!(walks.len(), 1);
        assert_eq!(walks[0].groups, [4, 2, 1]);
        assert_eq!((walks[0].threads, walks[0].last_mask), (1, u32::MAX));
        assert_eq!(super::walks([0, 4, 1], [1, 1, 1], 8).count(), 0);
    }

    #[test]
    fn kernels_of_one_lane_have_a_thread_an_item() {
        let walks: Vec<_> = walks([10, 3, 1], [4, 3, 1], 1).collect();
        let threads: Vec<_> = walks.iter().map(|w| (w.threads, w.last_mask)).collect();
        assert_eq!(threads, [(12, u32::MAX), (6, u32::MAX)]);
    }

    #[test]
    fn chosen_sizes_divide_where_they_can() {
        assert_eq!(choose_local([1024, 1, 1], 512, 32, false), [256, 1, 1]);
        assert_eq!(choose_local([1024, 1024, 1], 512, 32, false), [256, 1, 1]);
        assert_eq!(choose_local([30, 30, 1], 512, 32, false), [30, 6, 1]);
        assert_eq!(choose_local([1, 1, 1], 512, 32, false), [1, 1, 1]);
        assert_eq!(choose_local([1009, 1, 1], 512, 32, false), [256, 1, 1]);
        assert_eq!(choose_local([0, 1, 1], 512, 32, false), [1, 1, 1]);
        // One size for all groups, whatever it costs.
        assert_eq!(choose_local([1009, 1, 1], 512, 32, true), [1, 1, 1]);
        assert_eq!(choose_local([514, 1, 1], 512, 32, true), [2, 1, 1]);
        assert_eq!(choose_local([1024, 1, 1], 512, 32, true), [256, 1, 1]);
    }
}
