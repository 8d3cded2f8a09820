//! Devices.

use std::sync::Arc;
use std::time::Duration;

use crate::error::{DeviceError, Error};
use crate::spec::DeviceSpec;

/// How a device is opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// What [`DeviceSpec::Auto`] opens when no render node works; `tgl` if `None`.
    pub fallback: Option<(String, Option<u8>)>,
    /// Host threads of the software GPU; as many as there are cores if `None`.
    pub threads: Option<usize>,
    /// Points accesses to unbound pages at a scratch page, as i915 does, instead of failing.
    pub scratch_page: bool,
    /// Makes the software GPU report what silicon leaves undefined.
    pub check: bool,
    /// After what time the software GPU calls a kernel hung; its default if `None`.
    pub hang_timeout: Option<Duration>,
}

/// What a software GPU has done since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// EU threads that were started.
    pub threads: u64,
    /// EU instructions that were executed.
    pub instructions: u64,
    /// The sum of their execution sizes: lanes, whether enabled or not.
    pub lanes: u64,
    /// Work-groups of the running walker that are done.
    pub groups_done: u64,
    /// Work-groups of the running walker.
    pub groups_total: u64,
}

/// An open device. Clones name the same one.
#[derive(Clone, Debug)]
pub struct Device {
    inner: Arc<()>,
}

impl Device {
    /// Opens a device.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn open(spec: &DeviceSpec) -> Result<Self, Error> {
        Self::open_with(spec, &OpenOptions::default())
    }

    /// Opens a device with options.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn open_with(spec: &DeviceSpec, options: &OpenOptions) -> Result<Self, Error> {
        let _ = options;
        Err(DeviceError::Open {
            spec: spec.to_string(),
            why: "this build cannot open devices yet".to_owned(),
        }
        .into())
    }

    /// The device's name, as `soft:tgl` or `Intel TGL GT2 (8086:9a49, revision 1, i915)`.
    pub fn name(&self) -> &str {
        ""
    }

    /// What a software GPU has done; `None` on silicon. Can be called while kernels run.
    pub fn statistics(&self) -> Option<Statistics> {
        let _ = &self.inner;
        None
    }

    pub(crate) fn unfinished(&self, what: &'static str) -> Error {
        let _ = self;
        unfinished(what)
    }
}

pub(crate) fn unfinished(what: &'static str) -> Error {
    DeviceError::Unsupported {
        what,
        platform: "this build".to_owned(),
        why: "it is not written yet".to_owned(),
    }
    .into()
}
