//! A fault of the software GPU's own code ends a job, and nobody waits for ever.

#![cfg(test)]

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use devinfo::GpuAddress;
use softgpu_device::{
    Commands, Device, Execution, Failure, Fence, Job, Owner, Settings, Timeline, wait_until,
};
use softgpu_memory::{AddressSpace, PAGE_BYTES, PageTable, Region, Translate};

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

#[derive(Debug, Default)]
struct Client {
    stop: AtomicBool,
    failures: Mutex<Vec<String>>,
}

impl Owner for Client {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn admits(&self) -> bool {
        true
    }

    fn failed(&self, failure: &Failure, _: &dyn PageTable) {
        self.failures.lock().unwrap().push(failure.to_string());
    }
}

#[test]
fn a_panic_fails_the_job_and_the_next_one_runs() {
    let settings = Settings {
        threads: 1,
        hang_timeout: Duration::from_secs(10),
        check: false,
        execution: Execution::default(),
    };
    let device = Device::new(devinfo::by_name("tgl").unwrap(), settings);
    let client = Arc::new(Client::default());
    let timeline = Timeline::new(device, Engine::Render, client.clone());
    let batch = GpuAddress::new(0x10_0000);
    let sound = Arc::new(AddressSpace::with_anonymous(&[(batch, PAGE_BYTES)]).unwrap());
    let commands = [0x1000_0002, 0x10_0100, 0, 42, 0x0500_0000u32];
    let bytes = commands.map(u32::to_le_bytes).concat();
    sound.view().write(batch, &bytes).unwrap();

    let run = |space: Arc<dyn PageTable>| {
        let done = Fence::new();
        let job = Job {
            space,
            global: None,
            commands: Some(Commands::Batch(batch)),
            waits: Vec::new(),
            begins_after: None,
            priority: 0,
            done: done.clone(),
            writes: Vec::new(),
            endless: false,
        };
        timeline.submit(job).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let ended = wait_until(Some(deadline), || done.is_signalled().then_some(()));
        assert!(ended.is_some(), "the fence was not signalled");
    };
    run(Arc::new(Broken));
    let failures = client.failures.lock().unwrap().clone();
    assert_eq!(failures.len(), 1);
    assert!(
        failures[0].contains("the page table is broken"),
        "{failures:?}"
    );

    run(sound.clone());
    let mut word = [0; 4];
    sound.view().read(batch.offset(0x100), &mut word).unwrap();
    assert_eq!(u32::from_le_bytes(word), 42);
    assert_eq!(client.failures.lock().unwrap().len(), 1);
}
