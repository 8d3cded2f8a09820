//! Hangs, page faults, and the state after them.

use devinfo::GpuAddress;
use kmd_iface::{ErrorKind, KmdError, QueueStatus, Submission};

use crate::rig::{BATCH, Rig, devices, soon};

#[test]
fn an_endless_batch_is_a_hang_and_a_new_queue_works() {
    for (name, kmd) in devices().into_iter().filter(|d| d.0.starts_with("soft")) {
        let rig = Rig::new(&kmd);
        let fence = rig.submit(rig.queue, 0, &rig.endless(0), &[]);
        let error = kmd.wait(fence, soon()).unwrap_err();
        assert!(
            matches!(&error, KmdError::QueueLost { queue, report }
                if *queue == rig.queue && report.kind == ErrorKind::Hang),
            "{name}: {error}"
        );
        assert!(
            matches!(kmd.queue_status(rig.queue).unwrap(), QueueStatus::Hung(_)),
            "{name}"
        );
        let again = kmd.submit(
            rig.queue,
            &Submission {
                batch: BATCH,
                length: 8,
                wait: &[],
            },
        );
        assert!(
            matches!(again, Err(KmdError::QueueLost { .. })),
            "{name}: {again:?}"
        );

        let fresh = rig.new_queue();
        let fence = rig.submit(fresh, 4096, &rig.stores(&[(5, 55)]), &[]);
        kmd.wait(fence, soon()).unwrap();
        assert_eq!(rig.read(5), 55, "{name}");
        kmd.destroy_queue(rig.queue).unwrap();
    }
}

#[test]
fn a_store_to_nowhere_is_a_page_fault_that_names_it() {
    for (name, kmd) in devices().into_iter().filter(|d| d.0.starts_with("soft")) {
        let rig = Rig::new(&kmd);
        let mut commands = Vec::new();
        rig.store(&mut commands, GpuAddress::new(0x1234_5000), 1);
        commands.extend(rig.stores(&[(6, 66)]));
        let fence = rig.submit(rig.queue, 0, &commands, &[]);
        let error = kmd.wait(fence, soon()).unwrap_err();
        let KmdError::QueueLost { report, .. } = &error else {
            panic!("{name}: {error}");
        };
        assert_eq!(report.kind, ErrorKind::PageFault, "{name}");
        assert!(report.summary.contains("12345000"), "{name}: {report}");
        assert_eq!(rig.read(6), 0, "{name}: work after the fault ran");
        assert!(
            matches!(
                kmd.queue_status(rig.queue).unwrap(),
                QueueStatus::Faulted(_)
            ),
            "{name}"
        );

        let fresh = rig.new_queue();
        let fence = rig.submit(fresh, 4096, &rig.stores(&[(6, 67)]), &[]);
        kmd.wait(fence, soon()).unwrap();
        assert_eq!(rig.read(6), 67, "{name}");
    }
}
