//! The device that tests run on: software GPUs, or the one that `INTEL_GPU_DEVICE` names.

use std::collections::BTreeSet;
use std::env;
use std::sync::{Mutex, PoisonError};

use devinfo::Target;

use crate::launch;

/// The device that the environment variable `INTEL_GPU_DEVICE` names, as `--device` takes it: a
/// render node, say. Then all that makes sense for one device runs there, and what is about software
/// GPUs is skipped.
pub fn named() -> Option<String> {
    env::var("INTEL_GPU_DEVICE").ok()
}

/// Where to run what was made for a target: on its software GPU, or on the named device.
pub fn device(target: &str) -> String {
    named().unwrap_or_else(|| format!("soft:{target}"))
}

/// Whether what was made for a target can run: if a device is named, only what is for its platform.
/// What cannot is said once.
///
/// # Panics
/// If there is no such target, or the named device cannot be opened.
pub fn runs(target: &str) -> bool {
    let Some(spec) = named() else { return true };
    let device = launch::device(&spec).target();
    let wanted = Target::parse(target).expect("a target");
    let runs = wanted.platform == device.platform
        && wanted
            .platform
            .shares_code(wanted.revision, device.revision);
    if !runs {
        say(format!(
            "what is for {target}: INTEL_GPU_DEVICE={spec} is a {device}"
        ));
    }
    runs
}

/// Whether a test of software GPUs runs: not if a device is named. That is said with the test's name.
pub fn is_software() -> bool {
    let Some(spec) = named() else { return true };
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    say(format!(
        "{test}: it is about software GPUs, not INTEL_GPU_DEVICE={spec}"
    ));
    false
}

/// Says what is skipped, once.
fn say(what: String) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&what) {
        oracles::skipped(&what);
        said.insert(what);
    }
}
