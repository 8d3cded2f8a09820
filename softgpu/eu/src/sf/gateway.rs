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

/// Where a payload names a barrier: this byte begins dword 2, which has its id (7:0), its type (15:14, 0 if
/// all threads produce and consume), and how many produce (23:16) and consume (31:24).
///
/// Sources: IGC TranslateSendSync.cpp (generateNamedBarrier), Mesa brw_fs_nir.cpp
/// (setup_barrier_message_payload_gfx125: the group's threads from r0.2 31:24).
pub const NAME_AT: u32 = 8;

/// The bits of that dword that have a meaning.
pub const NAME_MASK: u32 = 0xffff_c0ff;

/// What they are of barrier 0 of all threads, for each thread of the group.
pub const NAME_OF_EACH: u32 = 0x0101_0000;

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

/// Refuses a signal of a barrier that is not the group's: from XeHPG on, the payload names a barrier, with the
/// threads that signal it and that wait for it.
fn check_barrier(payload: &[u8], threads: u32) -> Result<(), Fault> {
    let name = payload.get(NAME_AT as usize..);
    let Some(&name) = name.and_then(<[u8]>::first_chunk) else {
        return Err(Fault::Invalid {
            why: format!(
                "gateway barrier: the payload has {} bytes, and its barrier is in dword 2",
                payload.len()
            ),
        });
    };
    if u32::from_le_bytes(name) & NAME_MASK == NAME_OF_EACH * (threads & 0xff) {
        return Ok(());
    }
    let [id, kind, producers, consumers] = name;
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
