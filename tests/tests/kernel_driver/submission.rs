//! Batches, fences, deadlines.

use std::time::{Duration, Instant};

use devinfo::GpuAddress;
use kmd_iface::{Fence, KmdError, QueueStatus, Seqno, Submission};

use crate::rig::{BATCH, Rig, SIZE, devices, soon};

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
    for (name, kmd) in devices() {
        let rig = Rig::new(&kmd);
        let fence = rig.submit(rig.queue, 0, &rig.stores(&[(1, 7)]), &[]);
        let file = kmd.export_fence(fence).unwrap();
        let file = std::fs::File::from(file);
        kmd.wait(fence, soon()).unwrap();
        // Another export of something that is done.
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
