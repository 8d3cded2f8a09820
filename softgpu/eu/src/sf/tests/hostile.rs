//! Whatever a kernel or a batch puts into descriptors, payloads and states, a message ends in an
//! effect or a fault.

use devinfo::Family;
use oracles::Random;

use super::bench::{Bench, STATES, STATES_BYTES};
use crate::sf::Message;

fn one(bench: &Bench, random: &mut Random) -> bool {
    let grf = bench.family.grf_bytes();
    let message_length = random.below(16) as usize;
    let extended_length = random.below(12) as usize;
    let response_length = random.below(24) as usize;
    let mut payload = random.bytes((message_length + extended_length) * grf);
    // Often small numbers: coordinates and offsets inside.
    if random.below(2) == 0 {
        for (index, byte) in payload.iter_mut().enumerate() {
            if index % 4 > 1 {
                *byte = 0;
            }
        }
    }
    let (src0, src1) = payload.split_at(message_length * grf);
    let mut dst = vec![0; response_length * grf];
    let mut descriptor = random.bits() as u32 & 0xe00f_ffff;
    descriptor |= (message_length as u32) << 25 | (response_length as u32) << 20;
    if random.below(3) == 0 {
        // Stateful, stateless or SLM, not only reserved indices.
        let index = [0xff, 0xfe, 0xfd, 0xfc, 1, 2][random.below(6) as usize];
        descriptor = descriptor & !0xff | index;
    }
    let executed = bench.execute(Message {
        sfid: random.below(16) as u8,
        descriptor,
        extended_descriptor: random.bits() as u32,
        extended_bindless_offset: random.below(2) == 0,
        extended_offset: (random.below(2) == 0).then(|| random.bits() as u32),
        exec_size: 1 << random.below(6),
        mask: random.bits() as u32,
        thread_slot: random.below(1024) as u32,
        src0,
        src1,
        dst: &mut dst,
    });
    executed.is_ok()
}

#[test]
fn random_messages_end() {
    for family in Family::ALL {
        let mut random = Random::new(41 + family as u64);
        let bench = Bench::new(family);
        let mut performed = 0;
        for round in 0..30_000 {
            if round % 16 == 0 {
                // Other surfaces and samplers, at addresses that are mostly bound.
                let states = random.bytes(STATES_BYTES as usize / 16);
                let at = random.below(15) * (STATES_BYTES / 16);
                bench.write(STATES + at, &states);
                for state in 0..64 {
                    let at = STATES + state * 64 + 32;
                    let address = super::bench::MEMORY + (random.below(0x8_0000) & !0x3f);
                    if random.below(4) != 0 {
                        bench.write(at, &address.to_le_bytes());
                    }
                }
            }
            performed += usize::from(one(&bench, &mut random));
        }
        println!("{family}: {performed} of 30000 random messages did something");
        assert!(performed > 300, "{family}: only {performed}");
    }
}
