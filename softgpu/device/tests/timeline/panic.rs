//! A fault of the software GPU's own code ends a job, and nobody waits for ever.

use std::sync::Arc;

use devinfo::GpuAddress;
use softgpu_device::Commands;
use softgpu_memory::{AddressSpace, PAGE_BYTES, PageTable, Region, Translate};

use crate::Render;

/// Stands for faulty code: nothing else panics on request.
#[derive(Debug)]
struct Broken;

impl PageTable for Broken {
    fn generation(&self) -> u64 {
        0
    }

    fn snapshot(&self) -> Arc<dyn Translate> {
        panic!("the page table is broken")
    }

    fn nearest(&self, _: GpuAddress) -> Option<Region> {
        None
    }
}

#[test]
fn a_panic_fails_the_job_and_the_next_one_runs() {
    let render = Render::new();
    let batch = GpuAddress::new(0x10_0000);
    let sound = Arc::new(AddressSpace::with_anonymous(&[(batch, PAGE_BYTES)]).unwrap());
    let commands = [0x1000_0002, 0x10_0100, 0, 42, 0x0500_0000u32];
    let bytes = commands.map(u32::to_le_bytes).concat();
    sound.view().write(batch, &bytes).unwrap();

    let failures = render.run(Arc::new(Broken), None, Commands::Batch(batch));
    let failures: Vec<_> = failures.iter().map(ToString::to_string).collect();
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].contains("the page table is broken"),
        "{failures:?}"
    );

    let failures = render.run(sound.clone(), None, Commands::Batch(batch));
    assert_eq!(failures, []);
    let mut word = [0; 4];
    sound.view().read(batch.offset(0x100), &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), 42);
}
