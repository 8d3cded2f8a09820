//! Buffer objects.

use crate::node_ext::NodeExt;
use crate::uapi::xe::gem::{self, GemCreateFlags};
use crate::{KmdResult, Node};

/// GEM_CREATE: a buffer object of `size` bytes in one of the regions of the mask `placement`.
/// Returns its handle.
pub fn gem_create(
    node: &dyn Node,
    size: u64,
    placement: u32,
    cpu_caching: u16,
    flags: GemCreateFlags,
) -> KmdResult<u32> {
    let mut argument = gem::GemCreate {
        size,
        placement,
        flags,
        cpu_caching,
        ..Default::default()
    };
    node.call(gem::GEM_CREATE, &mut argument)?;
    Ok(argument.handle)
}

/// GEM_MMAP_OFFSET: the offset at which the node maps a buffer object.
pub fn gem_mmap_offset(node: &dyn Node, handle: u32) -> KmdResult<u64> {
    let mut argument = gem::GemMmapOffset {
        handle,
        ..Default::default()
    };
    node.call(gem::GEM_MMAP_OFFSET, &mut argument)?;
    Ok(argument.offset)
}
