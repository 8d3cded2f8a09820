//! The message gateway.

use isa_encoder::message::Gateway;

use super::Effect;
use super::execute::not_modelled;
use crate::{Fault, GroupEnv};

pub(super) fn execute(meaning: Gateway, env: &GroupEnv<'_>) -> Result<Effect, Fault> {
    match meaning {
        Gateway::Barrier => Ok(Effect::BarrierSignalled(env.barrier.signal())),
        Gateway::EndOfThread => Ok(Effect::EndOfThread),
        _ => Err(not_modelled(&format!("gateway: {meaning}"))),
    }
}
