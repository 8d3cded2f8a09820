//! What `--check` finds in a kernel's code before it runs.

use devinfo::Family;
use isa_encoder::swsb;

use crate::commands::check::TOO_COMPLEX;
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
pub fn scoreboard(family: Family, code: &[u8]) -> Scoreboard {
    let report = swsb::check(family, code);
    Scoreboard {
        hazards: report.hazards.iter().map(ToString::to_string).collect(),
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
