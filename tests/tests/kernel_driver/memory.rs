//! Buffers, bindings, sharing.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use devinfo::GpuAddress;
use kmd_iface::{BufferDesc, Caching, KmdError, Placement, UserMemory};

use crate::rig::{DATA, Rig, SIZE, devices, kernel_drivers, soon, word};

#[test]
fn the_description_is_that_of_the_platform() {
    for (name, kmd) in devices().into_iter().filter(|d| d.0.starts_with("soft")) {
        let description = kmd.description();
        let platform = description.platform.unwrap();
        let sku = platform.default_sku();
        assert_eq!(description.pci_id, platform.default_pci_id(), "{name}");
        assert_eq!(description.revision, platform.default_revision, "{name}");
        assert_eq!(description.topology.eu_count(), sku.eus(), "{name}");
        assert_eq!(
            description.topology.subslice_count(),
            sku.subslices(),
            "{name}"
        );
        assert_eq!(
            description.timestamp_frequency, platform.timestamp_frequency,
            "{name}"
        );
        assert_eq!(
            description.has_device_memory(),
            platform.local_memory && description.driver.is_some(),
            "{name}"
        );
        assert_eq!(description.has_llc, platform.llc, "{name}");
        let bits = u32::from(platform.address_bits);
        assert_eq!(description.va_bits, bits, "{name}");
    }
}

#[test]
fn timestamps_go_forward() {
    for (name, kmd) in devices() {
        let first = kmd.timestamp().unwrap();
        let second = kmd.timestamp().unwrap();
        assert!(second >= first, "{name}: {first} then {second}");
    }
}

#[test]
fn new_buffers_are_zero_and_closed_ones_are_gone() {
    for (name, kmd) in devices() {
        let placements = if kmd.description().has_device_memory() {
            vec![Placement::System, Placement::DeviceCpuVisible]
        } else {
            vec![Placement::System, Placement::Device]
        };
        for placement in placements {
            let buffer = kmd
                .create_buffer(&BufferDesc {
                    size: 100_000,
                    placement,
                    caching: Caching::WriteCombined,
                })
                .unwrap();
            let size = kmd.buffer_size(buffer).unwrap();
            assert!(size >= 100_000 && size.is_multiple_of(4096), "{name}");
            let map = kmd.map(buffer).unwrap();
            assert_eq!(map.len() as u64, size, "{name}");
            for index in 0..map.len() / 4 {
                assert_eq!(word(&map, index).load(Ordering::Relaxed), 0, "{name}");
            }
            kmd.close_buffer(buffer).unwrap();
            assert!(
                matches!(kmd.map(buffer), Err(KmdError::NoSuchBuffer(b)) if b == buffer),
                "{name}"
            );
            assert!(kmd.close_buffer(buffer).is_err(), "{name}");
        }
        assert!(kmd.create_buffer(&BufferDesc::system(0)).is_err(), "{name}");
    }
}

#[test]
fn a_buffer_of_user_memory_is_that_memory() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        // A mapping of another buffer serves as page-aligned memory.
        let other = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
        let memory = Arc::new(kmd.map(other).unwrap());
        let user = UserMemory::from_mapping(Arc::clone(&memory));
        let buffer = kmd.create_user_buffer(user).unwrap();
        assert_eq!(kmd.buffer_size(buffer).unwrap(), SIZE, "{name}");
        let address = GpuAddress::new(0x2_0000_0000);
        kmd.bind(rig.space, address, buffer, 0, SIZE).unwrap();
        let mut commands = Vec::new();
        rig.store(&mut commands, address.offset(12), 0xabcd);
        commands.extend(rig.stores(&[]));
        let fence = rig.submit(rig.queue, 0, &commands, &[]);
        kmd.wait(fence, soon()).unwrap();
        assert_eq!(word(&memory, 3).load(Ordering::Acquire), 0xabcd, "{name}");
        assert!(kmd.map(buffer).is_err(), "{name}");

        // SAFETY: refused, so never accessed.
        let odd =
            unsafe { UserMemory::new(memory.as_mut_ptr().wrapping_add(16), 4096, true, memory) };
        assert!(
            matches!(kmd.create_user_buffer(odd), Err(KmdError::Invalid { .. })),
            "{name}"
        );
    }
}

#[test]
fn a_dma_buf_leads_back_to_its_buffer() {
    for (name, kmd) in kernel_drivers() {
        let buffer = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
        let dmabuf = kmd.export_buffer(buffer).unwrap();
        assert_eq!(kmd.import_buffer(dmabuf.as_fd()).unwrap(), buffer, "{name}");
        assert_eq!(kmd.buffer_size(buffer).unwrap(), SIZE, "{name}");
    }
}

#[test]
fn bindings_are_checked() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let buffer = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
        let bind = |address: GpuAddress, length| kmd.bind(rig.space, address, buffer, 0, length);
        assert!(
            matches!(bind(DATA, SIZE), Err(KmdError::Overlap { other, .. }) if other == DATA),
            "{name}"
        );
        let free = GpuAddress::new(0x3_0000_0000);
        assert!(
            matches!(bind(free.offset(8), SIZE), Err(KmdError::Invalid { .. })),
            "{name}"
        );
        bind(free, SIZE).unwrap();
        assert!(kmd.unbind(rig.space, free, SIZE / 2).is_err(), "{name}");
        kmd.unbind(rig.space, free, SIZE).unwrap();
        assert!(
            matches!(
                kmd.unbind(rig.space, free, SIZE),
                Err(KmdError::NotBound { .. })
            ),
            "{name}"
        );
        // Closing also removes the binding.
        bind(free, SIZE).unwrap();
        kmd.close_buffer(buffer).unwrap();
        let again = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
        kmd.bind(rig.space, free, again, 0, SIZE).unwrap();
    }
}
