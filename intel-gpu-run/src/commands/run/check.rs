//! What `--check` finds in a kernel's code before it runs.

use isa_encoder::swsb::{self, Hazard};
use umd::Binary;

use crate::commands::check::{TOO_COMPLEX, source};
use crate::exit::Error;

/// What is known about the software scoreboard of a kernel.
#[derive(Debug, Default)]
pub struct Scoreboard {
    /// The hazards, one text each.
    pub hazards: Vec<String>,
    /// Whether the whole kernel was checked.
    pub complete: bool,
}

/// Checks the software scoreboard of a kernel's code.
pub fn scoreboard(binary: &Binary, kernel: &str) -> Scoreboard {
    let text = |hazard: &Hazard| match source(binary, kernel, hazard.later.offset) {
        Some(line) => format!("{line}: {hazard}"),
        None => hazard.to_string(),
    };
    let code = binary.code(kernel).unwrap_or_default();
    let report = swsb::check(binary.target().platform.family, code);
    Scoreboard {
        hazards: report.hazards.iter().map(text).collect(),
        complete: report.complete,
    }
}

impl Scoreboard {
    /// How many hazards were found in the kernel `name`.
    ///
    /// # Errors
    /// [`Error::Violated`] if there are hazards, or if the code is too complex to check.
    pub fn verdict(&self, name: &str) -> Result<(), Error> {
        if !self.complete {
            return Err(Error::Violated(format!("{name}: {TOO_COMPLEX}")));
        }
        match self.hazards.len() {
            0 => Ok(()),
            1 => Err(Error::Violated(format!("{name}: a scoreboard hazard"))),
            count => Err(Error::Violated(format!(
                "{name}: {count} scoreboard hazards"
            ))),
        }
    }
}
