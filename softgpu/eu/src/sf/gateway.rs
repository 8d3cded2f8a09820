//! The message gateway.

use devinfo::Family;
use isa_encoder::message::Gateway;

use super::Effect;
use super::execute::not_modelled;
use super::family::traits;
use crate::{Fault, GroupEnv};

/// Whether a payload names the barrier that a thread signals.
pub fn names_barrier(family: Family) -> bool {
    traits(family).barrier_in_payload
}

/// Executes `meaning`, whose payload is `payload`.
///
/// # Errors
/// [`Fault::UnknownMessage`] for what is not modelled, [`Fault::Invalid`] for a short payload.
pub fn execute(meaning: Gateway, payload: &[u8], env: &GroupEnv<'_>) -> Result<Effect, Fault> {
    match meaning {
        Gateway::Barrier if names_barrier(env.family) => {
            check_barrier(payload, env.barrier.threads())?;
            Ok(Effect::BarrierSignalled(env.barrier.signal()))
        }
        Gateway::Barrier => Ok(Effect::BarrierSignalled(env.barrier.signal())),
        Gateway::EndOfThread => Ok(Effect::EndOfThread),
        _ => Err(not_modelled(&format!("gateway: {meaning}"))),
    }
}

/// Refuses a signal of a barrier that is not the group's: from XeHPG on, dword 2 of the payload
/// names a barrier, with the threads that signal it and that wait for it.
///
/// Fields: barrier id 7:0, type 15:14 (0: all produce and consume), producers 23:16, consumers
/// 31:24. Sources: IGC TranslateSendSync.cpp (generateNamedBarrier), Mesa brw_fs_nir.cpp
/// (setup_barrier_message_payload_gfx125: the group's threads from r0.2 31:24).
fn check_barrier(payload: &[u8], threads: u32) -> Result<(), Fault> {
    let Some(&[id, kind, producers, consumers]) = payload.get(8..12).and_then(<[u8]>::first_chunk)
    else {
        return Err(Fault::Invalid {
            why: format!(
                "gateway barrier: the payload has {} bytes, and its barrier is in dword 2",
                payload.len()
            ),
        });
    };
    let group = |count: u8| u32::from(count) == threads & 0xff;
    if id == 0 && kind >> 6 == 0 && group(producers) && group(consumers) {
        return Ok(());
    }
    Err(not_modelled(&format!(
        "gateway: barrier {id} of type {} with {producers} producers and {consumers} consumers in \
         a group of {threads} threads (only barrier 0 of all threads)",
        kind >> 6
    )))
}

#[cfg(test)]
mod tests {
    use super::check_barrier;

    #[test]
    fn only_the_barrier_of_the_whole_group_is_taken() {
        let payload = |dword: u32| {
            let mut bytes = [0; 32];
            bytes[8..12].copy_from_slice(&dword.to_le_bytes());
            bytes
        };
        assert_eq!(check_barrier(&payload(0x0808_0000), 8), Ok(()));
        for named in [0x0808_0001, 0x0808_4000, 0x0108_0000, 0x0801_0000] {
            let fault = check_barrier(&payload(named), 8).expect_err("another barrier");
            assert!(fault.to_string().contains("of 8 threads"), "{fault}");
        }
        assert!(check_barrier(&[0; 8], 8).is_err(), "no dword 2");
    }
}
