//! Events that this process sets.

use std::sync::Arc;

use super::{Event, Label, Stage, Times};
use crate::device::DeviceInner;
use crate::error::DeviceError;
use crate::held;

/// An event that this process sets. Commands that wait for it go on when it does; dropping it
/// unset fails them.
#[derive(Debug)]
pub struct UserEvent {
    event: Event,
}

impl UserEvent {
    pub(crate) fn new(device: &Arc<DeviceInner>) -> Self {
        let (label, now) = (Label::Command("user event"), device.clock.now());
        Self {
            event: Event::new(device, label, None, now),
        }
    }

    /// The event, for wait lists.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// Sets it. What was set first counts.
    pub fn complete(&self) {
        let inner = &self.event.inner;
        let times = Times::at(inner.device.clock.now());
        held::advance(self.event.leave_waiting(Stage::Complete, Some(times)));
    }

    /// Fails it, and with it the commands that wait for it. What was set first counts.
    pub fn fail(&self, why: impl Into<String>) {
        held::advance(self.event.fail(DeviceError::UserEvent(why.into())));
    }
}

impl Drop for UserEvent {
    fn drop(&mut self) {
        self.fail("it was dropped without being set");
    }
}
