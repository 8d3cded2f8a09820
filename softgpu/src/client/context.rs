//! Contexts and address spaces, named by handles.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use batchbuffer::Engine;

use crate::device::Device;
use crate::status::{ContextStatus, Tolerance};
use softgpu_device::{Fence, Timeline};

/// An address space of i915. Each submission says which objects are where, so only its identity is
/// kept.
#[derive(Debug, Default)]
pub struct Vm {}

/// An entry of a context's engine map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineSlot {
    /// How commands see it.
    pub engine: Engine,
    /// Its class number in the uAPI.
    pub class: u16,
    /// Its number within the class.
    pub instance: u16,
}

/// A hardware context.
#[derive(Debug)]
pub struct Context {
    /// Its status.
    pub status: Arc<ContextStatus>,
    settings: Mutex<ContextSettings>,
    timelines: Mutex<HashMap<usize, Arc<Timeline>>>,
    device: Arc<Device>,
}

/// Settings of the client.
#[derive(Clone, Debug)]
pub struct ContextSettings {
    /// Its address space.
    pub vm: Arc<Vm>,
    /// Its engine map: `None` is the legacy one; an entry of `None` is an empty slot.
    pub engines: Option<Vec<Option<EngineSlot>>>,
    /// Scheduling priority.
    pub priority: i64,
    /// Whether its work outlives it.
    pub persistence: bool,
    /// Whether error captures omit it.
    pub no_error_capture: bool,
}

impl Context {
    /// A new context in `vm`.
    pub fn new(device: Arc<Device>, vm: Arc<Vm>) -> Arc<Self> {
        let tolerance = Tolerance {
            bannable: true,
            recoverable: true,
        };
        Arc::new(Self {
            status: ContextStatus::new(Arc::clone(&device), tolerance),
            settings: Mutex::new(ContextSettings {
                vm,
                engines: None,
                priority: 0,
                persistence: true,
                no_error_capture: false,
            }),
            timelines: Mutex::default(),
            device,
        })
    }

    /// The client's settings.
    pub fn settings(&self) -> MutexGuard<'_, ContextSettings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The timeline of entry `index` of the engine map, which is `slot`.
    pub fn timeline(&self, index: usize, slot: EngineSlot) -> Arc<Timeline> {
        let mut timelines = self.timelines();
        let timeline = timelines.entry(index).or_insert_with(|| {
            Arc::new(Timeline::new(
                Arc::clone(&self.device.engines),
                slot.engine,
                self.status.clone(),
            ))
        });
        Arc::clone(timeline)
    }

    /// Whether nothing has been submitted to it.
    pub fn is_unused(&self) -> bool {
        self.timelines().is_empty()
    }

    /// Whether it has nothing left to run.
    pub fn is_idle(&self) -> bool {
        self.last_fences().iter().all(|f| f.is_signalled())
    }

    /// Ends its work. Returns the fences of its last batches.
    pub fn kill(&self) -> Vec<Arc<Fence>> {
        self.status.stop.store(true, Ordering::Relaxed);
        self.last_fences()
    }

    fn last_fences(&self) -> Vec<Arc<Fence>> {
        let timelines = self.timelines();
        timelines.values().filter_map(|t| t.last()).collect()
    }

    fn timelines(&self) -> MutexGuard<'_, HashMap<usize, Arc<Timeline>>> {
        self.timelines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
