//! The i915 ioctls that the client itself does not need, one by one.

use std::time::{Duration, Instant};

use devinfo::Driver;
use kmd_iface::i915::calls;
use kmd_iface::uapi::drm::{SyncobjCreateFlags, SyncobjWaitFlags};
use kmd_iface::uapi::i915::context::ContextParam;
use kmd_iface::uapi::i915::gem::{self, Domains, MmapOffset};
use kmd_iface::uapi::i915::getparam::Param;
use kmd_iface::uapi::i915::query::QueryId;
use kmd_iface::{KmdError, generic};
use nix::errno::Errno;
use stack_tests::subject;

use crate::rig::{soft_node, soft_platforms};

/// The errno of a refused ioctl.
fn errno<T: std::fmt::Debug>(result: Result<T, KmdError>) -> Errno {
    match result.unwrap_err() {
        KmdError::Ioctl { errno, .. } => errno,
        other => panic!("{other}"),
    }
}

#[test]
fn buffer_ioctls() {
    if !subject::is_software() {
        return;
    }
    for soft in soft_platforms() {
        assert_eq!(soft.1, Driver::I915);
        let node = soft_node(soft);
        let node = node.as_ref();
        let (handle, size) = calls::create(node, 5000).unwrap();
        assert_eq!(size, 8192);
        let tiled = calls::set_tiling(node, handle, gem::TILING_Y, 128);
        let moved = calls::set_domain(node, handle, Domains::CPU, Domains::CPU);
        if soft.0.platform.local_memory {
            // i915 has neither on discrete devices.
            assert_eq!(errno(tiled), Errno::EOPNOTSUPP);
            assert_eq!(errno(moved), Errno::ENODEV);
        } else {
            tiled.unwrap();
            moved.unwrap();
            assert_eq!(calls::get_tiling(node, handle).unwrap(), gem::TILING_Y);
        }
        assert_eq!(calls::busy(node, handle).unwrap(), 0);
        assert!(calls::wait(node, handle, Some(Duration::ZERO)).unwrap());
        assert!(calls::wait(node, handle, None).unwrap());
        let kind = if soft.0.platform.local_memory {
            MmapOffset::Fixed
        } else {
            MmapOffset::Wb
        };
        let offset = calls::mmap_offset(node, handle, kind).unwrap();
        node.map_source(offset).unwrap();
        generic::close(node, handle).unwrap();
        assert!(calls::busy(node, handle).is_err());
        assert_eq!(errno(calls::busy(node, 0xdead)), Errno::ENOENT);
        assert_eq!(errno(calls::create(node, 0)), Errno::EINVAL);
    }
}

#[test]
fn contexts_and_address_spaces() {
    if !subject::is_software() {
        return;
    }
    for soft in soft_platforms() {
        let node = soft_node(soft);
        let node = node.as_ref();
        let vm = calls::vm_create(node).unwrap();
        let settings = calls::ContextSettings {
            vm: Some(vm),
            recoverable: false,
            priority: Some(-5),
            ..Default::default()
        };
        let context = calls::context_create(node, &settings).unwrap();
        let get = |param| calls::context_getparam(node, context, param).unwrap();
        assert!(get(ContextParam::GttSize) > 1 << 32);
        assert_eq!(get(ContextParam::Recoverable), 0);
        assert_eq!(get(ContextParam::Priority).cast_signed(), -5);
        // Only privileged clients may go above the default.
        assert_eq!(
            errno(calls::context_setparam(
                node,
                context,
                ContextParam::Priority,
                3
            )),
            Errno::EPERM
        );
        calls::context_setparam(node, context, ContextParam::Priority, 0).unwrap();
        assert_eq!(get(ContextParam::Priority), 0);
        let stats = calls::reset_stats(node, context).unwrap();
        assert_eq!((stats.batch_active, stats.batch_pending), (0, 0));
        calls::context_destroy(node, context).unwrap();
        assert_eq!(
            errno(calls::context_getparam(
                node,
                context,
                ContextParam::Priority
            )),
            Errno::ENOENT
        );
        calls::vm_destroy(node, vm).unwrap();
        assert_eq!(errno(calls::vm_destroy(node, vm)), Errno::ENOENT);
        let gone = calls::ContextSettings {
            vm: Some(vm),
            ..Default::default()
        };
        assert_eq!(errno(calls::context_create(node, &gone)), Errno::ENOENT);
    }
}

#[test]
fn questions() {
    if !subject::is_software() {
        return;
    }
    for soft in soft_platforms() {
        let platform = soft.0.platform;
        let node = soft_node(soft);
        let node = node.as_ref();
        let chipset = calls::getparam(node, Param::ChipsetId).unwrap();
        assert_eq!(chipset, i32::from(platform.default_pci_id()));
        let eus = calls::getparam(node, Param::EuTotal).unwrap();
        assert_eq!(eus.unsigned_abs(), platform.default_sku().eus());
        assert_eq!(
            calls::topology(node).unwrap().eu_count(),
            platform.default_sku().eus()
        );
        let regions = calls::memory_regions(node).unwrap();
        assert_eq!(regions.len(), 1 + usize::from(platform.local_memory));
        assert!(!calls::engines(node).unwrap().is_empty());
        // If there is a table, it has whole entries: key, length, values.
        if let Ok(table) = calls::hwconfig(node) {
            let mut rest = table.as_slice();
            while let [_, length, tail @ ..] = rest {
                rest = &tail[usize::try_from(*length).unwrap()..];
            }
            assert!(rest.is_empty());
        }
        assert!(calls::query_blob(node, QueryId::PerfConfig, 0).is_err());
        // A register that user space must not read.
        assert_eq!(errno(calls::reg_read(node, 0xdead_0000)), Errno::EINVAL);
    }
}

#[test]
fn sync_objects() {
    if !subject::is_software() {
        return;
    }
    let node = soft_node(soft_platforms()[3]);
    let node = node.as_ref();
    let soon = || Instant::now() + Duration::from_secs(10);
    let now = Instant::now();
    let none = SyncobjWaitFlags::empty();

    let timeline = generic::syncobj_create(node, SyncobjCreateFlags::empty()).unwrap();
    assert_eq!(generic::syncobj_query(node, &[timeline]).unwrap(), [0]);
    // Nothing was submitted for point 5, and no flag says to wait for that.
    assert_eq!(
        errno(generic::syncobj_timeline_wait(
            node,
            &[(timeline, 5)],
            none,
            now
        )),
        Errno::EINVAL
    );
    let submitted = SyncobjWaitFlags::WAIT_FOR_SUBMIT;
    assert!(!generic::syncobj_timeline_wait(node, &[(timeline, 5)], submitted, now).unwrap());
    generic::syncobj_timeline_signal(node, timeline, 5).unwrap();
    assert!(generic::syncobj_timeline_wait(node, &[(timeline, 4)], none, soon()).unwrap());
    assert!(generic::syncobj_timeline_wait(node, &[(timeline, 5)], none, soon()).unwrap());
    assert_eq!(generic::syncobj_query(node, &[timeline]).unwrap(), [5]);

    let binary = generic::syncobj_create(node, SyncobjCreateFlags::SIGNALED).unwrap();
    assert!(generic::syncobj_wait(node, &[binary], none, now).unwrap());
    drop(generic::syncobj_export_sync_file(node, binary).unwrap());
    generic::syncobj_reset(node, &[binary]).unwrap();
    assert_eq!(
        errno(generic::syncobj_wait(node, &[binary], none, now)),
        Errno::EINVAL
    );
    generic::syncobj_transfer(node, (timeline, 5), (binary, 0)).unwrap();
    assert!(generic::syncobj_wait(node, &[binary], none, now).unwrap());
    generic::syncobj_signal(node, &[binary]).unwrap();
    generic::syncobj_destroy(node, binary).unwrap();
    assert!(generic::syncobj_destroy(node, binary).is_err());
    assert_eq!(
        errno(generic::syncobj_wait(node, &[binary], none, now)),
        Errno::ENOENT
    );
}
