//! The beginning: what the library keeps is made when something first needs it.

use crate::log::complain;
use crate::node::{PROCESS, Process};
use crate::{leave, log};

/// The process's state; made at the first path or descriptor that could concern it. `None` if
/// the stand-in could not be made, which is reported once.
pub fn process() -> Option<&'static Process> {
    PROCESS
        .get_or_init(|| {
            log::start();
            match Process::new() {
                Ok(process) => {
                    leave::arrange();
                    Some(process)
                }
                Err(error) => {
                    complain(&format!("there is no fake render node: {error}"));
                    None
                }
            }
        })
        .as_ref()
}
