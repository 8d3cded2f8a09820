//! What `--check` finds in a kernel's code before it runs.

use devinfo::Family;
use isa_encoder::swsb;

use crate::exit::Error;
use crate::talk;

/// Judges the software scoreboard of the kernel `name`: says what it finds, and how much in the
/// error.
///
/// # Errors
/// [`Error::Violated`] if there are hazards, or if the code is too complex to be judged.
pub fn scoreboard(family: Family, name: &str, code: &[u8]) -> Result<(), Error> {
    let report = swsb::check(family, code);
    for hazard in &report.hazards {
        talk::say(format_args!("{name}: {hazard}"));
    }
    if !report.complete {
        return Err(Error::Violated(format!(
            "{name}: the control flow is too complex for the scoreboard to be judged"
        )));
    }
    match report.hazards.len() {
        0 => Ok(()),
        1 => Err(Error::Violated(format!("{name}: a scoreboard hazard"))),
        count => Err(Error::Violated(format!(
            "{name}: {count} scoreboard hazards"
        ))),
    }
}
