//! Memory of this process that buffers are made of, and addresses that this process and kernels
//! share, through both kernel drivers.
#![cfg(feature = "softgpu")]
#![cfg(test)]

use std::ptr::NonNull;
use std::time::Duration;

use devinfo::GpuAddress;
use umd::{Device, DeviceSpec, HostMemory, Queue, QueueOptions};

const LONG: Duration = Duration::from_secs(60);

fn everywhere(test: impl Fn(&Device, &Queue)) {
    for name in [
        "soft:skl",
        "soft:tgl@i915",
        "soft:tgl@xe",
        "soft:dg2@i915",
        "soft:dg2@xe",
        "soft:pvc",
        "soft:bmg",
    ] {
        eprintln!("{name}");
        let device = Device::open(&name.parse::<DeviceSpec>().unwrap()).unwrap();
        let queue = device.queue(QueueOptions::default()).unwrap();
        test(&device, &queue);
    }
}

#[test]
fn buffers_of_memory_that_others_allocated() {
    everywhere(|device, queue| {
        // In the middle of what the allocator gave, over several pages.
        let mut owner: Vec<u8> = (0..30_000).map(|i| (i % 251) as u8).collect();
        let start = NonNull::new(owner.as_mut_ptr()).unwrap();
        // SAFETY: the bytes lie in `owner`, which outlives all that is made of them and is not
        // looked at by reference until then.
        let part = unsafe { start.add(1234) };
        // SAFETY: as above.
        let memory = unsafe { HostMemory::from_raw(part, 20_000) }.unwrap();
        assert_eq!(memory.size(), 20_000);
        let buffer = device.from_user_memory(&memory, 0..20_000).unwrap();
        assert_eq!(buffer.host_pointer(), part.as_ptr());
        let copy = device.buffer(20_000).unwrap();
        let copied = queue.copy_buffer((&buffer, 0), (&copy, 0), 20_000, &[]);
        let filled = queue.fill_buffer((&buffer, 1), 19_998, &[0xaa], &[]);
        copied.unwrap().wait(LONG).unwrap();
        filled.unwrap().wait(LONG).unwrap();
        let mut bytes = vec![0; 20_000];
        copy.read(0, &mut bytes).unwrap();
        drop((buffer, memory, copy));
        queue.finish(LONG).unwrap();
        let before = |i: usize| (i % 251) as u8;
        assert!((0..20_000).all(|i| bytes[i] == before(1234 + i)));
        for (i, &byte) in owner.iter().enumerate() {
            let filled = (1235..1235 + 19_998).contains(&i);
            assert_eq!(byte, if filled { 0xaa } else { before(i) }, "{i}");
        }
    });
}

#[test]
fn memory_that_cannot_be_is_refused() {
    let mut byte = 0u8;
    let place = NonNull::from(&mut byte);
    for (place, size) in [(place, 0), (place, usize::MAX)] {
        // SAFETY: no such memory is taken.
        let error = unsafe { HostMemory::from_raw(place, size) }.unwrap_err();
        assert!(error.to_string().contains("bytes at 0x"), "{error}");
    }
}

#[test]
fn shared_buffers_have_one_address() {
    everywhere(|device, queue| {
        let buffers: Vec<_> = [1u64, 100_000, 4096, 3 << 20]
            .map(|size| device.shared_buffer(size).unwrap())
            .into();
        for (number, buffer) in buffers.iter().enumerate() {
            let address = buffer.host_pointer().addr() as u64;
            assert_eq!(buffer.address().get(), address);
            let byte = number as u8 + 1;
            let event = queue.fill_buffer((buffer, 0), buffer.size(), &[byte], &[]);
            event.unwrap().wait(LONG).unwrap();
            let mut bytes = vec![0; buffer.size() as usize];
            buffer.read(0, &mut bytes).unwrap();
            assert!(bytes.iter().all(|&b| b == byte));
        }
        assert!(device.shared_buffer(0).is_err());
        assert!(device.shared_buffer(u64::MAX).is_err());
    });
}

#[test]
fn buffers_are_found_by_their_addresses() {
    everywhere(|device, _| {
        let buffer = device.buffer(1000).unwrap();
        let shared = device.shared_buffer(5000).unwrap();
        for buffer in [&buffer, &shared] {
            let at = |offset| device.buffer_at(buffer.address().offset(offset));
            let found = at(10).unwrap();
            assert_eq!((found.size(), found.origin()), (buffer.size() - 10, 10));
            assert_eq!(found.host_pointer(), buffer.host_pointer().wrapping_add(10));
            assert!(at(buffer.size()).is_none());
        }
        let gone = buffer.address();
        drop(buffer);
        assert!(device.buffer_at(gone).is_none());
        assert!(device.buffer_at(GpuAddress::new(0)).is_none());
    });
}

#[test]
fn reserved_buffers_have_addresses_of_their_own() {
    let devices = ["tgl", "dg2"].map(|name| Device::open(&DeviceSpec::soft(name)).unwrap());
    let mut places = Vec::new();
    let buffers: Vec<_> = (0..32)
        .map(|n| devices[n % 2].reserved_buffer(70_000).unwrap())
        .collect();
    for (n, buffer) in buffers.iter().enumerate() {
        buffer.write(69_999, &[n as u8]).unwrap();
        places.push(buffer.address().get());
    }
    for (n, buffer) in buffers.iter().enumerate() {
        let mut byte = [0];
        buffer.read(69_999, &mut byte).unwrap();
        assert_eq!(byte, [n as u8]);
    }
    places.sort_unstable();
    assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 70_000));
    assert!(devices[0].reserved_buffer(0).is_err());
    assert!(devices[0].reserved_buffer(u64::MAX).is_err());
}

#[test]
fn limits_are_the_tables() {
    for platform in devinfo::PLATFORMS {
        let device = Device::open(&DeviceSpec::soft(platform.name)).unwrap();
        let limits = device.limits();
        let sku = platform.default_sku();
        assert_eq!(limits.pci_id, platform.default_pci_id());
        assert_eq!(limits.compute_units, sku.eus(), "{platform}");
        assert_eq!(limits.fp64, platform.fp64);
        assert_eq!(limits.images.is_some(), platform.name != "pvc");
        assert_eq!(limits.unified_memory, !platform.local_memory, "{platform}");
        assert!(limits.global_memory > 0 && limits.timer_frequency > 0);
    }
}
