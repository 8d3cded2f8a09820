//! Jobs without a kernel driver: their front ends, and how they end.

#![cfg(test)]

mod panic;
mod ring;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use softgpu_device::{
    Commands, Device, Execution, Failure, Fence, Job, Owner, Settings, Timeline, wait_until,
};
use softgpu_memory::PageTable;

/// Owns the jobs, and keeps what they fail by.
#[derive(Debug, Default)]
struct Client {
    stop: AtomicBool,
    failures: Mutex<Vec<Failure>>,
}

impl Owner for Client {
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }

    fn admits(&self) -> bool {
        true
    }

    fn failed(&self, failure: &Failure, _: &dyn PageTable) {
        self.failures.lock().unwrap().push(failure.clone());
    }
}

/// The render engine of a Tiger Lake with one host thread.
#[derive(Debug)]
struct Render {
    client: Arc<Client>,
    timeline: Timeline,
}

impl Render {
    fn new() -> Self {
        let settings = Settings {
            threads: 1,
            hang_timeout: Duration::from_secs(10),
            check: false,
            execution: Execution::default(),
        };
        let device = Device::new(devinfo::by_name("tgl").unwrap(), settings);
        let client = Arc::<Client>::default();
        let timeline = Timeline::new(device, Engine::Render, client.clone());
        Self { client, timeline }
    }

    /// Runs a job to its end. Returns what failed since the last one.
    fn run(
        &self,
        space: Arc<dyn PageTable>,
        global: Option<Arc<dyn PageTable>>,
        commands: Commands,
    ) -> Vec<Failure> {
        let done = Fence::new();
        let job = Job {
            space,
            global,
            commands: Some(commands),
            waits: Vec::new(),
            begins_after: None,
            priority: 0,
            done: done.clone(),
            writes: Vec::new(),
            endless: false,
        };
        self.timeline.submit(job).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let ended = wait_until(Some(deadline), || done.is_signalled().then_some(()));
        assert!(ended.is_some(), "the fence was not signalled");
        std::mem::take(&mut *self.client.failures.lock().unwrap())
    }
}
