//! Batches, fences, deadlines.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use devinfo::{Driver, GpuAddress, Target};
use kmd_iface::{
    AddressSpaceOptions, BufferDesc, EngineClass, Fence, KmdError, Priority, QueueDesc, QueueId,
    QueueStatus, Seqno, Submission,
};
use stack_tests::subject;

use crate::rig::{BATCH, Rig, SIZE, devices, kernel_drivers, soft_node, soon};

#[test]
fn batches_of_a_queue_run_in_order() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let mut last = None;
        for round in 1..=20u32 {
            let commands = rig.stores(&[(0, round), (u64::from(round), round * 3)]);
            let fence = rig.submit(rig.queue, u64::from(round) * 256, &commands, &[]);
            assert_eq!(fence.seqno.get(), u64::from(round), "{name}");
            last = Some(fence);
        }
        kmd.wait(last.unwrap(), soon()).unwrap();
        assert_eq!(rig.read(0), 20, "{name}");
        for round in 1..=20 {
            assert_eq!(rig.read(round), u32::try_from(round).unwrap() * 3, "{name}");
        }
        assert!(kmd.is_done(last.unwrap()).unwrap());
        assert_eq!(kmd.queue_status(rig.queue).unwrap(), QueueStatus::Ok);
        assert!(kmd.wait_buffer(rig.data, soon()).unwrap());
    }
}

#[test]
fn a_queue_waits_for_another() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let other = rig.new_queue();
        let mut fence: Option<Fence> = None;
        for round in 1..=16u32 {
            let queue = if round % 2 == 0 { rig.queue } else { other };
            let commands = rig.stores(&[(0, round)]);
            let wait: Vec<_> = fence.into_iter().collect();
            fence = Some(rig.submit(queue, u64::from(round) * 64, &commands, &wait));
        }
        kmd.wait(fence.unwrap(), soon()).unwrap();
        assert_eq!(rig.read(0), 16, "{name}");
    }
}

#[test]
fn a_fence_becomes_a_sync_file() {
    for (name, kmd) in kernel_drivers() {
        let rig = Rig::new(&kmd);
        let fence = rig.submit(rig.queue, 0, &rig.stores(&[(1, 7)]), &[]);
        let file = kmd.export_fence(fence).unwrap();
        let file = std::fs::File::from(file);
        kmd.wait(fence, soon()).unwrap();
        // Another export of a completed submission.
        drop(kmd.export_fence(fence).unwrap());
        assert!(file.metadata().is_ok(), "{name}");
    }
}

#[test]
fn the_deadline_of_a_wait_holds() {
    for (name, kmd) in devices().into_iter().filter(|d| d.0.starts_with("soft")) {
        let rig = Rig::new(&kmd);
        let fence = rig.submit(rig.queue, 0, &rig.endless(0), &[]);
        let begin = Instant::now();
        let error = kmd
            .wait(fence, begin + Duration::from_millis(50))
            .unwrap_err();
        assert!(
            matches!(error, KmdError::DeadlineExceeded { fence: f } if f == fence),
            "{name}: {error}"
        );
        assert!(begin.elapsed() >= Duration::from_millis(50), "{name}");
        assert!(!kmd.is_done(fence).unwrap_or(true), "{name}");
    }
}

#[test]
fn what_is_no_batch_is_refused() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let submit = |batch: GpuAddress, length| {
            let wait = &[];
            kmd.submit(
                rig.queue,
                &Submission {
                    batch,
                    length,
                    wait,
                },
            )
        };
        assert!(
            matches!(
                submit(GpuAddress::new(0x5000), 8),
                Err(KmdError::NotBound { .. })
            ),
            "{name}"
        );
        assert!(
            matches!(
                submit(BATCH.offset(SIZE - 8), 16),
                Err(KmdError::NotBound { .. })
            ),
            "{name}"
        );
        let never = Fence {
            queue: rig.queue,
            seqno: Seqno::new(1),
        };
        assert!(
            matches!(kmd.wait(never, soon()), Err(KmdError::Invalid { .. })),
            "{name}"
        );
        kmd.destroy_queue(rig.queue).unwrap();
        assert!(
            matches!(submit(BATCH, 8), Err(KmdError::NoSuchQueue(_))),
            "{name}"
        );
    }
}

#[test]
fn a_destroyed_queue_holds_nobody_up() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let gone = rig.new_queue();
        let fence = rig.submit(gone, 0, &rig.stores(&[(0, 1)]), &[]);
        kmd.wait(fence, soon()).unwrap();
        kmd.destroy_queue(gone).unwrap();
        // Its name is not reused: another queue's fences must not be mistaken for its own.
        let next = rig.new_queue();
        assert_ne!(next, gone, "{name}");
        let after = rig.submit(next, 256, &rig.stores(&[(0, 2)]), &[fence]);
        kmd.wait(after, soon()).unwrap();
        assert_eq!(rig.read(0), 2, "{name}");
        assert!(
            matches!(kmd.wait(fence, soon()), Err(KmdError::NoSuchQueue(q)) if q == gone),
            "{name}"
        );
        let never = Fence {
            queue: QueueId::new(next.get() + 1),
            seqno: Seqno::new(1),
        };
        let submission = Submission {
            batch: BATCH,
            length: 8,
            wait: &[never],
        };
        assert!(
            matches!(kmd.submit(next, &submission), Err(KmdError::NoSuchQueue(_))),
            "{name}"
        );
    }
}

/// Closing a buffer must not fail the submissions of others, which list everything that is bound.
#[test]
fn buffers_come_and_go_beside_submissions() {
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let commands = rig.stores(&[(0, 1)]);
        let running = AtomicBool::new(true);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let address = GpuAddress::new(0x3_0000_0000);
                while running.load(Ordering::Relaxed) {
                    let buffer = kmd.create_buffer(&BufferDesc::system(SIZE)).unwrap();
                    kmd.bind(rig.space, address, buffer, 0, SIZE).unwrap();
                    kmd.close_buffer(buffer).unwrap();
                }
            });
            let mut last = None;
            for _ in 0..300 {
                last = Some(rig.submit(rig.queue, 0, &commands, &[]));
            }
            running.store(false, Ordering::Relaxed);
            kmd.wait(last.unwrap(), soon()).unwrap();
        });
        assert_eq!(rig.read(0), 1, "{name}");
    }
}

/// The page of fences of a long-running address space has room for 512 queues at a time, and for
/// any number one after the other.
#[test]
fn fences_of_long_running_queues_are_used_again() {
    if !subject::is_software() {
        return;
    }
    let soft = (Target::parse("tgl").unwrap(), Driver::Xe);
    let kmd = kmd_iface::open(soft_node(soft)).unwrap();
    let options = AddressSpaceOptions {
        long_running: true,
        ..AddressSpaceOptions::default()
    };
    let address_space = kmd.create_address_space_with(options).unwrap();
    let desc = QueueDesc {
        engine: EngineClass::Render,
        priority: Priority::Normal,
        address_space,
    };
    for _ in 0..2000 {
        let queue = kmd.create_queue(&desc).unwrap();
        kmd.destroy_queue(queue).unwrap();
    }
    let queues: Vec<_> = (0..512).map(|_| kmd.create_queue(&desc).unwrap()).collect();
    assert!(matches!(
        kmd.create_queue(&desc),
        Err(KmdError::Invalid { .. })
    ));
    for queue in queues {
        kmd.destroy_queue(queue).unwrap();
    }
    kmd.destroy_address_space(address_space).unwrap();
}
