//! Hangs, page faults, and the state after them.

use batchbuffer::packets;
use devinfo::{Driver, GpuAddress, Target};
use kmd_iface::{ErrorKind, KmdError, QueueStatus, Submission};
use stack_tests::subject;

use crate::rig::{BATCH, Rig, devices, soft_node, soon};

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

/// What is not in docs/clients.md's table, made small: the calls with which Mesa's Rusticl on iris
/// reads a buffer, and Mesa's Vulkan driver copies on a queue for graphics. A draw is in their batch.
#[test]
fn what_mesa_copies_by_a_draw_is_refused_by_name() {
    if !subject::is_software() {
        return;
    }
    for (platform, driver) in [
        ("dg1", Driver::I915),
        ("dg2", Driver::I915),
        ("dg2", Driver::Xe),
        ("mtl", Driver::I915),
        ("bmg", Driver::Xe),
    ] {
        let name = format!("{platform}@{driver}");
        let target = Target::parse(platform).unwrap();
        let kmd = kmd_iface::open(soft_node((target, driver))).unwrap();
        let rig = Rig::new(&kmd);
        let mut commands = rig.stores(&[(1, 11)]);
        commands.truncate(commands.len() - 1);
        let rectangle = packets::state_drawing_rectangle::packet(rig.family);
        let draw = packets::draw_primitive::packet(rig.family);
        for packet in [rectangle, draw] {
            packet.emit(&mut commands).unwrap();
        }
        commands.extend(rig.stores(&[(2, 22)]));
        let fence = rig.submit(rig.queue, 0, &commands, &[]);
        let error = kmd.wait(fence, soon()).unwrap_err();
        let KmdError::QueueLost { report, .. } = &error else {
            panic!("{name}: {error}");
        };
        assert_eq!(report.kind, ErrorKind::Other, "{name}: {report}");
        let parts = ["3DPRIMITIVE at 0x", "computes and copies, it does not draw"];
        for part in parts {
            assert!(report.summary.contains(part), "{name}: {report}");
        }
        // What came before it has happened, nothing behind it has; a new queue works.
        assert_eq!((rig.read(1), rig.read(2)), (11, 0), "{name}");
        let fence = rig.submit(rig.new_queue(), 4096, &rig.stores(&[(3, 33)]), &[]);
        kmd.wait(fence, soon()).unwrap();
        assert_eq!(rig.read(3), 33, "{name}");
    }
}
