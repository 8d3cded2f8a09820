//! The message gateway.

use devinfo::{Family, thread};
use isa_encoder::message::Gateway;

use super::Effect;
use super::execute::not_modelled;
use crate::{Fault, GroupEnv};

/// Where a payload names a barrier: this byte begins dword 2.
pub const NAME_AT: u32 = 8;

/// What that dword is of the group's own barrier.
#[derive(Clone, Copy, Debug)]
pub struct BarrierName {
    /// The bits that have a meaning.
    pub mask: u32,
    /// What they are for each thread of the group.
    pub of_each: u32,
}

/// What payloads name.
pub const fn barrier_name(family: Family) -> BarrierName {
    match thread::barrier(family) {
        // Threads get barrier 0 here.
        Some(field) => BarrierName {
            mask: field.mask,
            of_each: 0,
        },
        // Its number (7:0), its type (15:14, 0 if all threads produce and consume), and how many produce (23:16)
        // and consume (31:24). Sources: IGC TranslateSendSync.cpp (generateNamedBarrier), Mesa brw_fs_nir.cpp
        // (setup_barrier_message_payload_gfx125: the group's threads from r0.2 31:24).
        None => BarrierName {
            mask: 0xffff_c0ff,
            of_each: 0x0101_0000,
        },
    }
}

/// Executes `meaning`, whose payload is `payload`.
///
/// # Errors
/// [`Fault::UnknownMessage`] for what is not modelled, [`Fault::Invalid`] for a short payload.
pub fn execute(meaning: Gateway, payload: &[u8], env: &GroupEnv<'_>) -> Result<Effect, Fault> {
    match meaning {
        Gateway::Barrier => {
            if let Some(checks) = env.checks {
                checks.judge_barrier(NAME_AT as usize..NAME_AT as usize + 4);
            }
            check_barrier(payload, env.family, env.barrier.threads())?;
            Ok(Effect::BarrierSignalled(env.barrier.signal()))
        }
        Gateway::EndOfThread => Ok(Effect::EndOfThread),
        _ => Err(not_modelled(&format!("gateway: {meaning}"))),
    }
}

/// Refuses a signal of a barrier that is not the group's: the payload names it, from XeHPG on with the threads
/// that signal it and that wait for it.
fn check_barrier(payload: &[u8], family: Family, threads: u32) -> Result<(), Fault> {
    let name = payload.get(NAME_AT as usize..);
    let Some(&name) = name.and_then(<[u8]>::first_chunk) else {
        return Err(Fault::Invalid {
            why: format!(
                "gateway barrier: the payload has {} bytes, and its barrier is in dword 2",
                payload.len()
            ),
        });
    };
    let own = barrier_name(family);
    let dword = u32::from_le_bytes(name) & own.mask;
    if dword == own.of_each * (threads & 0xff) {
        return Ok(());
    }
    if thread::barrier(family).is_some() {
        return Err(not_modelled(&format!(
            "gateway: the payload names barrier {dword:#x}, and r0.2 another one"
        )));
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
    use devinfo::Family;

    use super::check_barrier;

    #[test]
    fn only_the_barrier_of_the_whole_group_is_taken() {
        let check = |dword: u32, family| {
            let mut bytes = [0; 32];
            bytes[8..12].copy_from_slice(&dword.to_le_bytes());
            check_barrier(&bytes, family, 8)
        };
        assert_eq!(check(0x0808_0000, Family::XeHpg), Ok(()));
        for named in [0x0808_0001, 0x0808_4000, 0x0108_0000, 0x0801_0000] {
            let fault = check(named, Family::XeHpg).expect_err("another barrier");
            assert!(fault.to_string().contains("of 8 threads"), "{fault}");
        }
        for (family, meaningless, another) in [
            (Family::Gen8, 0xf0ff_ffff, 0x0100_0000),
            (Family::Gen9, 0x70ff_ffff, 0x8000_0000),
            (Family::Gen12Lp, 0x80ff_ffff, 0x1000_0000),
        ] {
            assert_eq!(check(meaningless, family), Ok(()));
            let fault = check(another, family).expect_err("another barrier");
            assert!(fault.to_string().contains("r0.2"), "{fault}");
            assert!(check_barrier(&[0; 8], family, 8).is_err(), "no dword 2");
        }
    }
}
