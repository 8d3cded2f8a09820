//! Atomics of the load/store units.

use isa_encoder::message::{
    AddressSize, AtomicOp, CacheControl, DataSize, Lsc, LscAddress, LscPort, Message as Meaning,
};
use oracles::Random;

use super::bench::{Bench, MEMORY};
use super::lsc::{FAMILIES, pad};

/// As host code, messages do what they do on the general path (`Bench::send`).
#[test]
fn atomics_agree_with_the_general_path() {
    let mut random = Random::new(52);
    for family in FAMILIES {
        let grf = family.grf_bytes();
        let bench = Bench::new(family);
        bench.scramble(&mut random);
        bench.bind_buffer(6, MEMORY + 0x2000, 0x60);
        let ops: Vec<AtomicOp> = AtomicOp::ALL.to_vec();
        for round in 0..400usize {
            let op = ops[round % ops.len()];
            let (port, address, base) = match random.below(4) {
                0 => (LscPort::Slm, LscAddress::Flat { offset: 0 }, 0),
                1 => (LscPort::Ugm, LscAddress::Flat { offset: 0 }, MEMORY),
                2 => {
                    let (state, offset) = (6 * 64, 0);
                    (LscPort::Ugm, LscAddress::Bss { state, offset }, 0)
                }
                _ => {
                    let (index, offset) = (6, 0);
                    (LscPort::Ugm, LscAddress::Bti { index, offset }, 0)
                }
            };
            let a64 = base != 0;
            let exec = [1usize, 8, 16, 32][random.below(4) as usize];
            let room = exec.max(grf / 4);
            // Few places, so that channels collide; some of them beyond the buffer.
            let offset = |random: &mut Random| base + 4 * (random.below(8) + 18 * random.below(2));
            // Lanes that are not the op's have places, too, of which nothing may become.
            let mut addresses = Vec::new();
            for _ in 0..room {
                let address = offset(&mut random).to_le_bytes();
                addresses.extend(&address[..if a64 { 8 } else { 4 }]);
            }
            let addresses = pad(addresses, grf);
            let split = addresses.len() / grf;
            let plane = (4 * room).next_multiple_of(grf);
            let operands = match random.below(2) {
                // Comparisons succeed now and then.
                0 => (0..op.operands() * plane)
                    .map(|at| {
                        if at % 4 == 0 {
                            random.below(2) as u8
                        } else {
                            0
                        }
                    })
                    .collect(),
                _ => random.bytes(op.operands() * plane),
            };
            let all = u32::MAX >> (32 - exec);
            let mask = match random.below(2) {
                0 => all,
                _ => random.bits() as u32 & all,
            };
            let returns = random.below(2) == 0;
            let meaning = Meaning::Lsc(Lsc::Atomic {
                port,
                op,
                address,
                address_size: if a64 {
                    AddressSize::A64
                } else {
                    AddressSize::A32
                },
                data: DataSize::D32,
                returns,
                cache: CacheControl::DEFAULT,
            });
            // Families have different operations.
            if meaning.encode(family).is_err() {
                continue;
            }
            bench.send(
                meaning,
                (exec as u8, mask),
                &[addresses, operands].concat(),
                split,
                if returns { plane / grf } else { 0 },
            );
        }
        bench.assert_hosted(&family.to_string());
    }
}
