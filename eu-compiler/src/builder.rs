//! Builders of code that obeys the rules of the target's hardware.

use std::sync::{Arc, Mutex, PoisonError};

use isa_encoder::build::{BuildError, Builder};
use isa_encoder::validate::{Machine, Validator};

use crate::target::Target;

/// What the builder refuses, as compilers tell it.
pub(crate) fn text(error: BuildError) -> String {
    error.to_string()
}

/// A builder of code for a target, with the rules of its hardware.
pub(crate) fn builder(target: &Target) -> Builder {
    let machine = Machine::from(target.platform).with_registers(target.registers as u16);
    Builder::checked_by(validator(machine))
}

/// The validator of a machine, which is made once.
fn validator(machine: Machine) -> Arc<Validator> {
    static KNOWN: Mutex<Vec<Arc<Validator>>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(validator) = known.iter().find(|known| known.machine() == machine) {
        return Arc::clone(validator);
    }
    let validator = Arc::new(Validator::new(machine));
    known.push(Arc::clone(&validator));
    validator
}
