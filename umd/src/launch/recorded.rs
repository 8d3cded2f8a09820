//! Launches that are written once, and submitted as often as wanted.
//!
//! A recording has heaps of its own, with a batch for each that the queue's batch calls. It sets up
//! bases and front end for itself, so that it runs on any queue of its device, and it has scratch
//! and private memory of its own, so that one run at a time is right.

use std::sync::Arc;

use devinfo::GpuAddress;
use zerocopy::IntoBytes;

use crate::device::DeviceInner;
use crate::error::{DeviceError, Error, refused};
use crate::memory::{Bo, Use};

use super::check::Launch;
use super::error::{MakeError, dispatch_error, marker_error};
use super::heap::{Heap, HeapMemory, Oldest, PREFETCH, UNIT};
use super::prepared::Launched;
use super::slots::QueueMemory;
use super::staging::{Staging, Start};

/// The most bytes of a heap's ring.
const MOST: u32 = 64 << 20;

/// Launches, and their batches.
#[derive(Debug)]
pub(crate) struct Recording {
    device: Arc<DeviceInner>,
    launches: Vec<Launch>,
    /// `None` if a kernel prints: each run has memory of its own to print to.
    recorded: Option<Arc<Recorded>>,
}

/// Batches that are in memory, with all that they use.
#[derive(Debug)]
pub(crate) struct Recorded {
    parts: Vec<Part>,
    kernels: Vec<Launched>,
    starts: Vec<Start>,
}

/// The launches whose states lie in one heap.
#[derive(Debug)]
struct Part {
    batch: Arc<Bo>,
    /// States and payloads.
    _heap: Arc<HeapMemory>,
}

impl Recording {
    /// Writes the batches.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn new(device: &Arc<DeviceInner>, launches: Vec<Launch>) -> Result<Self, Error> {
        let prints = launches
            .iter()
            .any(|launch| launch.kernel.entry.info.has_printf);
        let mut recording = Self {
            device: device.clone(),
            launches,
            recorded: None,
        };
        if !prints {
            recording.recorded = Some(Arc::new(recording.write()?));
        }
        Ok(recording)
    }

    /// What it runs.
    pub(crate) fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// The batches of the next run.
    ///
    /// # Errors
    /// There is no memory for them.
    pub(crate) fn recorded(&self) -> Result<Arc<Recorded>, Error> {
        match &self.recorded {
            Some(recorded) => Ok(recorded.clone()),
            None => Ok(Arc::new(self.write()?)),
        }
    }

    fn write(&self) -> Result<Recorded, Error> {
        let mut recorded = Recorded {
            parts: Vec::new(),
            kernels: Vec::new(),
            starts: Vec::new(),
        };
        let mut rest = &*self.launches;
        while !rest.is_empty() {
            let (count, ring) = fitting(rest);
            let (now, later) = rest.split_at(count);
            recorded.add(&self.device, now, ring)?;
            rest = later;
        }
        Ok(recorded)
    }
}

/// How many of the launches go to one heap, at least one, and the bytes that they need of its ring.
fn fitting(launches: &[Launch]) -> (usize, u32) {
    let (mut count, mut ring, mut tables) = (0, 0u32, 0u32);
    for launch in launches {
        let block = launch.template.layout.size.next_multiple_of(UNIT);
        let table = (launch.kernel.layout.entries * 4).next_multiple_of(UNIT);
        let is_full = ring + block > MOST || tables + table > Heap::most_tables();
        if is_full && count > 0 {
            break;
        }
        (count, ring, tables) = (count + 1, ring + block, tables + table);
    }
    (count, ring)
}

impl Recorded {
    /// Adds a part: the launches one after the other, each of them after what the one before wrote.
    fn add(
        &mut self,
        device: &Arc<DeviceInner>,
        launches: &[Launch],
        ring: u32,
    ) -> Result<(), Error> {
        let mut heap = Heap::with_ring(device, ring, "recording's heap")?;
        let mut take = heap.take(Oldest::default());
        let (mut memory, mut told) = (QueueMemory::default(), None);
        let mut staging = Staging::default();
        for (number, launch) in launches.iter().enumerate() {
            let failed = |error| dispatch_error(&launch.kernel.entry, error);
            if number > 0 {
                device
                    .commands
                    .barrier(&mut staging.words)
                    .map_err(failed)?;
            }
            let block = take.data(launch.template.layout.size).ok_or_else(full)?;
            let launched = launch.begin(&mut memory, &take, &mut told, &mut staging)?;
            let (template, kernel) = (&launch.template, &launch.kernel);
            let written = template.write(kernel, &launched, block, &mut take, &mut staging);
            written.map_err(|error| match error {
                MakeError::Failed(error) => error,
                MakeError::Full | MakeError::BatchFull => full(),
            })?;
            self.starts.extend_from_slice(&template.starts);
            self.kernels.push(launched);
        }
        let words = &mut staging.words;
        device.commands.finish(None, words).map_err(marker_error)?;
        let what = "recording's batch";
        let size = words.len() as u64 * 4 + u64::from(PREFETCH);
        let batch = device.registry.create(size, Use::Shared, what);
        let batch = batch.map_err(refused(what))?;
        if !batch.memory().write(0, words.as_bytes()) {
            return Err(full());
        }
        let _heap = take.memory().clone();
        self.parts.push(Part { batch, _heap });
        Ok(())
    }

    /// Where the batches begin.
    pub(super) fn batches(&self) -> impl Iterator<Item = GpuAddress> {
        self.parts.iter().map(|part| part.batch.address())
    }

    pub(super) fn kernels(&self) -> &[Launched] {
        &self.kernels
    }

    pub(super) fn starts(&self) -> &[Start] {
        &self.starts
    }
}

fn full() -> Error {
    DeviceError::Internal("a recording's memory is too small").into()
}
