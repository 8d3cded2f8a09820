//! The device of the software GPU, below any kernel driver.
//!
//! A front end makes a [`Device`] and a [`Timeline`] for each context on an engine, and submits
//! [`Job`]s: commands and the page table under which they run. The [`Fence`] of a job tells it that
//! the job has ended, and the [`Owner`] that it gave the timeline tells it how the job failed. The
//! kernel drivers' model is one such front end.
//!
//! Inside, `engine` orders jobs, `cs` executes command streams, and `dispatch` turns walkers into
//! groups of EU threads.
//!
//! A front end in short:
//!
//! ```
//! use std::sync::Arc;
//! use std::sync::atomic::AtomicBool;
//! use std::time::{Duration, Instant};
//!
//! use batchbuffer::Engine;
//! use devinfo::GpuAddress;
//! use softgpu_device::{Execution,
//!     Commands, Device, Failure, Fence, Job, Owner, Settings, Timeline, wait_until,
//! };
//! use softgpu_memory::{AddressSpace, PAGE_BYTES, PageTable};
//!
//! #[derive(Debug, Default)]
//! struct Client(AtomicBool);
//!
//! impl Owner for Client {
//!     fn stop(&self) -> &AtomicBool {
//!         &self.0
//!     }
//!
//!     fn admits(&self) -> bool {
//!         true
//!     }
//!
//!     fn failed(&self, failure: &Failure, _: &dyn PageTable) {
//!         eprintln!("{failure}");
//!     }
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let platform = devinfo::by_name("tgl").ok_or("no such platform")?;
//! let settings = Settings {
//!     threads: 1,
//!     hang_timeout: Duration::from_secs(10),
//!     check: false,
//!     execution: Execution::default(),
//! };
//! let device = Device::new(platform, settings);
//! let timeline = Timeline::new(device, Engine::Render, Arc::new(Client::default()));
//!
//! // A batch: MI_STORE_DATA_IMM writes 42 behind it, MI_BATCH_BUFFER_END ends it.
//! let batch = GpuAddress::new(0x10_0000);
//! let space = Arc::new(AddressSpace::with_anonymous(&[(batch, PAGE_BYTES)])?);
//! let commands = [0x1000_0002, 0x10_0100, 0, 42, 0x0500_0000u32];
//! space.view().write(batch, &commands.map(u32::to_le_bytes).concat())?;
//!
//! let done = Fence::new();
//! timeline.submit(Job {
//!     space: space.clone(),
//!     global: None,
//!     commands: Some(Commands::Batch(batch)),
//!     waits: Vec::new(),
//!     begins_after: None,
//!     priority: 0,
//!     done: done.clone(),
//!     writes: Vec::new(),
//!     endless: false,
//! })?;
//! let deadline = Instant::now() + Duration::from_secs(60);
//! wait_until(Some(deadline), || done.is_signalled().then_some(())).ok_or("it did not end")?;
//!
//! let mut word = [0; 4];
//! space.view().read(batch.offset(0x100), &mut word)?;
//! assert_eq!(u32::from_le_bytes(word), 42);
//! # Ok(())
//! # }
//! ```

mod cs;
mod device;
mod diagnostics;
mod dispatch;
mod engine;
mod host;

pub use cs::{Commands, Failure, Ring};
pub use device::{Device, Settings};
pub use dispatch::{DispatchError, Statistics, ThreadAt};
pub use engine::{Fence, Job, Owner, SubmitError, Timeline, Write, announce, wait_for, wait_until};
pub use softgpu_eu::{Execution, HostIsa};
